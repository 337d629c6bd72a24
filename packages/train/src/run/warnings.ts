// Collapse, made observable: a model can fail quietly, and each way it does so has a sign.
import { embed, measureShift, metricWeights, type Statistics } from "@nearkin/core";
import type { StageName } from "../config/schema.ts";
import type { TrainWarning } from "../events.ts";
import { kernelInputs } from "../stages/kernel.ts";
import { amongThemselves } from "../stages/likelihood.ts";
import { ensembleOf, noiseVariance, type Run, signalVariance } from "./run.ts";

/** A channel whose spread is this small a part of what it was at the stage's start has collapsed to a point. */
const COLLAPSED = 1e-3;
/** A channel with a smaller share of a typical distance no longer counts. */
const DEAD_SHARE = 0.01;
/** v/(v + σ²) below which the process explains next to nothing. */
const LEAST_SIGNAL = 0.05;
/** Share of the best validation score that may be lost while the likelihood gets better. */
const FALL = 0.9;

/** Channels without spread or weight. Scales of the run are those of the stage's start. */
export function deadChannels(run: Run, stage: StageName, measured: Statistics): TrainWarning[] {
  const { step } = run.progress;
  const { h } = metricWeights(run.model, run.parameters);
  const { scales } = run.statistics;
  // d_c of a typical pair is the new scale over the old one
  const parts = run.model.channels.map((_, c) => Math.abs(h[c]) * (measured.scales[c] / scales[c]));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return run.model.channels.flatMap(({ name }, c): TrainWarning[] => {
    if (measured.scales[c] < COLLAPSED * scales[c]) {
      const spread = (measured.scales[c] / scales[c]).toExponential(1);
      return [
        {
          code: "CHANNEL_COLLAPSED",
          stage,
          step,
          channel: name,
          text: `channel ${name} has collapsed: a typical pair of items is ${spread} of its former distance apart; less weight decay, or a smaller learning rate, may keep it`,
        },
      ];
    }
    if (parts[c] >= DEAD_SHARE * total) return [];
    const share = ((100 * parts[c]) / total).toFixed(1);
    return [
      {
        code: "WEIGHT_DIED",
        stage,
        step,
        channel: name,
        text: `channel ${name} no longer counts: ${share} % of a typical distance; leave it out, or look at its values`,
      },
    ];
  });
}

export function swallowedSignal(run: Run, stage: StageName): TrainWarning | null {
  if (stage !== "ssl") return null;
  const noise = noiseVariance(run);
  const signal = signalVariance(run);
  if (signal / (signal + noise) >= LEAST_SIGNAL) return null;
  return {
    code: "NOISE_SWALLOWS_SIGNAL",
    stage,
    step: run.progress.step,
    text: `noise swallows the signal: the metric explains ${((100 * signal) / (signal + noise)).toFixed(1)} % of what the targets vary by; predictions will be near the mean`,
  };
}

/** The likelihood gets better and the ranking worse: the deep kernel overfits. The best step is kept, but more steps will not help. */
export function fallingRanking(run: Run, stage: StageName): TrainWarning | null {
  const { history, progress } = run;
  if (stage !== "ssl" || !progress.best || !progress.top || progress.top.step === progress.step) return null;
  const score = (history.last("hr") + history.last("mrr") + history.last("ndcg")) / 3;
  if (!(score < FALL * progress.top.score)) return null;
  const before = history.nllAt(stage, Math.max(1, progress.top.step));
  if (!(history.last("nll") < before)) return null;
  return {
    code: "RANKING_FALLS",
    stage,
    step: progress.step,
    text: `validation ranking falls while the likelihood improves: ${score.toFixed(3)} against ${progress.top.score.toFixed(3)} at step ${progress.top.step}; step ${progress.best.step} is kept; raise ssl.anchor, ssl.noiseFloor or ssl.dropout`,
  };
}

/** Items on which the kernel's smallest eigenvalue is measured. */
const MEASURED = 512;

/**
 * λ_min of the kernel on random items. Inducing items hide it: they are chosen one by one where the kernel still has variance left, and so
 * never where it would turn negative; there are fewer of them instead.
 */
export function indefiniteKernel(run: Run, stage: StageName): TrainWarning | null {
  const { targets } = run.set;
  if (stage !== "ssl" || run.config.model.link !== "sigmoid" || !targets) return null;
  const { engine, progress, random } = run;
  const rows = random.split("indefinite", progress.step).shuffle(Int32Array.from(targets.fitted)).slice(0, MEASURED);
  using scope = engine.scope();
  const embedding = embed(
    engine,
    scope,
    ensembleOf(run),
    rows.map((row) => targets.items[row]),
  );
  const { Z, options } = kernelInputs(run, scope, embedding);
  const K = scope.matrix(rows.length, rows.length);
  engine.kernel(K, Z, Z, amongThemselves(scope, Z, options));
  const { smallest, shift } = measureShift(engine, K);
  if (shift === 0) return null;
  const inducing = progress.inducing.length > 0 ? `; ${progress.inducing.length} inducing items could be chosen` : "";
  return {
    code: "KERNEL_INDEFINITE",
    stage,
    step: progress.step,
    text: `the kernel of the sigmoid link is not positive semi-definite: smallest eigenvalue ${smallest.toPrecision(3)} on ${rows.length} items, shifted by ${progress.shift.toPrecision(3)}${inducing}; the links linear and saturating need no shift`,
  };
}

// The loop of a stage: step, look at the validation items now and then, keep the best, stop when nothing gets better.
import { type Matrix, metricWeights, NearkinError } from "@nearkin/core";
import type { StepReport, TrainEvent, TrainWarning } from "../events.ts";
import { average, optimise, scheduledRate } from "../optimiser.ts";
import type { Stage } from "../stages/stage.ts";
import { judge } from "./judge.ts";
import { rankValidation } from "./ranking.ts";
import { measure, noiseVariance, type Run, signalVariance } from "./run.ts";
import { deadChannels, fallingRanking, indefiniteKernel, swallowedSignal } from "./warnings.ts";

export interface LoopOptions {
  /** Steps to do whatever validation says: for a refit on all data. @default as configured, with early stopping */
  fixedSteps?: number;
  emit(event: TrainEvent): void;
  /** Called at every look, the one before the first step included; may measure, must change nothing. */
  observe?(run: Run, stage: Stage): void;
  /** Called after every step: may save a checkpoint, and says whether to stop here. */
  afterStep(): Promise<void>;
}

/** Runs a stage from where the run stands to its end; the best step's parameters stay. */
export async function runStage(run: Run, stage: Stage, options: LoopOptions): Promise<void> {
  const { settings } = stage;
  const { progress } = run;
  const steps = options.fixedSteps ?? settings.steps;
  const watch = options.fixedSteps === undefined;
  const clock = new Clock();
  let reason: "steps" | "patience" = "steps";
  if (progress.step === 0) {
    forgetMoments(run);
    copy(run.averaged, run.flat);
    progress.best = null;
    progress.top = null;
    progress.waited = 0;
    const look = () => validate(run, stage, options);
    if (watch && steps > 0) (stage.atStart ?? ((now) => now()))(look); // what an earlier stage left is a candidate too
  }
  while (progress.step < steps) {
    const step = progress.step + 1;
    run.gradient.data.fill(0, run.gradient.offset, run.gradient.offset + run.layout.size);
    const outcome = stage.step(step);
    const learningRate = scheduledRate({ ...settings, steps }, step);
    const rates = stage.rateOf ? { rateOf: stage.rateOf } : {};
    const norm = optimise(run.engine, run, { ...settings, ...rates, learningRate, step });
    if (settings.averaging !== null) average(run.averaged, run.flat, { averaging: settings.averaging, step });
    checkFinite(stage.name, step, outcome.loss, norm);
    progress.step = step;
    const report: StepReport = {
      stage: stage.name,
      step,
      steps,
      loss: outcome.loss,
      nll: outcome.nll,
      noise: Math.sqrt(noiseVariance(run)),
      variance: signalVariance(run),
      channels: run.model.channels.map(({ name }) => name),
      weights: Array.from(metricWeights(run.model, run.parameters).h),
      gradient: norm,
      learningRate,
    };
    run.history.add(report, outcome);
    options.emit({ type: "step", ...report, ...clock.tick(steps - step) });
    if (step % settings.validateEvery === 0 || step === steps) {
      withAverage(run, settings.averaging !== null, () => look(run, stage, options, watch));
      if (watch && settings.patience !== null && progress.waited >= settings.patience) {
        reason = "patience";
        break;
      }
    }
    await options.afterStep();
  }
  if (settings.averaging !== null) copy(run.flat, run.averaged);
  finishStage(run, stage, reason, options);
}

/** Looks at the averaged weights in place of those of the last step. */
function withAverage(run: Run, averaged: boolean, look: () => void): void {
  if (!averaged) {
    look();
    return;
  }
  using scope = run.engine.scope();
  const last = scope.matrix(run.layout.size, 1, run.flat.precision);
  copy(last, run.flat);
  copy(run.flat, run.averaged);
  look();
  copy(run.flat, last);
}

function copy(to: Matrix, from: Matrix): void {
  to.data.set(from.data.subarray(from.offset, from.offset + from.rows), to.offset);
}

/** What is measured anew every so often: lengths of stand-ins, and how well the model does. */
function look(run: Run, stage: Stage, options: LoopOptions, watch: boolean): void {
  const { scales } = run.statistics;
  // Scales stay until the stage is over: a new one would rescale h under the optimiser's hands.
  const measured = measure(run, `${stage.name} ${run.progress.step}`);
  for (const warning of deadChannels(run, stage.name, measured)) warn(run, options, warning);
  run.statistics = { ...measured, scales };
  if (watch) validate(run, stage, options);
  for (const warning of [swallowedSignal, fallingRanking, indefiniteKernel].map((check) => check(run, stage.name)))
    warn(run, options, warning);
}

function validate(run: Run, stage: Stage, { emit, observe }: LoopOptions): void {
  const { progress } = run;
  observe?.(run, stage);
  const ranked = rankValidation(run);
  const holdoutNll = stage.holdoutNll();
  if (progress.step > 0) run.history.validated(ranked?.ranking ?? null, holdoutNll);
  const judged = judge(progress, ranked?.scores ?? null, { holdoutNll, adds: stage.adds ?? false });
  const { step } = progress;
  const keepsBest = stage.settings.keep === "best";
  if (judged && keepsBest) {
    const { flat, layout, statistics } = run;
    const kept = (flat.data as Float32Array).slice(flat.offset, flat.offset + layout.size);
    progress.best = { ...judged, flat: kept, statistics };
  }
  const best = keepsBest ? judged !== null : progress.top?.step === step;
  if (best) progress.waited = 0;
  else if (progress.top) progress.waited++; // what measures nothing ends no stage
  emit({
    type: "validation",
    stage: stage.name,
    step,
    ranking: ranked?.ranking ?? null,
    holdoutNll,
    best,
  });
}

function finishStage(run: Run, stage: Stage, reason: "steps" | "patience", options: LoopOptions): void {
  const { progress } = run;
  const best = progress.best;
  if (best) {
    (run.flat.data as Float32Array).set(best.flat, run.flat.offset);
    run.statistics = best.statistics;
  }
  const kept = best?.step ?? progress.step;
  if (stage.finish) {
    stage.finish(kept);
    warn(run, options, swallowedSignal(run, stage.name));
  }
  const ranking = rankValidation(run)?.ranking ?? null;
  const finished = {
    stage: stage.name,
    steps: progress.step,
    best: kept,
    reason,
    ranking,
    holdoutNll: stage.name === "ssl" ? stage.holdoutNll() : null,
  };
  progress.finished.push(finished);
  progress.best = null;
  progress.top = null;
  options.emit({ type: "stage", ...finished });
}

function forgetMoments({ state, layout }: Run): void {
  for (const m of [state.mean, state.square]) m.data.fill(0, m.offset, m.offset + layout.size);
}

/** Tells a warning once a stage. */
function warn(run: Run, { emit }: LoopOptions, warning: TrainWarning | null): void {
  if (!warning) return;
  const known = run.progress.warnings.some(
    ({ code, stage, channel }) => code === warning.code && stage === warning.stage && channel === warning.channel,
  );
  if (known) return;
  run.progress.warnings.push(warning);
  emit({ type: "warning", ...warning });
}

function checkFinite(stage: string, step: number, loss: number, norm: number): void {
  if (Number.isFinite(loss) && Number.isFinite(norm)) return;
  throw new NearkinError(
    "NOT_FINITE",
    `stage ${stage}, step ${step}: the loss is ${loss}, the gradient's norm ${norm}; lower ${stage}.learningRate, set ${stage}.clip, or raise ssl.noiseFloor`,
  );
}

/** Steps per second over the last half minute, and what is left at that pace. */
class Clock {
  readonly #times: number[] = [];

  tick(stepsLeft: number): { stepsPerSecond: number; secondsLeft: number } {
    const now = performance.now() / 1000;
    this.#times.push(now);
    while (this.#times.length > 2 && now - this.#times[0] > 30) this.#times.shift();
    const passed = now - this.#times[0];
    const stepsPerSecond = passed > 0 ? (this.#times.length - 1) / passed : 0;
    return { stepsPerSecond, secondsLeft: stepsPerSecond > 0 ? stepsLeft / stepsPerSecond : 0 };
  }
}

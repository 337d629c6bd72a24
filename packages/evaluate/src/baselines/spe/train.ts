// Training of SPE: step, rank the validation items now and then, keep the best, stop when nothing gets better.
// n items, e columns of an embedding, P parameters
import { type Engine, type Matrix, NearkinError, type Parameters, parameterViews, Random } from "@nearkin/core";
import type { TrainingData } from "@nearkin/data";
import type { SpeContent } from "./content.ts";
import { freeLength, get, initializeSpe, type SpeItems, speEmbed, speItems, speLayout } from "./model.ts";
import { resolveSpeSettings, type SpeSettings } from "./settings.ts";
import { speLoss } from "./step.ts";

/** A look at the validation items, with the mean loss since the last one. */
export interface SpeProgress {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  /** Higher is better; null without validation items. */
  readonly score: number | null;
  /** The best so far. */
  readonly best: boolean;
  readonly standOff: boolean;
}

export interface SpeSet {
  readonly content: SpeContent;
  readonly data: TrainingData;
  /** Items with training events, ascending. */
  readonly trainItems: Int32Array;
  /** How well items that training has not seen are ranked; null where there are none: the last step is kept. */
  readonly validate: ((embedded: SpeEmbedded) => number) | null;
}

/** All items as the model sees them. */
export interface SpeEmbedded {
  /** z (n, e) */
  readonly embeddings: Float32Array;
  /** δ (n), exactly 0 for items without training events. */
  readonly gates: Float64Array;
  /** ρ of the items without training events. */
  readonly length: number;
}

/** What was learned. */
export interface SpeResult extends SpeEmbedded {
  /** The step it is from. */
  readonly step: number;
  /** Its score on the validation items. */
  readonly score: number | null;
  readonly standOff: boolean;
}

export interface SpeRun {
  onProgress?: (progress: SpeProgress) => void;
  /** Ends the run by an error. */
  signal?: AbortSignal;
}

export async function trainSpe(
  engine: Engine,
  set: SpeSet,
  { onProgress = () => {}, signal, ...chosen }: SpeSettings & SpeRun = {},
): Promise<SpeResult> {
  const settings = resolveSpeSettings(chosen);
  const { steps, validateEvery, patience } = settings;
  using scope = engine.scope();
  const random = new Random(settings.seed).split("spe");
  const model = speItems(set.content, set.data, set.trainItems);
  const layout = speLayout(model, settings);
  const vector = () => scope.zeros(layout.size, 1, "f32"); // (P)
  const [flat, gradient, mean, square, averaged] = [vector(), vector(), vector(), vector(), vector()];
  const parameters = parameterViews(layout, flat);
  initializeSpe(engine, parameters, random.split("initial"));
  averaged.data.set(flat.data.subarray(flat.offset, flat.offset + layout.size), averaged.offset);
  const gradients = parameterViews(layout, gradient);
  const loss = speLoss(engine, { parameters, gradients, model, data: set.data }, settings);

  const lengthOf = (of: Parameters) => (settings.standOff ? freeLength(of, model) : 0);
  const update = (step: number) => {
    for (const { name, rows, cols, offset, decay } of layout.tensors) {
      const part = (m: Matrix) => m.view(offset, offset + rows * cols);
      const rate = name === "logScale" || name === "offset" ? settings.scaleRate : 1;
      engine.adamw(part(flat), part(gradient), part(mean), part(square), {
        learningRate: rate * settings.learningRate,
        step,
        weightDecay: !decay ? 0 : name === "free" ? settings.freeDecay : settings.weightDecay,
      });
    }
    average(averaged, flat, Math.min(settings.averaging, (1 + step) / (10 + step)));
  };

  let kept: SpeResult | undefined;
  let waited = 0;
  let losses = 0;
  for (let step = 1, since = 1; step <= steps && waited < patience; step++, since++) {
    await new Promise((resolve) => setImmediate(resolve)); // signals and timers have their turn
    signal?.throwIfAborted();
    gradient.data.fill(0, gradient.offset, gradient.offset + layout.size);
    losses += loss(random.split("step", step), lengthOf(parameters));
    update(step);
    if (step % validateEvery !== 0 && step !== steps) continue;
    if (!Number.isFinite(losses)) {
      throw new NearkinError("NOT_FINITE", `spe: the loss is ${losses} at step ${step}; lower learningRate`);
    }
    const now = parameterViews(layout, averaged);
    const embedded = { ...embedAll(engine, now, model), length: lengthOf(now) };
    const score = set.validate?.(embedded) ?? null;
    const best = kept === undefined || score === null || score > (kept.score ?? -Infinity);
    if (best) kept = { ...embedded, step, score, standOff: settings.standOff };
    waited = best ? 0 : waited + 1;
    onProgress({ step, steps, loss: losses / since, score, best, standOff: settings.standOff });
    losses = 0;
    since = 0;
  }
  return kept as SpeResult; // there is a last step, and it was looked at
}

/** Items embedded at once. */
const BLOCK = 4096;

function embedAll(engine: Engine, parameters: Parameters, model: SpeItems): Omit<SpeEmbedded, "length"> {
  const n = model.freeRows.length;
  const e = get(parameters, "free").cols;
  const embeddings = new Float32Array(n * e);
  const gates = new Float64Array(n);
  for (let first = 0; first < n; first += BLOCK) {
    using scope = engine.scope();
    const items = Int32Array.from({ length: Math.min(BLOCK, n - first) }, (_, i) => first + i);
    const { Z, gates: own } = speEmbed(engine, scope, { parameters, model, items });
    embeddings.set(Z.data.subarray(Z.offset, Z.offset + items.length * e), first * e);
    gates.set(own, first);
  }
  return { embeddings, gates };
}

/** E ← keep·E + (1 − keep)·parameters */
function average(E: Matrix, flat: Matrix, keep: number): void {
  const to = E.data;
  const from = flat.data;
  for (let i = 0; i < flat.rows; i++) {
    to[E.offset + i] = keep * to[E.offset + i] + (1 - keep) * from[flat.offset + i];
  }
}

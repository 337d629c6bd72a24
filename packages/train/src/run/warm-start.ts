// A run that starts from an earlier model. Parameters are taken over by name; where a channel's inputs have changed since (a new vocabulary, new
// principal components), the first layer of its tower is translated, so that what it made of an item it still makes of it:
//
//   categories   rows of W₁ follow their terms; new terms keep their fresh rows
//   PCA          y_old = P_old(P_newᵀy_new + μ_new − μ_old), so W₁ ← P_new·P_oldᵀ·W₁ and b₁ ← b₁ + P_old(μ_new − μ_old)·W₁
//   scale        inputs multiplied by a new number: W₁ is divided by as much
//
// d inputs, q units of the first layer.
import {
  type CategoriesTransform,
  type ChannelTransform,
  type Matrix,
  type ModelChannel,
  type ModelParts,
  NearkinError,
  type Parameters,
  type Pca,
  storedParameters,
} from "@nearkin/core";
import type { TrainedChannel } from "../input/training-set.ts";
import type { Run } from "./run.ts";
import { rescale } from "./run.ts";

/** Takes over what fits, and says in words what does not. */
export function warmStart(run: Run, from: ModelParts): string[] {
  if (from.ensemble.weights !== run.model.weights || from.ensemble.hidden !== run.model.hidden) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--from: the model has ${from.ensemble.hidden} hidden units and ${from.ensemble.weights} weights, the configuration ${run.model.hidden} and ${run.model.weights}; they must agree`,
    );
  }
  const old = storedParameters(from);
  const notes: string[] = [];
  const scales = Float64Array.from(run.statistics.scales);
  const lengths = Float64Array.from(run.statistics.lengths);
  const standIns = [...run.statistics.standIns];
  run.model.channels.forEach(({ name }, c) => {
    const before = from.channels.findIndex((channel) => channel.name === name);
    const problem =
      before < 0 ? "is new" : takeChannel(run, { name, now: run.set.channels[c], earlier: from.channels[before], old });
    if (problem !== undefined) {
      notes.push(`--from: channel ${name} ${problem}: it starts fresh`);
      return;
    }
    scales[c] = from.statistics.scales[before];
    lengths[c] = from.statistics.lengths[before];
    standIns[c] = from.statistics.standIns[before];
    copyAt(run.parameters.get("weights"), c, old.get("weights"), before);
  });
  for (const { name, transform } of from.channels) {
    if (!run.model.channels.some((channel) => channel.name === name))
      notes.push(
        transform.type === "surrogate"
          ? `--from: channel ${name} is fitted anew by the stage ssl: it starts fresh`
          : `--from: channel ${name} is not used any more`,
      );
  }
  for (const name of ["offset", "logNoise", "logVariance"]) copyAt(run.parameters.get(name), 0, old.get(name), 0);
  run.statistics = { scales, lengths, standIns };
  rescale(run, "warm");
  return notes;
}

interface ChannelPair {
  name: string;
  now: TrainedChannel;
  earlier: ModelChannel;
  old: Parameters;
}

/** Copies a channel's parameters, translated; returns why that is not possible. */
function takeChannel(run: Run, { name, now, earlier, old }: ChannelPair): string | undefined {
  if (now.transform.type !== earlier.transform.type) return `was of type ${earlier.transform.type}`;
  if (now.transform.type === "identity") return "has vectors of its own for each item";
  const shapes = run.layout.tensors.filter((tensor) => tensor.name.startsWith(`${name}.`));
  for (const { name: tensor, cols } of shapes) {
    if (tensor !== `${name}.w1` && old.get(tensor)?.cols !== cols) return "has another width";
  }
  const first = translate(now.transform, earlier.transform);
  if (typeof first === "string") return first;
  for (const { name: tensor } of shapes) {
    if (tensor !== `${name}.w1`) copy(run.parameters.get(tensor), old.get(tensor));
  }
  const w1 = run.parameters.get(`${name}.w1`);
  const b1 = run.parameters.get(`${name}.b1`);
  const oldW1 = old.get(`${name}.w1`);
  if (!w1 || !b1 || !oldW1) return "has another shape";
  return first({ w1, b1, oldW1, ratio: earlier.scale / now.scale, oldScale: earlier.scale });
}

interface FirstLayer {
  w1: Matrix;
  b1: Matrix;
  oldW1: Matrix;
  /** Old input scale over the new one. */
  ratio: number;
  oldScale: number;
}

/** How the first layer follows the inputs; or why it cannot. */
function translate(
  now: ChannelTransform,
  earlier: ChannelTransform,
): ((layer: FirstLayer) => string | undefined) | string {
  if (now.type === "categories" && earlier.type === "categories") return (layer) => followTerms(layer, now, earlier);
  const [nowPca, earlierPca] = [pcaOf(now), pcaOf(earlier)];
  if (now.type === "text" && earlier.type === "text") {
    if (now.encoder.kind !== earlier.encoder.kind) return "has another encoder";
    if (
      now.encoder.kind === "external" &&
      earlier.encoder.kind === "external" &&
      now.encoder.name !== earlier.encoder.name
    ) {
      return "has another encoder";
    }
    if (
      now.encoder.kind === "lsa" &&
      earlier.encoder.kind === "lsa" &&
      !sameNumbers(now.encoder.lsa, earlier.encoder.lsa)
    ) {
      return "was encoded by an lsa that has been fitted anew since";
    }
  }
  if ((nowPca === undefined) !== (earlierPca === undefined)) return "was reduced otherwise";
  if (nowPca && earlierPca)
    return nowPca.width === earlierPca.width ? (layer) => followPca(layer, nowPca, earlierPca) : "has another width";
  return ({ w1, oldW1, ratio }) => {
    if (w1.rows !== oldW1.rows) return "has another width";
    for (let i = 0; i < w1.rows; i++) for (let j = 0; j < w1.cols; j++) w1.set(i, j, ratio * oldW1.get(i, j));
    return undefined;
  };
}

function followTerms(
  { w1, oldW1, ratio }: FirstLayer,
  now: CategoriesTransform,
  earlier: CategoriesTransform,
): undefined {
  const rows = new Map(earlier.terms.map((term, row) => [term, row]));
  now.terms.forEach((term, row) => {
    const old = rows.get(term);
    if (old === undefined) return;
    for (let j = 0; j < w1.cols; j++) w1.set(row, j, ratio * oldW1.get(old, j));
  });
  return undefined;
}

function followPca({ w1, b1, oldW1, ratio, oldScale }: FirstLayer, now: Pca, earlier: Pca): undefined {
  const d = now.width;
  const product = (a: Float32Array, i: number, b: ArrayLike<number>, from: number) => {
    let sum = 0;
    for (let k = 0; k < d; k++) sum += a[i * d + k] * b[from + k];
    return sum;
  };
  const moved = now.mean.map((mean, k) => mean - earlier.mean[k]); // μ_new − μ_old
  const shifts = Float64Array.from(
    { length: earlier.dimensions },
    (_, l) => oldScale * product(earlier.components, l, moved, 0),
  );
  for (let i = 0; i < now.dimensions; i++) {
    const turn = Float64Array.from({ length: earlier.dimensions }, (_, l) =>
      product(now.components, i, earlier.components, l * d),
    );
    for (let j = 0; j < w1.cols; j++) w1.set(i, j, ratio * turn.reduce((sum, x, l) => sum + x * oldW1.get(l, j), 0));
  }
  for (let j = 0; j < w1.cols; j++) {
    b1.set(0, j, b1.get(0, j) + shifts.reduce((sum, x, l) => sum + x * oldW1.get(l, j), 0));
  }
  return undefined;
}

function pcaOf(transform: ChannelTransform): Pca | undefined {
  return transform.type === "text" || transform.type === "vector" ? transform.pca : undefined;
}

/** Whether two fitted things are the same to the last bit. */
function sameNumbers(a: object, b: object): boolean {
  const text = (value: object) =>
    JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : part));
  return text(a) === text(b);
}

function copy(to: Matrix | undefined, from: Matrix | undefined): void {
  if (!to || !from) return;
  for (let i = 0; i < to.rows; i++) for (let j = 0; j < to.cols; j++) to.set(i, j, from.get(i, j));
}

function copyAt(to: Matrix | undefined, at: number, from: Matrix | undefined, source: number): void {
  if (to && from) to.set(0, at, from.get(0, source));
}

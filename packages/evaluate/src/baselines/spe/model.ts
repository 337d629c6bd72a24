// The embedding of an item has a part that its content gives and a part of its own:
//
//   z_i = f(x_i) + δ(s_i)·v_i
//
// f is the product's tower on all content channels at once, v_i a free vector of each training item, δ the gate (gate.ts). Without training
// events δ = 0, and content alone speaks. Forward and back in closed form.
// n items, m of them with training events, B rows, d inputs, e outputs
import {
  type Engine,
  initializeTower,
  layoutParameters,
  type Matrix,
  type ParameterLayout,
  type Parameters,
  portableLog,
  type Random,
  type Scope,
  type TowerActivations,
  towerActivations,
  towerBackward,
  towerForward,
  towerOf,
  towerScratch,
  towerSpecs,
} from "@nearkin/core";
import type { TrainingData } from "@nearkin/data";
import { type SpeContent, writeContent } from "./content.ts";
import { gateBackward, gateOf, gateStatistics, STATISTICS } from "./gate.ts";

export interface SpeSize {
  /** h of the tower. */
  hidden: number;
  /** e */
  embeddingSize: number;
}

/** What embeddings are made of, besides parameters. */
export interface SpeItems {
  readonly content: SpeContent;
  /** (m) Items with training events, ascending. */
  readonly trainItems: Int32Array;
  /** (n) Row of the free table; −1 for an item without training events. */
  readonly freeRows: Int32Array;
  /** (n, q) */
  readonly statistics: Float64Array;
}

export function speItems(content: SpeContent, { items }: TrainingData, trainItems: Int32Array): SpeItems {
  const freeRows = new Int32Array(items.ratings.length).fill(-1);
  trainItems.forEach((item, row) => {
    freeRows[item] = row;
  });
  return { content, trainItems, freeRows, statistics: gateStatistics(items, trainItems) };
}

const TOWER = "content";

/** `content.*` the tower, `free` (m, e), `gate` (1, q + 1), and `logScale` and `offset` of the loss. */
export function speLayout({ content, trainItems }: SpeItems, size: SpeSize): ParameterLayout {
  return layoutParameters([
    ...towerSpecs(TOWER, { inputWidth: content.width, ...size }),
    { name: "free", rows: trainItems.length, cols: size.embeddingSize, decay: true },
    { name: "gate", rows: 1, cols: STATISTICS + 1, decay: false },
    { name: "logScale", rows: 1, cols: 1, decay: false },
    { name: "offset", rows: 1, cols: 1, decay: false },
  ]);
}

/** w at the start. A tower puts all items close together at first: distances are small. */
const FIRST_SCALE = 5;

/** Free vectors begin at 0, content alone; every gate is half open. */
export function initializeSpe(engine: Engine, parameters: Parameters, random: Random): void {
  initializeTower(engine, parameters, TOWER, random);
  for (const name of ["free", "gate", "offset"] as const) get(parameters, name).fill(0);
  get(parameters, "logScale").fill(portableLog(FIRST_SCALE));
}

export interface SpeEmbedOptions {
  /** Probability that an input is 0. @default 0 */
  dropout?: number;
  /** Probability that a row does without its free part, as if it were new. @default 0 */
  freeDropout?: number;
  /** Needed for either. */
  random?: Random;
}

export interface SpeEmbedding {
  /** (B, e) */
  readonly Z: Matrix;
  /** (B) δ, 0 where a row has no free part. */
  readonly gates: Float64Array;
  readonly items: Int32Array;
  readonly pass: { readonly X: Matrix; readonly content: Matrix; readonly activations: TowerActivations };
}

/** z of `items`; all memory is of `scope`. */
export function speEmbed(
  engine: Engine,
  scope: Scope,
  { parameters, model, items }: { parameters: Parameters; model: SpeItems; items: Int32Array },
  { dropout = 0, freeDropout = 0, random }: SpeEmbedOptions = {},
): SpeEmbedding {
  const B = items.length;
  const free = get(parameters, "free");
  const { precision, cols: e } = free;
  const tower = towerOf(parameters, TOWER);
  const X = scope.matrix(B, model.content.width, precision);
  writeContent(X, model.content, items);
  if (dropout > 0 && random) engine.dropout(X, X, dropout, random.split("inputs"));
  const content = scope.matrix(B, e, precision);
  const activations = towerActivations(scope, B, tower[1].weights.cols, precision);
  towerForward(engine, content, X, { tower, activations });
  const chance = random?.split("free");
  const gates = Float64Array.from(items, (item) => {
    const without = freeDropout > 0 && chance !== undefined && chance.uniform() < freeDropout;
    return without || model.freeRows[item] < 0 ? 0 : gateOf(get(parameters, "gate"), model.statistics, item);
  });
  const Z = scope.matrix(B, e, precision);
  engine.convert(Z, content);
  const z = Z.data;
  const v = free.data;
  for (let i = 0; i < B; i++) {
    if (gates[i] === 0) continue;
    const row = free.offset + model.freeRows[items[i]] * e;
    for (let j = 0; j < e; j++) z[Z.offset + i * e + j] += gates[i] * v[row + j];
  }
  return { Z, gates, items, pass: { X, content, activations } };
}

/** Adds ∂ℓ/∂parameters, from dZ = ∂ℓ/∂Z (B, e). */
export function speBackward(
  engine: Engine,
  scope: Scope,
  { parameters, gradients, model }: { parameters: Parameters; gradients: Parameters; model: SpeItems },
  { embedding, dZ }: { embedding: SpeEmbedding; dZ: Matrix },
): void {
  const { gates, items, pass } = embedding;
  const { rows: B, cols: e, precision } = dZ;
  const tower = towerOf(parameters, TOWER);
  const scratch = towerScratch(scope, B, { hidden: tower[1].weights.cols, embeddingSize: e }, precision);
  engine.activateBackward(scratch.output, dZ, pass.content, "tanh");
  const { activations } = pass;
  towerBackward(engine, towerOf(gradients, TOWER), pass.X, { G: scratch.output, tower, activations, scratch });
  // ∂ℓ/∂v_i = δ_i·dz_i      ∂ℓ/∂δ_i = v_i·dz_i
  const free = get(parameters, "free");
  const dFree = get(gradients, "free");
  const dGate = get(gradients, "gate");
  const { data, offset } = dZ;
  const v = free.data;
  const dv = dFree.data;
  for (let i = 0; i < B; i++) {
    if (gates[i] === 0) continue;
    const row = model.freeRows[items[i]] * e;
    let slope = 0;
    for (let j = 0; j < e; j++) {
      const dz = data[offset + i * e + j];
      dv[dFree.offset + row + j] += gates[i] * dz;
      slope += v[free.offset + row + j] * dz;
    }
    gateBackward(dGate, model.statistics, items[i], { value: gates[i], slope });
  }
}

/**
 * ρ = mean ‖δ_i·v_i‖² over the training items: the squared length of the free part that an item without one would have. Such an item is
 * at ‖z_i − z_j‖² + ρ, its expected distance, from others; or all of them would lie nearer to each other than to what is known.
 */
export function freeLength(parameters: Parameters, { trainItems, statistics }: SpeItems): number {
  const free = get(parameters, "free");
  const gate = get(parameters, "gate");
  const { data, offset, cols: e } = free;
  let sum = 0;
  for (let row = 0; row < trainItems.length; row++) {
    let square = 0;
    for (let at = offset + row * e; at < offset + (row + 1) * e; at++) square += data[at] * data[at];
    sum += square * gateOf(gate, statistics, trainItems[row]) ** 2;
  }
  return sum / trainItems.length;
}

/** A parameter, or a gradient, of the layout above. */
export function get(parameters: Parameters, name: "free" | "gate" | "logScale" | "offset"): Matrix {
  return parameters.get(name) as Matrix;
}

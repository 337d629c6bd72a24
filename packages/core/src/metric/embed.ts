// From items to one matrix Z (B, e) in which all channels ride side by side, and back to the parameters. A channel without a value
// has a stand-in there: the learned vector `.missing`, or the mean vector for the identity channel of a cold item. The stand-in's
// own axis (ρ_c) is not a column: it enters distances as a length (weights.ts).
//
// B rows, p channels, e = Σ e_c. The precision is that of the parameters.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkShape, type Indices, type Matrix } from "../linalg/matrix.ts";
import type { Random } from "../linalg/random.ts";
import type { LayerInput } from "../nn/dense.ts";
import { type Parameters, parameter } from "../nn/parameters.ts";
import {
  type TowerActivations,
  towerActivations,
  towerBackward,
  towerForward,
  towerOf,
  towerScratch,
} from "../nn/tower.ts";
import { type Batch, copyItems, denseRows, rowsWhere, sparseRows } from "./batch.ts";
import {
  type ChannelInput,
  type ChannelSpec,
  type EnsembleConfig,
  embeddingWidth,
  type ItemInputs,
  type Statistics,
} from "./ensemble.ts";
import { identityBackward, identityForward } from "./identity.ts";
import { addRows, clearRows, copyRows, setRows } from "./rows.ts";

/** All that an embedding depends on. */
export interface Ensemble {
  readonly config: EnsembleConfig;
  readonly parameters: Parameters;
  readonly inputs: ItemInputs;
  readonly statistics: Statistics;
}

export interface EmbedOptions {
  /** Probability that an input is 0; the others grow by 1/(1 − dropout). @default 0 */
  readonly dropout?: number;
  /** Probability that a row does without its identity vector, as if it were cold. @default 0 */
  readonly identityDropout?: number;
  /** Needed for dropout; advances. */
  readonly random?: Random;
}

export interface Embedding {
  /** (B, e) */
  readonly Z: Matrix;
  /** (B·p) 1 where channel c of row i, at i·p + c, is a stand-in. */
  readonly masked: Uint8Array;
  /** (p) rows with a stand-in. All 0: there are no lengths to add to distances. */
  readonly maskedCounts: Int32Array;
  /** What the backward pass needs of each channel. */
  readonly passes: readonly ChannelPass[];
}

type ChannelPass =
  | { readonly kind: "tower"; readonly X: LayerInput; readonly activations: TowerActivations; readonly masked: Rows }
  | { readonly kind: "identity"; readonly rows: Indices; readonly masked: Rows }
  | { readonly kind: "factors"; readonly masked: Rows };

/** Positions in the batch. */
type Rows = readonly number[];

// A single row would go through the engine's products with a vector, whose sums run in another order than those of a matrix. It is
// doubled, so that an item has the same embedding, bit for bit, alone and in any batch.
const LEAST_ROWS = 2;
const SINGLE: Rows = [0]; // without its double

/** Embeds `items`, rows of `inputs`; all memory is of `scope`. Without dropout a row depends on its own item alone, to the bit. */
export function embed(
  engine: Engine,
  scope: Scope,
  { config, parameters, inputs, statistics }: Ensemble,
  items: Indices | Int32Array,
  { dropout = 0, identityDropout = 0, random }: EmbedOptions = {},
): Embedding {
  checkRate("dropout", dropout, random);
  checkRate("identityDropout", identityDropout, random);
  checkInputs(config.channels, inputs.channels);
  const { precision } = parameter(parameters, "weights");
  const batch: Batch = {
    engine,
    scope,
    precision,
    items: copyItems(scope, items, inputs.itemCount, LEAST_ROWS),
    dropout,
    random,
  };
  const B = items.length;
  const Z = scope.matrix(batch.items.length, embeddingWidth(config), precision);
  let from = 0;
  const passes = config.channels.map(({ name, embeddingSize }, c): ChannelPass => {
    const columns = Z.view(0, Z.rows, from, from + embeddingSize);
    from += embeddingSize;
    const input = inputs.channels[c];
    if (input.kind === "identity") {
      const table = parameter(parameters, `${name}.table`);
      const standIn = statistics.standIns[c];
      const pass = identityForward(batch, columns.view(0, B), { input, table, standIn, dropout: identityDropout });
      return { kind: "identity", ...pass };
    }
    const masked = rowsWhere(batch, input.missing);
    if (input.kind === "factors") {
      copyRows(columns, input.values, batch.items);
      return { kind: "factors", masked: masked.length > B ? SINGLE : masked };
    }
    const activations = towerActivations(scope, Z.rows, config.hidden, precision);
    const X = input.kind === "dense" ? denseRows(batch, input, masked) : sparseRows(batch, input);
    towerForward(engine, columns, X, { tower: towerOf(parameters, name), activations });
    if (masked.length > 0) {
      const { data, offset } = parameter(parameters, `${name}.missing`);
      setRows(columns, masked, data, offset);
    }
    return { kind: "tower", X, activations, masked: masked.length > B ? SINGLE : masked };
  });
  return { Z: Z.view(0, B), ...flags(passes, B), passes };
}

/**
 * Adds ∂ℓ/∂parameters, from dZ = ∂ℓ/∂Z (B, e), to `gradients`; scratch is of `scope`. A missing row's gradient goes to `.missing`
 * and past the tower; that of a row without identity nowhere, since its stand-in is measured.
 */
export function embedBackward(
  engine: Engine,
  scope: Scope,
  { config, parameters }: Ensemble,
  { Z, passes }: Embedding,
  dZ: Matrix,
  gradients: Parameters,
): void {
  checkShape("embedBackward: dZ", dZ, Z.rows, Z.cols, Z.precision);
  const B = Z.rows;
  const embeddingSize = config.channels.reduce((largest, channel) => Math.max(largest, channel.embeddingSize), 0);
  const scratch = towerScratch(scope, Math.max(B, LEAST_ROWS), { hidden: config.hidden, embeddingSize }, Z.precision);
  let from = 0;
  config.channels.forEach(({ name, embeddingSize: width }, c) => {
    const dZc = dZ.view(0, B, from, from + width);
    const Zc = Z.view(0, B, from, from + width);
    from += width;
    const G = scratch.output.view(0, scratch.output.rows, 0, width);
    const pass = passes[c];
    if (pass.kind === "factors") return;
    if (pass.kind === "identity") {
      const { rows, masked } = pass;
      identityBackward(engine, parameter(gradients, `${name}.table`), dZc, { rows, masked, scratch: G.view(0, B) });
      return;
    }
    const { X, activations, masked } = pass;
    engine.activateBackward(G.view(0, B), dZc, Zc, "tanh");
    if (G.rows > B) clearRows(G, [B]);
    if (masked.length > 0) {
      addRows(parameter(gradients, `${name}.missing`), dZc, masked);
      clearRows(G, masked);
    }
    const tower = towerOf(parameters, name);
    towerBackward(engine, towerOf(gradients, name), X, { G, tower, activations, scratch });
  });
}

/** Which rows have a stand-in, by row and by channel. */
function flags(passes: readonly ChannelPass[], B: number): Pick<Embedding, "masked" | "maskedCounts"> {
  const p = passes.length;
  const masked = new Uint8Array(B * p);
  const maskedCounts = new Int32Array(p);
  for (let c = 0; c < p; c++) {
    maskedCounts[c] = passes[c].masked.length;
    for (const i of passes[c].masked) masked[i * p + c] = 1;
  }
  return { masked, maskedCounts };
}

function checkRate(name: string, rate: number, random: Random | undefined): void {
  if (!(rate >= 0 && rate < 1))
    throw new NearkinError("BAD_ARGUMENT", `embed: ${name} must lie in [0, 1), got ${rate}`);
  if (rate > 0 && !random) throw new NearkinError("BAD_ARGUMENT", `embed: ${name} needs a stream of random numbers`);
}

function checkInputs(channels: readonly ChannelSpec[], inputs: readonly ChannelInput[]): void {
  if (inputs.length !== channels.length) {
    throw new NearkinError("SHAPE_MISMATCH", `embed: inputs of ${inputs.length} channels, expected ${channels.length}`);
  }
  for (let c = 0; c < channels.length; c++) {
    const { name, input: kind, inputWidth } = channels[c];
    const input = inputs[c];
    const width = "values" in input ? input.values.cols : input.kind === "sparse" ? input.width : inputWidth;
    if (input.kind !== kind || width !== inputWidth) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `embed: channel ${name}: expected ${kind} inputs of width ${inputWidth}, got ${input.kind} of ${width}`,
      );
    }
  }
}

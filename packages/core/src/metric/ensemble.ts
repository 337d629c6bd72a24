// The Siamese ensemble (Eq. 7, App. A.2): one tower per channel, or one vector per item for the identity channel, and the weights
// that add up their distances. What was chosen (EnsembleConfig), what is learned (Parameters), what is measured (Statistics).
// n items, p channels, e = Σ e_c embedding columns, h hidden units.
import { NearkinError } from "../errors.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { Random } from "../linalg/random.ts";
import {
  layoutParameters,
  type ParameterLayout,
  type ParameterSpec,
  parameter,
  parameterViews,
} from "../nn/parameters.ts";
import { initializeTower, towerSpecs } from "../nn/tower.ts";
import { inverseSoftplus } from "./exponential.ts";

export interface ChannelSpec {
  readonly name: string;
  /** `factors`: a product channel, whose embeddings are computed, not learned; it has no tower and no parameters. */
  readonly input: "dense" | "sparse" | "identity" | "factors";
  /** d. For identity: rows of its table, one per training item. For factors: e_c. */
  readonly inputWidth: number;
  /** e_c */
  readonly embeddingSize: number;
}

export interface EnsembleConfig {
  readonly channels: readonly ChannelSpec[];
  /** h: the towers have 2h and h hidden units. */
  readonly hidden: number;
  readonly link: Link;
  /** `softplus`: h = softplus(θ) > 0, so that linear and saturating kernels are positive definite. `signed`: any h (the paper's). */
  readonly weights: "signed" | "softplus";
  /** Λ of Eq. 1. `diagonal`: λ² per embedding column of a tower is learned; a table of free vectors has no use for it. */
  readonly scale: "identity" | "diagonal";
}

/** Inputs of all items of one channel, n of them. */
export type ChannelInput =
  | {
      readonly kind: "dense";
      /** (n, d), in the arena or outside. */
      readonly values: Matrix;
      /** (n) 1 where the item has no value. */
      readonly missing: Uint8Array;
    }
  | {
      readonly kind: "sparse";
      /** d */
      readonly width: number;
      /** (n + 1) */
      readonly starts: Int32Array;
      readonly columns: Int32Array;
      /** Of every entry. */
      readonly value: number;
      readonly missing: Uint8Array;
    }
  | {
      readonly kind: "identity";
      /** (n) 1 where the item has no vector of its own. */
      readonly cold: Uint8Array;
      /** (n) row of the table for each item that is not cold. @default the item's own index */
      readonly rows?: Int32Array;
    }
  | {
      readonly kind: "factors";
      /** (n, e_c) The embeddings themselves, in the arena or outside. */
      readonly values: Matrix;
      /** (n) 1 if the item's factors are foreseen from its content alone. */
      readonly missing: Uint8Array;
    };

/** Inputs that say what an item is: not which one, nor who met it. */
export type ContentInput = Exclude<ChannelInput, { kind: "identity" | "factors" }>;

/** Whether an input is made of what is known of items, not of who met them. */
export function isContent(input: ChannelInput): input is ContentInput {
  return input.kind === "dense" || input.kind === "sparse";
}

export interface ItemInputs {
  /** n */
  readonly itemCount: number;
  readonly channels: readonly ChannelInput[];
}

/** Measured, not learned. */
export interface Statistics {
  /** s_c (p): the squared distance of a typical random pair; of a product channel the inner product at which d_c is 0. */
  readonly scales: Float64Array;
  /** ρ_c (p), in the units of ‖z‖², before s_c: how far an item with a stand-in lies along an axis of its own. */
  readonly lengths: Float64Array;
  /** z̄_c: mean vector for cold items of an identity channel; empty for other channels, whose stand-in is learned. */
  readonly standIns: readonly Float64Array[];
}

const NOISE = 0.1; // standard deviation of free vectors at the start
const LOG_NOISE = -0.5;

/**
 * The parameters of an ensemble. `${channel}.w1 … b3` of each tower, `.missing` (1, e_c) its learned stand-in, `.scale` (1, e_c)
 * log λ where Λ is learned; `${channel}.table` (items, e_c) for identity; `weights` (1, p) h or θ, `offset` b, `logNoise` log σ,
 * `logVariance` log v. What multiplies inputs decays, the rest does not.
 */
export function ensembleLayout(config: EnsembleConfig): ParameterLayout {
  checkConfig(config);
  const specs = config.channels.flatMap((channel): ParameterSpec[] => {
    const { name, inputWidth, embeddingSize } = channel;
    if (channel.input === "factors") return [];
    if (channel.input === "identity")
      return [{ name: `${name}.table`, rows: inputWidth, cols: embeddingSize, decay: true }];
    const vector = (what: string) => ({ name: `${name}.${what}`, rows: 1, cols: embeddingSize, decay: false });
    const tower = towerSpecs(name, { inputWidth, hidden: config.hidden, embeddingSize });
    return [...tower, vector("missing"), ...(config.scale === "diagonal" ? [vector("scale")] : [])];
  });
  const number = (name: string) => ({ name, rows: 1, cols: 1, decay: false });
  return layoutParameters([
    ...specs,
    { name: "weights", rows: 1, cols: config.channels.length, decay: false },
    number("offset"),
    number("logNoise"),
    number("logVariance"),
  ]);
}

/**
 * Sets all parameters: towers as PyTorch's Linear, free vectors N(0, 0.1²), h = 1 (signed: 1/p), b = 0, Λ = I, log σ = −0.5, v = 1.
 * Every tensor has a stream of its own, by name: a channel more or less leaves the others as they were.
 */
export function initializeEnsemble(engine: Engine, config: EnsembleConfig, flat: Matrix, random: Random): void {
  const parameters = parameterViews(ensembleLayout(config), flat);
  for (const { name, input } of config.channels) {
    if (input === "factors") continue;
    if (input === "identity") {
      normal(engine, parameter(parameters, `${name}.table`), random.split(`${name}.table`));
      continue;
    }
    initializeTower(engine, parameters, name, random);
    normal(engine, parameter(parameters, `${name}.missing`), random.split(`${name}.missing`));
    parameters.get(`${name}.scale`)?.fill(0);
  }
  parameter(parameters, "weights").fill(config.weights === "signed" ? 1 / config.channels.length : inverseSoftplus(1));
  parameter(parameters, "offset").fill(0);
  parameter(parameters, "logNoise").fill(LOG_NOISE);
  parameter(parameters, "logVariance").fill(0);
}

/** e = Σ e_c */
export function embeddingWidth(config: EnsembleConfig): number {
  return config.channels.reduce((sum, { embeddingSize }) => sum + embeddingSize, 0);
}

/** k: columns of the product channel; 0 without one. */
export function factorsOf({ channels }: EnsembleConfig): number {
  return channels.find(({ input }) => input === "factors")?.embeddingSize ?? 0;
}

function normal(engine: Engine, out: Matrix, random: Random): void {
  engine.fillNormal(out, random);
  const { data, offset } = out;
  for (let i = 0; i < out.rows * out.cols; i++) data[offset + i] *= NOISE;
}

function checkConfig({ channels, hidden }: EnsembleConfig): void {
  if (channels.length === 0) throw new NearkinError("BAD_ARGUMENT", "ensemble: needs at least one channel");
  const whole = (what: string, value: number) => {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new NearkinError("BAD_ARGUMENT", `ensemble: ${what} must be a whole number of at least 1, got ${value}`);
    }
  };
  whole("hidden", hidden);
  for (const { name, inputWidth, embeddingSize } of channels) {
    whole(`inputWidth of channel ${name}`, inputWidth);
    whole(`embeddingSize of channel ${name}`, embeddingSize);
  }
}

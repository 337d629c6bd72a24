// A small ensemble with everything in it: sparse, dense and identity channels, missing values and cold items. n = 14 items.
import type { Scope } from "../../linalg/arena.ts";
import type { Engine } from "../../linalg/engine.ts";
import { hostMatrix, type Matrix, type Precision } from "../../linalg/matrix.ts";
import { Random } from "../../linalg/random.ts";
import { type ParameterLayout, type Parameters, parameterViews } from "../../nn/parameters.ts";
import type { Ensemble } from "../embed.ts";
import {
  type EnsembleConfig,
  ensembleLayout,
  type ItemInputs,
  initializeEnsemble,
  type Statistics,
} from "../ensemble.ts";

export const ITEMS = 14;

export interface WorldOptions {
  precision?: Precision;
  seed?: number;
  /** @default as the default preset: linear, softplus, Λ = I */
  config?: Partial<EnsembleConfig>;
  /** Share of values that are missing, and of items that are cold. @default 0.3 */
  missing?: number;
  /** Multiplies the dense inputs. @default 1 */
  spread?: number;
  /** Scales s_c and lengths ρ_c, cycled over the channels. */
  scales?: readonly number[];
}

export interface World extends Ensemble {
  readonly layout: ParameterLayout;
  readonly flat: Matrix;
  readonly gradient: Matrix;
  readonly gradients: Parameters;
}

export const CONFIG: EnsembleConfig = {
  channels: [
    { name: "genres", input: "sparse", inputWidth: 7, embeddingSize: 4 },
    { name: "plot", input: "dense", inputWidth: 5, embeddingSize: 3 },
    { name: "self", input: "identity", inputWidth: ITEMS, embeddingSize: 3 },
    { name: "year", input: "dense", inputWidth: 3, embeddingSize: 2 },
  ],
  hidden: 3,
  link: "linear",
  weights: "softplus",
  scale: "identity",
};

/** Initialised parameters, moved off their round starting values, and zero gradients, in `scope`. */
export function makeWorld(engine: Engine, scope: Scope, options: WorldOptions = {}): World {
  const { precision = "f64", seed = 8, missing = 0.3, spread = 1, scales = [0.7, 1.3, 0.4, 2] } = options;
  const config = { ...CONFIG, ...options.config };
  const random = new Random(seed);
  const layout = ensembleLayout(config);
  const flat = scope.matrix(layout.size, 1, precision);
  initializeEnsemble(engine, config, flat, random.split("parameters"));
  const parameters = parameterViews(layout, flat);
  const nudge = random.split("nudge");
  for (const name of ["weights", "offset", "logNoise", "logVariance"]) shift(parameters.get(name), nudge);
  for (const { name } of config.channels) shift(parameters.get(`${name}.scale`), nudge);
  const gradient = scope.zeros(layout.size, 1, precision);
  return {
    config,
    layout,
    flat,
    parameters,
    inputs: makeInputs(config, random.split("inputs"), missing, spread),
    statistics: makeStatistics(config, random.split("statistics"), scales),
    gradient,
    gradients: parameterViews(layout, gradient),
  };
}

function shift(m: Matrix | undefined, random: Random): void {
  if (!m) return;
  for (let j = 0; j < m.cols; j++) m.set(0, j, m.get(0, j) + 0.5 * random.normal());
}

function makeInputs({ channels }: EnsembleConfig, random: Random, missing: number, spread: number): ItemInputs {
  const flags = () => Uint8Array.from({ length: ITEMS }, () => (random.uniform() < missing ? 1 : 0));
  return {
    itemCount: ITEMS,
    channels: channels.map(({ input, inputWidth }) => {
      if (input === "identity") return { kind: "identity", cold: flags() };
      if (input === "sparse") {
        const rows = Array.from({ length: ITEMS }, () =>
          Array.from({ length: inputWidth }, (_, j) => j).filter(() => random.uniform() < 0.4),
        );
        const starts = Int32Array.from({ length: ITEMS + 1 }, (_, i) => rows.slice(0, i).flat().length);
        return {
          kind: "sparse",
          width: inputWidth,
          starts,
          columns: Int32Array.from(rows.flat()),
          value: 0.6,
          missing: flags(),
        };
      }
      const absent = flags();
      // what is missing may hold anything
      const values = Float64Array.from({ length: ITEMS * inputWidth }, (_, at) =>
        absent[Math.floor(at / inputWidth)] ? Number.NaN : spread * random.normal(),
      );
      return { kind: "dense", values: hostMatrix(values, ITEMS, inputWidth), missing: absent };
    }),
  };
}

function makeStatistics({ channels }: EnsembleConfig, random: Random, scales: readonly number[]): Statistics {
  return {
    scales: Float64Array.from(channels, (_, c) => scales[c % scales.length]),
    lengths: Float64Array.from(channels, (_, c) => 0.8 * scales[(c + 1) % scales.length]),
    standIns: channels.map(({ input, embeddingSize }) =>
      Float64Array.from({ length: input === "identity" ? embeddingSize : 0 }, () => 0.1 * random.normal()),
    ),
  };
}

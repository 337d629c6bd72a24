// What happened at every step, as columns of numbers: kept in checkpoints, and written to history.parquet at the end. No times: the same seed
// gives the same history.
import type { Tensor } from "@nearkin/core";
import type { ParquetColumn } from "@nearkin/data";
import type { StageName } from "../config/schema.ts";
import type { Ranking, StepReport } from "../events.ts";

const FIXED = [
  "stage", // position in `stageNames`
  "step",
  "loss",
  "nll",
  "noise",
  "variance",
  "gradient",
  "learningRate",
  "jitter",
  "shift",
  "hr",
  "mrr",
  "ndcg",
  "holdoutNll",
] as const;

type FixedColumn = (typeof FIXED)[number];

const stageNames: readonly StageName[] = ["siamese", "ssl"];

export class History {
  readonly #columns: Map<string, Float64Array>;
  readonly #weights: readonly string[];
  #length = 0;

  /** @param channels whose weights get a column each */
  constructor(channels: readonly string[]) {
    this.#weights = channels.map((name) => `weight.${name}`);
    this.#columns = new Map([...FIXED, ...this.#weights].map((name) => [name, new Float64Array(1024)]));
  }

  get length(): number {
    return this.#length;
  }

  add(report: StepReport, numerics: { jitter: number; shift: number }): void {
    this.#grow();
    const row = this.#length++;
    const { stage, step, loss, nll, noise, variance, gradient, learningRate } = report;
    const values: Record<FixedColumn, number> = {
      stage: stageNames.indexOf(stage),
      step,
      loss,
      nll,
      noise,
      variance,
      gradient,
      learningRate,
      ...numerics,
      hr: Number.NaN,
      mrr: Number.NaN,
      ndcg: Number.NaN,
      holdoutNll: Number.NaN,
    };
    for (const name of FIXED) this.#column(name)[row] = values[name];
    this.#weights.forEach((name, c) => {
      this.#column(name)[row] = report.weights[c] ?? Number.NaN; // a channel that a later stage adds
    });
  }

  /** Puts the figures of a validation into the row of the last step. */
  validated(ranking: Ranking | null, holdoutNll: number | null): void {
    const row = this.#length - 1;
    if (row < 0) return;
    if (ranking) for (const name of ["hr", "mrr", "ndcg"] as const) this.#column(name)[row] = ranking[name];
    if (holdoutNll !== null) this.#column("holdoutNll")[row] = holdoutNll;
  }

  /** The last value of a column. */
  last(name: FixedColumn): number {
    return this.#length === 0 ? Number.NaN : this.#column(name)[this.#length - 1];
  }

  /** ℓ of a step of a stage; NaN where there is none. */
  nllAt(stage: StageName, step: number): number {
    const code = stageNames.indexOf(stage);
    for (let row = this.#length - 1; row >= 0; row--) {
      if (this.#column("stage")[row] === code && this.#column("step")[row] === step) return this.#column("nll")[row];
    }
    return Number.NaN;
  }

  /** Columns of the file: the stage by name, steps as whole numbers, null where there was nothing to measure. */
  columns(): ParquetColumn[] {
    return [...this.#columns].map(([name, values]) => {
      const used = values.subarray(0, this.#length);
      if (name === "stage") return { name, type: "text", values: Array.from(used, (code) => stageNames[code]) };
      if (name === "step") return { name, type: "integer", values: Int32Array.from(used) };
      return { name, type: "double", values: Array.from(used, (value) => (Number.isNaN(value) ? null : value)) };
    });
  }

  toTensor(): Tensor {
    const data = new Float64Array(this.#columns.size * this.#length);
    [...this.#columns.values()].forEach((values, c) => {
      data.set(values.subarray(0, this.#length), c * this.#length);
    });
    return { type: "F64", shape: [this.#columns.size, this.#length], data };
  }

  fromTensor({ shape, data }: Tensor): void {
    this.#length = shape[1];
    [...this.#columns.keys()].forEach((name, c) => {
      const values = new Float64Array(Math.max(1024, 2 * this.#length));
      values.set((data as Float64Array).subarray(c * this.#length, (c + 1) * this.#length));
      this.#columns.set(name, values);
    });
  }

  #grow(): void {
    if (this.#length < this.#column("step").length) return;
    for (const [name, values] of this.#columns) {
      const larger = new Float64Array(2 * values.length);
      larger.set(values);
      this.#columns.set(name, larger);
    }
  }

  #column(name: string): Float64Array {
    return this.#columns.get(name) as Float64Array;
  }
}

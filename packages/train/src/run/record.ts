// How a run went, beside the model and no part of its id: training.json has the curves, for pages and programs that read no Parquet; timing.json
// how long it took, apart from everything else, which is the same for the same seed.
import { availableParallelism } from "node:os";
import type { StageName } from "../config/schema.ts";
import { type HistoryRow, type StageCurves, stageCurves } from "./curves.ts";
import type { History } from "./history.ts";

const POINTS = 200; // of a stage
const DIGITS = 6;

export const TRAINING = "training.json";
export const TIMING = "timing.json";

interface TrainingRecord {
  readonly format: "nearkin-training";
  readonly version: 1;
  /** Id of the model. */
  readonly model: string;
  readonly stages: readonly { readonly name: StageName; readonly curves: StageCurves }[];
}

/** The curves of every stage. */
export function trainingJson(model: string, history: History, stages: readonly StageName[]): string {
  const rows = rowsOf(history);
  const record: TrainingRecord = {
    format: "nearkin-training",
    version: 1,
    model,
    stages: stages.flatMap((name) => {
      const curves = stageCurves(rows, name, POINTS);
      return curves ? [{ name, curves }] : [];
    }),
  };
  return `${JSON.stringify(record, rounded)}\n`;
}

function rowsOf(history: History): HistoryRow[] {
  const columns = history.columns();
  return Array.from({ length: history.length }, (_, row) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[row]])),
  );
}

/** As exact as any figure can show. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;

/** Measures a run while it goes. */
export class Stopwatch {
  readonly #started = Date.now();
  readonly #start = performance.now();
  readonly #stages = new Map<StageName, number>();

  /** Runs a stage. */
  async time<T>(stage: StageName, run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.#stages.set(stage, secondsSince(start));
    }
  }

  /** What it has measured so far. */
  json(model: string, { resumed }: { resumed: boolean }): string {
    const record = {
      format: "nearkin-timing",
      version: 1,
      model,
      started: this.#started,
      seconds: secondsSince(this.#start),
      resumed,
      cores: availableParallelism(),
      stages: Array.from(this.#stages, ([name, seconds]) => ({ name, seconds })),
    };
    return `${JSON.stringify(record, null, 2)}\n`;
  }
}

const secondsSince = (start: number): number => Math.round(performance.now() - start) / 1000;

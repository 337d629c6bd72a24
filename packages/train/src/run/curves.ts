// A history, thinned to what a figure can show: losses jump from step to step, so a point is the mean over a few of them.

/** A step: null, or nothing, where there was nothing to measure. */
export type HistoryRow = Readonly<Record<string, unknown>>;

/** A stage's history, thinned: a point is the mean over `every` steps, placed at the last of them. */
export interface StageCurves {
  readonly every: number;
  readonly points: readonly CurvePoint[];
  /** Every look at the validation items, as it was. */
  readonly validation: readonly ValidationPoint[];
}

export interface CurvePoint {
  readonly step: number;
  readonly loss: number | null;
  /** ℓ per item and target. */
  readonly nll: number | null;
  /** σ with its floor. */
  readonly noise: number | null;
  /** h by channel, at that step. */
  readonly weights: Readonly<Record<string, number | null>>;
}

export interface ValidationPoint {
  readonly step: number;
  readonly hr: number | null;
  readonly mrr: number | null;
  readonly ndcg: number | null;
  readonly holdoutNll: number | null;
}

const WEIGHT = "weight.";

/** The curves of one stage, of at most so many points; undefined where the history has none of its steps. */
export function stageCurves(history: readonly HistoryRow[], stage: string, most: number): StageCurves | undefined {
  const rows = history.filter((row) => row.stage === stage);
  if (rows.length === 0) return undefined;
  const every = Math.ceil(rows.length / most);
  const points: CurvePoint[] = [];
  for (let from = 0; from < rows.length; from += every) points.push(pointOf(rows.slice(from, from + every)));
  return { every, points, validation: rows.flatMap(validationOf) };
}

function pointOf(rows: readonly HistoryRow[]): CurvePoint {
  const last = rows[rows.length - 1];
  const weights = Object.keys(last).filter((name) => name.startsWith(WEIGHT));
  return {
    step: Number(last.step),
    loss: meanOf(rows, "loss"),
    nll: meanOf(rows, "nll"),
    noise: meanOf(rows, "noise"),
    weights: Object.fromEntries(weights.map((name) => [name.slice(WEIGHT.length), cellOf(last, name)])),
  };
}

function validationOf(row: HistoryRow): ValidationPoint[] {
  const [hr, mrr, ndcg, holdoutNll] = ["hr", "mrr", "ndcg", "holdoutNll"].map((name) => cellOf(row, name));
  return hr === null && holdoutNll === null ? [] : [{ step: Number(row.step), hr, mrr, ndcg, holdoutNll }];
}

function meanOf(rows: readonly HistoryRow[], name: string): number | null {
  const values = rows.map((row) => cellOf(row, name)).filter((value) => value !== null);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function cellOf(row: HistoryRow, name: string): number | null {
  const value = row[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

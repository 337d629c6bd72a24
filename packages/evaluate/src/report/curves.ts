// history.parquet, thinned to what a figure can show: losses jump from step to step, so a point is the mean over a few of them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readParquet } from "@nearkin/data";
import type { CurvePoint, StageCurves, ValidationPoint } from "./model-report.ts";

/** A row of the file: null where there was nothing to measure. */
export type HistoryRow = Readonly<Record<string, unknown>>;

const MOST_POINTS = 60; // of a stage
const WEIGHT = "weight.";

/** Rows of a model's history; undefined where its folder has none. */
export async function readHistory(folder: string): Promise<HistoryRow[] | undefined> {
  const path = join(folder, "history.parquet");
  return existsSync(path) ? readParquet(path) : undefined;
}

/** The curves of one stage; undefined where the history has none of its steps. */
export function stageCurves(history: readonly HistoryRow[], stage: string): StageCurves | undefined {
  const rows = history.filter((row) => row.stage === stage);
  if (rows.length === 0) return undefined;
  const every = Math.ceil(rows.length / MOST_POINTS);
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

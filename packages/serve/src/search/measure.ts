// How fast searches are here and now, and how much of the exact lists they find.
import { buildQuery } from "@nearkin/core";
import type { Served } from "../models/served.ts";

export interface Measured {
  kind: "exact" | "graph";
  queries: number;
  k: number;
  /** Share of the exact lists that was found. */
  recall: number;
  /** ms of one search. */
  exact: Spread;
  graph: Spread | null;
}

interface Spread {
  median: number;
  p95: number;
}

/** Searches the neighbours of items drawn at random, under the metric that all share. */
export async function measureIndex(served: Served, { queries, k }: { queries: number; k: number }): Promise<Measured> {
  const { catalogue, shared, model } = served;
  const rows = Array.from(catalogue.rowsFrom(0));
  const exact: number[] = [];
  const graph: number[] = [];
  for (let i = 0; i < Math.min(queries, rows.length); i++) {
    const row = rows[Math.floor(Math.random() * rows.length)];
    const items = [catalogue.lifted(row)];
    const query = buildQuery(catalogue.rows, items, { weights: shared.weights, temperature: model.parts.temperature });
    const started = performance.now();
    await served.rank(query, { k, exclude: [], allowed: undefined, exact: true });
    const scanned = performance.now();
    exact.push(scanned - started);
    if (!served.graph) continue;
    await served.graph.search.rank(catalogue.rows, query, { k });
    graph.push(performance.now() - scanned);
  }
  const timed = { queries: exact.length, k, exact: spreadOf(exact) };
  if (!served.graph?.index.isReady) return { kind: "exact", recall: 1, graph: null, ...timed };
  const { recall } = await served.graph.search.measureRecall(catalogue.rows, { queries, k });
  return { kind: "graph", recall, graph: spreadOf(graph), ...timed };
}

function spreadOf(times: number[]): Spread {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

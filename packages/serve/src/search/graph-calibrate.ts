// Measuring a graph before anyone is served by it: probes for the forecasts of recall, and a table of what recall is for kinds of metrics.
import { buildQuery, type LiftedRows, liftedItem, type Query, type Random, type Scored } from "@nearkin/core";
import type { GraphIndex } from "./graph-index.ts";
import { PopularRows } from "./graph-popular.ts";
import { DEEPEST, depthIndex, GraphProbes, type ProbeLists } from "./graph-recall.ts";
import { popularityUnit, sampleTastes, type Taste } from "./graph-tastes.ts";

/** A list by the exact scan: the k best rows that are allowed and not excluded, never the query's own. */
export type ExactRank = (query: Query, options: ExactRankOptions) => Promise<readonly Scored[]>;

interface ExactRankOptions {
  k: number;
  exclude?: ReadonlySet<number>;
  /** Bits of the rows that may be returned. */
  allowed?: Uint32Array;
}

export interface CalibrationOptions {
  index: GraphIndex;
  exact: ExactRank;
  /** (p) h of the base metric. */
  base: Float64Array;
  /** T */
  temperature: number;
  /** Levels: candidates asked of the graph. */
  overfetch: readonly number[];
  /** P */
  probes: number;
  random: Random;
  signal?: AbortSignal | undefined;
}

/** Recall@10 measured at start, one kind of metric a row. */
export interface StartRecall {
  kind: string;
  /** By level of `overfetch`. */
  recall: number[];
  lists: number;
}

export interface Calibration {
  probes: GraphProbes;
  popular: PopularRows;
  atStart: StartRecall[];
}

/** About 20 exact scans for each probe; one probe's scans are asked for together, so that they can share a pass over the rows. */
export async function calibrateGraph(rows: LiftedRows, options: CalibrationOptions): Promise<Calibration> {
  const { base, temperature, overfetch, random, signal } = options;
  const unit = popularityUnit(rows, base, temperature);
  const tastes = sampleTastes(base, { unit, random: random.split("tastes") });
  const popular = new PopularRows(rows);
  const isPopular = new Set(popular.rows.map(({ row }) => row));
  const probes = new GraphProbes({ levels: overfetch.length, channels: base.length });
  for (let i = 0; i < options.probes; i++) {
    signal?.throwIfAborted();
    const item = random.below(rows.count);
    probes.add(rows, { item, popular: isPopular, ...(await lookUp(rows, item, { ...options, tastes })) });
  }
  return { probes, popular, atStart: byKind(probes, tastes, temperature) };
}

/** For the tastes themselves nothing is estimated: their exact lists are in the pools. */
function byKind(probes: GraphProbes, tastes: readonly Taste[], temperature: number): StartRecall[] {
  const kinds = new Map<string, StartRecall>();
  for (const { kind, weights, popularity } of tastes) {
    const { recall } = probes.forecast({ weights, temperature, popularity });
    const row = kinds.get(kind) ?? { kind, recall: recall.map(() => 0), lists: 0 };
    kinds.set(kind, row);
    const before = row.lists;
    row.lists += probes.count;
    row.recall = row.recall.map(
      (mean, level) => (mean * before + recall[level][depthIndex(10)] * probes.count) / row.lists,
    );
  }
  return [...kinds.values()];
}

/** The graph's rows at each level, and the exact list under each taste. */
async function lookUp(
  rows: LiftedRows,
  item: number,
  { index, exact: scan, temperature, overfetch, tastes }: CalibrationOptions & { tastes: readonly Taste[] },
): Promise<Pick<ProbeLists, "found" | "exact">> {
  const items = [liftedItem(rows, item)];
  const vector = index.vector(items, rows.layout);
  const found = await Promise.all(overfetch.map(async (count) => new Set(await index.search(vector, count + 1))));
  const exact = await Promise.all(
    tastes.map(({ weights, popularity }) =>
      scan(buildQuery(rows, items, { weights, temperature, popularity }), { k: DEEPEST }),
    ),
  );
  return { found, exact };
}

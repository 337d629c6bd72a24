// A small clustered catalogue for the graph's tests, its engine, and the exact lists to judge by.
import { createEngine, type Query, rankExactly, type Scored } from "@nearkin/core";
import { hasRow } from "../graph-bitmap.ts";
import type { ExactRank } from "../graph-calibrate.ts";
import { type ClusteredWorld, clusteredWorld } from "./clustered-world.ts";

export interface SmallWorld extends ClusteredWorld {
  exact: ExactRank;
  close(): Promise<void>;
}

/** 3,000 items in 60 clusters, four channels, stand-ins among them. */
export async function smallWorld(items = 3000): Promise<SmallWorld> {
  const engine = await createEngine({ workers: 1 });
  const scope = engine.scope();
  const options = { items, sizes: [8, 6, 6, 4], weights: [1, 0.7, 0.4, 0.2], clusters: 60, noise: 0.3 };
  const world = clusteredWorld(engine, scope, options);
  return {
    ...world,
    async exact(query, { allowed, ...rest }) {
      return exactList(world, query, { ...rest, ...(allowed && { allowed }) });
    },
    async close() {
      scope.close();
      await engine.close();
    },
  };
}

function exactList(
  { rows }: ClusteredWorld,
  query: Query,
  { k, exclude, allowed }: { k: number; exclude?: ReadonlySet<number>; allowed?: Uint32Array },
): Scored[] {
  const marks = allowed && Uint8Array.from({ length: rows.count }, (_, row) => (hasRow(allowed, row) ? 1 : 0));
  return rankExactly(rows, query, { k, ...(exclude && { exclude }), ...(marks && { allowed: marks }) });
}

/** Bits of the rows that the test holds for. */
export function rowsWhere(count: number, test: (row: number) => boolean): Uint32Array {
  const words = new Uint32Array(Math.ceil(count / 32));
  for (let row = 0; row < count; row++) if (test(row)) words[row >>> 5] |= 1 << (row & 31);
  return words;
}

// The exact scan: every row of every shard against one query, each thread keeping its own best, merged at the end.
import { checkScan } from "../contract.ts";
import type { Scans } from "../engine.ts";
import { allowedScans, offer, type ShardScan, shardScans } from "../top-k.ts";
import { cut, type Pool } from "./pool.ts";
import { allowedScan } from "./scan-on-host.ts";

const THRESHOLD = 1 << 19; // elements: waking a thread costs as much as reading 1 MB

export function scans(pool: Pool): Scans {
  const kernel = pool.kernel("scan");

  const scanShard: ShardScan = (result, shard, query, firstRow) => {
    if (shard.rows === 0) return;
    const { precision } = shard;
    const scope = pool.arena.open();
    try {
      const x = scope.matrix(shard.cols, 1, precision);
      for (let j = 0; j < shard.cols; j++) x.data[x.offset + j] = query.data[query.offset + j];
      const parts = pool.share(shard.rows * shard.cols, THRESHOLD);
      const scores = scope.matrix(parts, result.k, precision);
      const rows = scope.indices(parts * result.k);
      for (let t = 0; t < parts; t++) {
        const from = cut(shard.rows, parts, t, 1);
        pool
          .job(t)
          .put(cut(shard.rows, parts, t + 1, 1) - from)
          .put(shard.cols)
          .putRows(shard, from)
          .putVector(x);
        pool
          .put(result.k)
          .put(pool.address(scores, t))
          .putIndices(rows, t * result.k)
          .put(from)
          .put(pool.workspace(t));
      }
      const own = pool.run(kernel[precision], parts);
      for (let t = 0; t < parts; t++) {
        const found = t === 0 ? own : pool.result(t);
        for (let i = 0; i < found; i++) {
          offer(
            result,
            scores.data[scores.offset + t * result.k + i],
            firstRow + rows.data[rows.offset + t * result.k + i],
          );
        }
      }
    } finally {
      scope.close();
    }
  };
  shardScans.set(pool.arena, scanShard);
  allowedScans.set(pool.arena, allowedScan(pool));

  return {
    scan(result, shards, query) {
      checkScan(shards, query);
      result.count = 0;
      let firstRow = 0;
      for (const shard of shards) {
        (shardScans.get(shard.storage) ?? scanShard)(result, shard, query, firstRow);
        firstRow += shard.rows;
      }
    },
  };
}

// The batched scan on the caller's own thread: in pieces, for memories that cannot be shared, or at once with the engine's workers.
import type { PieceScan } from "../host-scans.ts";
import type { Matrix } from "../matrix.ts";
import type { ScanQuery } from "../scan-query.ts";
import { type AllowedScan, offer } from "../top-k.ts";
import { cut, type Pool } from "./pool.ts";
import { batchBytes, ScanBatch } from "./scan-batch.ts";

const THRESHOLD = 1 << 19; // elements: waking a thread costs as much as reading 1 MB

export function wasmScan(pool: Pool, bytes: number): PieceScan {
  const scope = pool.arena.open();
  const batch = new ScanBatch(pool, scope, { threads: 1, bytes, workspace: (t) => pool.workspace(t) });
  const [scan, end] = [pool.kernelNumber("scan_batch"), pool.kernelNumber("scan_batch_end")];
  let asked: { queries: readonly ScanQuery[]; count: number } = { queries: [], count: 0 };

  const run = (kernel: number, from: number, to: number) => {
    putJob(pool, batch, 0, { from, to }); // other work may have used the pool's in between
    pool.run(kernel, 1);
  };
  return {
    work: 2 ** 22,
    begin(rows: Matrix, count, queries, first) {
      const taken = batch.write(rows, count, queries, first);
      asked = { queries: queries.slice(first, first + taken), count };
      return taken;
    },
    piece: (from, to) => run(scan, from, to),
    end() {
      run(end, 0, 0);
      return asked.queries.map((query, i) => batch.read(i, query, asked.count));
    },
    close: () => scope.close(),
  };
}

/** The best of a shard among the rows with a bit, with the engine's workers. */
export function allowedScan(pool: Pool): AllowedScan {
  const [scan, end] = [pool.kernelNumber("scan_batch"), pool.kernelNumber("scan_batch_end")];
  return (result, shard, query, firstRow) => {
    const count = shard.rows;
    if (count === 0) return;
    const parts = pool.share(count * shard.cols, THRESHOLD);
    const asked = { ...query, k: result.k };
    const scope = pool.arena.open();
    try {
      const bytes = batchBytes(asked, count, parts);
      const batch = new ScanBatch(pool, scope, { threads: parts, bytes, workspace: (t) => pool.workspace(t) });
      batch.write(shard, count, [asked], 0);
      for (let t = 0; t < parts; t++) {
        putJob(pool, batch, t, { from: cut(count, parts, t, 32), to: cut(count, parts, t + 1, 32) });
      }
      pool.run(scan, parts);
      pool.run(end, parts);
      const found = batch.read(0, asked, count);
      for (let i = 0; i < found.count; i++) offer(result, found.scores[i], firstRow + found.rows[i]);
    } finally {
      scope.close();
    }
  };
}

/** Thread t's job of the batch, for some of the rows, as the pool's. */
function putJob(pool: Pool, batch: ScanBatch, t: number, { from, to }: { from: number; to: number }): void {
  const job = batch.job(t) / 8;
  pool.job(t).put(from).put(to);
  for (let field = 2; field < 8; field++) pool.put(pool.arena.f64[job + field]);
}

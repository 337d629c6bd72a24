// The most popular rows. Popularity cannot be in an L2 graph whose users choose β: a column √(β·T·(max − log q)) is right for one β
// only. But what β·log q lifts into a list from beyond a query's neighbourhood is popular, so the neighbours and the most popular rows
// together hold nearly all of any list: with 1,000 of them recall is 0.99 where neighbours alone have 0.8 (β = ½) or 0.5 (β = 1).
import { type LiftedRows, logPopularity } from "@nearkin/core";

export class PopularRows {
  readonly size: number;
  /** Most popular first. */
  #rows: { row: number; log: number }[];

  constructor(rows: LiftedRows, size = 1000) {
    this.size = size;
    this.#rows = [];
    let least = Number.NEGATIVE_INFINITY;
    let first = 0;
    const found: { row: number; log: number }[] = [];
    for (const { rows: shard } of rows.shards) {
      const { data, offset, rowStride } = shard;
      for (let i = 0; i < shard.rows; i++) {
        const log = data[offset + i * rowStride + rows.layout.width - 1];
        if (log > least || found.length < size) found.push({ row: first + i, log });
        if (found.length >= 4 * size) least = cut(found, size);
      }
      first += shard.rows;
    }
    cut(found, size);
    this.#rows = found;
  }

  get rows(): readonly { readonly row: number }[] {
    return this.#rows;
  }

  /** A row is new, or is another one now. */
  put(rows: LiftedRows, row: number): void {
    this.remove(row);
    this.#rows.push({ row, log: logPopularity(rows, row) });
    cut(this.#rows, this.size);
  }

  remove(row: number): void {
    this.#rows = this.#rows.filter((entry) => entry.row !== row);
  }
}

/** Keeps the most popular; returns log q of the last one kept. */
function cut(found: { row: number; log: number }[], size: number): number {
  found.sort((a, b) => b.log - a.log || a.row - b.row);
  found.length = Math.min(found.length, size);
  return found.length === size ? found[size - 1].log : Number.NEGATIVE_INFINITY;
}

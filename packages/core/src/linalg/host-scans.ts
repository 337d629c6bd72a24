// Scans on the caller's own thread, where there can be no others: in short turns, so that whatever else waits is not held up for long.
import { NearkinError } from "../errors.ts";
import type { Matrix } from "./matrix.ts";
import { checkScanBatch, type ScanQuery, type ScanThreads } from "./scan-query.ts";
import { offer, TopK } from "./top-k.ts";

/** A scan in pieces. */
export interface PieceScan {
  /** Multiplications of one piece: about a millisecond's. */
  readonly work: number;
  /** Begins with the queries from `first` on; returns how many of them it takes. */
  begin(rows: Matrix, count: number, queries: readonly ScanQuery[], first: number): number;
  /** Rows [from, to), `from` a multiple of 32. */
  piece(from: number, to: number): void;
  end(): TopK[];
  close(): void;
}

export class HostScans implements ScanThreads {
  readonly threads = 0;
  readonly #scan: PieceScan;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  #givenBack = false;

  constructor(scan: PieceScan) {
    this.#scan = scan;
  }

  scan(rows: Matrix, count: number, queries: readonly ScanQuery[]): Promise<TopK[]> {
    const answer = this.#last.then(() => this.#run(rows, count, queries));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    if (this.#givenBack) return;
    this.#scan.close();
    this.#givenBack = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(rows: Matrix, count: number, queries: readonly ScanQuery[]): Promise<TopK[]> {
    this.#checkOpen();
    checkScanBatch(rows, count, queries);
    const found: TopK[] = [];
    while (found.length < queries.length) {
      const taken = this.#scan.begin(rows, count, queries, found.length);
      const size = 32 * Math.ceil(this.#scan.work / (32 * taken * Math.max(1, rows.cols)));
      for (let from = 0; from < count; from += size) {
        this.#scan.piece(from, Math.min(from + size, count));
        await nextTurn();
        this.#checkOpen();
      }
      found.push(...this.#scan.end());
    }
    return found;
  }

  #checkOpen(): void {
    if (this.#closed) throw scansClosed();
  }
}

export function scansClosed(): NearkinError {
  return new NearkinError("ENGINE_CLOSED", "the scan threads are closed; open new ones");
}

/** After what else is waiting: in Node by `setImmediate`, in browsers by a message to oneself. */
function nextTurn(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };
  if (setImmediate) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/** In TypeScript, on rows wherever they lie. */
export function plainScan(): PieceScan {
  let asked: { rows: Matrix; query: ScanQuery; top: TopK }[] = [];
  return {
    work: 2 ** 20,
    begin(rows, count, queries, first) {
      asked = queries
        .slice(first)
        .map((query) => ({ rows, query, top: new TopK(Math.max(1, Math.min(query.k, count))) }));
      return asked.length;
    },
    piece(from, to) {
      for (const { rows, query, top } of asked) {
        const { vector, allowed, least = Number.NEGATIVE_INFINITY } = query;
        const { data, offset, rowStride, cols } = rows;
        for (let i = from; i < to; i++) {
          if (allowed && ((allowed[i >> 5] >>> (i & 31)) & 1) === 0) continue;
          const at = offset + i * rowStride;
          let sum = 0;
          for (let j = 0; j < cols; j++) sum += data[at + j] * vector[j];
          if (sum >= least) offer(top, sum, i);
        }
      }
    },
    end: () => asked.splice(0).map(({ top }) => top),
    close() {},
  };
}

// A graph over the catalogue: the rows nearest to a place under the base metric, found without looking at all of them. It lives in a thread of
// its own. What it finds is approximate and of the base metric; `graphRank` makes an exact order under anyone's metric of it.
//
// The metric is L2 over the base-scaled columns (graph-thread.ts). A graph on the inner product of lifted rows does not work (recall
// 0.002–0.004), and 8-bit storage does not either: usearch's wrapper turns bytes into floats and then scales every vector to length 1.
import { type LiftedItem, type LiftedRows, locate, NearkinError } from "@nearkin/core";
import { type GraphOrigin, graphPaths, keepGraph, readGraphCard } from "./graph-file.ts";
import { GraphLink } from "./graph-link.ts";
import { type GraphIndexOptions, type GraphPlan, planGraph, sharedShards } from "./graph-plan.ts";

/**
 * How widely a search looks at the least; where more rows are asked for, as widely as that. Looking wider finds more of the near ones than
 * asking for more rows does: of a million, 300 rows so found hold more of the ten best of users near the base than 500 do otherwise (0.978 and
 * 0.972 in `npm run bench -- serve --parts graph`).
 */
const EXPANSION_SEARCH = 600;
const CHUNK = 1024; // rows put in at once: a fraction of a second, after which the thread can be closed
const PUT_CHUNK = 64; // the same while searches wait
const LONGEST_BATCH = 32; // searches sent together

export interface GraphInfo {
  state: "building" | "ready" | "closed";
  /** Rows in it. */
  rows: number;
  /** Where it came from; null while it is being built. */
  from: "file" | "rows" | null;
  /** From the start of the thread to the first answer; null while it is being built. */
  seconds: number | null;
  /** Bytes it takes in memory, by what is known of usearch's layout. */
  bytes: number;
  /** Bytes on disk; null where it is not kept. */
  fileBytes: number | null;
  scalar: string;
  connectivity: number;
  expansion: number;
}

interface Search {
  vector: Float32Array;
  count: number;
  resolve: (rows: Int32Array) => void;
  reject: (error: unknown) => void;
}

export class GraphIndex implements AsyncDisposable {
  /** Settles when the first search can be asked, or with the reason why none ever can. */
  readonly ready: Promise<void>;
  /** e + 1 */
  readonly dimensions: number;
  /** (p) √h_c, by which a channel's columns are multiplied. */
  readonly #roots: Float64Array;
  readonly #link: GraphLink;
  readonly #info: Pick<GraphInfo, "from" | "seconds" | "fileBytes"> = { from: null, seconds: null, fileBytes: null };
  readonly #origin: GraphOrigin;
  readonly #isIn = new Set<number>(); // rows beyond those of the model
  readonly #isOut = new Set<number>(); // rows of the model that were removed
  /** Rows on their way into the graph, or, while it is being built, waiting for it; null is a removal. */
  readonly #waiting = new Map<number, Float32Array | null>();
  #flushing: Promise<void> | undefined;
  #searches: Search[] = [];
  #searching = false;
  #isReady = false;

  private constructor(link: GraphLink, options: GraphIndexOptions, plan: GraphPlan) {
    this.#link = link;
    this.#origin = plan.origin;
    this.#roots = plan.weights.map(Math.sqrt);
    this.dimensions = options.rows.layout.embeddingSize + 1;
    this.ready = this.#prepare(options);
    this.ready.catch(() => {}); // whoever asks learns of it
  }

  /**
   * Starts the thread; the graph is then read from its file or built in the background, and `ready` says when. Throws
   * `ENGINE_UNAVAILABLE` where usearch does not load: the exact scan serves without it.
   */
  static async open(options: GraphIndexOptions): Promise<GraphIndex> {
    const plan = planGraph(options);
    const { layout } = options.rows;
    const link = await GraphLink.start(
      {
        layout,
        weights: plan.weights,
        shards: sharedShards(options.rows),
        threads: plan.threads,
        index: {
          metric: "l2sq",
          dimensions: layout.embeddingSize + 1,
          quantization: plan.origin.scalar,
          connectivity: plan.origin.connectivity,
          expansion_add: plan.origin.expansion,
          expansion_search: EXPANSION_SEARCH,
        },
      },
      options.resolveUsearch,
    );
    return new GraphIndex(link, options, plan);
  }

  get isReady(): boolean {
    return this.#isReady && !this.#link.closed;
  }

  /** Calls back with rows that were put and may not be in the graph yet: whoever searches looks at them besides. */
  eachPending(look: (row: number) => void): void {
    for (const [row, lifted] of this.#waiting) if (lifted !== null) look(row);
  }

  /** How many rows were put or removed that the graph does not know of yet. */
  get pendingCount(): number {
    return this.#waiting.size;
  }

  /** Whether a row was removed that searches may still find. */
  isLeaving(row: number): boolean {
    return this.#waiting.get(row) === null;
  }

  get info(): GraphInfo {
    const { count, scalar, connectivity, expansion } = this.#origin;
    const rows = count + this.#isIn.size - this.#isOut.size;
    // a vector, the links of the lowest level and their count, a key and a level, and what finds a row by its key
    const perRow = this.dimensions * (scalar === "f32" ? 4 : 2) + 2 * connectivity * 4 + 4 + 10 + 32;
    return {
      state: this.#link.closed ? "closed" : this.#isReady ? "ready" : "building",
      rows,
      bytes: rows * perRow,
      scalar,
      connectivity,
      expansion,
      ...this.#info,
    };
  }

  /** The vector of a query: the mean of its items in the graph's columns. A mean of distances is a distance to the mean. */
  vector(
    items: readonly LiftedItem[],
    { starts, sizes, embeddingSize: e }: LiftedRows["layout"],
  ): Float32Array<ArrayBuffer> {
    const vector = new Float32Array(e + 1); // 0 at the end: a query has no coordinate of a stand-in
    for (let c = 0; c < sizes.length; c++) {
      for (let j = starts[c]; j < starts[c] + sizes[c]; j++) {
        let sum = 0;
        for (const { embedding } of items) sum += embedding[j];
        vector[j] = (this.#roots[c] * sum) / items.length;
      }
    }
    return vector;
  }

  /** About `count` rows nearest to a vector under the base metric, nearest first: fewer where there are fewer. */
  search(vector: Float32Array, count: number): Promise<Int32Array> {
    if (vector.length !== this.dimensions || !vector.every(Number.isFinite)) {
      const message = `graph: a query is ${this.dimensions} finite numbers, got ${vector.length} of which ${vector.filter(Number.isFinite).length} are`;
      return Promise.reject(new NearkinError("BAD_ARGUMENT", message));
    }
    if (!Number.isSafeInteger(count) || count < 1) {
      const message = `graph: count must be a whole number of at least 1, got ${count}`;
      return Promise.reject(new NearkinError("BAD_ARGUMENT", message));
    }
    if (this.#link.closed) return Promise.reject(this.#link.closed);
    if (!this.#isReady) {
      return Promise.reject(
        new NearkinError("BUSY", "graph: it is still being built; use the exact scan until it is ready"),
      );
    }
    return new Promise((resolve, reject) => {
      this.#searches.push({ vector, count, resolve, reject });
      void this.#sendSearches();
    });
  }

  /** Puts a row in, or in the place of what it was. It is pending at once; settles when the graph itself finds it. */
  put(rows: LiftedRows, row: number): Promise<void> {
    const { shard, local } = locate(rows, row);
    const at = shard.offset + local * shard.rowStride;
    this.#waiting.set(row, (shard.data as Float32Array).slice(at, at + rows.layout.width));
    return this.#flush();
  }

  /** Takes a row out. Until this settles searches may still find it. */
  remove(row: number): Promise<void> {
    this.#waiting.set(row, null);
    return this.#flush();
  }

  /** Ends the thread. What waits for an answer is refused with `ENGINE_CLOSED`. */
  async close(): Promise<void> {
    await this.#link.close();
    for (const { reject } of this.#searches.splice(0)) reject(this.#link.closed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Sends what has gathered while the thread was at the last batch, in one batch: usearch shares it among threads. */
  async #sendSearches(): Promise<void> {
    if (this.#searching) return;
    this.#searching = true;
    while (this.#searches.length > 0) {
      const { count } = this.#searches[0];
      const batch = this.#searches.filter((search) => search.count === count).slice(0, LONGEST_BATCH);
      this.#searches = this.#searches.filter((search) => !batch.includes(search));
      const vectors = new Float32Array(batch.length * this.dimensions);
      batch.forEach(({ vector }, i) => {
        vectors.set(vector, i * this.dimensions);
      });
      try {
        const { rows, counts } = await this.#link.call("search", { vectors, count }, [vectors.buffer]);
        let at = 0;
        batch.forEach(({ resolve }, i) => {
          resolve(rows.subarray(at, at + counts[i]));
          at += counts[i];
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#searching = false;
  }

  /** Applies what waits, in the order it came; while the graph is being built, once that is done. */
  #flush(): Promise<void> {
    this.#flushing ??= this.#applyWaiting().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #applyWaiting(): Promise<void> {
    await this.ready;
    while (this.#waiting.size > 0) await this.#applyOnce();
  }

  async #applyOnce(): Promise<void> {
    const batch = [...this.#waiting].slice(0, PUT_CHUNK);
    const puts = batch.filter((entry): entry is [number, Float32Array] => entry[1] !== null);
    const removals = batch.filter(([, lifted]) => lifted === null).map(([row]) => row);
    if (removals.length > 0) await this.#link.call("remove", { rows: Int32Array.from(removals) });
    if (puts.length > 0) {
      const width = puts[0][1].length;
      const lifted = new Float32Array(puts.length * width);
      puts.forEach(([, row], i) => {
        lifted.set(row, i * width);
      });
      await this.#link.call("put", { rows: Int32Array.from(puts, ([row]) => row), lifted }, [lifted.buffer]);
    }
    for (const [row, lifted] of batch) {
      this.#count(row, lifted !== null);
      if (this.#waiting.get(row) === lifted) this.#waiting.delete(row); // not where it was put again meanwhile
    }
  }

  #count(row: number, isIn: boolean): void {
    const isModels = row < this.#origin.count;
    const set = isModels ? this.#isOut : this.#isIn;
    if (isIn === isModels) set.delete(row);
    else set.add(row);
  }

  async #prepare({ folder, onProgress, onWarning }: GraphIndexOptions): Promise<void> {
    const started = performance.now();
    const { count } = this.#origin;
    const hash = folder === undefined ? "" : await this.#link.call("hash", { count });
    const isLoaded = folder !== undefined && (await this.#load(folder, hash, onWarning));
    if (!isLoaded) {
      for (let from = 0; from < count; from += CHUNK) {
        const to = Math.min(from + CHUNK, count);
        await this.#link.call("build", { from, to });
        onProgress?.(to, count);
      }
      if (folder !== undefined) await this.#keep(folder, hash, onWarning);
    } else onProgress?.(count, count);
    this.#info.from = isLoaded ? "file" : "rows";
    this.#info.seconds = (performance.now() - started) / 1000;
    this.#isReady = true;
  }

  async #load(folder: string, hash: string, onWarning: GraphIndexOptions["onWarning"]): Promise<boolean> {
    const { graph: path } = graphPaths(folder, this.#origin);
    const file = await readGraphCard(folder, this.#origin, hash);
    if (file === null) return false;
    const { count } = this.#origin;
    const reason =
      typeof file === "string"
        ? file
        : await this.#link.call("load", { path, sha256: file.sha256, count }).catch((error: Error) => {
            if (this.#link.closed) throw error;
            return error.message;
          });
    if (reason === null) {
      this.#info.fileBytes = (file as { bytes: number }).bytes;
      return true;
    }
    onWarning?.(new NearkinError("BAD_FILE", `graph: ${path} is of no use, ${reason}; it is built anew`));
    return false;
  }

  async #keep(folder: string, hash: string, onWarning: GraphIndexOptions["onWarning"]): Promise<void> {
    try {
      const { count } = this.#origin;
      if ((await this.#link.call("hash", { count })) !== hash) throw new Error("rows changed while it was being built");
      const write = (path: string) => this.#link.call("save", { path });
      this.#info.fileBytes = (await keepGraph(folder, this.#origin, { rows: hash, write })).bytes;
    } catch (cause) {
      if (this.#link.closed) throw cause;
      const message = `graph: it could not be kept in ${folder} (${(cause as Error).message}); the next start builds it again`;
      onWarning?.(new NearkinError("BAD_FILE", message, { cause }));
    }
  }
}

// A model as it is served: its catalogue in shared memory, the threads that scan it, and a graph where it is large. Opened beside the one that
// answers, closed when the last request has let go of it.
import {
  createEngine,
  type EncodeTexts,
  type Engine,
  type Model,
  NearkinError,
  openModel,
  openScanThreads,
  type Query,
  type RatingPrediction,
  rankExactly,
  rankWith,
  ScanQueue,
  type ScanThreads,
  type Scored,
  type SharedMetric,
} from "@nearkin/core";
import { type Bitmap, bytesOf, countBits, grown } from "../catalogue/bitmap.ts";
import { Catalogue, type ReadyItem } from "../catalogue/catalogue.ts";
import { WaitingTexts } from "../catalogue/waiting.ts";
import { FairQueue } from "../fair-queue.ts";
import { GraphIndex } from "../search/graph-index.ts";
import { GraphSearch } from "../search/graph-search.ts";
import type { SharedCatalogue } from "../users/worker.ts";
import { readFolder } from "./model-folder.ts";

let opened = 0;

export interface ServedOptions {
  /** Threads that scan. */
  threads: number;
  /** Items that may be put at run time, beyond those of the model. */
  spareItems: number;
  /** Items that the store has: they get rows however many they are. @default 0 */
  storedItems?: number;
  /** Searches that may wait. */
  queue: number;
  encode: EncodeTexts;
  /** Told after each scan: queries it answered, and ms. */
  onScan?: (queries: number, time: number) => void;
  /** Items from which on a graph proposes candidates; null: never. */
  graphFrom: number | null;
  /** Folder that graphs are kept in; undefined: they are built at every start. */
  graphFolder?: string | undefined;
  /** Told what is wrong with the graph; scans go on. */
  onGraphProblem: (error: unknown) => void;
}

export interface RankOptions {
  readonly k: number;
  readonly exclude: readonly number[];
  readonly allowed: Bitmap | undefined;
  readonly exact: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly caller?: string | undefined;
}

interface Parts {
  readonly model: Model;
  readonly engine: Engine;
  readonly threads: ScanThreads;
  readonly queue: number;
  readonly spareItems: number;
  readonly onScan: ServedOptions["onScan"];
}

/** Rows kept beyond `spareItems`: servers that put items at the same time may exceed it together, and freed rows rest for a while. */
const MAX_HEADROOM_ROWS = 20_000;
/** Calls to the graph's thread at once: it always has a next one, and callers have turns. */
const GRAPH_CALLS = 8;

export class Served implements AsyncDisposable {
  /** Tells it apart from others of this process, also of the same model. */
  readonly key = ++opened;
  readonly path: string;
  readonly model: Model;
  readonly catalogue: Catalogue;
  readonly queue: ScanQueue;
  /** Searches of the graph. */
  readonly graphQueue: FairQueue;
  /** Lists that are made diverse, some ms of the main thread each. */
  readonly diversityQueue: FairQueue;
  /** The metric that all users share. */
  readonly shared: SharedMetric;
  /** Texts that items wait for. */
  readonly waiting = new WaitingTexts();
  /** Of the last change of an item that is in the catalogue. */
  version = 0;
  /** Ids of the store's items that have no row here, since all are taken. The server is not ready while there are any. */
  readonly withoutRoom = new Set<string>();
  /** Ids of the store's items with a value that this model cannot read. */
  readonly unreadable = new Set<string>();
  /** Told how a search was answered where there is a graph: by it, or why not. */
  onDecision: ((way: string) => void) | undefined;
  /** Told of items that were put or deleted. */
  onItems: ((change: { put: readonly string[]; deleted: readonly string[] }) => void) | undefined;
  readonly #spareItems: number;
  readonly #engine: Engine;
  readonly #threads: ScanThreads;
  readonly #predicted = new Map<number, RatingPrediction>();
  #graph: { index: GraphIndex; search: GraphSearch } | undefined;
  readonly #closing = new AbortController();

  private constructor(path: string, parts: Parts) {
    this.path = path;
    this.model = parts.model;
    this.#engine = parts.engine;
    this.#threads = parts.threads;
    this.#spareItems = parts.spareItems;
    this.catalogue = new Catalogue(parts.model);
    this.shared = parts.model.shared;
    const { catalogue, model } = this;
    const source = {
      rows: model.room.matrix,
      get count() {
        return catalogue.rows.count;
      },
    };
    this.graphQueue = new FairQueue({ concurrency: GRAPH_CALLS, limit: parts.queue });
    this.diversityQueue = new FairQueue({ limit: parts.queue });
    this.queue = new ScanQueue(parts.threads, source, {
      limit: parts.queue,
      ...(parts.onScan ? { onBatch: parts.onScan } : {}),
    });
  }

  /** Opens a folder, reads and checks all of it. A folder that is no model is a `BAD_MODEL`. */
  static async open(path: string, options: ServedOptions): Promise<Served> {
    const { threads, spareItems, storedItems = 0, queue, encode, onScan } = options;
    const spareRows = Math.max(spareItems, storedItems) + Math.min(spareItems, MAX_HEADROOM_ROWS);
    const engine = await createEngine({ workers: 1, shared: true });
    let scanThreads: ScanThreads | undefined;
    try {
      const model = await openModel(readFolder(path), { engine, encode, spareRows }).catch((error: unknown) => {
        if (!(error instanceof NearkinError) || error.code !== "BAD_ARGUMENT") throw error;
        const message = `spareItems ${spareItems}, with ${storedItems} items in the store: ${error.message}`;
        throw new NearkinError("BAD_ARGUMENT", message, { cause: error });
      });
      scanThreads = await openScanThreads(engine, { threads });
      const served = new Served(path, { model, engine, threads: scanThreads, queue, spareItems, onScan });
      await served.#probe();
      return served;
    } catch (error) {
      await scanThreads?.close();
      await engine.close();
      throw error;
    }
  }

  /** New items that may still be put. */
  get roomLeft(): number {
    return Math.max(0, this.#spareItems - this.catalogue.added - this.withoutRoom.size);
  }

  /** Lets a graph propose candidates, where the catalogue is large enough. Built in the background; until it is ready, scans answer. */
  async startGraph({ graphFrom, graphFolder, onGraphProblem }: ServedOptions): Promise<void> {
    const { catalogue, model, shared } = this;
    if (graphFrom === null || catalogue.size < graphFrom || catalogue.rows.shards.length > 1) return;
    try {
      const index = await GraphIndex.open({
        model: model.id,
        rows: catalogue.rows,
        weights: shared.weights,
        ...(graphFolder ? { folder: graphFolder } : {}),
      });
      const exact = (query: Query, options: { k: number; exclude?: ReadonlySet<number>; allowed?: Uint32Array }) =>
        rankWith(this.queue, catalogue.rows, query, { allowed: catalogue.alive, ...options });
      const search = new GraphSearch({ index, exact, weights: shared.weights, temperature: shared.temperature });
      this.#graph = { index, search };
      search.calibrate(catalogue.rows, this.#closing.signal).catch((error: unknown) => {
        if (!this.#closing.signal.aborted) onGraphProblem(error);
      });
    } catch (error) {
      onGraphProblem(error);
    }
  }

  get graph(): { index: GraphIndex; search: GraphSearch } | undefined {
    return this.#graph;
  }

  /** The best rows of a query: by the graph where that promises enough of the exact list, else by a scan. */
  async rank(query: Query, options: RankOptions): Promise<{ list: Scored[]; exact: boolean }> {
    const { k, exclude, signal, caller } = options;
    const { rows, alive } = this.catalogue;
    const marks = options.allowed ?? alive;
    const { capacity } = this.catalogue;
    // rows that come while the search waits have a bit too, and it is 0
    const allowed = marks && marks.length < (capacity + 31) >>> 5 ? grown(marks, capacity) : marks;
    const { search } = this.#graph ?? {};
    if (search && query.history)
      this.onDecision?.("history"); // the graph's neighbours are near the query, not what was met lately
    else if (search && !options.exact) {
      const asked = {
        k,
        exclude: new Set(exclude),
        // rows that are gone are not in the graph: only a filter is worth looking at
        ...(options.allowed && allowed ? { allowed, allowedCount: countBits(allowed) } : {}),
      };
      const outcome = await this.graphQueue.run(() => search.rank(rows, query, asked), { caller, signal });
      this.onDecision?.(outcome.via === "graph" ? "graph" : outcome.why);
      if (outcome.via === "graph") return { list: outcome.list, exact: false };
    }
    if (rows.shards.length > 1) {
      // a catalogue that one memory does not hold is scanned here, memory after memory
      return {
        list: rankExactly(rows, query, { k, exclude, ...(allowed && { allowed: bytesOf(allowed, rows.count) }) }),
        exact: true,
      };
    }
    return { list: await rankWith(this.queue, rows, query, { k, exclude, allowed, signal, caller }), exact: true };
  }

  /** The ratings that rows can expect. Computed once for each, and again when an item is replaced. */
  predictions(rows: readonly number[]): RatingPrediction[] {
    const open = rows.filter((row) => !this.#predicted.has(row));
    if (open.length > 0) {
      const { rows: all, put } = this.catalogue;
      const found = this.model.predictAll(Int32Array.from(open), { rows: all, replaced: put });
      open.forEach((row, i) => {
        const [mean, deviation, observationDeviation] = [
          found.mean[i],
          found.deviation[i],
          found.observationDeviation[i],
        ];
        this.#predicted.set(row, { mean, deviation, observationDeviation });
      });
    }
    return rows.map((row) => this.#predicted.get(row) as RatingPrediction);
  }

  /** Only while no scan runs. */
  write(items: readonly ReadyItem[]): void {
    this.catalogue.write(items);
    for (const { id } of items) {
      const row = this.catalogue.find(id) as number;
      this.#predicted.delete(row);
      this.#graph?.search.put(this.catalogue.rows, row).catch(() => {}); // a graph that is lost leaves its searches to the scan
    }
    this.onItems?.({ put: items.map(({ id }) => id), deleted: [] });
  }

  /** Only while no scan runs. */
  delete(ids: readonly string[]): void {
    this.onItems?.({ put: [], deleted: ids });
    for (const id of ids) {
      const row = this.catalogue.find(id);
      if (row === undefined) continue;
      this.#predicted.delete(row);
      this.#graph?.search.remove(row).catch(() => {});
    }
    this.catalogue.delete(ids);
  }

  /** Brings rows to what events after training say of these items. Only while no scan runs. */
  move(ids: readonly string[]): void {
    this.catalogue.move(ids);
    for (const id of ids) {
      const row = this.catalogue.find(id);
      // the graph proposes candidates, which are scored by their rows: it need not follow small steps
      if (row !== undefined && this.catalogue.evidence?.isNew(id)) {
        this.#graph?.search.put(this.catalogue.rows, row).catch(() => {});
      }
    }
  }

  /** What the users thread needs. */
  share(): SharedCatalogue {
    const { model, catalogue } = this;
    const { rows } = catalogue;
    const { engine: _, rows: __, ...metric } = this.shared;
    const { room } = model;
    const shards = [...rows.shards.slice(0, room.shard).map(({ rows: shard }) => shard), room.matrix].map((matrix) => ({
      memory: matrix.data.buffer as SharedArrayBuffer,
      at: matrix.offset * 4,
      rows: matrix.rows,
    }));
    return {
      key: this.key,
      name: model.name,
      layout: rows.layout,
      shards,
      masked: catalogue.masked,
      lengths: rows.lengths,
      prior: model.parts.personal,
      metric,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.graphQueue.close();
    this.diversityQueue.close();
    await this.#graph?.index.close();
    await this.queue.close();
    await this.#threads.close(); // before the model: their memory was taken after its rows
    await this.model.close();
    await this.#engine.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A model whose first item has no neighbours with finite scores is not worth serving. */
  async #probe(): Promise<void> {
    const { items } = this.model;
    if (items.size < 2) return;
    const { items: found } = await this.model.similar(items.at(0).id, { k: 1 });
    if (found.length === 1 && Number.isFinite(found[0].score)) return;
    throw new NearkinError("BAD_MODEL", `${this.path}: its first item has no neighbour with a finite score`);
  }
}

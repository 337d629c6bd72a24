// Searches without a server, as a process of its own: one at a time beside usearch's exact search over the same matrix, and as many at once as the scan
// threads can take.
import {
  buildQuery,
  createEngine,
  liftedItem,
  openModel,
  openScanThreads,
  type Query,
  Random,
  rankExactly,
  rankWith,
  ScanQueue,
} from "@nearkin/core";
import { exactSearch, MetricKind } from "usearch";
import { readFolder } from "../packages/serve/src/models/model-folder.ts";
import { answerParent } from "./serve-peer.ts";

const SPREAD = 0.4; // sd of the logarithm of users' weights
const WARM_UP = 30; // searches that do not count
const K = 10;
/** What a list of k asks of a scan: one more tells whether it goes on, one is the item itself, and spares for near-ties. */
const CANDIDATES = K + 1 + 1 + 16;

const engine = await createEngine({ workers: 1, shared: true });
let model: Awaited<ReturnType<typeof openModel>> | undefined;
const random = new Random(81);

const calls = {
  async start({ model: folder }: { model: string }): Promise<void> {
    model = await openModel(readFolder(folder), { engine });
  },

  /**
   * Times of single searches in ms, from a user's weights to the certain list: in the thread that asks, through a scan thread as the server does it, and
   * by usearch, in turn on the same queries.
   */
  async single({ searches }: { searches: number }) {
    const { rows, queue, threads } = await openQueue(1);
    const [{ rows: matrix }] = rows.shards;
    // usearch takes no shared memory
    const data = Float32Array.from(
      (matrix.data as Float32Array).subarray(matrix.offset, matrix.offset + rows.count * matrix.cols),
    );
    const own: number[] = [];
    const queued: number[] = [];
    const peer: number[] = [];
    let agreed = 0;
    for (let i = 0; i < searches + WARM_UP; i++) {
      const started = performance.now();
      const query = drawQuery();
      const list = rankExactly(rows, query, { k: K });
      const alone = performance.now();
      await rankWith(queue, rows, query, { k: K });
      const both = performance.now();
      const found = exactSearch(data, query.vector, matrix.cols, K + 1, MetricKind.IP, 1);
      const ended = performance.now();
      if (i < WARM_UP) continue;
      own.push(alone - started);
      queued.push(both - alone);
      peer.push(ended - both);
      const keys = new Set(Array.from(found.keys, Number));
      agreed += list.filter(({ item }) => keys.has(item)).length / K;
    }
    await queue.close();
    await threads.close();
    return { own, queued, peer, agreed: agreed / searches };
  },

  /** Searches a second that scan threads reach when so many are always asked for at once. */
  async scans({ threads: count, callers, seconds }: { threads: number; callers: number; seconds: number }) {
    const { rows, queue, threads } = await openQueue(count);
    const queries = Array.from({ length: 500 }, drawQuery);
    const cpu = process.cpuUsage();
    const started = performance.now();
    const end = started + seconds * 1000;
    let [asked, done] = [0, 0];
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (performance.now() < end) {
          await queue.search({ vector: queries[asked++ % queries.length].vector, k: CANDIDATES });
          done++;
        }
      }),
    );
    const took = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const { meanBatch } = queue.counters;
    await queue.close();
    await threads.close();
    return { rate: (1000 * done) / took, cpu: (user + system) / 1000 / done, meanBatch, rows: rows.count };
  },
};

export type ScanCalls = typeof calls;

async function openQueue(count: number) {
  if (!model) throw new Error("no model is open");
  const { rows } = model;
  const threads = await openScanThreads(engine, { threads: count });
  const queue = new ScanQueue(threads, { rows: rows.shards[0].rows, count: rows.count });
  return { rows, queue, threads };
}

function drawQuery(): Query {
  if (!model) throw new Error("no model is open");
  const { rows, shared, parts } = model;
  const weights = Array.from(shared.weights, (h) => h * Math.exp(SPREAD * random.normal()));
  return buildQuery(rows, [liftedItem(rows, random.below(rows.count))], { weights, temperature: parts.temperature });
}

answerParent(calls);

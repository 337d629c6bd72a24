// The graph part of the suite serve: recall, time and memory of the graph for very large catalogues beside the exact scan, for users near the base metric
// and far from it; and ways to store it, from which its defaults were chosen.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildQuery, createEngine, liftedItem, type Query, Random, rankExactly, type Scored } from "@nearkin/core";
import { GraphIndex } from "../packages/serve/src/search/graph-index.ts";
import { graphRank } from "../packages/serve/src/search/graph-rank.ts";
import { GraphSearch } from "../packages/serve/src/search/graph-search.ts";
import { type ClusteredWorld, clusteredWorld } from "../packages/serve/src/search/testing/clustered-world.ts";
import { machine, median } from "./harness.ts";
import type { GraphCase, GraphKind, GraphResult, GraphStorage } from "./serve-graph-report.ts";

const OVERFETCH = [300, 800, 2000];
const LISTS = 100; // of each kind, every one of another user
const MODEL = "clustered world";

export interface GraphBenchOptions {
  /** Sizes of catalogues. @default [200000] */
  items?: readonly number[];
  /** Size at which ways of storing are compared; 0 for none. @default 0 */
  storage?: number;
}

/** Minutes and 1.6 GB for a million items on two cores. */
export async function measureGraph({ items = [200_000], storage = 0 }: GraphBenchOptions = {}): Promise<GraphResult> {
  const info = machine();
  const cases: GraphCase[] = [];
  for (const n of items) cases.push(await withWorld(n, measureCase));
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: info,
    cases,
    storage: storage > 0 ? { items: storage, ways: await withWorld(storage, compareStorage) } : null,
  };
}

async function withWorld<T>(items: number, use: (world: ClusteredWorld) => Promise<T>): Promise<T> {
  say(`${items.toLocaleString("en")} items are made up`);
  await using engine = await createEngine({ workers: 1 });
  using scope = engine.scope();
  const result = await use(clusteredWorld(engine, scope, { items }));
  process.stderr.write("\r\u001b[K");
  return result;
}

async function measureCase(world: ClusteredWorld): Promise<GraphCase> {
  const { rows, weights, temperature } = world;
  const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
  try {
    const before = process.memoryUsage().rss;
    const cpu = process.cpuUsage();
    const built = await openGraph(world, { folder });
    const { user, system } = process.cpuUsage(cpu);
    const bytes = process.memoryUsage().rss - before;
    await built.close();
    await using index = await openGraph(world, { folder });
    const exact = async (query: Query, { k }: { k: number }) => rankExactly(rows, query, { k });
    const search = new GraphSearch({ index, exact, weights, temperature, overfetch: OVERFETCH, checked: 0 });
    say("recall at start");
    const started = performance.now();
    await search.calibrate(rows);
    const calibrateSeconds = (performance.now() - started) / 1000;
    const kinds: GraphKind[] = [];
    for (const [name, draw] of Object.entries(userKinds(world))) {
      say(name);
      kinds.push(await measureKind(world, { index, search, name, draw }));
    }
    return {
      items: rows.count,
      columns: rows.layout.width,
      build: {
        seconds: built.info.seconds ?? 0,
        cpuSeconds: (user + system) / 1e6,
        bytes,
        fileBytes: index.info.fileBytes ?? 0,
        loadSeconds: index.info.seconds ?? 0,
      },
      calibrateSeconds,
      kinds,
      ...(await timeLists(world, search)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface OpenOptions extends Partial<Pick<GraphStorage, "connectivity" | "expansion">> {
  folder: string;
  scalar?: "f16" | "bf16" | "f32";
}

async function openGraph({ rows, weights }: ClusteredWorld, options: OpenOptions): Promise<GraphIndex> {
  const index = await GraphIndex.open({
    rows,
    weights,
    model: MODEL,
    ...options,
    onProgress: (done, total) => say(`${done.toLocaleString("en")} of ${total.toLocaleString("en")} rows in the graph`),
    onWarning: ({ message }) => process.stderr.write(`\n${message}\n`),
  });
  await index.ready;
  return index;
}

type DrawQuery = (random: Random) => Query;

/** Users by how far from the base metric they are. */
function userKinds({ rows, weights, temperature }: ClusteredWorld): Record<string, DrawQuery> {
  const item = (random: Random) => liftedItem(rows, random.below(rows.count));
  const around = (factor: (random: Random) => number, popularity = (_: Random) => 0, items = 1): DrawQuery => {
    return (random) =>
      buildQuery(
        rows,
        Array.from({ length: items }, () => item(random)),
        {
          weights: weights.map((h) => h * factor(random)),
          temperature,
          popularity: popularity(random),
        },
      );
  };
  const logNormal = (sd: number) => (random: Random) => Math.exp(sd * random.normal());
  return {
    base: around(() => 1),
    "log-normal, sd 0.4": around(logNormal(0.4)),
    "log-normal, sd 1": around(logNormal(1)),
    exponential: around((random) => -Math.log(1 - random.uniform())),
    "one channel": (random) => {
      const channel = random.below(weights.length);
      return buildQuery(rows, [item(random)], { weights: weights.map((_, c) => (c === channel ? 1 : 0)), temperature });
    },
    "log-normal, sd 0.4, β from 0 to 1": around(logNormal(0.4), (random) => random.uniform()),
    "log-normal, sd 0.4, three items": around(logNormal(0.4), undefined, 3),
  };
}

async function measureKind(
  { rows }: ClusteredWorld,
  { index, search, name, draw }: { index: GraphIndex; search: GraphSearch; name: string; draw: DrawQuery },
): Promise<GraphKind> {
  const random = new Random(41).split(name);
  const graph = OVERFETCH.map((overfetch) => ({ overfetch, lists: 0 }));
  let [recall, forecast, unguarded] = [0, 0, 0];
  for (let i = 0; i < LISTS; i++) {
    const query = draw(random);
    const exact = rankExactly(rows, query, { k: 10 });
    const all = await graphRank(index, rows, { query, options: { overfetch: OVERFETCH[0] } });
    unguarded += shared(all.list ?? [], exact);
    const outcome = await search.rank(rows, query);
    if (outcome.via === "exact") continue;
    graph[OVERFETCH.indexOf(outcome.overfetch)].lists++;
    recall += shared(outcome.list, exact);
    forecast += outcome.recall;
  }
  const answered = graph.reduce((sum, { lists }) => sum + lists, 0);
  return {
    name,
    lists: LISTS,
    graph,
    recall: answered === 0 ? null : recall / answered,
    forecast: answered === 0 ? null : forecast / answered,
    unguarded: unguarded / LISTS,
  };
}

function shared(list: readonly Scored[], exact: readonly Scored[]): number {
  const items = new Set(list.map(({ item }) => item));
  return exact.filter(({ item }) => items.has(item)).length / exact.length;
}

/** The graph's lists one after the other, as they come while it serves, then the scan's of the same queries. */
async function timeLists(
  { rows, weights, temperature }: ClusteredWorld,
  search: GraphSearch,
): Promise<Pick<GraphCase, "graph" | "exact" | "forecast">> {
  say("times");
  const random = new Random(43);
  const times = { forecast: [] as number[], graph: [] as number[], exact: [] as number[] };
  const clock = async (into: number[], call: () => unknown) => {
    const started = performance.now();
    await call();
    into.push(performance.now() - started);
  };
  const queries = Array.from({ length: LISTS + 20 }, () => {
    const own = weights.map((h) => h * Math.exp(0.4 * random.normal()));
    return buildQuery(rows, [liftedItem(rows, random.below(rows.count))], { weights: own, temperature });
  });
  for (const query of queries) await clock(times.forecast, () => search.forecast(query));
  for (const query of queries) await clock(times.graph, () => search.rank(rows, query));
  for (const query of queries) await clock(times.exact, () => rankExactly(rows, query, { k: 10 }));
  const spread = (list: number[]) => {
    const sorted = list.slice(20).sort((a, b) => a - b); // the first ones compile
    const at = (share: number) => sorted[Math.floor(share * sorted.length)];
    return { early: at(0.1), median: at(0.5), late: at(0.95) };
  };
  return { graph: spread(times.graph), exact: spread(times.exact), forecast: spread(times.forecast).median };
}

const WAYS: readonly { scalar: "f16" | "bf16" | "f32"; connectivity: number; expansion: number }[] = [
  { scalar: "f32", connectivity: 16, expansion: 128 },
  { scalar: "bf16", connectivity: 16, expansion: 128 },
  { scalar: "f16", connectivity: 16, expansion: 128 },
  { scalar: "f16", connectivity: 16, expansion: 64 },
  { scalar: "f16", connectivity: 16, expansion: 256 },
  { scalar: "f16", connectivity: 8, expansion: 128 },
  { scalar: "f16", connectivity: 32, expansion: 128 },
];

async function compareStorage(world: ClusteredWorld): Promise<GraphStorage[]> {
  const { rows, weights, temperature } = world;
  const random = new Random(44);
  const queries = Array.from({ length: LISTS }, () => liftedItem(rows, random.below(rows.count)));
  const lists = queries.map((item) =>
    rankExactly(rows, buildQuery(rows, [item], { weights, temperature }), { k: 500 }),
  );
  const results: GraphStorage[] = [];
  for (const way of WAYS) {
    const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
    try {
      const cpu = process.cpuUsage();
      await using index = await openGraph(world, { ...way, folder });
      const { user, system } = process.cpuUsage(cpu);
      const times: number[] = [];
      let [first, all] = [0, 0];
      for (const [i, item] of queries.entries()) {
        const vector = index.vector([item], rows.layout);
        const started = performance.now();
        const found = new Set(await index.search(vector, 501));
        times.push(performance.now() - started);
        first += lists[i].slice(0, 10).filter((scored) => found.has(scored.item)).length / 10;
        all += lists[i].filter((scored) => found.has(scored.item)).length / lists[i].length;
      }
      results.push({
        ...way,
        cpuSeconds: (user + system) / 1e6,
        fileBytes: index.info.fileBytes ?? 0,
        search: median(times),
        first: first / LISTS,
        all: all / LISTS,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

// The server under load, with real HTTP on this machine: searches beside scans without a server, one search beside usearch, latencies at half of what it
// takes, events, memory, and searches while items are put; with the part graph, the graph of very large catalogues. Parts that a run leaves out keep
// their earlier results. The server, what asks it and the scans alone each have a process; they work in turn, round by round.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { machine, median, writePage, writeResult } from "./harness.ts";
import type { BenchOptions } from "./run.ts";
import { measureGraph } from "./serve-graph.ts";
import type { LoadCalls, Searches } from "./serve-load.ts";
import { bundlePeers, Peer } from "./serve-peer.ts";
import type { Delay, EncodeCase, EventsCase, LoadCase, MemoryCase, ServeResult, SingleCase } from "./serve-report.ts";
import { report } from "./serve-report.ts";
import type { ScanCalls } from "./serve-scan.ts";
import type { ServerCalls, Usage } from "./serve-server.ts";
import { COLUMNS, ENCODER, servedFolder } from "./serve-world.ts";

const ITEMS = [26_744, 160_000];
const USERS = 500;
const SEARCHES = 300; // one at a time
const CONNECTIONS = [32, 64];
const ROUND = 3; // s of one measurement
const LATENCY_ROUND = 6; // s, so that 1 % of the answers are some
const WARM_UP = 6; // s until the server's code is compiled
const EVENTS = 100; // of a request
const PUT = 1000; // items with a text each
const PUT_BATCH = 100;
const ENCODER_PATIENCE = 120_000; // ms that it may take
const GRAPH_ITEMS = 1_000_000;

export async function run({ rounds, write, parts }: BenchOptions): Promise<void> {
  const result = earlier();
  const asks = (...names: readonly string[]) => names.some((name) => parts.some((part) => part === name));
  if (asks("scan", "http", "memory", "events", "encode")) {
    await bundlePeers();
    const taken = { date: new Date().toISOString().slice(0, 10), machine: machine() };
    const found = { scan: [], http: [], memory: [], events: [], encode: [] } as Found;
    for (const items of ITEMS) await measureWorld(items, { rounds, asks, found });
    if (asks("scan")) result.scan = { ...taken, cases: found.scan };
    if (asks("http")) result.http = { ...taken, rounds, users: USERS, cases: found.http };
    if (asks("memory")) result.memory = { ...taken, cases: found.memory };
    if (asks("events")) result.events = { ...taken, cases: found.events };
    if (asks("encode")) result.encode = { ...taken, cases: found.encode };
  }
  if (asks("graph")) result.graph = await measureGraph({ items: [GRAPH_ITEMS] });
  const path = writeResult("serve", result);
  process.stdout.write(`${report(result)}\n\nwritten to ${path}\n`);
  if (write) writePage("serve", report(result));
}

function earlier(): ServeResult {
  const path = join(import.meta.dirname, "results", "serve.json");
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as ServeResult;
  return { suite: "serve", scan: null, http: null, memory: null, events: null, encode: null, graph: null };
}

interface Found {
  scan: SingleCase[];
  http: LoadCase[];
  memory: MemoryCase[];
  events: EventsCase[];
  encode: EncodeCase[];
}

interface WorldOptions {
  rounds: number;
  asks: (...names: readonly string[]) => boolean;
  found: Found;
}

async function measureWorld(items: number, { rounds, asks, found }: WorldOptions): Promise<void> {
  const model = await servedFolder(items);
  const name = `${items.toLocaleString("en")} items`;
  await using scan = new Peer<ScanCalls>("serve-scan");
  await scan.ask("start", { model });
  if (asks("scan")) {
    say(`${name}: one search at a time`);
    const { own, queued, peer, agreed } = await scan.ask("single", { searches: SEARCHES });
    const times = { own: median(own), queued: median(queued), usearch: median(peer) };
    found.scan.push({ items, searches: SEARCHES, ...times, agreed });
  }
  if (!asks("http", "memory", "events", "encode")) return;
  const threads = Math.min(8, availableParallelism());
  await using server = new Peer<ServerCalls>("serve-server");
  await using load = new Peer<LoadCalls>("serve-load");
  const { port } = await server.ask("start", { model, users: USERS, options: { threads } });
  const searches: Searches = { port, items, users: USERS, connections: 64, seconds: WARM_UP, seed: 1 };
  say(`${name}: warming up`);
  checkAnswer(await load.ask("look", searches));
  await load.ask("closed", searches);
  const bench = { items, threads, rounds, searches, scan, server, load };
  const isFirst = items === ITEMS[0]; // what does not depend on the size of the catalogue is measured once
  let rate = 0;
  if (asks("http")) {
    const measured = await measureLoad(name, bench);
    found.http.push(measured);
    ({ rate } = measured.half);
  }
  if (asks("memory")) {
    const { resident } = await server.ask("usage");
    found.memory.push({ items, matrix: items * COLUMNS * 4, resident });
  }
  if (asks("encode") && isFirst) {
    rate ||= (await load.ask("closed", { ...searches, seconds: ROUND })).answered / ROUND / 2;
    found.encode.push(await measureEncoding(name, bench, rate));
  }
  if (asks("events") && isFirst) {
    say(`${name}: events`);
    const { events, seconds, median, late } = await load.ask("events", {
      port,
      items,
      connections: 4,
      seconds: ROUND,
      batch: EVENTS,
    });
    found.events.push({ items, batch: EVENTS, rate: events / seconds, median, late });
  }
  await server.ask("stop");
}

interface World {
  items: number;
  threads: number;
  rounds: number;
  searches: Searches;
  scan: Peer<ScanCalls>;
  server: Peer<ServerCalls>;
  load: Peer<LoadCalls>;
}

interface Round {
  connections: number;
  scans: number;
  scanBatch: number;
  scanCpu: number;
  answers: number;
  batch: number;
  cpu: number;
  main: number | null;
  load: number;
  failed: number;
}

async function measureLoad(name: string, world: World): Promise<LoadCase> {
  const { items, threads, rounds, searches, load } = world;
  const all: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const connections of CONNECTIONS) {
      say(`${name}: round ${round} of ${rounds}, ${connections} connections`);
      all.push(await measureRound(world, connections, round));
    }
  }
  const of = (connections: number) => all.filter((round) => round.connections === connections);
  const middle = (list: readonly Round[], value: (round: Round) => number) => median(list.map(value));
  const connections = CONNECTIONS.reduce((best, one) =>
    middle(of(one), ({ answers }) => answers) > middle(of(best), ({ answers }) => answers) ? one : best,
  );
  const chosen = of(connections);
  const answers = middle(chosen, (round) => round.answers);
  const rate = answers / 2;
  const delays: Delay[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`${name}: latencies, round ${round} of ${rounds}`);
    delays.push(await load.ask("open", { ...searches, seconds: LATENCY_ROUND, rate, seed: 100 + round }));
  }
  return {
    items,
    threads,
    connections,
    scans: middle(chosen, ({ scans }) => scans),
    answers,
    ratio: middle(chosen, (round) => round.answers / round.scans),
    scanBatch: middle(chosen, ({ scanBatch }) => scanBatch),
    batch: middle(chosen, ({ batch }) => batch),
    cpu: {
      scan: middle(chosen, ({ scanCpu }) => scanCpu),
      server: middle(chosen, ({ cpu }) => cpu),
      main: chosen[0].main === null ? null : middle(chosen, ({ main }) => main as number),
      load: middle(chosen, (round) => round.load),
    },
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    half: { rate, ...middleDelay(delays) },
  };
}

/** Scans alone, then the server, on as many threads and with as many callers. */
async function measureRound(world: World, connections: number, seed: number): Promise<Round> {
  const { threads, searches, scan, server, load } = world;
  const alone = await scan.ask("scans", { threads, callers: connections, seconds: ROUND });
  const before = await server.ask("usage");
  const { answered, failed, seconds, cpu } = await load.ask("closed", {
    ...searches,
    connections,
    seconds: ROUND,
    seed,
  });
  const after = await server.ask("usage");
  const used = (of: (usage: Usage) => number) => of(after) - of(before);
  return {
    connections,
    scans: alone.rate,
    scanBatch: alone.meanBatch,
    scanCpu: alone.cpu,
    answers: answered / seconds,
    batch: used((usage) => usage.queries) / used((usage) => usage.batches),
    cpu: used((usage) => usage.cpu) / answered,
    main: after.mainCpu === null ? null : used((usage) => usage.mainCpu as number) / answered,
    load: cpu / answered,
    failed,
  };
}

/** Latencies at one rate, in turn in peace and while items with texts are put and encoded. */
async function measureEncoding(
  name: string,
  { items, rounds, searches, server, load }: World,
  rate: number,
): Promise<EncodeCase> {
  const { port } = searches;
  const encoded = async () => {
    const patience = performance.now() + ENCODER_PATIENCE;
    while ((await server.ask("waiting")) > 0) {
      if (performance.now() > patience) throw new Error(`the encoder ${ENCODER} does not come to an end`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const { resident: before } = await server.ask("usage");
  await load.ask("put", { port, count: 1, batch: 1, first: 0 }); // the encoder starts with its first text
  await encoded();
  const ask = (seed: number) => load.ask("open", { ...searches, seconds: LATENCY_ROUND, rate, seed });
  const [quiet, busy, seconds]: [Delay[], Delay[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    say(`${name}: searches, nothing put, round ${round + 1} of ${rounds}`);
    quiet.push(await ask(200 + round));
    say(`${name}: searches while ${PUT} items are put and encoded, round ${round + 1} of ${rounds}`);
    const started = performance.now();
    const asking = ask(300 + round);
    await load.ask("put", { port, count: PUT, batch: PUT_BATCH, first: 1 + round * PUT });
    await encoded();
    seconds.push((performance.now() - started) / 1000);
    busy.push(await asking);
  }
  const { resident: after } = await server.ask("usage");
  return {
    items,
    put: PUT,
    seconds: median(seconds),
    encoder: ENCODER,
    encoderBytes: after - before,
    rate,
    quiet: middleDelay(quiet),
    busy: middleDelay(busy),
  };
}

const middleDelay = (delays: readonly Delay[]): Delay => ({
  median: median(delays.map((one) => one.median)),
  late: median(delays.map(({ late }) => late)),
});

/** The first answer must be what is meant to be measured: ten items by the user's own metric. */
function checkAnswer(answer: unknown): void {
  const { items, metric, exact } = answer as { items: unknown[]; metric: { source: string }; exact: boolean };
  if (items.length === 10 && metric.source === "user" && exact) return;
  throw new Error(`expected ten items by the user's own metric, got ${JSON.stringify(answer)}`);
}

function say(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
}

// Searches as a server has them: one query alone, several at once, filters, on threads of their own. Beside them the same search by usearch
// (exact, one thread), the engine's own scan, which blocks its caller, and the time in which memory can be read.
import { availableParallelism } from "node:os";
import {
  createEngine,
  hostMatrix,
  openScanThreads,
  Random,
  type ScanQuery,
  type ScanThreads,
  TopK,
} from "@nearkin/core";
import { exactSearch, MetricKind } from "usearch";
import { best, machine, median, table, writeResult } from "./harness.ts";
import { memoryReader } from "./memory-read.ts";
import type { BenchOptions } from "./run.ts";

const SIZES = [26_744, 160_000]; // rows
const COLUMNS = 235;
const K = 10;
const BATCHES = [1, 2, 4, 8, 16, 32];
const FILTERS = [1, 0.1, 0.01, 0.0001];

/** In ms: the shortest and the median wait, and the median of the processor time of all threads, which busy neighbours do not lengthen as much. */
interface Times {
  best: number;
  median: number;
  processor: number;
}

interface ScanResult {
  suite: "scan";
  date: string;
  machine: ReturnType<typeof machine>;
  rounds: number;
  columns: number;
  k: number;
  sizes: { rows: number; times: Record<string, Times> }[];
}

export async function run({ rounds }: BenchOptions): Promise<void> {
  const result: ScanResult = {
    suite: "scan",
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    rounds,
    columns: COLUMNS,
    k: K,
    sizes: [],
  };
  for (const rows of SIZES) result.sizes.push({ rows, times: await contend(rows, rounds) });
  process.stdout.write(`${report(result)}\n\nwritten to ${writeResult("scan", result)}\n`);
}

const drawVector = (seed: number) => {
  const random = new Random(seed);
  return Float32Array.from({ length: COLUMNS }, () => random.normal());
};

function drawBitmap(rows: number, share: number): Uint32Array {
  const random = new Random(3);
  const bitmap = new Uint32Array(Math.ceil(rows / 32));
  for (let i = 0; i < rows; i++) if (random.uniform() < share) bitmap[i >> 5] |= 1 << (i & 31);
  return bitmap;
}

/** Every case in turn, round after round. */
async function contend(rows: number, rounds: number): Promise<Record<string, Times>> {
  await using engine = await createEngine({ workers: 1 });
  const A = engine.scope().matrix(rows, COLUMNS, "f32");
  engine.fillNormal(A, new Random(1));
  const copy = (A.data as Float32Array).slice(A.offset, A.offset + rows * COLUMNS); // usearch takes an array of its own
  const vectors = Array.from({ length: 32 }, (_, i) => drawVector(10 + i));
  const reader = await memoryReader(rows * COLUMNS * 4, 1);
  const crews: ScanThreads[] = [];
  for (const threads of [1, Math.min(2, availableParallelism())])
    crews.push(await openScanThreads(engine, { threads }));
  const top = new TopK(K);
  const cases: Record<string, () => unknown> = {
    "reading memory": () => reader.read(),
    "Engine.scan": () => engine.scan(top, [A], hostMatrix(vectors[0], COLUMNS, 1)),
    usearch: () => exactSearch(copy, vectors[0], COLUMNS, K, MetricKind.IP, 1),
  };
  const ask = (batch: number, allowed?: Uint32Array): ScanQuery[] =>
    vectors.slice(0, batch).map((vector) => ({ vector, k: K, ...(allowed && { allowed }) }));
  for (const batch of BATCHES) {
    const queries = ask(batch);
    for (const scans of crews) cases[`${batch} on ${scans.threads}`] = () => scans.scan(A, rows, queries);
  }
  for (const share of FILTERS) {
    const queries = ask(1, drawBitmap(rows, share));
    cases[`filter ${share}`] = () => crews[0].scan(A, rows, queries);
  }
  const waits: Record<string, number[]> = {};
  const work: Record<string, number[]> = {};
  for (let round = -2; round < rounds; round++) {
    for (const [name, call] of Object.entries(cases)) {
      const before = process.cpuUsage();
      const started = performance.now();
      await call();
      const wait = performance.now() - started;
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue; // not warm yet
      waits[name] = [...(waits[name] ?? []), wait];
      work[name] = [...(work[name] ?? []), (user + system) / 1000];
    }
  }
  for (const scans of crews.reverse()) await scans.close();
  await reader.close();
  const round3 = (x: number) => Number(x.toFixed(3));
  return Object.fromEntries(
    Object.keys(cases).map((name) => [
      name,
      {
        best: round3(best(waits[name])),
        median: round3(median(waits[name])),
        processor: round3(median(work[name])),
      },
    ]),
  );
}

function report({ machine: m, rounds, columns, k, sizes }: ScanResult): string {
  const head = `${m.cpu}, ${m.cores} cores, Node ${m.node}, load ${m.load}; f32 rows of ${columns} columns, ${k} best; best of ${rounds} interleaved rounds, ms; in brackets the median of the processor time.`;
  const names = Object.keys(sizes[0].times);
  const cell = (times: Times, batch: number) => {
    const rate = batch > 1 ? `, ${Math.round((batch * 1000) / times.best).toLocaleString("en")}/s` : "";
    return `${times.best.toFixed(2)} (${times.processor.toFixed(2)})${rate}`;
  };
  const lines = names.map((name) => [
    name,
    ...sizes.map(({ times }) => cell(times[name], Number(/^(\d+) on/.exec(name)?.[1] ?? 1))),
  ]);
  return `${head}\n\n${table([["search", ...sizes.map(({ rows }) => `${rows.toLocaleString("en")} rows`)], ...lines])}`;
}

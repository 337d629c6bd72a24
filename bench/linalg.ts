// The numerical core against OpenBLAS, PyTorch and plain TypeScript. See bench/run.ts for how to run it.
import { createEngine, type Engine, type EngineKind, Random, TopK } from "@nearkin/core";
import { loadOpenBlas, openBlas } from "@nearkin/native";
import { best, machine, median, time, writePage, writeResult } from "./harness.ts";
import { spd } from "./inputs.ts";
import { type CaseResult, type LinalgResult, report, verdictTable } from "./linalg-report.ts";
import { memoryReader } from "./memory-read.ts";
import { type Peer, startPeer } from "./peer.ts";
import type { BenchOptions } from "./run.ts";

type Precision = "f32" | "f64";
/** One timed call of a contender on prepared inputs, and how to put them right again before it. */
type Trial = { call: () => void; reset?: () => void };

interface Case {
  name: string;
  work: number;
  unit: CaseResult["unit"];
  repeat: number;
  /** Plain TypeScript takes part only where it ends in reasonable time. */
  plain: boolean;
  engine(engine: Engine): Trial;
  blas(blas: Awaited<ReturnType<typeof loadOpenBlas>>): Trial;
  /** What a peer process is asked. */
  request: Record<string, unknown>;
}

function gemmCase(precision: Precision, m: number, n: number, k: number): Case {
  const size = m === n && n === k ? `${m}³` : `${m}×${n}×${k}`;
  const Floats = precision === "f32" ? Float32Array : Float64Array;
  return {
    name: `${precision} gemm ${size}`,
    work: 2 * m * n * k,
    unit: "GFLOP/s",
    repeat: m * n * k > 5e8 ? 3 : 6,
    plain: m * n * k < 5e8,
    engine(engine) {
      const scope = engine.scope();
      const [A, B, C] = [scope.matrix(m, k, precision), scope.matrix(k, n, precision), scope.matrix(m, n, precision)];
      engine.fillUniform(A, new Random(1));
      engine.fillUniform(B, new Random(2));
      return { call: () => engine.gemm(C, A, B) };
    },
    blas(blas) {
      const arrays = [new Floats(m * k).fill(0.5), new Floats(k * n).fill(0.5), new Floats(m * n)];
      keep(arrays);
      const [A, B, C] = arrays.map((array) => blas.addressOf(array));
      return { call: () => blas[precision].gemm(101, 111, 111, m, n, k, 1, A, k, B, n, 0, C, n) };
    },
    request: { case: "gemm", dtype: precision, m, n, k },
  };
}

function choleskyCase(n: number): Case {
  const source = spd(n);
  return {
    name: `f64 Cholesky ${n}`,
    work: n ** 3 / 3,
    unit: "GFLOP/s",
    repeat: 6,
    plain: true,
    engine(engine) {
      const A = engine.scope().matrix(n, n);
      return { call: () => engine.cholesky(A), reset: () => A.data.set(source, A.offset) };
    },
    blas(blas) {
      const A = new Float64Array(n * n);
      keep([A]);
      const at = blas.addressOf(A);
      return { call: () => blas.f64.potrf(n, at, n), reset: () => A.set(source) };
    },
    request: { case: "cholesky", dtype: "f64", n },
  };
}

function scanCase(rows: number, cols: number, k: number): Case {
  return {
    name: `scan ${rows.toLocaleString("en")} × ${cols} f32 + top-${k}`,
    work: rows * cols * 4,
    unit: "GB/s",
    repeat: 5,
    plain: true,
    engine(engine) {
      const scope = engine.scope();
      const A = scope.matrix(rows, cols, "f32");
      const query = scope.matrix(cols, 1, "f32");
      engine.fillNormal(A, new Random(3));
      engine.fillNormal(query, new Random(4));
      const top = new TopK(k);
      return { call: () => engine.scan(top, [A], query) };
    },
    blas(blas) {
      const arrays = [
        new Float32Array(rows * cols).fill(0.5),
        new Float32Array(cols).fill(0.5),
        new Float32Array(rows),
      ];
      keep(arrays);
      const [A, x, y] = arrays.map((array) => blas.addressOf(array));
      return { call: () => blas.f32.gemv(101, 111, rows, cols, 1, A, cols, x, 1, 0, y, 1) };
    },
    request: { case: "scan", rows, cols, k },
  };
}

interface Contender {
  /** Ends in T1 or T2. */
  name: string;
  time(repeat: number): Promise<number[]>;
  /** How long its idle threads go on spinning, in ms: the next contender must not pay for them. */
  rest: number;
}

function inProcess(
  name: string,
  { call, reset }: Trial,
  blas: { setThreads(count: number): void } | undefined,
): Contender {
  return {
    name,
    rest: name.startsWith("OpenBLAS") || name.startsWith("native") ? 60 : 0,
    async time(repeat) {
      blas?.setThreads(Number(name.at(-1))); // the count is the whole process's
      return time(repeat, call, reset);
    },
  };
}

// Arrays whose addresses are in use must stay reachable.
const kept: unknown[] = [];
const keep = (arrays: unknown[]) => kept.push(...arrays);

export async function run(options: BenchOptions): Promise<void> {
  const cases = [
    gemmCase("f32", 512, 512, 512),
    gemmCase("f32", 4096, 512, 512),
    gemmCase("f64", 512, 512, 512),
    gemmCase("f64", 4096, 512, 512),
    gemmCase("f32", 1024, 1024, 1024),
    gemmCase("f64", 1024, 1024, 1024),
    choleskyCase(512),
    choleskyCase(1024),
    scanCase(160_000, 235, 10),
  ];
  const info = machine();
  const blas = await loadOpenBlas().catch((error: Error) => {
    process.stderr.write(`OpenBLAS takes no part: ${error.message}\n`);
    return undefined;
  });
  const torch = await startPeer("PyTorch", process.env.PYTHON ?? "python3", ["bench/torch_peer.py"]);
  const held = (core: string) =>
    blas && process.arch === "x64"
      ? startPeer(
          `OpenBLAS with ${core} kernels`,
          process.execPath,
          ["--conditions=@nearkin/source", "--import", "tsx", "bench/openblas-peer.ts"],
          { OPENBLAS_CORETYPE: core },
        )
      : undefined;
  const peers: [string, Peer | undefined][] = [
    ["PyTorch", torch],
    ["OpenBLAS AVX2", await held("Haswell")],
    ["OpenBLAS SSE", await held("Nehalem")],
  ];

  const engines: [string, Engine][] = [];
  const kinds: EngineKind[] = blas ? ["wasm", "wasm-relaxed", "native"] : ["wasm", "wasm-relaxed"];
  for (const workers of [1, 2]) {
    for (const engine of kinds)
      engines.push([`${engine} T${workers}`, await createEngine({ engine, workers, native: openBlas })]);
  }
  const plain = await createEngine({ engine: "plain" });

  const results: CaseResult[] = [];
  for (const c of cases) {
    const contenders: Contender[] = engines.map(([name, engine]) => inProcess(name, c.engine(engine), blas));
    for (const threads of [1, 2]) {
      if (blas) contenders.push(inProcess(`OpenBLAS T${threads}`, c.blas(blas), blas));
      for (const [name, peer] of peers) {
        if (peer && !(name.startsWith("OpenBLAS") && c.request.case === "scan")) {
          contenders.push({
            name: `${name} T${threads}`,
            rest: name === "PyTorch" ? 300 : 60,
            time: async (repeat) => (await peer.ask({ ...c.request, threads, repeat })) ?? [],
          });
        }
      }
    }
    const reads = c.unit === "GB/s" ? await Promise.all([1, 2].map((workers) => memoryReader(c.work, workers))) : [];
    reads.forEach(({ read }, i) => {
      contenders.push(inProcess(`memory read T${i + 1}`, { call: read }, blas));
    });

    const times: Record<string, number[]> = {};
    if (c.plain) times["plain T1"] = await inProcess("plain T1", c.engine(plain), blas).time(2);
    for (let round = 0; round < options.rounds; round++) {
      process.stderr.write(`\r\u001b[K${c.name}: round ${round + 1} of ${options.rounds}`);
      for (const { name, time: run, rest } of contenders) {
        if (round === 0) await run(2); // warm
        const ms = await run(c.repeat);
        if (ms.length > 0) times[name] = [...(times[name] ?? []), ...ms];
        if (name.endsWith("T2")) await new Promise((resolve) => setTimeout(resolve, rest));
      }
    }
    for (const reader of reads) await reader.close();
    results.push({
      name: c.name,
      work: c.work,
      unit: c.unit,
      best: Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, round3(best(ms))])),
      median: Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, round3(median(ms))])),
    });
  }
  process.stderr.write("\r\u001b[K");
  for (const [, engine] of engines) await engine.close();
  for (const [, peer] of peers) peer?.close();

  const result: LinalgResult = {
    suite: "linalg",
    date: new Date().toISOString().slice(0, 10),
    machine: info,
    openblas: blas ? { version: blas.version, core: blas.core } : null,
    torch: torch ? String(torch.about.torch) : null,
    rounds: options.rounds,
    cases: results,
  };
  const path = writeResult("linalg", result);
  process.stdout.write(`${report(result)}\n\n${verdictTable(result)}\n\nwritten to ${path}\n`);
  if (options.write) writePage("linalg", report(result));
}

const round3 = (x: number) => Number(x.toFixed(3));

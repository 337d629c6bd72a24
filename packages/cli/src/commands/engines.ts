// Which engines run on this machine, how fast each is, and whether it computes what the plain one does.
import { createEngine, type Engine, type EngineInfo, type EngineKind, Random } from "@nearkin/core";
import { Command } from "commander";
import { loadNative, openBlas } from "../engine.ts";
import type { Output } from "../output.ts";

interface EnginesOptions {
  /** Print one JSON document instead of a table. */
  json?: boolean;
}

export function enginesCommand(output: Output): Command {
  return new Command("engines")
    .description("what this machine can compute with")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  $ nearkin engines\n  $ nearkin engines --json")
    .action((options: EnginesOptions) => runEngines(options, output));
}

interface EngineReport {
  engine: EngineKind;
  available: boolean;
  /** Why not, when it is not. */
  reason?: string;
  info?: EngineInfo;
  /** GFLOP/s of a 256³ product: a glance, not a benchmark. */
  speed?: { f32: number; f64: number };
  /** Largest relative difference of that product from the plain engine's, f64. */
  error?: number;
}

const SIZE = 256;

async function runEngines(options: EnginesOptions, output: Output): Promise<void> {
  const expected = await withEngine("plain", (engine) => product(engine));
  const reports: EngineReport[] = [];
  for (const kind of ["wasm", "wasm-relaxed", "native", "plain"] as const) {
    try {
      reports.push(
        await withEngine(kind, (engine) => ({
          engine: kind,
          available: true,
          info: engine.info,
          speed: { f32: speed(engine, "f32"), f64: speed(engine, "f64") },
          error: difference(product(engine), expected),
        })),
      );
    } catch (error) {
      reports.push({ engine: kind, available: false, reason: (error as Error).message });
    }
  }
  const library = await loadNative().then(
    (native) => native.findOpenBlas(),
    () => undefined,
  );
  if (options.json) output.write(`${JSON.stringify({ engines: reports, openblas: library ?? null }, null, 2)}\n`);
  else output.write(engineTable(reports));
}

async function withEngine<T>(kind: EngineKind, use: (engine: Engine) => T): Promise<T> {
  const engine = await createEngine({ engine: kind, native: openBlas });
  try {
    return use(engine);
  } finally {
    await engine.close();
  }
}

function product(engine: Engine): Float64Array {
  using scope = engine.scope();
  const A = scope.matrix(SIZE, SIZE);
  const C = scope.matrix(SIZE, SIZE);
  engine.fillNormal(A, new Random(1));
  engine.gemm(C, A, A, { transposeB: true });
  return C.read();
}

function speed(engine: Engine, precision: "f32" | "f64"): number {
  using scope = engine.scope();
  const A = scope.matrix(SIZE, SIZE, precision).fill(0.5);
  const C = scope.matrix(SIZE, SIZE, precision);
  let best = Infinity;
  const until = performance.now() + 60; // long enough for V8 to have compiled the kernel well
  do {
    const started = performance.now();
    engine.gemm(C, A, A);
    best = Math.min(best, performance.now() - started);
  } while (performance.now() < until);
  return (2 * SIZE ** 3) / best / 1e6;
}

function difference(a: Float64Array, b: Float64Array): number {
  const scale = b.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0) / scale;
}

function engineTable(reports: readonly EngineReport[]): string {
  const rows = [["engine", "threads", "GFLOP/s f32 / f64", "error (f64)", "same bits everywhere"]];
  for (const { engine, info, speed: s, error } of reports) {
    if (!info || !s || error === undefined) continue;
    const same = engine === "plain" ? "within one JavaScript engine" : info.reproducible ? "yes" : "on one machine";
    rows.push([
      engine === "wasm" ? "wasm (default)" : engine,
      String(info.workers),
      `${s.f32.toFixed(1)} / ${s.f64.toFixed(1)}`,
      error === 0 ? "0" : error.toExponential(0),
      same,
    ]);
  }
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, c) => cell.padEnd(widths[c]))
      .join("  ")
      .trimEnd(),
  );
  for (const { engine, available, reason, info } of reports) {
    if (!available) lines.push(`\n${engine}: not available. ${reason}`);
    for (const note of info?.notes ?? []) lines.push(`\n${engine}: ${note}`);
    if (info?.library) lines.push(`\nnative: ${info.library}`);
  }
  return `${lines.join("\n")}\n`;
}

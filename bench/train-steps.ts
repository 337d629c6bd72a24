// Part A of the train suite: whole steps against PyTorch, interleaved, two threads each, after both have been shown to compute the same numbers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createEngine,
  decodeSafetensors,
  type Engine,
  type EngineKind,
  encodeSafetensors,
  Random,
} from "@nearkin/core";
import { loadOpenBlas, openBlas } from "@nearkin/native";
import { best, machine, median, time } from "./harness.ts";
import { type Peer, startPeer } from "./peer.ts";
import { type Outcome, type StepCase, stepCases } from "./train-cases.ts";
import type { StepResult, StepsResult } from "./train-report.ts";

const THREADS = 2;

interface Contender {
  name: string;
  time(repeat: number): Promise<number[]>;
  /** How long its idle threads go on spinning, in ms. */
  rest: number;
}

export async function timeSteps(rounds: number): Promise<StepsResult> {
  const info = machine();
  if (info.load > 0.5) {
    process.stderr.write(
      `the machine is busy (load ${info.load}): PyTorch's threads wait for each other by spinning and lose far more by that than ours; ratios mean little\n`,
    );
  }
  const blas = await loadOpenBlas().catch((error: Error) => {
    process.stderr.write(`native takes no part: ${error.message}\n`);
    return undefined;
  });
  const torch = await startPeer("PyTorch", process.env.PYTHON ?? "python3", ["bench/torch_train_peer.py"]);
  const kinds: EngineKind[] = blas ? ["wasm", "wasm-relaxed", "native"] : ["wasm", "wasm-relaxed"];
  const engines: Engine[] = [];
  for (const engine of kinds) engines.push(await createEngine({ engine, workers: THREADS, native: openBlas }));
  const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
  try {
    const cases: StepResult[] = [];
    for (const c of stepCases()) cases.push(await timeCase(c, { engines, torch, folder, rounds }));
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: info,
      threads: THREADS,
      rounds,
      torch: torch ? String(torch.about.torch) : null,
      openblas: blas ? `${blas.version} (${blas.core} kernels)` : null,
      cases,
    };
  } finally {
    process.stderr.write("\r\u001b[K");
    for (const engine of engines) await engine.close();
    torch?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Surroundings {
  engines: readonly Engine[];
  torch: Peer | undefined;
  folder: string;
  rounds: number;
}

async function timeCase(c: StepCase, { engines, torch, folder, rounds }: Surroundings): Promise<StepResult> {
  const trials = engines.map((engine) => ({ engine, trial: c.open(engine) }));
  const outcomes = trials.map(({ engine, trial }) => ({ name: engine.info.kind, outcome: trial.outcome() }));
  const differences: StepResult["differences"] = {};
  const inputs = join(folder, `${c.key}.safetensors`);
  const precision = c.flops.f64 > 0 ? "f64" : "f32";
  const contenders: Contender[] = trials.flatMap(({ engine, trial }) => {
    const rest = engine.info.kind === "native" ? 60 : 0;
    return [
      { name: engine.info.kind, rest, time: async (repeat: number) => time(repeat, () => trial.call()) },
      { name: `${engine.info.kind} gemm`, rest, time: gemmTrial(engine, precision) },
    ];
  });
  if (torch) {
    writeFileSync(inputs, encodeSafetensors(c.tensors()));
    for (const distances of ["channels", "columns"]) {
      const name = distances === "channels" ? "PyTorch" : "PyTorch, one product";
      const check = join(folder, `${c.key}-${distances}.safetensors`);
      const request = { case: c.key, inputs, distances, threads: THREADS };
      if (!(await torch.ask({ ...request, check }))) throw new Error(`PyTorch failed at ${c.key}`);
      const theirs = readOutcome(check);
      for (const { name: engine, outcome } of outcomes) {
        const found = compare(outcome, theirs);
        differences[`${engine} / ${name}`] = found;
        if (found.value > c.tolerance || found.gradient > c.tolerance) {
          throw new Error(
            `${c.name}: ${engine} and ${name} do not compute the same: values differ by ${found.value}, gradients by ${found.gradient}`,
          );
        }
      }
      contenders.push({
        name,
        rest: 300,
        time: async (repeat) => (await torch.ask({ ...request, repeat })) ?? [],
      });
    }
  }
  const times: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\r\u001b[K${c.name}: round ${round + 1} of ${rounds}`);
    for (const contender of contenders) {
      if (round === 0) await contender.time(c.repeat); // warm
      times[contender.name] = [...(times[contender.name] ?? []), ...(await contender.time(c.repeat))];
      await new Promise((resolve) => setTimeout(resolve, contender.rest));
    }
  }
  const summary = (of: (ms: number[]) => number) =>
    Object.fromEntries(
      Object.entries(times).map(([name, ms]) => [name, Number(of(ms).toFixed(3))]), //
    );
  return {
    name: c.name,
    precision,
    flops: c.flops[precision],
    targets: c.targets,
    best: summary(best),
    median: summary(median),
    differences,
  };
}

const SIDE = 1024; // of the product that stands for the speed of gemm

/** The speed of the engine's products, in the same minutes. */
function gemmTrial(engine: Engine, precision: "f32" | "f64"): (repeat: number) => Promise<number[]> {
  return async () => {
    using scope = engine.scope();
    const [A, B, C] = [1, 2, 3].map((seed) => {
      const matrix = scope.matrix(SIDE, SIDE, precision);
      engine.fillUniform(matrix, new Random(seed));
      return matrix;
    });
    return time(2, () => engine.gemm(C, A, B));
  };
}

function readOutcome(path: string): Outcome {
  const { tensors } = decodeSafetensors(readFileSync(path));
  const gradients: Record<string, ArrayLike<number>> = {};
  for (const [name, { data }] of tensors) gradients[name] = data as Float64Array;
  const { value, ...rest } = gradients;
  return { value: value[0], gradients: rest };
}

/** Relative differences: of the value, and the largest by gradient, ‖g − g′‖/‖g′‖ of each that is learned. */
function compare(ours: Outcome, theirs: Outcome): { value: number; gradient: number } {
  let gradient = 0;
  const names = Object.keys(ours.gradients);
  if (names.length !== Object.keys(theirs.gradients).length)
    throw new Error("the gradients are not of the same things");
  let total = 0;
  for (const name of names) total += norm(theirs.gradients[name]) ** 2;
  for (const name of names) {
    const [a, b] = [ours.gradients[name], theirs.gradients[name]];
    if (a.length !== b?.length)
      throw new Error(`the gradient of ${name} has ${b?.length} numbers, expected ${a.length}`);
    const difference = norm(Float64Array.from(a, (x, i) => x - b[i]));
    gradient = Math.max(gradient, difference / (norm(b) + 1e-3 * Math.sqrt(total))); // those of next to nothing count by their size
  }
  return { value: Math.abs(ours.value - theirs.value) / Math.abs(theirs.value), gradient };
}

function norm(values: ArrayLike<number>): number {
  let square = 0;
  for (let i = 0; i < values.length; i++) square += values[i] * values[i];
  return Math.sqrt(square);
}

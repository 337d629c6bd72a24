// The result of the train suite as text: for the terminal and for docs/benchmarks.md; a test compares that page with the stored result.
import { type Machine, table } from "./harness.ts";

/** Times in ms by contender: "wasm", "wasm-relaxed", "native", "PyTorch", "PyTorch, one product", and "<engine> gemm" for 1,024³. */
export interface StepResult {
  name: string;
  precision: "f32" | "f64";
  /** By formula: bench/train-flops.ts. */
  flops: number;
  /** Most time, in that of PyTorch. */
  targets: { portable: number; native: number };
  best: Record<string, number>;
  median: Record<string, number>;
  /** Relative differences, by pair of contenders. */
  differences: Record<string, { value: number; gradient: number }>;
}

export interface StepsResult {
  date: string;
  machine: Machine;
  threads: number;
  rounds: number;
  torch: string | null;
  openblas: string | null;
  cases: StepResult[];
}

export interface StageTimes {
  /** `siamese`, `ssl`; `process` for the fit of the Gaussian process that stage 2 begins with in the mode `channel`. */
  stage: string;
  steps: number;
  /** Everything between its first and its last moment: steps, looks at the validation items, checkpoints. */
  seconds: number;
  /** Looks alone. */
  lookSeconds: number;
  /** Steps per second of the time spent in steps, new inducing items included. */
  stepsPerSecond: number;
  /** Median of a step, ms. */
  stepMs: number;
  /** Of the median step; null where its arithmetic has no formula here. */
  gflops: number | null;
  /** What the step would take at the speed of gemm, over what it took. */
  share: number | null;
  /** JavaScript heap after a collection, at the first step and at the end; bytes. */
  heap: { first: number; last: number };
}

/** One training in a process of its own. */
export interface TrainingTimes {
  engine: string;
  workers: number;
  preset: string;
  items: number;
  parameters: number;
  /** GFLOP/s of gemm 1,024³ in the same process, measured before, between and after the stages: the best. */
  gemm: { f32: number; f64: number };
  loadSeconds: number;
  stages: StageTimes[];
  /** Posterior, rows, popularity, files. */
  endSeconds: number;
  seconds: number;
  /** Bytes. */
  peakRss: number;
  modelBytes: number;
}

export interface WholeResult {
  date: string;
  machine: Machine;
  dataset: string;
  training: TrainingTimes;
}

export interface ScaleResult {
  date: string;
  machine: Machine;
  worlds: {
    name: string;
    about: string;
    prepareSeconds: number;
    trainings: (TrainingTimes | { preset: string; failed: string })[];
  }[];
}

export interface TrainResult {
  suite: "train";
  steps: StepsResult | null;
  whole: WholeResult | null;
  scale: ScaleResult | null;
}

const ENGINES = ["wasm", "wasm-relaxed", "native"];
const PEERS = ["PyTorch", "PyTorch, one product"];
const PEERS_EXPLAINED =
  "PyTorch computes the distances channel by channel, as the formula reads; “one product” puts the weights on the columns of one product, as our engines do.";
const SHARE_TARGET = 0.6;
const GEMM_FLOPS = 2 * 1024 ** 3;

/** The text of docs/benchmarks.md. */
export function report({ steps, whole, scale }: TrainResult): string {
  return [steps && stepsReport(steps), whole && wholeReport(whole), scale && scaleReport(scale)]
    .filter((part) => part !== null)
    .join("\n\n");
}

function stepsReport(result: StepsResult): string {
  const { cases, machine: m, torch, rounds, threads, openblas } = result;
  const present = [...ENGINES, ...PEERS].filter((name) => cases.some(({ best }) => best[name] !== undefined));
  const cell = ({ best }: StepResult, name: string): string => {
    if (best[name] === undefined) return "–";
    const text = best[name].toFixed(best[name] < 10 ? 1 : 0);
    return ENGINES.includes(name) && best.PyTorch ? `${text} (${(best[name] / best.PyTorch).toFixed(2)})` : text;
  };
  const rows = cases.map((c) => [c.name, ...present.map((name) => cell(c, name))]);
  const peers = [openblas && `OpenBLAS ${openblas}`, torch && `PyTorch ${torch}`].filter(Boolean).join(", ");
  const worst = (of: "value" | "gradient", precision: string) =>
    Math.max(
      ...cases
        .filter((c) => c.precision === precision)
        .flatMap(({ differences }) => Object.values(differences).map((difference) => difference[of])),
    );
  const agreement = torch
    ? `Both sides compute the same on the same inputs: relative differences of values up to ${power(worst("value", "f32"))} (f32) and ${power(worst("value", "f64"))} (f64), of gradients up to ${power(worst("gradient", "f32"))} and ${power(worst("gradient", "f64"))}.`
    : "";
  return [
    `${m.cpu}, ${m.cores} cores, Node ${m.node}, ${peers || "no peers"}; milliseconds a step, best of ${rounds} interleaved rounds, ${threads} threads each, (in the time of PyTorch).`,
    "",
    table([["step", ...present], ...rows]),
    ...(agreement ? ["", agreement, PEERS_EXPLAINED] : []),
  ].join("\n");
}

function wholeReport({ dataset, training: t, machine: m }: WholeResult): string {
  const rows = t.stages.map((stage) => [
    stage.stage,
    String(stage.steps),
    stage.seconds.toFixed(0),
    stage.stepsPerSecond.toFixed(1),
    stage.stepMs.toFixed(0),
    stage.gflops?.toFixed(0) ?? "–",
    stage.share === null ? "–" : `${(100 * stage.share).toFixed(0)} %`,
    `${megabytes(stage.heap.first)} → ${megabytes(stage.heap.last)}`,
  ]);
  return [
    `A whole training: \`${t.preset}\` on ${dataset} (${t.items.toLocaleString("en")} items), engine ${t.engine} on ${t.workers} of ${m.cores} cores: ${duration(t.seconds)}, of which loading ${t.loadSeconds.toFixed(1)} s and the end ${t.endSeconds.toFixed(1)} s; peak RSS ${gigabytes(t.peakRss)}.`,
    "",
    table([["stage", "steps", "seconds", "steps/s", "ms/step", "GFLOP/s", "of gemm", "JS heap, MB"], ...rows]),
  ].join("\n");
}

function scaleReport({ worlds, machine: m }: ScaleResult): string {
  const rows = worlds.flatMap(({ name, trainings }) =>
    trainings.map((t) => {
      if ("failed" in t) return [name, t.preset, t.failed, "", "", "", "", ""];
      const find = (name: string) => t.stages.find(({ stage }) => stage === name);
      const pace = (name: string) => find(name)?.stepsPerSecond.toFixed(1) ?? "–";
      return [
        name,
        t.preset,
        t.loadSeconds.toFixed(1),
        pace("siamese"),
        find("process")?.seconds.toFixed(0) ?? "–",
        pace("ssl"),
        t.endSeconds.toFixed(1),
        gigabytes(t.peakRss),
      ];
    }),
  );
  return [
    `Larger catalogues, made up (${worlds.map(({ name, about }) => `${name}: ${about}`).join("; ")}); ${m.cpu}, ${m.cores} cores.`,
    "",
    table([
      [
        "data",
        "preset",
        "loading, s",
        "stage 1, steps/s",
        "process, s",
        "stage 2, steps/s",
        "end of the run, s",
        "peak RSS",
      ],
      ...rows,
    ]),
  ].join("\n");
}

/** Every ratio that has a target. */
export function verdictTable({ steps, whole }: TrainResult): string {
  const rows: string[][] = [];
  const verdict = (what: string, reached: number, target: number, below: boolean) => {
    const good = below ? reached <= target : reached >= target;
    rows.push([what, reached.toFixed(2), `${below ? "≤" : "≥"} ${target}`, good ? "reached" : "not reached"]);
  };
  for (const { name, best, targets, flops, precision } of steps?.cases ?? []) {
    for (const engine of ENGINES) {
      const target = engine === "native" ? targets.native : targets.portable;
      if (best[engine] && best.PyTorch)
        verdict(`${name}, ${engine} / PyTorch`, best[engine] / best.PyTorch, target, true);
    }
    for (const engine of ENGINES) {
      const gemm = best[`${engine} gemm`];
      if (best[engine] && gemm) {
        verdict(
          `${name}, ${engine}, of its ${precision} gemm`,
          (flops / best[engine]) * (gemm / GEMM_FLOPS),
          SHARE_TARGET,
          false,
        );
      }
    }
  }
  for (const { stage, share } of whole?.training.stages ?? []) {
    if (share !== null) verdict(`whole training, ${stage}, of gemm`, share, SHARE_TARGET, false);
  }
  return rows.length > 0 ? table([["ratio", "measured", "target", ""], ...rows]) : "";
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
const duration = (seconds: number): string => `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
/** 7e-5 */
const power = (x: number): string => x.toExponential(0);

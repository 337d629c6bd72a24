// The table of the linalg benchmark from its JSON: what docs/benchmarks.md shows, and what the targets are held against.
import type { Machine } from "./harness.ts";
import { table } from "./harness.ts";

/** Best wall time of each contender ("wasm T1", "OpenBLAS T2", …), in ms. */
export interface CaseResult {
  name: string;
  /** Floating-point operations, or bytes read where the case is bound by memory. */
  work: number;
  unit: "GFLOP/s" | "GB/s";
  best: Record<string, number>;
  median: Record<string, number>;
}

export interface LinalgResult {
  suite: "linalg";
  date: string;
  machine: Machine;
  openblas: { version: string; core: string } | null;
  torch: string | null;
  rounds: number;
  cases: CaseResult[];
}

/** Ratios to reach, by case and engine: against OpenBLAS on the same number of threads. */
const TARGETS: Record<string, { wasm: number; "wasm-relaxed": number }> = {
  "f32 gemm 512³": { wasm: 0.35, "wasm-relaxed": 0.5 },
  "f32 gemm 4096×512×512": { wasm: 0.35, "wasm-relaxed": 0.5 },
  "f64 gemm 512³": { wasm: 0.35, "wasm-relaxed": 0.5 },
  "f64 gemm 4096×512×512": { wasm: 0.35, "wasm-relaxed": 0.5 },
  "f64 Cholesky 512": { wasm: 0.48, "wasm-relaxed": 0.65 },
  "f64 Cholesky 1024": { wasm: 0.48, "wasm-relaxed": 0.65 },
  "scan 160,000 × 235 f32 + top-10": { wasm: 2, "wasm-relaxed": 2 },
};
const BANDWIDTH_TARGET = 0.9;
const SCALING_TARGET = 1.85;

interface Verdict {
  what: string;
  reached: number;
  target: number;
}

const speed = (c: CaseResult, contender: string): number | undefined =>
  c.best[contender] === undefined ? undefined : c.work / c.best[contender] / 1e6;

/** Every ratio that has a target. */
function verdicts(result: LinalgResult): Verdict[] {
  const list: Verdict[] = [];
  for (const c of result.cases) {
    const targets = TARGETS[c.name];
    for (const engine of ["wasm", "wasm-relaxed"] as const) {
      for (const threads of ["T1", "T2"]) {
        const [ours, theirs] = [speed(c, `${engine} ${threads}`), speed(c, `OpenBLAS ${threads}`)];
        if (targets && ours && theirs) {
          list.push({
            what: `${c.name}, ${engine} ${threads} / OpenBLAS ${threads}`,
            reached: ours / theirs,
            target: targets[engine],
          });
        }
        const read = speed(c, `memory read ${threads}`);
        if (ours && read)
          list.push({
            what: `${c.name}, ${engine} ${threads} / memory read`,
            reached: ours / read,
            target: BANDWIDTH_TARGET,
          });
      }
      const [one, two] = [speed(c, `${engine} T1`), speed(c, `${engine} T2`)];
      if (c.name.includes("gemm 1024³") && one && two) {
        list.push({ what: `${c.name}, ${engine} two workers / one`, reached: two / one, target: SCALING_TARGET });
      }
    }
  }
  return list;
}

const COLUMNS = [
  "wasm",
  "wasm-relaxed",
  "native",
  "OpenBLAS",
  "PyTorch",
  "OpenBLAS AVX2",
  "OpenBLAS SSE",
  "memory read",
];

/** Speeds, 1 / 2 threads, and in brackets the ratio to OpenBLAS on as many threads. */
export function report(result: LinalgResult): string {
  const present = COLUMNS.filter((name) => result.cases.some((c) => c.best[`${name} T1`] !== undefined));
  const cell = (c: CaseResult, name: string): string => {
    const text = ["T1", "T2"].map((t) => {
      const own = speed(c, `${name} ${t}`);
      const blas = speed(c, `OpenBLAS ${t}`);
      if (own === undefined) return "–";
      const ratio = blas !== undefined && name.startsWith("wasm") ? ` (${(own / blas).toFixed(2)})` : "";
      return `${own.toFixed(own < 10 ? 1 : 0)}${ratio}`;
    });
    return text.every((t) => t === "–") ? "–" : text.join(" / ");
  };
  const rows = result.cases.map((c) => {
    const plain = speed(c, "plain T1");
    return [
      `${c.name}, ${c.unit}`,
      ...present.map((name) => cell(c, name)),
      plain === undefined ? "–" : plain.toFixed(1),
    ];
  });
  const { machine: m, openblas, torch } = result;
  const peers = [openblas && `OpenBLAS ${openblas.version} (${openblas.core} kernels)`, torch && `PyTorch ${torch}`]
    .filter(Boolean)
    .join(", ");
  return [
    `${m.cpu}, ${m.cores} cores, Node ${m.node}, ${peers || "no peers"}; best of ${result.rounds} interleaved rounds; 1 / 2 threads, (ratio to OpenBLAS).`,
    "",
    table([["case", ...present, "plain"], ...rows]),
  ].join("\n");
}

export function verdictTable(result: LinalgResult): string {
  const rows = verdicts(result).map((v) => [
    v.what,
    v.reached.toFixed(2),
    `≥ ${v.target}`,
    v.reached >= v.target ? "reached" : "not reached",
  ]);
  return table([["ratio", "measured", "target", ""], ...rows]);
}

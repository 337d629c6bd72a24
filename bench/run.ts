// Side-by-side benchmarks: every contender in one run, interleaved, so that ratios mean something on a noisy machine.
//   npm run bench -- encode [--rounds 5] [--write]
//   npm run bench -- evaluate [--rounds 5] [--queries 2000] [--write]
//   npm run bench -- linalg [--rounds 7] [--write]
//   npm run bench -- personalize [--rounds 5] [--parts fits,browser,memory] [--write]
//   npm run bench -- prepare [--rounds 3] [--rows 20000000] [--write]
//   npm run bench -- serve [--rounds 5] [--parts scan,http,memory,encode,events,graph] [--write]
//   npm run bench -- scan [--rounds 15]
//   npm run bench -- scale [--rounds 3] [--rows 20000000] [--parts prepare,personalize,replicas] [--write]
//   npm run bench -- train [--rounds 7] [--parts steps,whole] [--scale] [--steps 200] [--engine wasm] [--write]
import { parseArgs } from "node:util";

const suites: Record<string, () => Promise<{ run(options: BenchOptions): Promise<void> }>> = {
  encode: () => import("./encode.ts"),
  evaluate: () => import("./evaluate.ts"),
  linalg: () => import("./linalg.ts"),
  personalize: () => import("./personalize.ts"),
  prepare: () => import("./prepare.ts"),
  serve: () => import("./serve.ts"),
  scale: () => import("./scale.ts"),
  scan: () => import("./scan.ts"),
  train: () => import("./train.ts"),
};

const ENGINES = ["wasm", "wasm-relaxed", "native"] as const;
/** What suites measure, by suite; without --parts all but those that take long. */
const PARTS = {
  personalize: ["fits", "browser", "memory"],
  scale: ["prepare", "personalize", "replicas"],
  serve: ["scan", "http", "memory", "encode", "events", "graph"],
  train: ["steps", "whole", "scale"],
} as const;
type Part = (typeof PARTS)[keyof typeof PARTS][number];
const LONG: readonly Part[] = ["graph", "scale"];

export interface BenchOptions {
  /** How often the whole list of cases is gone through; the best time of each counts. */
  rounds: number;
  /** Copy the tables into docs/benchmarks.md (the suite scale: docs/scaling.md). */
  write: boolean;
  /** Items to rank candidates for, in the suite evaluate. */
  queries: number;
  /** Ratings to make up, for the suites prepare and scale. */
  rows: number;
  /** What the suite measures, where it has parts. */
  parts: readonly Part[];
  /** What computes in whole trainings. */
  engine: (typeof ENGINES)[number];
  /** Most steps of a stage in whole trainings. @default as configured; 20 for the part scale */
  steps: number | undefined;
}

const USAGE = `npm run bench -- <suite> [options]

Suites: ${Object.keys(suites).join(", ")}

Options:
  --rounds <n>      times to go through all cases (default 5)
  --write           copy the tables into docs/benchmarks.md
  --help            this text

evaluate:
  --queries <n>     items to rank candidates for (default 2000)

personalize:
  --parts <names>   what to measure: ${PARTS.personalize.join(", ")} (default: all)

prepare:
  --rows <n>        ratings to make up (default 20000000)

scale:
  --parts <names>   what to measure: ${PARTS.scale.join(", ")} (default: all; half an hour, 10 GB of disk; needs Spark and PostgreSQL)
  --rows <n>        ratings to make up (default 20000000)
  --write           copy the tables into docs/scaling.md

serve:
  --parts <names>   what to measure: ${PARTS.serve.join(", ")} (default: all but graph, a million items: minutes, 3 GB of memory)

train:
  --parts <names>   what to measure: ${PARTS.train.join(", ")} (default steps,whole)
  --scale           the same as adding scale to --parts: catalogues of up to a million items, 20 minutes, 4 GB of disk
  --steps <n>       most steps of a stage in whole trainings (default: as configured, and 20 for scale)
  --engine <kind>   what computes in whole trainings: ${ENGINES.join(", ")} (default wasm)

PyTorch takes part when the python named by PYTHON (default: python3) has it.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    queries: { type: "string", default: "2000" },
    rows: { type: "string", default: "20000000" },
    parts: { type: "string" },
    scale: { type: "boolean", default: false },
    steps: { type: "string" },
    engine: { type: "string", default: "wasm" },
    write: { type: "boolean", default: false },
    help: { type: "boolean" },
  },
});
const suite = Object.hasOwn(suites, positionals[0] ?? "") ? suites[positionals[0]] : undefined;
const rounds = Number(values.rounds);
const queries = Number(values.queries);
const rows = Number(values.rows);
const steps = values.steps === undefined ? undefined : Number(values.steps);
const engine = ENGINES.find((kind) => kind === values.engine);
const known: readonly Part[] = PARTS[positionals[0] as keyof typeof PARTS] ?? [];
const asked = [
  ...(values.parts?.split(",") ?? known.filter((part) => !LONG.includes(part))),
  ...(values.scale ? ["scale"] : []),
];
const parts = known.filter((part) => asked.includes(part));
const whole = (n: number, least: number) => Number.isInteger(n) && n >= least;
const areValid =
  whole(rounds, 1) &&
  whole(queries, 1) &&
  whole(rows, 1000) &&
  (steps === undefined || whole(steps, 1)) &&
  asked.every((name) => parts.some((part) => part === name));
if (values.help) process.stdout.write(USAGE);
else if (!suite || !engine || !areValid) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else await (await suite()).run({ rounds, queries, rows, write: values.write, parts, engine, steps });

// Side-by-side benchmarks: every contender in one run, interleaved, so that ratios mean something on a noisy machine.
//   npm run bench -- linalg [--rounds 7] [--readme]
//   npm run bench -- prepare [--rounds 3] [--rows 20000000] [--readme]
import { parseArgs } from "node:util";

const suites: Record<string, () => Promise<{ run(options: BenchOptions): Promise<void> }>> = {
  linalg: () => import("./linalg.ts"),
  prepare: () => import("./prepare.ts"),
};

export interface BenchOptions {
  /** How often the whole list of cases is gone through; the best time of each counts. */
  rounds: number;
  /** Copy the table into README.md. */
  readme: boolean;
  /** Ratings to make up, for the suite prepare. */
  rows: number;
}

const USAGE = `npm run bench -- <suite> [options]

Suites: ${Object.keys(suites).join(", ")}

Options:
  --rounds <n>   times to go through all cases (default 5)
  --rows <n>     ratings to make up, for prepare (default 20000000)
  --readme       copy the table into README.md
  --help         this text

PyTorch takes part when the python named by PYTHON (default: python3) has it.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    rows: { type: "string", default: "20000000" },
    readme: { type: "boolean", default: false },
    help: { type: "boolean" },
  },
});
const suite = Object.hasOwn(suites, positionals[0] ?? "") ? suites[positionals[0]] : undefined;
const rounds = Number(values.rounds);
const rows = Number(values.rows);
if (values.help) process.stdout.write(USAGE);
else if (!suite || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(rows) || rows < 1000) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else await (await suite()).run({ rounds, rows, readme: values.readme });

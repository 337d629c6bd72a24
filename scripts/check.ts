// Everything to run before a commit, in about a minute: format, lint, types, direction of packages, unused code, and the tests that need no
// server, browser or process of their own, and no database but DuckDB in memory.
//   npm run check
import { spawn } from "node:child_process";
import { once } from "node:events";

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Steps of a lane run one after the other, lanes side by side: one for each of two cores, about equally long. */
const LANES: readonly (readonly Step[])[] = [
  [
    { name: "format and lint", command: ["biome", "check", "--error-on-warnings", "."] },
    { name: "types", command: ["node", "node_modules/typescript-7/bin/tsc", "-b"] },
    { name: "package direction", command: ["node", "scripts/check-rooms.mjs"] },
    { name: "unused code", command: ["knip", "--no-progress"] },
  ],
  [{ name: "unit tests", command: ["vitest", "run"], env: { NEARKIN_TESTS: "unit" } }],
];

interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly isFine: boolean;
  /** Everything it printed; shown if it failed. */
  readonly printed: string;
}

async function runStep({ name, command: [program, ...args], env }: Step): Promise<Outcome> {
  const started = performance.now();
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const [code] = await once(child, "close");
  const outcome = { name, seconds: (performance.now() - started) / 1000, isFine: code === 0, printed };
  console.log(`${outcome.isFine ? "ok    " : "FAILED"}  ${name}: ${outcome.seconds.toFixed(1)} s`);
  return outcome;
}

async function runLane(steps: readonly Step[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of steps) outcomes.push(await runStep(step));
  return outcomes;
}

const started = performance.now();
const outcomes = (await Promise.all(LANES.map(runLane))).flat();
for (const { name, printed } of outcomes.filter(({ isFine }) => !isFine))
  console.log(`\n=== ${name}\n${printed.trim()}`);
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
if (outcomes.some(({ isFine }) => !isFine)) process.exitCode = 1;

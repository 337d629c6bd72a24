// Runs the suite several times beside busy programs, to find flaky tests:
//   npm run test:loaded                      all parts, five rounds each, Spark once
//   npm run test:loaded -- --part 3          the third part alone: a run of limited length
//   npm run test:loaded -- --rounds 1 --part spark
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

/** Projects of Vitest that make up a part; parts take about equally long. */
const PARTS: readonly (readonly string[])[] = [
  ["core", "native", "train", "client", "web", "scripts"],
  ["data", "evaluate"],
  ["serve"],
  ["cli"],
  ["browser", "portability", "pack"],
  ["page"],
  ["spark"],
];

const PATIENCE = "4"; // factor on timeouts: busy programs take half of the machine

const usage = `npm run test:loaded -- [--part N] [--rounds N] [--loops N]

  --part N     one of 1 to ${PARTS.length}, or the name of a project; all parts if it is not given
  --rounds N   times that each part runs, 1 to 100 (default 5; Spark once)
  --loops N    busy programs beside it, 0 to 64 (default: one for each core)

Parts: ${PARTS.map((projects, k) => `${k + 1} ${projects.join(", ")}`).join("; ")}`;

function fail(problem: string): never {
  console.error(`${problem}\n\n${usage}`);
  process.exit(2);
}

function wholeNumber(name: string, text: string, [least, most]: readonly [number, number]): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? value
    : fail(`--${name}: expected ${least} to ${most}, got ${text.slice(0, 80)}`);
}

function readOptions() {
  const options = {
    part: { type: "string" },
    rounds: { type: "string" },
    loops: { type: "string", default: String(availableParallelism()) },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

function partsOf(part: string | undefined): readonly (readonly string[])[] {
  if (part === undefined) return PARTS;
  if (/^\d+$/.test(part)) return [PARTS[wholeNumber("part", part, [1, PARTS.length]) - 1]];
  return PARTS.flat().includes(part) ? [[part]] : fail(`--part: no project is called ${part.slice(0, 80)}`);
}

const { part, rounds, loops, help } = readOptions();
if (help) {
  console.log(usage);
  process.exit(0);
}
const parts = partsOf(part);
const roundsOf = (projects: readonly string[]) =>
  rounds === undefined ? (projects.includes("spark") ? 1 : 5) : wholeNumber("rounds", rounds, [1, 100]);

const busy = Array.from({ length: wholeNumber("loops", loops, [0, 64]) }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
);
process.on("exit", () => {
  for (const child of busy) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

let failures = 0;
for (const projects of parts) {
  for (let round = 1; round <= roundsOf(projects); round++) {
    const started = performance.now();
    const chosen = projects.flatMap((project) => ["--project", project]);
    const env = { NEARKIN_TEST_PATIENCE: PATIENCE, ...process.env };
    const child = spawn("vitest", ["run", ...chosen], { env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const [code] = await once(child, "close");
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const counts = /^\d+ passed, \d+ failed, \d+ skipped$/m.exec(printed)?.[0] ?? "no result";
    console.log(`${projects.join(", ")}, round ${round}: ${counts}, ${seconds} s${code === 0 ? "" : "  FAILED"}`);
    if (code === 0) continue;
    failures++;
    console.log(printed);
  }
}
console.log(failures === 0 ? "no failure" : `${failures} runs FAILED`);
process.exit(failures === 0 ? 0 : 1);

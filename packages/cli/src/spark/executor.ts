// What Spark's executors run, where nothing of Nearkin is installed. It is bundled into one file that travels with the job (scripts/build-executor.mjs):
//   node nearkin-personalize.mjs <model folder> [--skip-unknown] < users.jsonl > answers.jsonl
// The filter of `nearkin personalize`, on one thread and by the engine that computes the same bits on every machine. What is wrong with one user is that
// user's answer; what is wrong with the run ends it with 1, so that Spark tries elsewhere.
import { createEngine, NearkinError, openModel } from "@nearkin/core";
import { readFolder } from "@nearkin/serve/folder";
import { readLines, writeLine } from "../lines.ts";
import { processOutput } from "../output.ts";
import { checkPersonal, filterLines } from "../personalize/filter.ts";

const LEAST = [20, 19]; // as package.json says

async function main([folder, ...flags]: readonly string[]): Promise<void> {
  checkNode(process.versions.node);
  await using engine = await createEngine({ engine: "wasm", workers: 1 });
  await using model = await openModel(readFolder(folder), { engine });
  checkPersonal(model);
  await filterLines(model, readLines("-"), {
    write: (line) => writeLine(processOutput, line),
    unknown: flags.includes("--skip-unknown") ? "skip" : "refuse",
  });
}

function checkNode(version: string): void {
  const [major, minor] = version.split(".").map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return;
  throw new NearkinError(
    "ENGINE_UNAVAILABLE",
    `an executor has Node ${version}; every worker needs ${LEAST.join(".")} or later on its PATH, or name it with --node`,
  );
}

main(process.argv.slice(2)).catch((error: Error & { code?: string }) => {
  process.stderr.write(`${error.code ?? "UNEXPECTED"}: ${error.message}\n`);
  process.exitCode = 1;
});

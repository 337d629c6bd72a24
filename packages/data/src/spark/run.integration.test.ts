// How a job is run and ended. Programs of a line stand for Spark; test/spark runs the real one.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "@nearkin/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSpark, sparkCommand } from "./run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-run-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A Spark whose command line is this script. */
function sparkThat(script: string) {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin/spark-sql"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bin/spark-sql"), 0o755);
  return { home: folder, version: "4.0.5", env: process.env };
}

const LONG = `sleep ${300 * patience} & echo $! > pid; wait`; // a job that nobody waits for
const job = () => ({ name: "job", folder: join(folder, "job"), sql: "SELECT 1;\n" });

test("lines of the script are told as they come, and the log has all", async () => {
  const lines: string[] = [];
  await runSpark(sparkThat("echo one; echo two >&2; echo three"), job(), { onLine: (line) => lines.push(line) });
  expect(lines).toEqual(["one", "three"]);
  expect(readFileSync(join(folder, "job/job.log"), "utf8").split("\n").sort()).toEqual(["", "one", "three", "two"]);
  expect(readFileSync(join(folder, "job/job.sql"), "utf8")).toBe("SELECT 1;\n");
});

test("bars are progress, and no part of the log", async () => {
  const told: unknown[] = [];
  const script =
    "printf '\\r[Stage 0:=>  (1 + 1) / 3]' >&2; printf '\\r     \\r[Stage 0:==> (2 + 1) / 3]26/11/16 WARN x\\n' >&2";
  await runSpark(sparkThat(script), job(), { onProgress: (progress) => told.push(progress) });
  expect(told).toEqual([
    { done: 1, tasks: 3 },
    { done: 2, tasks: 3 },
  ]);
  expect(readFileSync(join(folder, "job/job.log"), "utf8")).toBe("26/11/16 WARN x\n");
});

test.each([
  [
    "26/01/01 ERROR StandaloneSchedulerBackend: Application has been killed. Reason: All masters are unresponsive! Giving up.",
    "ENGINE_UNAVAILABLE",
    /^the Spark master that Spark is configured with cannot be reached/,
  ],
  [
    "[PATH_NOT_FOUND] Path does not exist: s3a://bucket/x.parquet. SQLSTATE: 42K03; line 3 pos 5",
    "BAD_SOURCE",
    /^Spark finds nothing at s3a:\/\/bucket\/x\.parquet/,
  ],
  [
    "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `parts`.`who` cannot be resolved. Did you mean one of the following? [`parts`.`user`]. SQLSTATE: 42703",
    "BAD_SOURCE",
    /^the table has no column who \(it has user\); name the one that it has/,
  ],
  ["java.io.IOException: No space left on device", "BAD_ARGUMENT", /^Spark cannot write: No space left on device/],
  ["java.lang.OutOfMemoryError: Java heap space", "OUT_OF_MEMORY", /^Spark ran out of memory/],
  ["Error in query: [DIVIDE_BY_ZERO] Division by zero.", "ENGINE_UNAVAILABLE", /^Spark failed: \[DIVIDE_BY_ZERO\]/],
])("%s", async (line, code, message) => {
  const run = runSpark(sparkThat(`echo '${line.replaceAll("'", "")}' >&2; exit 1`), job());
  await expect(run).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test("a setting that is none is refused before anything starts", async () => {
  await expect(runSpark(sparkThat("touch started"), { ...job(), conf: ["memory"] })).rejects.toThrow(
    /^--conf: expected key=value/,
  );
  expect(existsSync(join(folder, "job"))).toBe(false);
});

test("a master at a port that there is none of", async () => {
  await expect(runSpark(sparkThat(""), { ...job(), master: "spark://127.0.0.1:99999" })).rejects.toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringContaining("cannot be reached (there is no such port)"),
  });
});

test("an abort ends it, and what it has started", async () => {
  const stop = new AbortController();
  const run = runSpark(sparkThat(LONG), job(), { signal: stop.signal });
  const pid = await written(join(folder, "job/pid"));
  stop.abort(new Error("enough"));
  await expect(run).rejects.toThrow("enough");
  await gone(pid);
});

test("kill -9 of the one who runs it ends it too", async () => {
  sparkThat(LONG);
  const program = `import { runSpark } from ${JSON.stringify(new URL("run.ts", import.meta.url).href)};
    await runSpark(${JSON.stringify({ home: folder, version: "4.0.5" })}, ${JSON.stringify(job())});`;
  writeFileSync(join(folder, "runner.mts"), program);
  const runner = spawn(process.execPath, [
    "--import",
    import.meta.resolve("tsx"),
    "--conditions=@nearkin/source",
    join(folder, "runner.mts"),
  ]);
  const pid = await written(join(folder, "job/pid"));
  runner.kill("SIGKILL");
  await gone(pid);
});

test("the command line names what matters, and can be pasted", () => {
  const command = sparkCommand(undefined, {
    ...job(),
    master: "yarn",
    conf: ["spark.executor.memory=4g"],
    files: ["a", "b"],
  });
  expect(command[0]).toBe("spark-sql");
  expect(command.join(" ")).toMatch(
    /--master yarn .*--conf spark\.sql\.ansi\.enabled=true .*--conf spark\.executor\.memory=4g --files a,b -f /,
  );
});

async function written(path: string): Promise<number> {
  await expect.poll(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n")).toBe(true);
  return Number(readFileSync(path, "utf8"));
}

async function gone(pid: number): Promise<void> {
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isThere).toBe(false);
}

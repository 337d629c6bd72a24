// Jobs that fail: whoever waits, or asks later, is told, with what the job said last.
import { expect, test } from "vitest";
import { type Answerer, jobsFor, openFilters } from "./filters.ts";

const ada = { user: "ada", ratings: [] };
const never = new AbortController().signal;
const open = (script: string, signal = never, jobs = 1) => openFilters(["-e", script], jobs, signal);
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const failureOf = (answerer: Answerer) =>
  answerer.answer(ada).then(
    () => "answered",
    (error: Error & { code?: string }) => error,
  );

/** Answers every line with itself. */
const ECHO = "process.stdin.pipe(process.stdout)";

test("answers come in the order of the questions, over all jobs", async () => {
  await using answerer = open(ECHO, never, 2);
  const users = Array.from({ length: 9 }, (_, i) => `user\u2028${i}`);
  const answers = await Promise.all(users.map((user) => answerer.answer({ user, ratings: [] })));
  expect(answers.map(({ user }) => user)).toEqual(users);
});

test("a job that ends while nobody waits fails the next answer", async () => {
  const script = `process.stderr.write("no room left"); process.stdin.once("data", () =>
    process.stdout.write(JSON.stringify({ pid: process.pid }) + "\\n", () => process.exit(3)))`;
  await using answerer = open(script);
  const { pid } = (await answerer.answer(ada)) as unknown as { pid: number };
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await failureOf(answerer)).toMatchObject({
    code: "JOB_FAILED",
    message: "a job of personalize ended with 3: no room left",
  });
});

test("a job that ends fails all who wait", async () => {
  await using answerer = open(`process.stdin.once("data", () => process.kill(process.pid, "SIGKILL"))`);
  const failures = await Promise.all([failureOf(answerer), failureOf(answerer)]);
  expect(failures.map(String)).toEqual(
    Array(2).fill("Error: a job of personalize ended with SIGKILL: it said nothing"),
  );
});

test("what is no JSON fails the answer, with the cause", async () => {
  await using answerer = open(`console.log("Debugger attached."); process.stdin.resume()`);
  const failure = await failureOf(answerer);
  expect(failure).toMatchObject({ code: "JOB_FAILED", cause: expect.any(SyntaxError) });
  expect(String(failure)).toContain('a job of personalize wrote what is no answer, "Debugger attached."');
});

test("a signal rejects with its reason whoever waits and whoever asks later", async () => {
  const stop = new AbortController();
  await using answerer = open("process.stdin.resume()", stop.signal);
  const waiting = failureOf(answerer);
  const reason = new Error("stopped by SIGINT");
  stop.abort(reason);
  expect(await waiting).toBe(reason);
  expect(await failureOf(answerer)).toBe(reason);
});

test("never more jobs than users", () => {
  expect([jobsFor(3, 8, 4), jobsFor(1, 2, 4), jobsFor(100, 8, 4)]).toEqual([3, 1, 8]);
  expect([jobsFor(50, undefined, 4), jobsFor(5000, undefined, 4)]).toEqual([1, 4]);
});

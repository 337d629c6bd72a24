// Several users at once: each job is a process of its own that runs the filter, nearkin personalize --in - --out -, on a model of its own. A filter
// answers in the order it was asked in, so answers find their way back without numbers.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { splitLines } from "../lines.ts";
import type { UserAnswer, UserRefusal, UserRequest } from "./user-line.ts";

/** Whoever answers for users. */
export interface Answerer extends AsyncDisposable {
  /** How many may be asked about before the first has an answer. */
  readonly ahead: number;
  answer(request: UserRequest): Promise<UserAnswer | UserRefusal>;
}

interface Waiting {
  resolve(answer: UserAnswer | UserRefusal): void;
  reject(error: unknown): void;
}

/** A process that worked for this one is gone, or wrote what is no answer. The message ends with what it said last. */
class JobFailedError extends Error {
  readonly code = "JOB_FAILED";
}

const AHEAD = 32; // requests on their way to one job: enough that it never waits
const SAID = 2000; // characters of a job's last words
const MANY = 2000; // users: below it, starting a process takes longer than it saves

/** Processes for so many users: never more than there are users. */
export function jobsFor(users: number, asked: number | undefined, cores = availableParallelism()): number {
  return Math.min(asked ?? (users < MANY ? 1 : cores), users);
}

/** The arguments of Node for a filter; `flags`: those of the engine. */
export function filterCommand(model: string, flags: readonly string[]): string[] {
  return [program(), "personalize", model, "--in", "-", "--out", "-", "--workers", "1", ...flags];
}

/** Jobs that each run `command`. Once the signal is given, every answer that is not there yet is rejected with its reason. */
export function openFilters(command: readonly string[], jobs: number, signal: AbortSignal): Answerer {
  const filters = Array.from({ length: jobs }, () => openFilter(command));
  const stop = () => {
    for (const filter of filters) filter.fail(signal.reason);
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  let turn = 0;
  return {
    ahead: AHEAD * jobs,
    answer: (request) => filters[turn++ % jobs].answer(request),
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", stop);
      await Promise.all(filters.map((filter) => filter.close()));
    },
  };
}

function openFilter(command: readonly string[]) {
  // A group of its own: Ctrl-C in a terminal is sent to every process of the group, and what it ends is for this process to say.
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(process.execPath, command, {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    windowsHide: true,
  });
  const waiting: Waiting[] = [];
  let said = "";
  let failure: { reason: unknown } | undefined;
  const fail = (reason: unknown) => {
    failure ??= { reason };
    for (const { reject } of waiting.splice(0)) reject(failure.reason);
  };
  const failed = (what: string, cause?: unknown) =>
    fail(new JobFailedError(`a job of personalize ${what}: ${said.trim() || "it said nothing"}`, { cause }));
  child.stderr.on("data", (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-SAID);
  });
  child.stdin.on("error", () => {}); // "close" says more
  const reading = readAnswers(child.stdout, (text) => {
    try {
      const { line: _line, ...answer } = JSON.parse(text); // its number in the pipe means nothing here
      const next = waiting.shift();
      if (!next) throw new Error("nobody asked");
      next.resolve(answer);
    } catch (cause) {
      failed(`wrote what is no answer, ${JSON.stringify(text.slice(0, 80))}`, cause);
    }
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", async (code, signal) => {
      await reading; // what it answered before
      failed(`ended with ${signal ?? code}`);
      resolve();
    });
    child.on("error", (cause) => {
      failed(`cannot be started (${cause.message})`, cause);
      resolve();
    });
  });
  return {
    fail,
    answer: (request: UserRequest) =>
      new Promise<UserAnswer | UserRefusal>((resolve, reject) => {
        if (failure) return reject(failure.reason);
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(request)}\n`);
      }),
    /** At once, whatever is under way: nobody waits for it any more. */
    async close() {
      waiting.length = 0;
      child.kill();
      await ended;
    },
  };
}

async function readAnswers(output: Readable, take: (text: string) => void): Promise<void> {
  try {
    for await (const { text } of splitLines(output)) take(text);
  } catch {} // the pipe broke: the end of the process says more
}

/** The script of this command line, from the source as from what was built of it. */
function program(): string {
  const places = ["../bin/nearkin.js", "../../bin/nearkin.js"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? places[0];
}

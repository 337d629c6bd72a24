// Several users at once: each job is a process of its own that runs the filter, nearkin personalize --in - --out -, on a model of its own. A filter
// answers in the order it was asked in, so answers find their way back without numbers.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { UserAnswer, UserRefusal, UserRequest } from "./user-line.ts";

/** Whoever answers for users. */
export interface Answerer extends AsyncDisposable {
  /** How many may be asked about before the first has an answer. */
  readonly ahead: number;
  answer(request: UserRequest): Promise<UserAnswer | UserRefusal>;
}

interface Waiting {
  resolve(answer: UserAnswer | UserRefusal): void;
  reject(error: Error): void;
}

/** A process that worked for this one is gone. */
class JobFailedError extends Error {
  readonly code = "JOB_FAILED";
}

const AHEAD = 32; // requests on their way to one job: enough that it never waits

/** `flags`: those of the engine. */
export function openFilters(model: string, jobs: number, flags: readonly string[]): Answerer {
  const filters = Array.from({ length: jobs }, () => openFilter(model, flags));
  let turn = 0;
  return {
    ahead: AHEAD * jobs,
    answer: (request) => filters[turn++ % jobs].answer(request),
    async [Symbol.asyncDispose]() {
      await Promise.all(filters.map((filter) => filter.close()));
    },
  };
}

function openFilter(model: string, flags: readonly string[]) {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [program(), "personalize", model, "--in", "-", "--out", "-", "--workers", "1", ...flags],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const waiting: Waiting[] = [];
  let said = "";
  let failure: Error | undefined;
  child.stderr.on("data", (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  child.stdin.on("error", () => {}); // "close" says more
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => {
    const { line: _line, ...answer } = JSON.parse(line); // its number in the pipe means nothing here
    waiting.shift()?.resolve(answer);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", (code, signal) => {
      if (waiting.length > 0) {
        failure = new JobFailedError(`a job of personalize ended with ${signal ?? code}: ${said.trim()}`);
        for (const { reject } of waiting.splice(0)) reject(failure);
      }
      resolve();
    });
    child.once("error", (error) => {
      said = error.message;
    });
  });
  return {
    answer: (request: UserRequest) =>
      new Promise<UserAnswer | UserRefusal>((resolve, reject) => {
        if (failure) return reject(failure);
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

/** The script of this command line, from the source as from what was built of it. */
function program(): string {
  const places = ["../bin/nearkin.js", "../../bin/nearkin.js"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? places[0];
}

// Part C of the suite personalize: the filter, `nearkin personalize <model> --in - --out -`, over so many users that whatever it kept of each would show.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { machine } from "./harness.ts";
import { makeUsersModel, type UsersDataset } from "./personalize-models.ts";
import type { MemoryResult } from "./personalize-report.ts";

const MARKS = [1000, 10_000, 50_000, 100_000];
const USERS = MARKS[MARKS.length - 1];
/** Items of a user, and others that they are told apart from: few, so that many users take little time. */
const ITEMS = 8;
const OTHERS = 30;
const NEWLINE = 10;

/** null, and a line on standard error, where a process's memory cannot be read. */
export async function watchMemory(folder: string, { dataset, users }: UsersDataset): Promise<MemoryResult | null> {
  if (!existsSync("/proc/self/status")) {
    process.stderr.write("the part memory is left out: there is no /proc\n");
    return null;
  }
  const model = join(folder, "filter");
  await makeUsersModel(dataset, model, { items: ITEMS, others: OTHERS });
  const bin = join(import.meta.dirname, "..", "packages", "cli", "bin", "nearkin.js");
  const started = performance.now();
  const child = spawn(process.execPath, [bin, "personalize", model, "--in", "-", "--out", "-", "--workers", "1"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const said = text(child.stderr);
  const ended = once(child, "close");
  child.stdin.on("error", () => {}); // how it ended says more
  const resident: { users: number; bytes: number }[] = [];
  let answers = 0;
  let answered = () => {};
  const all = new Promise<void>((resolve) => {
    answered = resolve;
  });
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) answers++;
    const mark = MARKS[resident.length];
    if (answers < mark) return;
    process.stderr.write(`\r\u001b[K${answers.toLocaleString("en")} users`);
    resident.push({ users: mark, bytes: residentBytes(child.pid) });
    if (mark === USERS) answered();
  });
  for (let user = 0; user < USERS && child.exitCode === null; user++) {
    const own = users[user % users.length];
    const first = user % (own.length - ITEMS); // other items of the same few users
    const line = JSON.stringify({ user: `u${user}`, ratings: own.slice(first, first + ITEMS) });
    if (!child.stdin.write(`${line}\n`)) await Promise.race([once(child.stdin, "drain"), ended]);
  }
  await Promise.race([all, ended]); // while its input is open it is there to be looked at
  child.stdin.end();
  const [code] = await ended;
  process.stderr.write("\r\u001b[K");
  const summary = await said;
  if (code !== 0 || answers !== USERS || summary.includes("refused")) {
    throw new Error(`the filter ended with ${code} after ${answers} of ${USERS} users: ${summary.slice(-500)}`);
  }
  const seconds = (performance.now() - started) / 1000;
  const date = new Date().toISOString().slice(0, 10);
  return { date, machine: machine(), items: ITEMS, others: OTHERS, seconds, resident };
}

function residentBytes(pid: number | undefined): number {
  const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmRSS:\s*(\d+) kB/m)?.[1];
  return 1024 * Number(kilobytes);
}

// A thread that gives way to the others. Node has priorities of processes only; Linux has them of threads, and takes a thread's number where a
// process's is asked for.
import { readlinkSync } from "node:fs";
import { platform, setPriority } from "node:os";

const NICE = 19; // next to nothing where all cores are busy, a whole one where one is idle

/** Lowers the priority of the thread that calls it, where the system has such a thing. */
export function yieldToOthers(): void {
  if (platform() !== "linux") return;
  try {
    const [, thread] = /\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) as unknown as string[]; // <process>/task/<thread>
    setPriority(Number(thread), NICE);
  } catch {
    // no /proc, or not allowed: then it works as the others do
  }
}

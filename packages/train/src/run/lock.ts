// Who works on a folder: one file that names a process. It is held until it is given back, or until that process is gone.
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { NearkinError } from "@nearkin/core";

/** Locks that this process holds. */
const held = new Set<string>();

/** Whose a lock is. A process id comes back, in a container at once; with its start time and the machine's boot it does not. */
interface Owner {
  pid: number;
  /** In ticks since the machine started; null where there is no /proc. */
  started: string | null;
  boot: string | null;
}

/**
 * Two runs in one folder would overwrite each other's checkpoints. The lock of a process that is gone does not count. Processes that cannot
 * see each other, as in two containers with one volume, cannot respect each other's locks.
 */
export function takeLock(path: string, folder: string): void {
  const mine = `${path}.${randomUUID()}`;
  const self = ownerOf(process.pid);
  const text = JSON.stringify(self);
  if (held.has(path)) throw busy(path, folder, self);
  try {
    writeFileSync(mine, text);
    for (let attempt = 0; attempt < 100; attempt++) {
      if (placeLock(mine, path, text)) {
        held.add(path);
        return;
      }
      const found = readText(path);
      if (found === undefined) continue; // given back meanwhile
      if (!isStale(found)) throw busy(path, folder, readOwner(found));
      removeStale(path, mine, text);
    }
    throw busy(path, folder, null);
  } finally {
    rmSync(mine, { force: true });
  }
}

/** A link comes into being with its text; a file that is created and then written could be met empty. */
function placeLock(mine: string, path: string, text: string): boolean {
  try {
    try {
      linkSync(mine, path);
    } catch (cause) {
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"].includes(codeOf(cause))) throw cause;
      writeFileSync(path, text, { flag: "wx" }); // a file system without links
    }
    return true;
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause;
    return false;
  }
}

/**
 * Takes a stale lock away. One process at a time may, and looks once more first: else a slow one would take away the lock of a fast one that
 * came in its place.
 */
function removeStale(path: string, mine: string, text: string): void {
  const turn = `${path}.takeover`;
  if (placeLock(mine, turn, text)) {
    if (isStale(readText(path))) rmSync(path, { force: true });
    rmSync(turn, { force: true });
  } else if (isStale(readText(turn)))
    rmSync(turn, { force: true }); // killed in its turn
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // ms
}

/** What is not there is not stale: another may be about to put it there. */
function isStale(text: string | undefined): boolean {
  const owner = readOwner(text ?? "");
  return text !== undefined && !(owner && isRunning(owner));
}

/** Whether it is still this process's: nobody took it away. */
export function holdsLock(path: string): boolean {
  return held.has(path) && readText(path) === JSON.stringify(ownerOf(process.pid));
}

export function dropLock(path: string): void {
  if (holdsLock(path)) rmSync(path, { force: true });
  held.delete(path);
}

function busy(path: string, folder: string, owner: Owner | null): NearkinError {
  const who = owner ? ` (process ${owner.pid})` : "";
  return new NearkinError(
    "BUSY",
    `another run${who} is working on ${folder}; wait for it, or end it; if there is none, remove ${path}`,
  );
}

function readOwner(text: string): Owner | null {
  try {
    const { pid, started = null, boot = null } = JSON.parse(text) as Owner;
    return Number.isInteger(pid) && pid > 0 ? { pid, started, boot } : null;
  } catch {
    return null; // never finished: a power cut
  }
}

function isRunning({ pid, started, boot }: Owner): boolean {
  const now = ownerOf(pid);
  if (boot !== null && now.boot !== null && boot !== now.boot) return false;
  if (!isAlive(pid)) return false;
  if (started !== null && now.started !== null) return started === now.started;
  return pid !== process.pid; // a lock of this process would be among those held
}

function ownerOf(pid: number): Owner {
  return { pid, started: startOf(pid), boot: readText("/proc/sys/kernel/random/boot_id")?.trim() ?? null };
}

/** Field 22 of /proc/<pid>/stat, counted behind the name of the program, which may hold anything. */
function startOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`);
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return ticks === undefined || ticks === "0" ? null : ticks; // 0: a sandbox that does not know
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

// A disk that is soon full: a file system in memory, of a size of our choosing. Only root may mount one.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk extends Disposable {
  readonly folder: string;
  resize(kilobytes: number): void;
}

export function mountSmallDisk(kilobytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-disk-"));
  const mount = (...args: string[]) => execFileSync("mount", [...args, folder], { stdio: "pipe" });
  try {
    mount("-t", "tmpfs", "-o", `size=${kilobytes}k,mode=755`, "tmpfs");
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    resize: (size) => void mount("-o", `remount,size=${size}k`),
    [Symbol.dispose]() {
      execFileSync("umount", [folder], { stdio: "pipe" });
      rmSync(folder, { recursive: true });
    },
  };
}

function canMount(): boolean {
  try {
    mountSmallDisk(64)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

/** Behind the titles of tests that need one: why they are skipped. */
export const noSmallDisk = canMount() ? "" : " (skipped: a small disk cannot be mounted here)";

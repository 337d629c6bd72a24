// Timing and tables, shared by all suites.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export interface Machine {
  cpu: string;
  cores: number;
  node: string;
  platform: string;
  /** Load average of the last minute when the run began: above 1 on two cores, read the figures with care. */
  load: number;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    load: Number(loadavg()[0].toFixed(2)),
  };
}

/** Milliseconds of `repeat` calls, each alone; `reset` runs before each, outside the clock. */
export function time(repeat: number, call: () => void, reset: () => void = () => {}): number[] {
  const times: number[] = [];
  for (let i = 0; i < repeat; i++) {
    reset();
    const started = performance.now();
    call();
    times.push(performance.now() - started);
  }
  return times;
}

export const best = (times: readonly number[]): number => Math.min(...times);

export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** A Markdown table with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join(" | ")} |`;
  const rule = `| ${widths.map((w, c) => (c === 0 ? "-".repeat(w) : `${"-".repeat(w - 1)}:`)).join(" | ")} |`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join("\n");
}

function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

export function writeResult(name: string, result: unknown): string {
  const path = join(here, "results", `${name}.json`);
  writeAtomically(path, `${JSON.stringify(result, null, 1)}\n`);
  return `bench/results/${name}.json`;
}

/** Replaces the text between `<!-- bench:name -->` and `<!-- /bench:name -->` in a page of docs/. */
export function writePage(name: string, text: string, page = "docs/benchmarks.md"): void {
  const path = join(here, "..", page);
  const block = new RegExp(`(<!-- bench:${name} -->\n)[\\s\\S]*?(<!-- /bench:${name} -->)`);
  const before = readFileSync(path, "utf8");
  if (!block.test(before)) throw new Error(`${page} has no block <!-- bench:${name} -->`);
  writeAtomically(
    path,
    before.replace(block, (_, open: string, close: string) => `${open}\n${text}\n\n${close}`),
  );
}

// Beside a dataset's own files, and no part of its identity: where it came from on this machine, so that all of its data can be had again.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface SourceRecord {
  /** As `nearkin prepare` takes it, absolute where it is a path. */
  source: string;
  layout: string | null;
  /** What the command line changed. */
  flags: { seed?: number | undefined; encoder?: string | undefined };
}

const NAME = "source.json";

export function writeSource(dataset: string, record: SourceRecord): void {
  const source = existsSync(record.source) ? resolve(record.source) : record.source;
  writeFileSync(join(dataset, NAME), `${JSON.stringify({ ...record, source }, null, 2)}\n`);
}

/** undefined for a dataset that came without one. */
export function readSource(dataset: string): SourceRecord | undefined {
  const path = join(dataset, NAME);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as SourceRecord) : undefined;
}

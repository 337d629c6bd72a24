// A dataset of everything, for the model that is served: the sources of a split dataset, prepared again with nothing held out.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import {
  type Dataset,
  type Manifest,
  openDataset,
  parseConfig,
  prepare,
  resolveSource,
  shellWord,
} from "@nearkin/data";
import { overridden } from "./commands/prepare.ts";
import type { Output } from "./output.ts";
import { readSource, type SourceRecord, writeSource } from "./source-record.ts";

/** `<dataset>-all`: found there, or made from the sources. */
export async function datasetOfAll(split: Dataset, output: Output, signal: AbortSignal): Promise<Dataset> {
  const { manifest } = split;
  if (manifest.counts.roles.validation === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${split.folder} holds out no validation items, so nothing can choose the step counts; prepare it with --split time or random, or train without --final`,
    );
  }
  const folder = `${resolve(split.folder)}-all`;
  if (existsSync(folder)) {
    const all = await openDataset(folder);
    checkSame(manifest, all.manifest, folder);
    return all;
  }
  const command = `nearkin prepare <source> --split none --out ${shellWord(folder)}`;
  const record = readSource(split.folder);
  if (!record) {
    throw new NearkinError(
      "BAD_SOURCE",
      `--final needs all data, and ${folder} is not there; make it with: ${command}`,
    );
  }
  output.log(`preparing all data of ${record.source} into ${folder}\n`);
  try {
    using resolved = await resolveSource(record.source, record.layout ?? undefined);
    const raw = overridden(resolved.config, { ...flagsOf(record), split: "none" });
    const config = parseConfig(raw, resolved.description);
    checkSame(manifest, await prepare(config, { out: folder, folder: resolved.folder, signal }), folder);
    writeSource(folder, record);
  } catch (cause) {
    if (!(cause instanceof NearkinError) || cause.code === "BAD_ARGUMENT") throw cause;
    throw new NearkinError(
      "BAD_SOURCE",
      `--final needs all data: ${cause.message}; or make it yourself with: ${command}`,
      { cause },
    );
  }
  return openDataset(folder);
}

/** The two must come from the same files: a changed file would make the chosen step counts those of other data. */
function checkSame(split: Manifest, all: Manifest, folder: string): void {
  const hashes = (manifest: Manifest) => manifest.inputs.map(({ sha256 }) => sha256).join();
  if (all.counts.roles.validation + all.counts.roles.test > 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${folder} holds out items; --final needs all data there (prepared with --split none)`,
    );
  }
  const settings = ({ config: { split: _, ...rest } }: Manifest) => JSON.stringify(rest);
  if (settings(split) !== settings(all)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${folder} was prepared with other settings than the split dataset; remove it, and prepare the split dataset again where nearkin.yaml has changed since`,
    );
  }
  if (hashes(split) !== hashes(all)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${folder} was made from other files than the split dataset: the sources have changed; prepare both again`,
    );
  }
}

function flagsOf({ flags }: SourceRecord): { seed?: number; encoder?: string } {
  return {
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.encoder === undefined ? {} : { encoder: flags.encoder }),
  };
}

// What --final needs besides training twice: a dataset of everything, for the model that is served (the sources of a split dataset, prepared
// again with nothing held out), and the split run of an earlier try, where that is what would be trained now.
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { decodeModel, type Engine, type ModelParts, NearkinError } from "@nearkin/core";
import {
  type Dataset,
  type Manifest,
  openDataset,
  parseConfig,
  prepare,
  resolveSource,
  shellWord,
} from "@nearkin/data";
import { readFolder } from "@nearkin/serve/folder";
import type { TrainConfig } from "@nearkin/train";
import trainPackage from "@nearkin/train/package.json" with { type: "json" };
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

/** `train` refuses such a folder too, but the second run of --final would only come to it after the first. */
export function checkFree(out: string, force: boolean): void {
  const isModel = (folder: string) => existsSync(join(folder, "model.json"));
  const there = isModel(out) || isModel(`${resolve(out)}.replaced`); // killed between two renames
  if (!there && (!existsSync(out) || isEmptyFolder(out))) return;
  if (!there) {
    throw new NearkinError("MODEL_EXISTS", `${out} is there and is no model; choose another folder with --out`);
  }
  if (!force) {
    throw new NearkinError(
      "MODEL_EXISTS",
      `${out} is there; choose another folder with --out, or replace it with --force`,
    );
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false; // a file
  }
}

/** The model of an earlier try, where it is what would be trained now; undefined where there is none, or another. */
export async function finishedSplit(
  folder: string,
  dataset: Dataset,
  { config, engine, from }: { config: TrainConfig; engine: Engine; from?: ModelParts },
): Promise<ModelParts | undefined> {
  if (!existsSync(join(folder, "model.json"))) return undefined;
  const model = await decodeModel(readFolder(folder));
  const { kind, library, workers } = engine.info;
  const identity = [
    dataset.manifest.id,
    config,
    from?.id ?? null,
    trainPackage.version,
    kind,
    library === undefined ? null : `${library}, ${workers} threads`, // OpenBLAS divides sums by its threads
  ];
  const found = [
    model.dataset.id,
    model.config,
    model.notes.from ?? null,
    model.tools["@nearkin/train"],
    model.engine.kind,
    model.engine.library ?? null,
  ];
  return JSON.stringify(found) === JSON.stringify(identity) ? model : undefined;
}

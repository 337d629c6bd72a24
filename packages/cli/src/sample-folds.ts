// The sample in folds: each film is a test item of one of them, so that a small catalogue gives as many test items as it has films.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Dataset, openDataset, parseConfig, prepare, resolveSource, SAMPLE } from "@nearkin/data";
import dataPackage from "@nearkin/data/package.json" with { type: "json" };
import { overridden } from "./commands/prepare.ts";

const FOLDS = 5;

export interface SampleFoldsOptions {
  /** At least 3: training, validation and test items each need one. @default 5 */
  folds?: number;
  /** For the plots. @default minilm, or lsa where it is not installed */
  encoder?: string;
  /** Changes no bit of the result. */
  threads?: number | undefined;
  signal?: AbortSignal;
  /** Called before a fold is prepared. */
  onFold?: (fold: number, folds: number) => void;
}

/** The folds under `folder`: those that are there already, and the others prepared now. */
export async function sampleFolds(
  folder: string,
  { folds = FOLDS, encoder, threads, signal, onFold }: SampleFoldsOptions = {},
): Promise<Dataset[]> {
  const places = Array.from({ length: folds }, (_, i) => ({
    fold: i + 1,
    out: join(folder, `${SAMPLE}-${i + 1}-of-${folds}`),
  }));
  const found = await Promise.all(places.map(({ out }) => openFold(out)));
  if (found.some((dataset) => dataset === undefined)) {
    using source = await resolveSource(SAMPLE);
    for (const { fold, out } of places.filter((_, i) => found[i] === undefined)) {
      signal?.throwIfAborted();
      onFold?.(fold, folds);
      const flags = { fold: { k: fold, of: folds }, ...(encoder === undefined ? {} : { encoder }) };
      const config = parseConfig(overridden(source.config, flags), source.description);
      await prepare(config, {
        out,
        folder: source.folder,
        resume: existsSync(`${out}.partial`),
        force: true,
        ...(threads === undefined ? {} : { threads }),
        ...(signal ? { signal } : {}),
      });
    }
  }
  return Promise.all(places.map(async ({ out }, i) => found[i] ?? (await openDataset(out))));
}

/** undefined where it is not there, is damaged, or was prepared by another version, whose sample may be another. */
async function openFold(out: string): Promise<Dataset | undefined> {
  const dataset = await openDataset(out).catch(() => undefined);
  return dataset?.manifest.tools["@nearkin/data"] === dataPackage.version ? dataset : undefined;
}

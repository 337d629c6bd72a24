// The sample in folds: each film is a test item of one of them, so that a small catalogue gives as many test items as it has films.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Dataset, openDataset, parseConfig, prepare, resolveSource, SAMPLE } from "@nearkin/data";
import dataPackage from "@nearkin/data/package.json" with { type: "json" };
import { overridden } from "./commands/prepare.ts";
import type { PrepareFlags } from "./prepare-command-line.ts";

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
  { folds = FOLDS, onFold, ...options }: SampleFoldsOptions = {},
): Promise<Dataset[]> {
  const datasets: Dataset[] = [];
  for (let fold = 1; fold <= folds; fold++) {
    const out = join(folder, `${SAMPLE}-${fold}-of-${folds}`);
    const flags = { fold: { k: fold, of: folds } };
    datasets.push(await preparedSample(out, flags, { ...options, onPrepare: () => onFold?.(fold, folds) }));
  }
  return datasets;
}

/** The sample with users held out, in the same way. */
export async function sampleUsers(folder: string, { onFold, ...options }: SampleFoldsOptions = {}): Promise<Dataset> {
  const onPrepare = () => onFold?.(1, 1);
  return preparedSample(join(folder, `${SAMPLE}-users`), { split: "users" }, { ...options, onPrepare });
}

async function preparedSample(
  out: string,
  flags: Pick<PrepareFlags, "split" | "fold">,
  { encoder, threads, signal, onPrepare }: SampleFoldsOptions & { onPrepare: () => void },
): Promise<Dataset> {
  const found = await openFold(out);
  if (found) return found;
  signal?.throwIfAborted();
  onPrepare();
  using source = await resolveSource(SAMPLE);
  const asked = { ...flags, ...(encoder === undefined ? {} : { encoder }) };
  await prepare(parseConfig(overridden(source.config, asked), source.description), {
    out,
    folder: source.folder,
    resume: existsSync(`${out}.partial`),
    force: true,
    ...(threads === undefined ? {} : { threads }),
    ...(signal ? { signal } : {}),
  });
  return openDataset(out);
}

/** undefined where it is not there, is damaged, or was prepared by another version, whose sample may be another. */
async function openFold(out: string): Promise<Dataset | undefined> {
  const dataset = await openDataset(out).catch(() => undefined);
  return dataset?.manifest.tools["@nearkin/data"] === dataPackage.version ? dataset : undefined;
}

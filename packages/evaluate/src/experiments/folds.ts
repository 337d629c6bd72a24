// Whether datasets are folds of one: the same files, prepared in the same way, each with test items of its own. Anything else put together would
// count items twice, or mix what cannot be compared.
import { NearkinError } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";

/** Throws a `BAD_ARGUMENT` that names the two that do not belong together. */
export function checkFolds(datasets: readonly Dataset[]): void {
  const [first, ...others] = datasets;
  for (const other of others) {
    const problem = difference(first, other);
    if (problem) throw new NearkinError("BAD_ARGUMENT", `${other.folder} is no fold of ${first.folder}: ${problem}`);
  }
  const byFold = new Map<number, Dataset>();
  for (const dataset of datasets) {
    const fold = splitOf(dataset).fold ?? 1; // as `prepare` reads it
    const same = byFold.get(fold);
    if (same) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `${same.folder} and ${dataset.folder} have the same test items; folds are prepared with split.by: random, and split.fold: 1, 2, … in turn`,
      );
    }
    byFold.set(fold, dataset);
  }
}

/** What is different, in words; undefined for folds of one dataset. */
function difference(a: Dataset, b: Dataset): string | undefined {
  const hashes = ({ manifest }: Dataset) => manifest.inputs.map(({ sha256 }) => sha256).join();
  if (hashes(a) !== hashes(b)) return "it was made from other files";
  const [own, other] = [settingsOf(a), settingsOf(b)];
  const keys = [...new Set([...Object.keys(own), ...Object.keys(other)])].filter(
    (key) => JSON.stringify(own[key]) !== JSON.stringify(other[key]),
  );
  if (keys.length === 0) return undefined;
  return `it was prepared with another ${keys.join(", ")}; folds differ in split.fold alone`;
}

interface SplitConfig {
  readonly fold?: number;
}

const splitOf = ({ manifest }: Dataset): SplitConfig => (manifest.config.split ?? {}) as SplitConfig;

/** All that must be the same. Encoders may differ where the configuration does not: one that is not installed is replaced. */
function settingsOf(dataset: Dataset): Record<string, unknown> {
  const { fold: _, ...split } = splitOf(dataset);
  const { config, tools, channels } = dataset.manifest;
  const encoder = Object.values(channels).map(({ transform }) => {
    if (!("encoder" in transform)) return null;
    const { kind, name } = transform.encoder as { kind: string; name?: string }; // what it was fitted to differs, as the items do
    return [kind, name];
  });
  return { ...config, split, tools, encoder };
}

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dataset, itemRoles, loadItems, loadTraining } from "@nearkin/data";
import { expect, test } from "vitest";
import { sampleFolds } from "./sample-folds.ts";

async function testItems(dataset: Dataset): Promise<string[]> {
  const [{ ids }, { roles }] = [await loadItems(dataset), await loadTraining(dataset)];
  return ids.filter((_, item) => roles[item] === itemRoles.test);
}

test("every film is tested in one fold; folds that are there are used, others are made", async () => {
  const root = mkdtempSync(join(tmpdir(), "nearkin-folds-"));
  try {
    const prepared: number[] = [];
    const make = () =>
      sampleFolds(root, { folds: 4, encoder: "lsa", threads: 1, onFold: (fold) => prepared.push(fold) });
    const folds = await make();
    const tested = (await Promise.all(folds.map(testItems))).flat();
    expect(tested).toHaveLength(360);
    expect(new Set(tested).size).toBe(360);
    const written = statSync(join(folds[0].folder, "dataset.json")).mtimeMs;
    rmSync(folds[1].folder, { recursive: true });
    const again = await make();
    expect(prepared).toEqual([1, 2, 3, 4, 2]);
    expect(statSync(join(folds[0].folder, "dataset.json")).mtimeMs).toBe(written);
    expect(again.map(({ manifest }) => manifest.id)).toEqual(folds.map(({ manifest }) => manifest.id));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

// The built-in sample as a dataset folder, once for a test file: texts by lsa, which needs no encoder and no time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dataset, openDataset, parseConfig, prepare, resolveSource } from "@nearkin/data";
import type { TrainConfigInput } from "../config/schema.ts";

export interface SampleFolder extends Disposable {
  /** A folder for anything. */
  path: string;
  dataset: Dataset;
}

export async function sampleFolder(split: "random" | "none" = "random"): Promise<SampleFolder> {
  const path = mkdtempSync(join(tmpdir(), "nearkin-train-"));
  using source = await resolveSource("marquee");
  const { channels, ...rest } = source.config as { channels: Record<string, object> };
  const config = parseConfig({
    ...rest,
    channels: { ...channels, plot: { ...channels.plot, encoder: "lsa", pca: 16 } },
    split: { by: split },
    factors: { count: 8 },
  });
  const out = join(path, "dataset");
  await prepare(config, { out, folder: source.folder, threads: 1 });
  return {
    path,
    dataset: await openDataset(out),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A run of a second or two. */
export const tiny: TrainConfigInput = {
  preset: "fast",
  model: { hidden: 8, embedding: 6 },
  siamese: { steps: 12, batch: 32, validateEvery: 5 },
  ssl: { steps: 9, batch: 80, inducing: 20, validateEvery: 4, reselectEvery: 3, factors: 4 },
  personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 },
  behavior: { factors: 0 }, // run/behavior.integration.test.ts
};

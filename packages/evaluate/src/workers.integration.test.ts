// How many threads compute is a matter of speed: the whole result of an evaluation, to the last bit of every interval, is the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type ModelParts, openModel } from "@nearkin/core";
import { openDataset, parseConfig, prepare, resolveSource } from "@nearkin/data";
import { resolveTrainConfig, train } from "@nearkin/train";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationResult } from "./result.ts";
import { evaluate } from "./run.ts";

const small = resolveTrainConfig(
  {
    model: { hidden: 8, embedding: 6 },
    siamese: { steps: 8, batch: 32, validateEvery: 4 },
    ssl: { steps: 4, batch: 80, inducing: 20, validateEvery: 4, factors: 4 },
    personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 },
    behavior: { factors: 0 },
  },
  { preset: "fast" },
);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-workers-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each(["random", "users"] as const)(
  "1 and 2 workers evaluate alike: split %s",
  async (by) => {
    using source = await resolveSource("marquee");
    const { channels, ...rest } = source.config as { channels: Record<string, object> };
    const { genres, plot } = channels;
    const config = parseConfig({
      ...rest,
      channels: { genres, plot: { ...plot, encoder: "lsa", pca: 16 } }, // takes no time
      split: { by },
      factors: { count: 8 },
    });
    await prepare(config, { out: join(root, by), folder: source.folder, threads: 1 });
    const dataset = await openDataset(join(root, by));
    const results: EvaluationResult[] = [];
    let parts: ModelParts | undefined;
    for (const workers of [1, 2]) {
      const engine = await createEngine({ engine: "wasm", workers });
      try {
        expect(engine.info.workers).toBe(workers);
        parts ??= await train(dataset, small, { out: join(root, `${by}-model`), engine });
        const model = parts;
        results.push(await evaluate(engine, dataset, { models: [() => openModel(model, { engine })] }));
      } finally {
        await engine.close();
      }
    }
    const [one, two] = results;
    expect(one.recommenders.length).toBeGreaterThan(7);
    expect(two).toEqual(one);
  },
  240_000,
);

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Engine, hostMatrix } from "@nearkin/core";
import { itemRoles, loadItems, loadTraining, openDataset, parseConfig, prepare, resolveSource } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { measure } from "../protocol/measure.ts";
import { concatenate, writeContent } from "./spe/content.ts";
import type { SpeSettings } from "./spe/settings.ts";
import { type SpeProgress, type SpeResult, trainSpe } from "./spe/train.ts";
import { speWorld } from "./spe/world.ts";
import { spe, speRecommender, validationScore } from "./spe.ts";

let wasm: Engine;
beforeAll(async () => {
  wasm = await createEngine({ engine: "wasm", workers: 1 });
});
afterAll(() => wasm.close());

const small: SpeSettings = { hidden: 12, embeddingSize: 8, batch: 64, negativeDraws: 40, steps: 300, dropout: 0 };
const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** `plain` takes several times as long for a step, so it does half as many steps. */
const engines = [
  ["plain", 150],
  ["wasm", 300],
] as const;

describe.each(engines)("a world whose content shows half of what matters, on %s", (kind, steps) => {
  const { set, ids, cold, warm } = speWorld();
  let engine: Engine;
  let result: SpeResult;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 1 });
    result = await trainSpe(engine, set, { ...small, steps });
  });
  afterAll(() => engine.close());

  test("events tell of known items what content cannot", async () => {
    using scope = engine.scope();
    const recommender = speRecommender(engine, result, { scope, ids });
    const noFree = { ...small, steps, learningRate: 4e-3, freeDecay: 250 }; // all of v decays at every step
    const content = speRecommender(engine, await trainSpe(engine, set, noFree), { scope, ids });
    const [full, alone] = [recommender, content].map((r) =>
      mean(measure(r.rank(warm.queries, 11), warm)["standard precision"]),
    );
    expect(recommender.answers).toBe("all");
    expect(full).toBeGreaterThan(0.9);
    expect(alone).toBeLessThan(0.65); // about half of a kind has the taste
  });

  test("new items have a gate of exactly 0, and are ranked by content", () => {
    const warmCount = set.trainItems.length;
    expect(result.gates.subarray(warmCount).every((gate) => gate === 0)).toBe(true);
    expect(result.gates.subarray(0, warmCount).every((gate) => gate > 0 && gate < 1)).toBe(true);
    using scope = engine.scope();
    const recommender = speRecommender(engine, result, { scope, ids });
    expect(mean(measure(recommender.rank(cold.queries, 11), cold)["standard precision"])).toBeGreaterThan(0.9);
  });
});

test("the step that ranks the validation items best is kept, and patience ends the rest", async () => {
  const { set, ids, cold } = speWorld();
  const looks: SpeProgress[] = [];
  const score = validationScore(wasm, cold, ids);
  const options = { ...small, validateEvery: 20, patience: 3, onProgress: (look: SpeProgress) => looks.push(look) };
  const { step, ...kept } = await trainSpe(wasm, { ...set, validate: score }, options);
  const best = looks.filter((look) => look.best).at(-1);
  expect(best?.step).toBe(step);
  expect(kept.score).toBe(Math.max(...looks.map((look) => look.score ?? 0)));
  expect(score(kept)).toBe(kept.score);
  expect(looks.at(-1)?.step).toBe(Math.min(300, step + 60));
});

test("the same seed gives the same bits, for any number of workers", async () => {
  await using two = await createEngine({ workers: 2 });
  const { set } = speWorld();
  const run = (on: Engine, seed: number) => trainSpe(on, set, { ...small, steps: 30, seed });
  const first = await run(wasm, 5);
  expect(await run(two, 5)).toEqual(first);
  expect((await run(wasm, 6)).embeddings).not.toEqual(first.embeddings);
});

test("content: channels side by side, and a column that says what is missing", () => {
  using scope = wasm.scope();
  const content = concatenate([
    { kind: "dense", values: hostMatrix(Float32Array.of(1, 2, 0, 0), 2, 2), missing: Uint8Array.of(0, 1) },
    {
      kind: "sparse",
      width: 3,
      starts: Int32Array.of(0, 0, 2),
      columns: Int32Array.of(0, 2),
      value: 0.5,
      missing: Uint8Array.of(1, 0),
    },
  ]);
  const X = scope.matrix(2, content.width, "f32").fill(9);
  writeContent(X, content, [1, 0]);
  expect(Array.from(X.read())).toEqual([0, 0, 1, 0.5, 0, 0.5, 0, 1, 2, 0, 0, 0, 0, 1]);
});

test("a signal ends the training", async () => {
  const stop = new AbortController();
  const { set } = speWorld();
  const run = trainSpe(wasm, set, { ...small, signal: stop.signal });
  setImmediate(() => stop.abort(new Error("enough")));
  await expect(run).rejects.toThrow("enough");
});

test("settings out of range are named", async () => {
  const { set } = speWorld();
  await expect(trainSpe(wasm, set, { freeDropout: 1 })).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: spe: freeDropout must be in [0, 1), got 1]`,
  );
  await expect(trainSpe(wasm, set, { batch: 0 })).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: spe: batch must be a whole number of at least 1, got 0]`,
  );
});

test("a dataset folder: every channel is content, and validation items choose the step", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-spe-"));
  try {
    using source = await resolveSource("marquee");
    const { channels, ...rest } = source.config as { channels: Record<string, object> };
    const plot = { ...channels.plot, encoder: "lsa", pca: 16 };
    const config = parseConfig({
      ...rest,
      channels: { ...channels, plot },
      split: { by: "random" },
      factors: { count: 8 },
    });
    await prepare(config, { out: join(folder, "dataset"), folder: source.folder, threads: 1 });
    const dataset = await openDataset(join(folder, "dataset"));
    const data = await loadTraining(dataset);
    const ids = Array.from((await loadItems(dataset)).ids, String);
    using scope = wasm.scope();
    const recommender = await spe(wasm, dataset, { ...small, scope, ids, data, steps: 20, validateEvery: 10 });
    expect(recommender.score).toBeGreaterThan(0);
    const queries = Int32Array.from(data.roles.keys()).filter((item) => data.roles[item] === itemRoles.test);
    const { items } = recommender.rank(queries, 10);
    expect(items).toHaveLength(10 * queries.length);
    expect(items.every((item) => item >= 0 && item < ids.length)).toBe(true);
    expect(queries.every((item) => recommender.gates[item] === 0)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

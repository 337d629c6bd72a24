import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import type { TrainConfigInput } from "../config/schema.ts";
import { addedChannel, measureAdded, withChannel, withoutLastChannel } from "../run/extend.ts";
import { runStage } from "../run/loop.ts";
import { rankValidation } from "../run/ranking.ts";
import { openRun, type Run } from "../run/run.ts";
import { tasteSet } from "../testing/taste-set.ts";
import { channelStage } from "./channel.ts";
import { siameseStage } from "./siamese.ts";
import { makeSurrogate } from "./surrogate.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const settings: TrainConfigInput = {
  model: { hidden: 8, embedding: 6 },
  siamese: { steps: 150, batch: 128, validateEvery: 50, averaging: 0.95 },
  personal: { users: 0 },
  ssl: { steps: 150, batch: 300, inducing: 60, minRatings: 1, surrogateSteps: 60, validateEvery: 50, averaging: 0.95 },
};

const quiet = { emit: () => {}, afterStep: async () => {} };
const score = (run: Run) => {
  const { hr, mrr, ndcg } = rankValidation(run)?.ranking ?? { hr: 0, mrr: 0, ndcg: 0 };
  return (hr + mrr + ndcg) / 3;
};

test("a channel of what the process expects ranks new items better than the same towers without it", async () => {
  const config = resolveTrainConfig(settings);
  using scope = engine.scope();
  const set = tasteSet(engine, config);
  const alone = openRun(engine, scope, { config, set, random: new Random(4) });
  await runStage(alone, siameseStage(alone), quiet);
  const before = score(alone);

  const { channel, explained } = await makeSurrogate(alone, async () => {});
  expect(explained).toBeGreaterThan(0.5);
  const run = withChannel(alone, scope, channel);
  run.progress.stage = "ssl";
  run.progress.step = 0;
  measureAdded(run, "before ssl");
  await runStage(run, channelStage(run), quiet);
  const kept = run.progress.finished.at(-1)?.best ?? 0;
  expect(kept).toBeGreaterThan(0);
  const after = score(run);
  expect(after).toBeGreaterThan(before + 0.1);

  const longer = resolveTrainConfig({ ...settings, siamese: { ...settings.siamese, steps: 300 } });
  const on = openRun(engine, scope, { config: longer, set, random: new Random(4) });
  await runStage(on, siameseStage(on), quiet); // as many steps more of stage 1
  expect(after).toBeGreaterThan(score(on) + 0.1);
});

test("a channel added without weight leaves the metric as it was, and taken away again the parameters", async () => {
  const config = resolveTrainConfig({ ...settings, siamese: { ...settings.siamese, steps: 20 } });
  using scope = engine.scope();
  const alone = openRun(engine, scope, { config, set: tasteSet(engine, config), random: new Random(4) });
  await runStage(alone, siameseStage(alone), quiet);
  const { channel } = await makeSurrogate(alone, async () => {});
  const run = withChannel(alone, scope, channel);
  measureAdded(run, "before ssl");
  expect(addedChannel(run)?.spec.name).toBe("taste");
  let seen = Number.NaN;
  channelStage(run).atStart?.(() => {
    seen = score(run);
  });
  expect(seen).toBeCloseTo(score(alone), 6);
  const again = withoutLastChannel(run, scope);
  expect(addedChannel(again)).toBeNull();
  for (const [name, values] of alone.parameters) {
    if (name !== "weights" && !name.endsWith(".missing"))
      expect(again.parameters.get(name)?.read()).toEqual(values.read());
  }
  expect(again.statistics.scales).toHaveLength(2);
});

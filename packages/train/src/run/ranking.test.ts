import { createEngine, type Engine, Random, tieHashes } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import { toySet } from "../testing/toy-set.ts";
import { liftCatalogue } from "./ranking.ts";
import { openRun } from "./run.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

test("EV7: equal scores are ordered by the hash of the ids, not of the rows", () => {
  using scope = engine.scope();
  const config = resolveTrainConfig({ preset: "fast", model: { hidden: 4, embedding: 3 } });
  const set = toySet(engine, config);
  const run = openRun(engine, scope, { config, set, random: new Random(1) });
  expect(liftCatalogue(run, scope, engine).hashes).toEqual(tieHashes(set.ids));
});

import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PersonalTask } from "../protocol/personal.ts";
import { behaviorBaseline, behaviorWithHistory } from "./behavior.ts";
import { itemIds, scoresOf } from "./events-world.ts";

const [N, K] = [12, 3];
const random = new Random(4);
const V = Array.from({ length: N }, (_, i) =>
  Array.from({ length: K }, () => (i === 5 ? 0 : Math.fround(random.normal()))),
);
const unit = (v: readonly number[]) => v.map((x) => x / (Math.hypot(...v) || 1));
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, j) => sum + x * b[j], 0);

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ engine: "plain" });
});
afterAll(() => engine.close());

function space() {
  const scope = engine.scope();
  const matrix = scope.matrix(N, K, "f32");
  matrix.data.set(V.flat(), matrix.offset);
  return { scope, space: { engine, V: matrix }, ids: itemIds(N) };
}

const task = (support: readonly number[]) => ({ support: Int32Array.from(support) }) as unknown as PersonalTask;

test("candidates are scored by their inner product with the query at length 1; an item without factors likes nothing", () => {
  const { scope, space: own, ids } = space();
  using _ = scope;
  const recommender = behaviorBaseline(own, { scope, ids, name: "factors" });
  for (const query of [0, 5, 11]) {
    scoresOf(recommender, query, N).forEach((score, item) => {
      if (item !== query) expect(score).toBeCloseTo(dot(unit(V[query]), V[item]), 6);
    });
  }
});

test("the last items are added to the query, each step back counting less; older ones and unknown ones do not", () => {
  const { scope, space: own, ids } = space();
  using _ = scope;
  const options = { scope, ids, name: "factors", weight: 2, decay: 0.5, last: 3 };
  const scores = scoresOf(behaviorWithHistory(own, options).of(task([9, 1, 5, 7])), 0, N);
  const history = [7, 5, 1].map((item, back) => unit(V[item]).map((x) => (x * 0.5 ** back) / 1.75));
  scores.forEach((score, item) => {
    if (item === 0) return;
    const vector = unit(V[0]).map((x, j) => x + 2 * history.reduce((sum, v) => sum + v[j], 0));
    expect(score).toBeCloseTo(dot(vector, V[item]), 6);
  });
});

test("without items, or without weight, the history changes nothing, to the bit", () => {
  const { scope, space: own, ids } = space();
  using _ = scope;
  const named = { scope, ids, name: "factors" };
  const plain = scoresOf(behaviorBaseline(own, named), 3, N);
  expect(scoresOf(behaviorWithHistory(own, { ...named, weight: 2 }).of(task([])), 3, N)).toEqual(plain);
  expect(scoresOf(behaviorWithHistory(own, { ...named, weight: 0 }).of(task([1, 2])), 3, N)).toEqual(plain);
});

// How sure a user's metric is: the curvature of what was made small, and narrower with every item.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { logistic } from "../metric/exponential.ts";
import { personalise } from "./personalise.ts";
import { metricPosterior } from "./posterior.ts";
import { smallInverse } from "./small.ts";
import { choiceSettings, followerOf, smallCatalogue, widePrior } from "./testing/catalogue.ts";
import { coordinatesAt, userObjective } from "./user.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  scope = engine.scope();
});
afterAll(async () => {
  scope.close();
  await engine.close();
});

const nobody = { items: new Int32Array(0), ratings: new Float64Array(0) };

test.each(["signed", "softplus"] as const)("the inverse of the curvature around the user's point: %s", (parameters) => {
  const { metric, embeddings, events } = smallCatalogue(engine, scope, { parameters });
  const prior = widePrior(metric, events);
  const user = followerOf(embeddings, 0, 5, 12);
  const own = personalise(metric, prior, user);
  const found = metricPosterior(metric, prior, user);
  expect(found.weights).toEqual(own.weights);

  // by (h, β), where ℓ is convex: central differences of its gradient, and the prior's precision brought to the same coordinates
  const signed = { ...metric, parameters: "signed" as const };
  using inner = engine.scope();
  const { objective, evidence } = userObjective(signed, inner, user, prior);
  const w = coordinatesAt(signed, "choice", own);
  const P = w.length;
  const slopes = coordinatesAt(metric, "choice", own).map((theta, i) =>
    i < 2 && parameters === "softplus" ? logistic(theta) : 1,
  );
  const J = new Float64Array(P * P);
  for (let i = 0; i < P; i++) {
    const [above, below] = [1e-5, -1e-5].map((step) => {
      const gradient = new Float64Array(P);
      objective.evaluate(
        w.map((value, k) => (k === i ? value + step : value)),
        { gradient },
      );
      return gradient;
    });
    for (let j = 0; j < P; j++) J[i * P + j] = (evidence * (above[j] - below[j])) / 2e-5;
    J[i * (P + 1)] += 1 / slopes[i] ** 2; // of the prior: 1 by θ
  }
  const expected = smallInverse(J, P);
  for (let k = 0; k < P * P; k++) expect(found.covariance[k]).toBeCloseTo(expected[k], 6);
});

test("of one who gives nothing to learn from it is that of people", () => {
  const { metric, events } = smallCatalogue(engine, scope);
  const prior = widePrior(metric, events);
  const same = { items: Int32Array.of(3, 8, 20), ratings: Float64Array.of(4, 4, 4) };
  for (const user of [nobody, same]) {
    const { weights, covariance } = metricPosterior(metric, prior, user);
    expect(weights[0]).toBeCloseTo(metric.weights[0], 12); // where this prior has its mean
    expect(Math.sqrt(covariance[0])).toBeCloseTo(logistic(prior.mean[0]), 12); // 1 by θ
    expect(covariance[1]).toBe(0);
  }
});

test.each(["choice", "preference", "rating"] as const)("items narrow it: target %s", (target) => {
  const { metric, embeddings, events } = smallCatalogue(engine, scope);
  const prior = widePrior(metric, events, { ...choiceSettings, target });
  const widths = [3, 8, 20].map((count) => {
    const { weights, covariance } = metricPosterior(metric, prior, followerOf(embeddings, 0, 5, count));
    const P = Math.sqrt(covariance.length);
    expect(covariance.every(Number.isFinite)).toBe(true);
    return Math.sqrt(covariance[P + 1]) / weights[1]; // of the channel they do not go by
  });
  const people = metricPosterior(metric, prior, nobody);
  expect(widths[2]).toBeLessThan(widths[0]);
  expect(widths[2]).toBeLessThan(Math.sqrt(people.covariance[0]) / people.weights[0]);
});

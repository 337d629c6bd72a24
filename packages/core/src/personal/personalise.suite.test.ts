// A user's own metric, from end to end: who goes by one channel gets it weighed more; who gives nothing to learn from keeps the shared metric.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { drawPool, withoutMet } from "./choices.ts";
import { personalise } from "./personalise.ts";
import { fitProcessScale } from "./process-scale.ts";
import { nextQuestions } from "./question.ts";
import type { PersonalSettings } from "./settings.ts";
import { choiceSettings, followerOf, raterOf, smallCatalogue, widePrior } from "./testing/catalogue.ts";
import { personalWorld } from "./testing/world.ts";
import type { UserItems } from "./user.ts";

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

const settings: PersonalSettings[] = [
  choiceSettings,
  { ...choiceSettings, target: "preference" },
  { ...choiceSettings, target: "preference", low: -0.5 },
  { ...choiceSettings, target: "rating" },
];

describe.each(settings)("target $target, low $low", (own) => {
  test.each([0, 1] as const)("a user who goes by channel %i has it weighed more than the other", (channel) => {
    const { metric, embeddings, events } = smallCatalogue(engine, scope);
    const userOf = own.target === "rating" ? raterOf : followerOf;
    const found = personalise(metric, widePrior(metric, events, own), userOf(embeddings, channel, 5, 15));
    expect(found.weights[channel]).toBeGreaterThan(1.2 * found.weights[1 - channel]);
    expect(found).toMatchObject({ items: 15, used: 15, kept: null });
    expect(found.iterations).toBeLessThanOrEqual(20);
  });

  test("never worse than the start, by either fit, and the same each time", () => {
    const { metric, embeddings, events } = smallCatalogue(engine, scope);
    for (const fit of ["map", "descent"] as const) {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 119 }), fc.integer({ min: 3, max: 30 }), (seed, count) => {
          const prior = widePrior(metric, events, { ...own, fit });
          const user = followerOf(embeddings, 0, seed, count);
          const found = personalise(metric, prior, user);
          expect(found.after).toBeLessThanOrEqual(found.before ?? Number.NaN);
          expect(personalise(metric, prior, user)).toEqual(found);
        }),
        { numRuns: 8 },
      );
    }
  });

  const none: [string, UserItems, string][] = [
    ["no ratings", { items: new Int32Array(0), ratings: new Float64Array(0) }, "no ratings"],
    [
      "constant ratings",
      { items: Int32Array.of(3, 8, 20), ratings: Float64Array.of(4, 4, 4) },
      "all ratings are the same",
    ],
  ];
  test.each(none)("%s: exactly the shared metric", (_, user, why) => {
    const { metric, events } = smallCatalogue(engine, scope);
    const found = personalise(metric, widePrior(metric, events, own), user);
    expect(found.weights).toEqual(metric.weights);
    expect(found).toMatchObject({ popularity: 0, offset: metric.offset, kept: why, before: null, iterations: 0 });
  });

  test("only the last items of a long history count", () => {
    const { metric, embeddings, events } = smallCatalogue(engine, scope);
    const wide = widePrior(metric, events, own);
    const all = followerOf(embeddings, 0, 5, 100);
    const last = { items: all.items.slice(-20), ratings: all.ratings.slice(-20) };
    const prior = { ...wide, pool: withoutMet(wide.pool, [all.items, last.items]) }; // what they met before is no other item
    expect(personalise(metric, prior, all)).toEqual({ ...personalise(metric, prior, last), items: 100 });
    if (own.target !== "rating") expect(personalise(metric, wide, all)).toEqual(personalise(metric, prior, all));
  });
});

test("signed weights and the link of the paper are fitted as they are", () => {
  const { metric, embeddings, events } = smallCatalogue(engine, scope, { parameters: "signed", link: "sigmoid" });
  const prior = widePrior(metric, events, { ...choiceSettings, target: "rating", fit: "descent", iterations: 50 });
  const found = personalise(metric, prior, followerOf(embeddings, 1, 5, 15));
  expect(prior.mean).toEqual(Float64Array.of(0.5, 0.5, 0.1));
  expect(found.iterations).toBe(50);
  expect(found.after).toBeLessThan(found.before ?? Number.NaN);
  expect(found.offset).not.toBe(metric.offset);
});

test("a single item without a rating has no pair to learn from", () => {
  const { metric, events } = smallCatalogue(engine, scope);
  const user = { items: Int32Array.of(3), ratings: Float64Array.of(Number.NaN) };
  expect(personalise(metric, widePrior(metric, events), user).kept).toBe("a single item");
});

test("what is drawn stands for all that was met by somebody: shares estimate any sum without bias", () => {
  const events = Int32Array.from({ length: 500 }, (_, i) => (i % 5 === 0 ? 0 : 1 + (i % 37)));
  const value = (item: number) => Math.sqrt(item + 1);
  const truth = events.reduce((sum, count, item) => sum + (count > 0 ? value(item) : 0), 0);
  let mean = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const { items, shares } = drawPool(events, { others: 50, random: new Random(seed) });
    expect(new Set(items).size).toBe(items.length);
    items.forEach((item, k) => {
      expect(events[item]).toBeGreaterThan(0);
      mean += (shares[k] * value(item)) / 200;
    });
  }
  expect(mean / truth).toBeCloseTo(1, 1);
});

test("v and σ² are where the likelihood is largest", () => {
  const problems = Array.from({ length: 40 }, (_, u) => {
    const world = personalWorld(12, 2, u + 1);
    return { ...world, targets: world.targets.map((value) => 2 * value) }; // white noise of variance 4
  });
  const metric = { weights: Float64Array.of(1, 1), offset: 0, link: "linear" } as const;
  const { rate, variance, noise } = fitProcessScale(engine, problems, metric);
  // white noise is noise, or a process that changes from item to item
  expect(variance + noise).toBeCloseTo(4, 0);
  expect(noise > 10 * variance || rate > 50).toBe(true);
});

test("γ, v and σ² that users were drawn with are found again", () => {
  const random = new Random(2);
  const [rate, variance, noise] = [4, 2, 0.5];
  const problems = Array.from({ length: 150 }, (_, u) => {
    const world = personalWorld(25, 2, u + 1);
    using own = engine.scope();
    const L = own.matrix(25, 25);
    for (let i = 0, k = 0; i < 25; i++) {
      for (let j = 0; j <= i; j++, k++) {
        const t = world.distances[k] + world.distances[25 * 13 + k];
        L.set(i, j, variance * Math.exp(-0.5 * rate * t) + (i === j ? noise : 0));
      }
    }
    engine.cholesky(L);
    const white = Float64Array.from({ length: 25 }, () => random.normal());
    const targets = white.map((_, i) => white.reduce((sum, value, j) => sum + (j <= i ? L.get(i, j) * value : 0), 0));
    return { ...world, targets };
  });
  const found = fitProcessScale(engine, problems, { weights: Float64Array.of(1, 1), offset: 0, link: "linear" });
  expect(found.rate).toBe(rate);
  expect(Math.abs(found.variance - variance)).toBeLessThan(0.2);
  expect(Math.abs(found.noise - noise)).toBeLessThan(0.1);
});

test("answers to the best question narrow what is known of the weights more than others do, whatever the target", () => {
  const { metric, embeddings, events } = smallCatalogue(engine, scope);
  for (const own of settings) {
    const prior = widePrior(metric, events, own);
    const user = followerOf(embeddings, 0, 5, 6);
    const found = personalise(metric, prior, user);
    const candidates = Int32Array.from({ length: 40 }, (_, i) => i);
    const questions = nextQuestions(metric, prior, { user, own: found, candidates });
    const met = new Set(user.items);
    expect(questions.map(({ item }) => item).sort((a, b) => a - b)).toEqual(
      Array.from(candidates).filter((item) => !met.has(item)),
    );
    expect(questions[0].gain).toBeGreaterThan(2 * questions[questions.length - 1].gain);
    for (const { gain } of questions) expect(gain).toBeGreaterThanOrEqual(0);
  }
});

describe("what to ask next", () => {
  const ask = (user: UserItems, own: PersonalSettings = choiceSettings) => {
    const { metric, events } = smallCatalogue(engine, scope);
    const prior = widePrior(metric, events, own);
    const candidates = Int32Array.from({ length: 30 }, (_, i) => i);
    return nextQuestions(metric, prior, { user, own: personalise(metric, prior, user), candidates });
  };
  const items = Int32Array.of(40, 57, 81);

  test.each([
    ["falling", [5, 4, 3]],
    ["rising", [3, 4, 5]],
    ["the same", [4, 4, 4]],
  ])("choices are told of by items, not by ratings: %s", (_, ratings) => {
    const { metric } = smallCatalogue(engine, scope);
    const shared = { weights: metric.weights, popularity: 0, offset: metric.offset };
    const prior = widePrior(metric, smallCatalogue(engine, scope).events, choiceSettings);
    const candidates = Int32Array.from({ length: 30 }, (__, i) => i);
    const of = (own: number[]) =>
      nextQuestions(metric, prior, {
        user: { items, ratings: Float64Array.from(own) },
        own: shared,
        candidates,
      });
    expect(of(ratings)).toEqual(of([Number.NaN, Number.NaN, Number.NaN]));
  });

  test("one who has met nothing is asked something telling", () => {
    const questions = ask({ items: new Int32Array(0), ratings: new Float64Array(0) });
    expect(questions).toHaveLength(30);
    expect(questions[0].gain).toBeGreaterThan(questions[29].gain);
    expect(questions[29].gain).toBeGreaterThan(0);
  });

  test("one who has met more than counts is asked too: a new item pushes out none", () => {
    const { embeddings } = smallCatalogue(engine, scope);
    const questions = ask(followerOf(embeddings, 0, 60, 30), { ...choiceSettings, items: 10 });
    const telling = questions.filter(({ gain }) => gain > 0);
    expect(telling.length).toBeGreaterThan(questions.length / 2);
  });
});

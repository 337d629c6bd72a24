// The paper's sigmoid link has kernels that are no covariance. Who meets one is left out, or keeps the shared metric; nothing ends because of it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotPositiveDefiniteError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { PersonalLikelihood } from "./likelihood.ts";
import { metaLoss } from "./meta.ts";
import { personalise } from "./personalise.ts";
import { learnPopulation } from "./population.ts";
import { fitProcessScale } from "./process-scale.ts";
import { choiceSettings, raterOf, smallCatalogue, widePrior } from "./testing/catalogue.ts";
import { personalWorld } from "./testing/world.ts";

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

const STEEP = { weights: Float64Array.of(40, 30), offset: -8, link: "sigmoid" } as const;
const point = [...STEEP.weights, STEEP.offset];

/** A process with hardly any noise, or with much. */
function userWith(noise: number): PersonalLikelihood {
  const world = personalWorld(30, 2);
  return new PersonalLikelihood(
    engine,
    scope,
    { ...world, noise: world.noise.map(() => noise) },
    {
      link: "sigmoid",
      variance: 1,
    },
  );
}

test("there are such kernels", () => {
  expect(() => userWith(1e-6).evaluate(point)).toThrow(NotPositiveDefiniteError);
  expect(userWith(5).evaluate(point)).toSatisfy(Number.isFinite);
});

test("the scale of a process is sought where it has one", () => {
  const world = personalWorld(30, 2);
  const { rate, variance, noise } = fitProcessScale(engine, [world], STEEP);
  const own = { ...world, noise: world.noise.map(() => noise), distances: world.distances.map((d) => rate * d) };
  const found = new PersonalLikelihood(engine, scope, own, { link: "sigmoid", variance });
  expect(found.evaluate(point)).toSatisfy(Number.isFinite);
});

test("meta-learning and the population go on without such users", () => {
  const [sound, broken] = [userWith(5), userWith(1e-6)];
  const pair = (objective: PersonalLikelihood) => ({ support: objective, query: objective });
  const gradients = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
  const adaptation = { rate: 0.05 };
  const alone = metaLoss([pair(sound)], point, adaptation, gradients[0]);
  expect(metaLoss([pair(broken), pair(sound)], point, adaptation, gradients[1])).toBe(alone);
  expect(gradients[1]).toEqual(gradients[0]);
  expect(metaLoss([pair(broken)], point, adaptation, gradients[2])).toBeNaN();
  expect(gradients[2]).toEqual(new Float64Array(3));
  const learned = (users: readonly PersonalLikelihood[]) => {
    const rounds = learnPopulation(
      users.map((objective) => ({ objective, evidence: 10 })),
      { mean: Float64Array.from(point), rounds: 2 },
    );
    let round = rounds.next();
    while (!round.done) round = rounds.next();
    return round.value;
  };
  expect(learned([broken, sound])).toEqual(learned([sound]));
});

test.each(["map", "descent"] as const)("a user with such a kernel keeps the shared metric (%s)", (fit) => {
  const { metric, embeddings, events } = smallCatalogue(engine, scope, { parameters: "signed", link: "sigmoid" });
  const prior = widePrior(metric, events, { ...choiceSettings, target: "rating", fit });
  const noiseless = {
    ...prior,
    mean: Float64Array.of(1, 1, -2),
    process: { rate: 1, variance: 1, noise: 1e-6 },
  };
  const found = personalise(metric, noiseless, raterOf(embeddings, 0, 5, 20));
  expect(found.weights).toEqual(metric.weights);
  expect(found).toMatchObject({ kept: "the start gives no covariance", before: null, iterations: 0 });
});

import { createEngine, type Engine, Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "./catalogue.ts";
import { chooseFilms } from "./choices.ts";
import { type FilmDistances, totalDistances } from "./distances.ts";
import { PARAMETERS } from "./parameters.ts";

const { opening, choice, taste } = PARAMETERS;
const n = 8;
const DAY = 86_400;
const weights = taste.baseWeights;
const f = Float64Array.from({ length: n }, (_, i) => 0.3 * i - 1);
let engine: Engine;
let distances: FilmDistances;
let catalogue: Catalogue;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  const apart = Float64Array.from({ length: n * n }, (_, k) => 0.4 * Math.abs((k % n) - Math.floor(k / n)));
  distances = { n, channels: { genres: apart, plot: apart, director: apart, country: apart, year: apart } };
  const popularity = Float64Array.from({ length: n }, (_, i) => 1 + (i % 3));
  const added = new Float64Array(n).fill(opening);
  added[6] = opening + 90 * DAY; // fresh on the evenings below
  added[7] = opening + 400 * DAY; // not yet there
  catalogue = { added, quality: new Float64Array(n), popularity };
});
afterAll(() => engine.close());

const now = opening + 100 * DAY;
const draw = (times: number[][], random: Random) =>
  chooseFilms(engine, { metric: { distances, weights }, taste: f }, { catalogue, evenings: times, random });

describe("chooseFilms", () => {
  test("chooses with the probabilities of the formula, for the first and the third film of an evening", () => {
    const appeal = [...f].map((x, i) => catalogue.popularity[i] * Math.exp(choice.affinity * x));
    appeal[6] *= 1 + choice.freshness * Math.exp((-10 * DAY) / choice.freshnessDecay);
    appeal[7] = 0;
    const count = 6000;
    const first = new Float64Array(n);
    const third = new Float64Array(n);
    const expectedThird = new Float64Array(n);
    let surplus = 0;
    const total = (x: number[]) => x.reduce((sum, value) => sum + value, 0);
    for (let k = 0; k < count; k++) {
      const [a, b, c] = draw([[now, now + 60, now + 120]], new Random(k));
      first[a] += 1 / count;
      third[c] += 1 / count;
      const [fromA, fromB] = [a, b].map((film) => {
        const row = new Float64Array(n);
        totalDistances(row, { distances, weights }, film);
        return row;
      });
      const scale = (1 + choice.memory) * choice.temperature;
      const p = appeal.map((x, i) =>
        i === a || i === b ? 0 : x * Math.exp(-(fromB[i] + choice.memory * fromA[i]) / scale),
      );
      for (let i = 0; i < n; i++) expectedThird[i] += p[i] / total(p) / count;
      // The distance to the film before last averages out to its expectation only under the right ρ.
      const expected = total(p.map((x, i) => x * fromA[i])) / total(p);
      surplus += (fromA[c] - expected) / count;
    }
    expect(Math.abs(surplus)).toBeLessThan(0.03);
    for (let i = 0; i < n; i++) {
      expect(Math.abs(first[i] - appeal[i] / total(appeal))).toBeLessThan(0.02);
      expect(Math.abs(third[i] - expectedThird[i])).toBeLessThan(0.02);
    }
  });

  test("never chooses a film twice, nor one that is not there yet", () => {
    for (let k = 0; k < 200; k++) {
      const films = draw(
        [
          [now, now + 60, now + 120],
          [now + DAY, now + DAY + 60],
          [now + 2 * DAY, now + 2 * DAY + 60],
        ],
        new Random(k),
      );
      expect(new Set(films)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    }
  });
});

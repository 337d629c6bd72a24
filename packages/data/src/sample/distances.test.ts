import { createEngine, type Engine } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FilmDistances, filmDistances, totalDistances } from "./distances.ts";
import { type Film, readFilms } from "./films.ts";
import { CHANNELS, type Channel } from "./parameters.ts";

let engine: Engine;
let films: Film[];
let distances: FilmDistances;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  films = await readFilms();
  distances = filmDistances(engine, films);
});
afterAll(() => engine.close());

const index = (id: string) => films.findIndex((film) => film.id === id);
const d = (channel: Channel, a: string, b: string) => distances.channels[channel][index(a) * distances.n + index(b)];

describe.each(CHANNELS)("d_%s", (channel) => {
  test("is 0 on the diagonal, symmetric, at least 0 and of median 1", () => {
    const { n } = distances;
    const values = distances.channels[channel];
    const pairs: number[] = [];
    for (let i = 0; i < n; i++) {
      expect(values[i * n + i]).toBe(0);
      for (let j = 0; j < i; j++) {
        if (values[i * n + j] !== values[j * n + i]) expect.fail(`not symmetric at ${i}, ${j}`);
        pairs.push(values[i * n + j]);
      }
    }
    pairs.sort((a, b) => a - b);
    expect(pairs[0]).toBeGreaterThanOrEqual(0);
    expect(pairs[pairs.length >> 1]).toBe(1);
  });

  test("alone gives a positive semi-definite kernel", () => {
    const { n } = distances;
    using scope = engine.scope();
    const K = scope.matrix(n, n).write(distances.channels[channel].map((x) => -0.5 * x));
    engine.activate(K, K, "exp");
    for (let i = 0; i < n; i++) K.set(i, i, 1 + 1e-9);
    expect(() => engine.cholesky(K)).not.toThrow();
  });
});

test("a shared director is near, a shared one of two is between, none is far", () => {
  expect(d("director", "psycho-1960", "vertigo-1958")).toBe(0);
  expect(d("director", "ju-dou-1990", "hero-2002")).toBeCloseTo(1 - Math.SQRT1_2, 12);
  expect(d("director", "psycho-1960", "hero-2002")).toBe(1);
});

test("genres: equal sets are at 0, disjoint sets farther than overlapping ones", () => {
  expect(d("genres", "the-godfather-1972", "the-godfather-part-ii-1974")).toBeCloseTo(0, 12);
  expect(d("genres", "alien-1979", "annie-hall-1977")).toBeGreaterThan(d("genres", "alien-1979", "aliens-1986"));
});

test("year: a decade is nearer than three, and six are hardly farther than five", () => {
  const [decade, three] = [d("year", "m-1931", "casablanca-1942"), d("year", "m-1931", "psycho-1960")];
  expect(decade).toBeLessThan(0.4);
  expect(three).toBeGreaterThan(2 * decade);
  expect(d("year", "m-1931", "goodfellas-1990") - d("year", "m-1931", "halloween-1978")).toBeLessThan(0.02);
});

test("plots of a kind are near: murder inquiries to each other, and not to a comedy of toys", () => {
  expect(d("plot", "zodiac-2007", "memories-of-murder-2003")).toBeLessThan(0.4);
  expect(d("plot", "zodiac-2007", "toy-story-1995")).toBeGreaterThan(0.9);
});

test("totalDistances adds the channels by weight", () => {
  const weights = { genres: 1, plot: 2, director: 3, country: 4, year: 5 };
  const out = new Float64Array(10);
  totalDistances(out, { distances, weights }, 200, -0.5);
  const expected = CHANNELS.reduce((s, c) => s + weights[c] * distances.channels[c][200 * distances.n + 7], 0);
  expect(out[7]).toBeCloseTo(-0.5 * expected, 12);
});

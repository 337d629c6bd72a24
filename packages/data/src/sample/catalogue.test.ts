import { Random } from "@nearkin/core";
import { beforeAll, expect, test } from "vitest";
import { type Catalogue, drawCatalogue } from "./catalogue.ts";
import { type Film, readFilms } from "./films.ts";
import { PARAMETERS } from "./parameters.ts";

const { opening, closing } = PARAMETERS;
let films: Film[];
let catalogue: Catalogue;
beforeAll(async () => {
  films = await readFilms();
  catalogue = drawCatalogue(films, new Random(2));
});

test("two thirds of the films are there at the opening, the others come through the whole period", () => {
  const late = [...catalogue.added].filter((time) => time > opening);
  expect(late).toHaveLength(films.length / 3);
  for (let year = 2015; year <= 2024; year++) {
    const count = late.filter((time) => new Date(time * 1000).getUTCFullYear() === year).length;
    expect(count, String(year)).toBeGreaterThanOrEqual(4);
  }
  expect(Math.max(...late)).toBeLessThan(closing);
});

test("no film comes before the year after its own", () => {
  const early = films.filter((film, i) => catalogue.added[i] < Date.UTC(film.year + 1, 0) / 1000);
  expect(early.map((film) => film.id)).toEqual([]);
});

test("popularity is bounded, spans two orders of magnitude, and goes with quality", () => {
  const sorted = [...catalogue.popularity].sort((a, b) => a - b);
  expect(sorted[359]).toBeLessThan(PARAMETERS.popularity.most);
  expect(sorted[359] / sorted[3]).toBeGreaterThan(20);
  const z = [...catalogue.quality];
  const logs = [...catalogue.popularity].map(Math.log);
  expect(correlation(z, logs)).toBeGreaterThan(0.2);
});

function correlation(x: number[], y: number[]): number {
  const mean = (a: number[]) => a.reduce((s, v) => s + v, 0) / a.length;
  const [mx, my] = [mean(x), mean(y)];
  const dot = (a: number[], ma: number, b: number[], mb: number) => mean(a.map((v, i) => (v - ma) * (b[i] - mb)));
  return dot(x, mx, y, my) / Math.sqrt(dot(x, mx, x, mx) * dot(y, my, y, my));
}

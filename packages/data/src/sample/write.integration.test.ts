// The sample as files; and whether it looks like a film service: each band is wide of the figures at seed 1 and at two other seeds.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFilms } from "./films.ts";
import { type Marquee, simulateWith } from "./simulate.ts";
import { ratingsCsv, writeMarquee } from "./write.ts";

// SHA-256 of ratings.csv at seed 1. A change means another sample: say so where its figures are quoted.
const SHA256 = "9417679fda805cb9590a286d124fb5cf6ffbe4f7d2e40fadfc6aa41b74175c77";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

let folder: string;
let marquee: Marquee;
let filmCounts: number[];
let userCounts: number[];
let firstSeen: number[];
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "marquee-")), "new");
  marquee = await writeMarquee(folder); // seconds of work: once for all tests
  const { films, users, ratings } = marquee;
  filmCounts = films.map(() => 0);
  userCounts = users.map(() => 0);
  firstSeen = films.map(() => Infinity);
  for (let k = 0; k < ratings.film.length; k++) {
    const film = ratings.film[k];
    filmCounts[film]++;
    userCounts[ratings.user[k]]++;
    firstSeen[film] = Math.min(firstSeen[film], ratings.timestamp[k]);
  }
});
afterAll(() => rm(join(folder, ".."), { recursive: true }));

const read = (name: string) => readFile(join(folder, name), "utf8");

describe("the ratings are the same bits", () => {
  test("on every run and machine", async () => {
    expect(sha256(await read("ratings.csv"))).toBe(SHA256);
  });

  test("for any number of workers, and others for another seed", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 2 });
    const films = await readFilms();
    expect(sha256(ratingsCsv(simulateWith(engine, films, 1)))).toBe(SHA256);
    expect(sha256(ratingsCsv(simulateWith(engine, films, 2)))).not.toBe(SHA256);
  });
});

describe("writeMarquee", () => {
  test("writes four files and leaves nothing temporary", async () => {
    expect((await readdir(folder)).sort()).toEqual(["README.md", "films.jsonl", "ratings.csv", "truth.json"]);
  });

  test("films.jsonl has the films as they are, and the day each was added", async () => {
    const lines = (await read("films.jsonl"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const films = await readFilms();
    expect(lines.map(({ added: _, ...film }) => film)).toEqual(films);
    expect(lines.every(({ added }) => /^20(1[5-9]|2[0-4])-\d\d-\d\d$/.test(added))).toBe(true);
  });

  test("ratings.csv has a header and one line per rating", async () => {
    const lines = (await read("ratings.csv")).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + marquee.ratings.user.length);
    expect(lines[0]).toBe("userId,filmId,rating,timestamp");
    const bad = lines
      .slice(1)
      .filter((line) => !/^u\d{4},[a-z0-9-]+-\d{4},([0-4]\.5|[1-5]\.0),1[4-7]\d{8}$/.test(line));
    expect(bad).toEqual([]);
  });

  test("truth.json is labelled and has the seed, the base weights and everyone's own", async () => {
    const truth = JSON.parse(await read("truth.json"));
    expect(truth.about).toMatch(/^Users and ratings are SIMULATED; .* never to train it\.$/);
    expect(truth.seed).toBe(1);
    expect(truth.baseWeights).toEqual(marquee.parameters.taste.baseWeights);
    expect(truth.users).toEqual(marquee.users);
  });

  test("README.md says in its first line what is simulated", async () => {
    expect((await read("README.md")).split("\n")[0]).toMatch(
      /^Users and ratings are SIMULATED; the films' facts .* are real, and their plots were written for this project\.$/,
    );
  });

  test("a folder that cannot be made is an error, and so is a bad seed", async () => {
    const file = join(folder, "..", "file");
    await writeFile(file, "");
    await expect(writeMarquee(folder, { seed: -1 })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    await expect(writeMarquee(file)).rejects.toMatchObject({ code: "EEXIST" });
  });
});

/** The value below which a share p of them lie. */
const quantile = (values: readonly number[], p: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(p * values.length))];
const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

test("640 users with 20 to 250 ratings each, 45 to 60 thousand in all", () => {
  expect(marquee.users).toHaveLength(640);
  expect(marquee.users[41].id).toBe("u0042");
  expect(Math.min(...userCounts)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...userCounts)).toBeLessThanOrEqual(250);
  const total = marquee.ratings.film.length;
  expect(total).toBeGreaterThan(45_000);
  expect(total).toBeLessThan(60_000);
});

describe("ratings", () => {
  test("are half stars from ½ to 5, about 3.5 on average, with a spread of about 1", () => {
    const values = [...marquee.ratings.rating];
    expect(new Set(values)).toEqual(new Set([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]));
    expect(mean(values)).toBeGreaterThan(3.4);
    expect(mean(values)).toBeLessThan(3.6);
    const deviation = Math.sqrt(mean(values.map((x) => (x - mean(values)) ** 2)));
    expect(deviation).toBeGreaterThan(0.9);
    expect(deviation).toBeLessThan(1.1);
    expect(values.filter((x) => x === 5).length / values.length).toBeLessThan(0.2);
  });

  test("nobody rates a film twice, or before it is there", () => {
    const { films, ratings } = marquee;
    const pairs = new Set(ratings.film.map((film, k) => ratings.user[k] * 1000 + film));
    expect(pairs.size).toBe(ratings.film.length);
    const early = ratings.film.filter((film, k) => ratings.timestamp[k] * 1000 < Date.parse(films[film].added));
    expect(early).toHaveLength(0);
  });
});

test("a few films have hundreds of ratings, many have tens, none is known to all", () => {
  const users = marquee.users.length;
  expect(Math.max(...filmCounts)).toBeLessThan(0.75 * users);
  expect(quantile(filmCounts, 0.95)).toBeGreaterThan(250);
  expect(quantile(filmCounts, 0.25)).toBeLessThan(100);
  expect(Math.min(...filmCounts)).toBeGreaterThan(0);
});

describe("time", () => {
  test("every year has its ratings, none a third of them", () => {
    const years = [...marquee.ratings.timestamp].map((time) => new Date(time * 1000).getUTCFullYear());
    for (let year = 2015; year <= 2024; year++) {
      const share = years.filter((y) => y === year).length / years.length;
      expect(share, String(year)).toBeGreaterThan(0.02);
      expect(share, String(year)).toBeLessThan(0.33);
    }
  });

  test("the split at the 95th percentile of first ratings (EV1) leaves 18 cold films with at least 15 ratings on average", () => {
    const T = quantile(firstSeen, 0.95);
    const cold = filmCounts.filter((_, i) => firstSeen[i] >= T);
    expect(cold).toHaveLength(18);
    expect(mean(cold)).toBeGreaterThanOrEqual(15);
    const later = marquee.ratings.timestamp.filter((time) => time >= T).length;
    expect(later / marquee.ratings.timestamp.length).toBeLessThan(0.25); // what training has to do without
  });
});

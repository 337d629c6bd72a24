import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFilms } from "./films.ts";
import { type Marquee, simulateWith } from "./simulate.ts";
import { ratingsCsv, writeMarquee } from "./write.ts";

// Of ratings.csv at seed 1. A change means another sample: say so where its figures are quoted.
const SHA256 = "9417679fda805cb9590a286d124fb5cf6ffbe4f7d2e40fadfc6aa41b74175c77";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

let folder: string;
let marquee: Marquee;
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "marquee-")), "new");
  marquee = await writeMarquee(folder);
}, 60_000);
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
    await expect(writeMarquee(file, { seed: -1 })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    await expect(writeMarquee(file)).rejects.toMatchObject({ code: "EEXIST" });
  });
});

import { expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyLsa, fitLsa, type Lsa } from "./lsa.ts";

const engine = createPlainEngine();

const THEMES = [
  "space ship planet crew alien galaxy signal orbit",
  "detective murder police gang heist suspect trial witness",
  "love wedding summer letter heart paris dance marriage",
].map((words) => words.split(" "));

/** Texts of four words of one theme. */
function stories(count: number, seed = 1): string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) =>
    random
      .shuffle([...THEMES[i % 3]])
      .slice(0, 4)
      .join(" "),
  );
}

const vector = (lsa: Lsa, text: string) => applyLsa(lsa, text) as Float32Array;
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, j) => sum + x * b[j], 0);

test("texts of one theme are near without a word in common, those of two themes far", () => {
  const lsa = fitLsa(engine, stories(150), { dimensions: 3 });
  const near = dot(vector(lsa, "space ship planet crew"), vector(lsa, "alien galaxy signal orbit"));
  const far = dot(vector(lsa, "space ship planet crew"), vector(lsa, "love wedding summer letter"));
  expect(near).toBeGreaterThan(0.95);
  expect(Math.abs(far)).toBeLessThan(0.05);
});

test("vectors have length 1; dimensions are what the texts hold", () => {
  const lsa = fitLsa(engine, stories(60));
  expect(lsa.dimensions).toBe(24); // as many as there are words
  expect(Math.abs(dot(vector(lsa, "space letter"), vector(lsa, "space letter")) - 1)).toBeLessThan(1e-6);
  const twice = fitLsa(engine, ["space ship", "space ship", "love letter", "love letter"]);
  expect(twice.dimensions).toBe(2);
  expect(Array.from(twice.singularValues)).toEqual([expect.closeTo(Math.SQRT2, 6), expect.closeTo(Math.SQRT2, 6)]);
});

test("missing and unknown are two things, and leave out as it is", () => {
  const lsa = fitLsa(engine, stories(30), { dimensions: 2 });
  const out = Float32Array.of(7, 7);
  expect(applyLsa(lsa, undefined, out)).toBe("missing");
  expect(applyLsa(lsa, " … ", out)).toBe("missing");
  expect(applyLsa(lsa, "western", out)).toBe("unknown");
  expect(out).toEqual(Float32Array.of(7, 7));
  expect(applyLsa(lsa, "love", out)).toBe(out);
});

test("a text that lies in no direction kept is unknown", () => {
  const lsa = fitLsa(engine, ["space ship", "space ship", "space ship", "love letter", "love letter"], {
    dimensions: 1,
  });
  expect(applyLsa(lsa, "space")).toEqual(Float32Array.of(1));
  expect(applyLsa(lsa, "love")).toBe("unknown");
});

test("the order of texts and the seed matter little where directions are well apart", () => {
  const texts = [
    ...stories(90),
    ...stories(30).filter((_, i) => i % 3 > 0),
    ...stories(30).filter((_, i) => i % 3 > 1),
  ];
  const fits = [
    fitLsa(engine, texts, { dimensions: 3, iterations: 20 }),
    fitLsa(engine, new Random(2).shuffle([...texts]), { dimensions: 3, iterations: 20 }),
    fitLsa(engine, texts, { dimensions: 3, iterations: 20, seed: 9 }),
  ];
  for (const other of fits.slice(1)) {
    expect(other.tfidf).toEqual(fits[0].tfidf);
    for (const text of stories(6, 4)) expect(dot(vector(fits[0], text), vector(other, text))).toBeCloseTo(1, 6);
  }
});

test("the same seed gives the same bits, for any number of workers", async () => {
  const fits: Lsa[] = [];
  for (const workers of [1, 2]) {
    const threads = await createEngine({ engine: "wasm", workers });
    fits.push(fitLsa(threads, stories(300), { dimensions: 8 }));
    await threads.close();
  }
  expect(fits[1]).toEqual(fits[0]);
});

test("errors", () => {
  expect(errorOf(() => fitLsa(engine, [undefined, "the"]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitTfidf: no word comes in 2 or more of 0 training texts; lower minDocuments or leave the channel out",
    }
  `);
  expect(errorOf(() => fitLsa(engine, stories(9), { dimensions: 0 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitLsa: dimensions must be a whole number of at least 1, got 0",
    }
  `);
  const lsa = fitLsa(engine, stories(9), { dimensions: 2 });
  expect(errorOf(() => applyLsa(lsa, "love", new Float32Array(3)))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "applyLsa: out must hold 2 numbers, got 3",
    }
  `);
});

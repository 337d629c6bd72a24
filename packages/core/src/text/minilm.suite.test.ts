// The whole forward pass on a tiny BERT against f64 arithmetic written out by hand, on every engine, in Node and in the browser.
import { describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine, EngineKind } from "../linalg/engine.ts";
import { type MiniLmFiles, openMiniLm } from "./minilm.ts";
import { jsonBytes, tinyConfig, tinyFiles, tinyTensors, tinyTokenizer, tinyVector } from "./testing/tiny-bert.ts";
import { readWordPiece } from "./word-piece.ts";

const D = 16;
const texts = [
  "",
  "the cat sat",
  "Hello, world! The unbreakable cats sat…",
  "東京 ΣΊΣΥΦΟΣ",
  "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 the end is cut away",
  ...Array.from({ length: 30 }, (_, i) => `cat ${"the mat ".repeat(i % 7)}`),
];

function piecesOf(text: string): number[] {
  const out = new Int32Array(40);
  return [...out.subarray(0, readWordPiece(jsonBytes(tinyTokenizer)).encode(text, out, 0, 40))];
}

const rowOf = (vectors: Float32Array, i: number) => vectors.subarray(i * D, (i + 1) * D);

describe.each<[EngineKind, number]>([
  ["plain", 1],
  ["wasm", 1],
  ["wasm", 2],
  ["wasm-relaxed", 1],
])("minilm on %s, %i threads", (kind, workers) => {
  const open = () => createEngine({ engine: kind, workers });

  test.each(["F32", "F16"] as const)("vectors as written on paper, weights of %s", async (type) => {
    await using engine = await open();
    const tensors = tinyTensors(type);
    using encoder = openMiniLm(engine, tinyFiles(tensors), { mostPieces: 40 });
    expect(encoder.dimensions).toBe(D);
    const vectors = encoder.encode(texts);
    expect(vectors).toHaveLength(texts.length * D);
    for (const [i, text] of texts.entries()) {
      const expected = tinyVector(tensors, piecesOf(text));
      const error = Math.hypot(...rowOf(vectors, i).map((value, j) => value - expected[j]));
      expect(error, text).toBeLessThan(3e-4); // of a vector of norm 1: 16-bit rows in both layers
    }
  });

  test("a vector depends on its text alone, to the last bit", async () => {
    await using engine = await open();
    using encoder = openMiniLm(engine, tinyFiles(tinyTensors("F32")), { mostPieces: 40 });
    const together = encoder.encode(texts);
    const backwards = encoder.encode(texts.toReversed());
    for (const [i, text] of texts.entries()) {
      expect(encoder.encode([text])).toEqual(rowOf(together, i));
      expect(rowOf(backwards, texts.length - 1 - i)).toEqual(rowOf(together, i));
    }
    expect(encoder.encode([])).toEqual(new Float32Array());
  });
});

describe("files and memory", () => {
  const message = async (change: (files: MiniLmFiles) => Partial<MiniLmFiles>) => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    const files = tinyFiles(tinyTensors("F32"));
    try {
      openMiniLm(engine, { ...files, ...change(files) }, { mostPieces: 40 });
    } catch (error) {
      engine.scope().close(); // whatever was open is closed again: else this would not be the first
      return `${(error as { code: string }).code}: ${(error as Error).message}`;
    }
    return "none";
  };
  const weights = (tensors: ReturnType<typeof tinyTensors>) => ({ weights: tinyFiles(tensors).weights });
  const config = (change: object) => ({ config: jsonBytes({ ...tinyConfig, ...change }) });

  test("weights that are cut short, miss a part, or hold what is no number", async () => {
    const whole = tinyTensors("F32");
    const name = "encoder.layer.1.output.dense.weight";
    const { [name]: _, ...missing } = whole;
    const wrong = { ...whole, [name]: { type: "F32" as const, shape: [24, 16], data: new Float32Array(384) } };
    const mixed = { ...whole, [name]: { type: "F64" as const, shape: [16, 24], data: new Float64Array(384) } };
    const spoilt = {
      ...whole,
      [name]: { type: "F32" as const, shape: [16, 24], data: new Float32Array(384).fill(NaN) },
    };
    const half = { type: "F16" as const, shape: [16, 24], data: new Uint16Array(384).fill(0x7c00) };
    expect(await message(({ weights }) => ({ weights: weights.subarray(0, 900) }))).toMatch(
      /^BAD_FILE: safetensors: .*cut short/,
    );
    expect(await message(() => weights(missing))).toBe(`BAD_FILE: weights: there is no ${name}`);
    expect(await message(() => weights(wrong))).toBe(`BAD_FILE: weights: ${name}: expected shape (16,24), got (24,16)`);
    expect(await message(() => weights(mixed))).toBe(`BAD_FILE: weights: ${name}: expected F16 or F32, got F64`);
    expect(await message(() => weights(spoilt))).toBe(`BAD_FILE: weights: ${name} holds numbers that are not finite`);
    expect(await message(() => weights({ ...whole, [name]: half }))).toBe(
      `BAD_FILE: weights: ${name} holds numbers that are not finite`,
    );
  });

  test("a config of another model", async () => {
    expect(await message(() => ({ config: jsonBytes(tinyConfig).subarray(3) }))).toBe(
      "BAD_FILE: config: it is not JSON; it may be cut short",
    );
    expect(await message(() => config({ model_type: "gpt2" }))).toBe(
      'BAD_FILE: config: model_type must be bert, got "gpt2"',
    );
    expect(await message(() => config({ hidden_act: "relu" }))).toBe(
      'BAD_FILE: config: hidden_act must be gelu, got "relu"',
    );
    expect(await message(() => config({ num_hidden_layers: 0 }))).toBe(
      "BAD_FILE: config: num_hidden_layers must be a whole number of at least 1, got 0",
    );
    expect(await message(() => config({ num_attention_heads: 3 }))).toBe(
      "BAD_FILE: config: hidden_size must be a multiple of 4 for each of 3 heads, got 16",
    );
    expect(await message(() => config({ vocab_size: 10 }))).toMatch(
      /^BAD_FILE: tokenizer: it has 63 pieces, the weights are for 10; the files belong to different models/,
    );
  });

  test("pieces beyond the places there are", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    expect(() => openMiniLm(engine, tinyFiles(tinyTensors("F32")))).toThrow(
      "openMiniLm: mostPieces must be a whole number from 3 to 40, got 256",
    );
  });

  test("the file's bytes may be overwritten afterwards; shared ones are read on", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    const files = tinyFiles(tinyTensors("F16"));
    const first = openMiniLm(engine, files, { mostPieces: 40 });
    const expected = first.encode(["the cat"]);
    files.weights.fill(0);
    expect(first.encode(["the cat"])).toEqual(expected);
    first.close();
    if (typeof SharedArrayBuffer === "undefined") return;
    const { weights, ...rest } = tinyFiles(tinyTensors("F16"));
    const shared = new Uint8Array(new SharedArrayBuffer(weights.length));
    shared.set(weights);
    using second = openMiniLm(engine, { ...rest, weights: shared }, { mostPieces: 40 });
    expect(second.encode(["the cat"])).toEqual(expected);
  });

  test("closing gives the memory back, twice is harmless, and nothing is encoded afterwards", async () => {
    await using engine = await createEngine({ engine: "wasm", workers: 1 });
    const outer = engine.scope();
    const encoder = openMiniLm(engine, tinyFiles(tinyTensors("F32")), { mostPieces: 40 });
    encoder.encode(["the cat"]);
    encoder.close();
    encoder.close();
    expect(() => outer.close()).not.toThrow();
    expect(() => encoder.encode(["x"])).toThrow("minilm: the encoder is closed; open a new one");
  });

  test("a second call takes no more memory than the first", async () => {
    const engine: Engine = await createEngine({ engine: "wasm", workers: 1 });
    using encoder = openMiniLm(engine, tinyFiles(tinyTensors("F32")), { mostPieces: 40 });
    const top = () => {
      const scope = engine.scope();
      const { offset } = scope.matrix(1, 1);
      scope.close();
      return offset;
    };
    encoder.encode(texts);
    const before = top();
    for (let i = 0; i < 20; i++) encoder.encode(texts);
    expect(top()).toBe(before);
  });
});

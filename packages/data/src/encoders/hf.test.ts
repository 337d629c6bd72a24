import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openHf, type Transformers } from "./hf.ts";
import { LONGEST, WIDTH, WORDS, writeTinyModel } from "./testing/tiny-model.ts";
import { findTransformers } from "./testing/transformers.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-hf-"));
afterAll(() => rmSync(folder, { recursive: true }));
const model = join(folder, "tiny");
const table = writeTinyModel(model);

const transformers = await findTransformers();
const load = async () => transformers as Transformers;
const withPackage = test.skipIf(!transformers);

/** The mean of the words' rows, [CLS] before and [SEP] after them, at norm 1. */
function expected(...words: string[]): number[] {
  const rows = ["[CLS]", ...words, "[SEP]"].map((word) => WORDS.indexOf(word));
  const mean = Array.from(
    { length: WIDTH },
    (_, j) => rows.reduce((sum, row) => sum + table[row * WIDTH + j], 0) / rows.length,
  );
  const norm = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  return mean.map((value) => value / norm);
}

/** Paths differ from run to run. */
async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error("expected an error"),
    (error) => error,
  );
  return `${error.code}: ${error.message.replaceAll(folder, "<folder>")}`;
}

withPackage("vectors are the mean of hidden states under the mask, at norm 1", async () => {
  await using encoder = await openHf(model, {}, load);
  expect(encoder.dimensions).toBe(WIDTH);
  const vectors = await encoder.encode(["a cat sleeps", "", "A DOG runs xyzzy", "  "]);
  const rows = [expected("a", "cat", "sleeps"), [0, 0, 0, 0], expected("a", "dog", "runs", "[UNK]"), [0, 0, 0, 0]];
  expect(vectors.length).toBe(4 * WIDTH);
  for (const [i, value] of rows.flat().entries()) expect(vectors[i]).toBeCloseTo(value, 6);
});

withPackage("a text beyond the model's length is cut", async () => {
  await using encoder = await openHf(model, {}, load);
  const long = Array(50).fill("far").join(" ");
  const [vector, words] = [await encoder.encode([long]), Array(LONGEST - 2).fill("far")];
  for (const [j, value] of expected(...words).entries()) expect(vector[j]).toBeCloseTo(value, 6);
});

withPackage("a vector depends on its text alone, to the last bit", async () => {
  await using encoder = await openHf(model, {}, load);
  const texts = ["cat", "a dog runs far far", "sleeps", "a cat runs"];
  const together = await encoder.encode(texts);
  for (const [i, text] of texts.entries()) {
    expect(await encoder.encode([text])).toEqual(together.slice(i * WIDTH, (i + 1) * WIDTH));
  }
});

withPackage(
  "its name is the folder's; its model changes with any file that matters, and not with the place",
  async () => {
    const copy = join(folder, "elsewhere", "tiny");
    cpSync(model, copy, { recursive: true });
    await using here = await openHf(model, {}, load);
    await using there = await openHf("./tiny", { base: join(folder, "elsewhere") }, load);
    expect(here.name).toBe("hf:tiny");
    expect(here.model).toMatch(/^tiny\+fp32\+sha256-[0-9a-f]{16}\+transformers-4\.\d+\.\d+$/);
    expect(there.model).toBe(here.model);
    writeFileSync(join(copy, "special_tokens_map.json"), "{}");
    await using changed = await openHf(copy, {}, load);
    expect(changed.model).not.toBe(here.model);
  },
);

withPackage("a model is found by name in the models folder", async () => {
  await using encoder = await openHf(basename(model), { models: folder, base: join(folder, "tiny") }, load);
  expect(encoder.name).toBe("hf:tiny");
});

withPackage("downloads are switched off", async () => {
  (transformers as Transformers).env.allowRemoteModels = true;
  await using _ = await openHf(model, {}, load);
  expect((transformers as Transformers).env.allowRemoteModels).toBe(false);
});

withPackage("progress, stopping and closing", async () => {
  const encoder = await openHf(model, {}, load);
  const seen: number[] = [];
  await encoder.encode(["a", "", "cat"], { onProgress: (done) => seen.push(done) });
  expect(seen).toEqual([1, 2]);
  await expect(encoder.encode(["a"], { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  await encoder.close();
  await encoder.close();
  expect(await failure(encoder.encode(["a"]))).toMatchInlineSnapshot(
    `"ENGINE_CLOSED: hf:tiny: the encoder is closed; open a new one"`,
  );
});

withPackage("a damaged model", async () => {
  const damaged = join(folder, "damaged");
  cpSync(model, damaged, { recursive: true });
  writeFileSync(join(damaged, "onnx", "model.onnx"), "not a model");
  expect(await failure(openHf(damaged, {}, load))).toMatch(
    /^ENCODER_UNAVAILABLE: hf:<folder>\/damaged: <folder>\/damaged does not load \(.+\); models are never downloaded/,
  );
});

test("a folder that is not there", async () => {
  expect(await failure(openHf("./nowhere", { base: folder }))).toMatchInlineSnapshot(
    `"ENCODER_UNAVAILABLE: hf:./nowhere: no config.json in <folder>/nowhere; models are never downloaded: put the model's folder (config.json, tokenizer.json, onnx/model.onnx) there, or choose the encoder minilm or lsa"`,
  );
  expect(await failure(openHf("org/name", { base: folder, models: join(folder, "models") }))).toMatchInlineSnapshot(
    `"ENCODER_UNAVAILABLE: hf:org/name: no config.json in <folder>/org/name or <folder>/models/org/name; models are never downloaded: put the model's folder (config.json, tokenizer.json, onnx/model.onnx) there, or choose the encoder minilm or lsa"`,
  );
});

test("a folder without the file of that precision", async () => {
  expect(await failure(openHf(model, { precision: "q8" }))).toMatchInlineSnapshot(
    `"ENCODER_UNAVAILABLE: hf:<folder>/tiny: <folder>/tiny/onnx has no model_quantized.onnx; models are never downloaded: put the model's folder (config.json, tokenizer.json, onnx/model.onnx) there, or choose the encoder minilm or lsa"`,
  );
});

test("without the package", async () => {
  const absent = () => Promise.reject(new Error("Cannot find package '@huggingface/transformers'\nand more"));
  expect(await failure(openHf(model, {}, absent))).toMatchInlineSnapshot(
    `"ENCODER_UNAVAILABLE: hf: @huggingface/transformers is not installed (Cannot find package '@huggingface/transformers'); run npm install @huggingface/transformers@4, or choose the encoder minilm or lsa, which do without"`,
  );
});

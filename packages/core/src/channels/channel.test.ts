import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import type { ItemIndex } from "../model/ids.ts";
import { decodeSafetensors, encodeSafetensors, type Tensor } from "../model/safetensors.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import type { BehaviorTransform } from "./behavior.ts";
import { fitCategories } from "./categories.ts";
import { type ChannelTransform, channelTypes, decodeTransform, encodeTransform, inputWidth } from "./channel.ts";
import { fitDate } from "./date.ts";
import { fitGeo } from "./geo.ts";
import { fitIdentity } from "./identity.ts";
import { fitNumber } from "./number.ts";
import type { SurrogateTransform } from "./surrogate.ts";
import { fitEncodedText, fitText } from "./text.ts";
import { fitVector } from "./vector.ts";

const engine = createPlainEngine();
const bed = new Bed({ runs: 100 });
const texts = ["space ship crew", "space crew", "love letter", "love letter dance", "ship dance"];
const rows = [[1, 2, 4], undefined, [3, -1, 0.1], [0, 0, 1]];

const measured = { mean: Float64Array.of(0.5, -1), scale: 1.5, length: 0.75 };
const surrogate: SurrogateTransform = {
  type: "surrogate",
  width: 4,
  inducing: 2,
  sources: [
    {
      ...measured,
      name: "__proto__",
      width: 2,
      rows: { kind: "dense", values: Float32Array.of(1, 2, 0, 0) },
      missing: Uint8Array.of(0, 1),
    },
    {
      ...measured,
      name: "genres.of\u0000",
      width: 2,
      rows: { kind: "sparse", starts: Int32Array.of(0, 2, 3), columns: Int32Array.of(0, 1, 1), value: 0.7 },
      missing: Uint8Array.of(0, 0),
    },
  ],
  logWeights: Float64Array.of(0, 0.1, -2, 3),
  logVariances: Float64Array.of(-1, -2, -3),
  beta: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8),
};

const behavior: BehaviorTransform = {
  type: "behavior",
  width: 2,
  cosines: 1,
  key: [0xffffffff, 7],
  sources: [
    { name: "__proto__", width: 2, scale: 1.5 },
    { name: "genres.of\u0000", width: 1, scale: 0 },
  ],
  coefficients: Float32Array.from({ length: 12 }, (_, i) => i / 3),
};

const transforms: Record<string, [transform: ChannelTransform, width: number]> = {
  number: [fitNumber([0.1, 0.2, undefined, 0.7]), 16],
  "number, log": [fitNumber([0, 3, 1e9], { log: true }), 16],
  "number, constant": [fitNumber([-0, 0]), 16],
  categories: [fitCategories([["Drama", "W\u0000ar", "\ud800"], ["Drama", "__proto__"], undefined]), 4],
  vector: [fitVector(engine, rows), 3],
  "vector, PCA": [fitVector(engine, rows, { pca: 2 }), 2],
  text: [fitText(engine, texts, { dimensions: 3 }), 3],
  "text, PCA": [fitText(engine, texts, { dimensions: 3, pca: 2, minDocuments: 1, bigrams: true }), 2],
  "text, external": [fitEncodedText(engine, rows, { encoder: "minilm", dimensions: 3 }), 3],
  "text, external, PCA": [fitEncodedText(engine, rows, { encoder: "minilm", dimensions: 3, pca: 1 }), 1],
  date: [fitDate([10_000, undefined, 12_000.5]), 16],
  geo: [fitGeo([{ latitude: 1, longitude: 2 }, undefined]), 3],
  identity: [fitIdentity([5, 1, 9] as ItemIndex[]), 3],
  surrogate: [surrogate, 4],
  behavior: [behavior, 2],
  "behavior, without content": [{ ...behavior, sources: [], coefficients: Float32Array.of(1, 2) }, 2],
};

/** Through the text of the JSON and the bytes of the file. */
function throughFiles(transform: ChannelTransform, prefix = ""): ChannelTransform {
  const { json, tensors } = encodeTransform(transform, prefix);
  const file = decodeSafetensors(encodeSafetensors(tensors));
  return decodeTransform(JSON.parse(JSON.stringify(json)), file.tensors, prefix);
}

test("every channel type is here", () => {
  expect(new Set(Object.values(transforms).map(([{ type }]) => type))).toEqual(new Set(channelTypes));
});

test.each(Object.entries(transforms))(
  "%s: what comes back from its files is the same, to the last bit",
  (_, [transform]) => {
    expect(throughFiles(transform)).toEqual(transform);
    expect(throughFiles(transform, "my channel.")).toEqual(transform);
  },
);

test.each(Object.entries(transforms))("%s: its input is so wide", (_, [transform, width]) => {
  expect(inputWidth(transform)).toBe(width);
  expect(inputWidth(transform, "standardised")).toBe(width === 16 ? 1 : width);
});

test("numbers of any size come back the same", () => {
  bed.check(fc.array(fc.double({ min: -1e150, max: 1e150, noNaN: true }), { minLength: 1 }), (values) => {
    const transform = fitNumber(values);
    expect(throughFiles(transform)).toEqual(transform);
  });
});

test("several channels share one file", () => {
  const entries = Object.entries(transforms).map(([name, [transform]]) => ({ name, transform }));
  const stored = entries.map(({ name, transform }) => encodeTransform(transform, `${name}.`));
  const { tensors } = decodeSafetensors(encodeSafetensors(Object.assign({}, ...stored.map((one) => one.tensors))));
  entries.forEach(({ name, transform }, i) => {
    expect(decodeTransform(stored[i].json, tensors, `${name}.`)).toEqual(transform);
  });
});

describe("a stored transform that does not fit is refused", () => {
  const change = (name: string, json: object, tensors: Record<string, Tensor | undefined> = {}) => {
    const stored = encodeTransform(transforms[name][0]);
    const kept = Object.entries({ ...stored.tensors, ...tensors }).filter(([, tensor]) => tensor !== undefined);
    return errorOf(() => decodeTransform({ ...stored.json, ...json }, new Map(kept as [string, Tensor][])));
  };
  const f32 = (...shape: number[]): Tensor => ({
    type: "F32",
    shape,
    data: new Float32Array(shape.reduce((a, b) => a * b, 1)),
  });

  test("and the error says where", () => {
    expect(errorOf(() => decodeTransform(null, new Map()))).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: is not an object",
      }
    `);
    expect(errorOf(() => decodeTransform({}, new Map(), "year."))).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform year: "type" is missing",
      }
    `);
    expect(change("number", { type: "colour" })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: the type is "colour"; known are number, categories, vector, text, date, geo, identity, surrogate, behavior",
      }
    `);
    expect(change("number", { type: "toString" })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: the type is "toString"; known are number, categories, vector, text, date, geo, identity, surrogate, behavior",
      }
    `);
    expect(change("number", { mean: null })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "mean" is not a number",
      }
    `);
    expect(change("number", { count: 0 })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "count" is not a whole number of at least 1",
      }
    `);
    expect(change("number", { log: 1 })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "log" is not true or false",
      }
    `);
    expect(change("number", { deviation: 0 })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "deviation" must be positive",
      }
    `);
    expect(change("number", { width: 0 })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "width" must be positive",
      }
    `);
    expect(change("number", {}, { centres: undefined })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: the tensor "centres" is missing",
      }
    `);
    expect(change("number", {}, { centres: f32(16) })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "centres" must be F64 [16], got F32 [16]",
      }
    `);
    expect(change("date", { years: [] })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform years: is not an object",
      }
    `);
    expect(change("categories", { terms: ["a", "b", "c", "a"] })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "terms" names a term twice",
      }
    `);
    expect(change("categories", { terms: ["a", "b"] })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "counts" must be I32 [2], got I32 [4]",
      }
    `);
    expect(change("categories", { terms: [1] })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "terms" is not a list of texts",
      }
    `);
    expect(change("vector, PCA", { width: 4 })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "pca" is of another width",
      }
    `);
    expect(change("vector, PCA", {}, { "pca.components": f32(3, 2) })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform pca: "pca.components" must be F32 [2,3], got F32 [3,2]",
      }
    `);
    expect(
      change("text, external, PCA", { encoder: { kind: "external", name: "x", dimensions: 4 } }),
    ).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "pca" is of another width than the encoder",
      }
    `);
    expect(change("text, external", { encoder: { kind: "magic" } })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform encoder: the kind is "magic"; known are lsa, external",
      }
    `);
    expect(change("text, external", { encoder: { kind: "external", dimensions: 4 } })).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform encoder: "name" is missing",
      }
    `);
    expect(
      change("identity", {}, { items: { type: "I32", shape: [2], data: Int32Array.of(3, 3) } }),
    ).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform: "items" must be ascending indices",
      }
    `);
  });

  test("a vocabulary of another tokenizer, too", () => {
    const { json, tensors } = encodeTransform(transforms.text[0]);
    const other = JSON.parse(JSON.stringify(json).replace("words-1", "words-0"));
    expect(errorOf(() => decodeTransform(other, new Map(Object.entries(tensors))))).toMatchInlineSnapshot(`
      {
        "code": "BAD_FILE",
        "message": "stored transform encoder.lsa.tfidf: the tokenizer is "words-0"; this version has "words-1"",
      }
    `);
  });
});

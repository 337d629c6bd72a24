import { expect, test } from "vitest";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyLsa } from "./lsa.ts";
import { applyPca } from "./pca.ts";
import { applyText, applyTextVector, fitEncodedText, fitText, textWidth } from "./text.ts";

const engine = createPlainEngine();
const texts = [
  "space ship crew",
  "space crew",
  "love letter",
  "love letter dance",
  "ship dance",
  undefined,
  "western",
  "!",
];

test("an LSA text channel encodes new texts by itself", () => {
  const fitted = fitText(engine, texts, { dimensions: 4 });
  expect(fitted).toMatchObject({ type: "text", encoder: { kind: "lsa" }, count: 5, missing: 3 });
  if (fitted.encoder.kind !== "lsa") throw new Error("an LSA");
  expect(applyText(fitted, "a love ship")).toEqual(applyLsa(fitted.encoder.lsa, "a love ship"));
  expect(applyText(fitted, undefined)).toBe("missing");
  expect(applyText(fitted, "western")).toBe("unknown");
});

test("with principal components of the training texts' vectors", () => {
  const fitted = fitText(engine, texts, { dimensions: 4, pca: 2 });
  if (fitted.encoder.kind !== "lsa" || !fitted.pca) throw new Error("an LSA with PCA");
  expect(fitted.pca).toMatchObject({ width: fitted.encoder.lsa.dimensions, dimensions: 2, count: 5 });
  const vector = applyLsa(fitted.encoder.lsa, "a love ship") as Float32Array;
  expect(applyText(fitted, "a love ship")).toEqual(applyPca(fitted.pca, vector));
  expect(applyTextVector(fitted, vector)).toEqual(applyPca(fitted.pca, vector));
  expect(applyText(fitted, "western")).toBe("unknown");
  expect(textWidth(fitted)).toBe(2);
});

test("an external encoder brings its vectors", () => {
  const vectors = [[1, 0, 0], undefined, [0, 1, 0], [0.5, 0.5, 0]];
  const plain = fitEncodedText(engine, vectors, { encoder: "minilm", dimensions: 3 });
  expect(plain).toEqual({
    type: "text",
    encoder: { kind: "external", name: "minilm", dimensions: 3 },
    count: 3,
    missing: 1,
  });
  expect(applyTextVector(plain, [1, 2, 3])).toEqual(Float32Array.of(1, 2, 3));
  expect(applyTextVector(plain, undefined)).toBeUndefined();
  const reduced = fitEncodedText(engine, vectors, { encoder: "minilm", dimensions: 3, pca: 64 });
  expect(textWidth(reduced)).toBe(1); // all on one line
});

test("errors", () => {
  const fitted = fitEncodedText(engine, [[1, 2]], { encoder: "minilm", dimensions: 2 });
  expect(errorOf(() => applyText(fitted, "love"))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "applyText: the encoder "minilm" runs elsewhere; give its vector to applyTextVector",
    }
  `);
  expect(errorOf(() => applyTextVector(fitted, [1]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "expected a vector of 2 numbers, got 1",
    }
  `);
  expect(errorOf(() => applyTextVector(fitted, [1, Infinity]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "expected a vector of finite 32-bit floats, got Infinity at 1",
    }
  `);
  expect(errorOf(() => fitEncodedText(engine, [[1]], { encoder: "minilm", dimensions: 2 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_VALUE",
      "message": "training item 0: expected a vector of 2 numbers, got 1",
    }
  `);
});

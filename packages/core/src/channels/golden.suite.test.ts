// What independent Python computed (reference/channels.py), here.
import { describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/channels.json";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { parseDate } from "./date.ts";
import { applyGeo, cosDegrees, fitGeo, sinDegrees } from "./geo.ts";
import { applyLsa, fitLsa } from "./lsa.ts";
import { applyNumber, fitNumber } from "./number.ts";
import { applyPca, fitPca } from "./pca.ts";
import { applyTfidf, fitTfidf } from "./tfidf.ts";
import { tokenize } from "./tokens.ts";

interface Rows {
  shape: number[];
  data: number[];
}

/** Numbers that came out, and how far off they may be, relative to the largest expected one; 0 is for texts and counts as well. */
type Outputs = Record<string, [value: unknown, tolerance: number]>;

// What F32 rounding leaves; sums of a few hundred float64 terms.
const SINGLE = 2 ** -23;
const DOUBLE = 1e-13;

const texts = (list: (string | null)[]) => list.map((text) => text ?? undefined);
const rowsOf = ({ shape: [n, d], data }: Rows) => Array.from({ length: n }, (_, i) => data.slice(i * d, (i + 1) * d));
const dense = (length: number, indices: Int32Array, values: Float64Array) => {
  const row = new Array<number>(length).fill(0);
  indices.forEach((j, i) => {
    row[j] = values[i];
  });
  return row;
};

// biome-ignore lint/suspicious/noExplicitAny: inputs differ from operation to operation
type Inputs = any;

const operations: Record<string, (inputs: Inputs, engine: Engine) => Outputs> = {
  number({ values, queries, log }) {
    const fitted = fitNumber(
      values.map((x: number | null) => x ?? undefined),
      { log },
    );
    const apply = (mode: "standardised" | "bins") =>
      queries.flatMap((x: number) => Array.from(applyNumber(fitted, x, { mode }) ?? []));
    return {
      mean: [fitted.mean, DOUBLE],
      deviation: [fitted.deviation, DOUBLE],
      min: [fitted.min, DOUBLE],
      max: [fitted.max, DOUBLE],
      missing: [fitted.missing, 0],
      centres: [fitted.centres, DOUBLE],
      width: [fitted.width, DOUBLE],
      standardised: [apply("standardised"), SINGLE],
      bins: [apply("bins"), SINGLE],
    };
  },

  date: (inputs) => ({ days: [inputs.texts.map((text: string) => parseDate(text)), 2 ** -53] }),

  geo({ places }) {
    const list = rowsOf(places).map(([latitude, longitude]) => ({ latitude, longitude }));
    const points = list.flatMap((place) => Array.from(applyGeo(fitGeo(list), place) ?? []));
    const exact = list.flatMap(({ latitude, longitude }) => [
      cosDegrees(latitude) * cosDegrees(longitude),
      cosDegrees(latitude) * sinDegrees(longitude),
      sinDegrees(latitude),
    ]);
    expect(points).toEqual(exact.map((x) => Math.fround(x) + 0));
    return { points: [exact, 4e-16] };
  },

  pca({ rows, dimensions, queries }, engine) {
    const fitted = fitPca(engine, Float32Array.from(rows.data), { width: rows.shape[1], dimensions });
    return {
      dimensions: [fitted.dimensions, 0],
      mean: [fitted.mean, SINGLE],
      components: [fitted.components, SINGLE],
      variances: [fitted.variances, DOUBLE],
      totalVariance: [fitted.totalVariance, DOUBLE],
      projections: [rowsOf(queries).flatMap((x) => Array.from(applyPca(fitted, x))), 8 * SINGLE],
    };
  },

  tokens: ({ texts, bigrams }) => ({ tokens: [texts.map((text: string) => tokenize(text, { bigrams })), 0] }),

  tfidf({ queries, ...inputs }) {
    const fitted = fitTfidf(texts(inputs.texts), {
      minDocuments: inputs.minDocuments,
      maxTerms: inputs.maxTerms,
      bigrams: inputs.bigrams,
    });
    const rows = queries.flatMap((text: string) => {
      const row = applyTfidf(fitted, text);
      const none = { indices: new Int32Array(0), values: new Float64Array(0) };
      const { indices, values } = typeof row === "string" ? none : row;
      return dense(fitted.terms.length, indices, values);
    });
    return {
      documents: [fitted.documents, 0],
      terms: [fitted.terms, 0],
      frequencies: [Array.from(fitted.frequencies), 0],
      idf: [fitted.idf, DOUBLE],
      rows: [rows, DOUBLE],
    };
  },

  lsa({ dimensions, queries, ...inputs }, engine) {
    const fitted = fitLsa(engine, texts(inputs.texts), { dimensions, iterations: 30 });
    const vectors = queries.flatMap((text: string) => Array.from(applyLsa(fitted, text) as Float32Array));
    return {
      dimensions: [fitted.dimensions, 0],
      singularValues: [fitted.singularValues, SINGLE], // the rows were rounded to float32
      components: [fitted.components, 100 * SINGLE], // and a vector turns by that over its gap to the next
      vectors: [vectors, 100 * SINGLE],
    };
  },
};

describe.each(["plain", "wasm"] as const)("%s", (kind) => {
  test.each(golden.cases)("$op $name", async ({ op, inputs, outputs }) => {
    const engine = await createEngine({ engine: kind, workers: 1 });
    try {
      const computed = operations[op](inputs, engine);
      expect(Object.keys(computed).sort()).toEqual(Object.keys(outputs).sort());
      for (const [name, expected] of Object.entries(outputs)) {
        const [value, tolerance] = computed[name];
        if (tolerance === 0) expect(value, name).toEqual(expected);
        else expectNear(name, numbersOf(value), numbersOf(expected), tolerance);
      }
    } finally {
      await engine.close();
    }
  });
});

function numbersOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return Array.from(Array.isArray(value) || ArrayBuffer.isView(value) ? (value as number[]) : (value as Rows).data);
}

function expectNear(name: string, values: number[], expected: number[], tolerance: number): void {
  expect(values.length, name).toBe(expected.length);
  const largest = expected.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
  const worst = values.reduce((top, x, i) => Math.max(top, Math.abs(x - expected[i])), 0);
  expect(worst, name).toBeLessThanOrEqual(tolerance * largest);
  expect(values.some(Number.isNaN), name).toBe(false);
}

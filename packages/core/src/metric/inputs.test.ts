// From stored values to inputs: in bulk as one by one, scaled by what the training items have, and the same for a draft.
import { describe, expect, test } from "vitest";
import { applyCategories, fitCategories } from "../channels/categories.ts";
import type { ChannelTransform } from "../channels/channel.ts";
import { applyDate, fitDate } from "../channels/date.ts";
import { applyGeo, fitGeo } from "../channels/geo.ts";
import { fitIdentity } from "../channels/identity.ts";
import { applyNumber, fitNumber, type NumberMode } from "../channels/number.ts";
import { applyTextVector, fitEncodedText, fitText } from "../channels/text.ts";
import { applyVector, fitVector } from "../channels/vector.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import type { ItemIndex } from "../model/ids.ts";
import type { Tensor } from "../model/safetensors.ts";
import { errorOf, expectWithin, largest } from "../testing/bounds.ts";
import { type DraftValue, draftInput } from "./draft.ts";
import { embed } from "./embed.ts";
import { type ChannelInput, isContent } from "./ensemble.ts";
import { channelInput } from "./inputs.ts";
import { makeWorld } from "./testing/world.ts";

const engine: Engine = createPlainEngine();
const N = 40;
const TRAINING = Int32Array.from({ length: 30 }, (_, i) => (7 * i) % N); // in no order
const FLAGS = Uint8Array.from({ length: N }, (_, i) => (TRAINING.includes(i) ? 1 : 0));
const random = new Random(12);
const missing = Uint8Array.from({ length: N }, (_, i) => (i % 6 === 4 ? 1 : 0));
const present = (i: number) => missing[i] === 0;
const training = <T>(values: readonly T[]) => Array.from(TRAINING, (i) => (present(i) ? values[i] : undefined));

const f64 = (data: Float64Array): Tensor => ({ type: "F64", shape: [data.length], data });
const i32 = (data: Int32Array): Tensor => ({ type: "I32", shape: [data.length], data });
const absent: Tensor = { type: "U8", shape: [N], data: missing };
const vectorsTensor = (rows: readonly ArrayLike<number>[], width: number): Tensor => {
  const data = new Float32Array(N * width);
  rows.forEach((row, i) => {
    data.set(present(i) ? row : new Float32Array(width).fill(Number.NaN), i * width); // what is missing may hold anything
  });
  return { type: "F32", shape: [N, width], data };
};

/** A transform, its tensors, and what it makes of one item's value. */
interface Case {
  transform: ChannelTransform;
  tensors: Record<string, Tensor>;
  apply(item: number, mode: NumberMode): DraftValue;
}

const numbers = Array.from({ length: N }, () => Math.round(1950 + 70 * random.uniform()));
const days = Array.from({ length: N }, () => 20_000 * random.uniform());
const places = Array.from({ length: N }, () => ({
  latitude: 180 * random.uniform() - 90,
  longitude: 360 * random.uniform() - 180,
}));
const wide = Array.from({ length: N }, () => Float32Array.from({ length: 9 }, () => 3 + random.normal()));
const terms = Array.from({ length: N }, (_, i) =>
  ["a", "b", "c", "d", "e"].filter(() => random.uniform() < 0.5 && i !== 3),
);

const values = (list: readonly number[]) => f64(Float64Array.from(list, (x, i) => (present(i) ? x : Number.NaN)));
const number = fitNumber(training(numbers));
const date = fitDate(training(days));
const geo = fitGeo(training(places));
const vector = fitVector(engine, training(wide));
const reduced = fitVector(engine, training(wide), { pca: 4 });
const text = fitEncodedText(engine, training(wide), { encoder: "some", dimensions: 9, pca: 6 });
const categories = fitCategories(training(terms), { maxTerms: 4 });
const rows = terms.map(
  (list, i) => applyCategories(categories, present(i) ? list : undefined)?.indices ?? new Int32Array(0),
);

const CASES: Record<string, Case> = {
  number: {
    transform: number,
    tensors: { values: values(numbers) },
    apply: (i, mode) => applyNumber(number, numbers[i], { mode }),
  },
  date: { transform: date, tensors: { values: values(days) }, apply: (i, mode) => applyDate(date, days[i], { mode }) },
  geo: {
    transform: geo,
    tensors: {
      vectors: vectorsTensor(
        places.map((place) => applyGeo(geo, place) ?? []),
        3,
      ),
    },
    apply: (i) => applyGeo(geo, places[i]),
  },
  vector: {
    transform: vector,
    tensors: { vectors: vectorsTensor(wide, 9) },
    apply: (i) => applyVector(vector, wide[i]),
  },
  "vector with PCA": {
    transform: reduced,
    tensors: { vectors: vectorsTensor(wide, 9) },
    apply: (i) => applyVector(reduced, wide[i]),
  },
  "text with PCA": {
    transform: text,
    tensors: { vectors: vectorsTensor(wide, 9) },
    apply: (i) => applyTextVector(text, wide[i]),
  },
  categories: {
    transform: categories,
    tensors: {
      starts: i32(
        Int32Array.from({ length: N + 1 }, (_, i) => rows.slice(0, i).reduce((sum, row) => sum + row.length, 0)),
      ),
      indices: i32(Int32Array.from(rows.flatMap((row) => Array.from(row)))),
    },
    apply: (i) => applyCategories(categories, terms[i]),
  },
};

/** Row i of an input, dense. */
function rowOf(input: ChannelInput, i: number): number[] {
  if (!isContent(input)) throw new Error("only content has rows");
  if (input.kind === "dense") return Array.from({ length: input.values.cols }, (_, j) => input.values.get(i, j));
  const row = new Array<number>(input.width).fill(0);
  for (let e = input.starts[i]; e < input.starts[i + 1]; e++) row[input.columns[e]] += input.value;
  return row;
}

const squareNorm = (row: readonly number[]) => row.reduce((sum, x) => sum + x * x, 0);

describe.each(Object.keys(CASES))("%s", (name) => {
  const { transform, tensors: own, apply } = CASES[name];
  const tensors = new Map(Object.entries({ ...own, missing: absent }));

  test.each(["bins", "standardised"] as const)(
    "without scaling: what the transform makes of each value, %s",
    (numberMode) => {
      const { input, scale } = channelInput(engine, transform, tensors, { numberMode, scaling: "none", fitOn: FLAGS });
      expect(scale).toBe(1);
      if (input.kind === "identity") throw new Error("not identity");
      expect(input.missing).toEqual(missing);
      for (let i = 0; i < N; i++) {
        const value = apply(i, numberMode);
        const expected = !present(i)
          ? rowOf(input, i).map(() => 0)
          : value instanceof Float32Array
            ? Array.from(value)
            : undefined;
        if (expected) expect(rowOf(input, i)).toEqual(expected);
        else if (value && "indices" in value) {
          expect(rowOf(input, i)).toEqual(categories.terms.map((_, j) => (value.indices.includes(j) ? 1 : 0)));
        }
      }
    },
  );

  test("scaled: the mean square norm over the training items with a value is 1, others do not count", () => {
    const options = { numberMode: "bins", scaling: "norm" } as const;
    const { input, scale } = channelInput(engine, transform, tensors, { ...options, fitOn: TRAINING });
    const plain = channelInput(engine, transform, tensors, {
      numberMode: "bins",
      scaling: "none",
      fitOn: TRAINING,
    }).input;
    const used = Array.from(TRAINING).filter(present);
    const mean = (of: ChannelInput) => used.reduce((sum, i) => sum + squareNorm(rowOf(of, i)), 0) / used.length;
    expect(mean(input)).toBeCloseTo(1, 6);
    expect(scale).toBeCloseTo(1 / Math.sqrt(mean(plain)), 12);
    expect(channelInput(engine, transform, tensors, { ...options, fitOn: FLAGS })).toEqual({ input, scale });
    // given, it is used as it is
    const given = channelInput(engine, transform, tensors, { ...options, fitOn: new Int32Array(0), scale });
    expect(given).toEqual({ input, scale });
  });

  test("a draft with an item's value gets the item's numbers, to the bit", () => {
    for (const numberMode of ["bins", "standardised"] as const) {
      const { input, scale } = channelInput(engine, transform, tensors, { numberMode, scaling: "norm", fitOn: FLAGS });
      for (let i = 0; i < N; i++) {
        const draft = draftInput(transform, present(i) ? apply(i, numberMode) : undefined, { scale, numberMode });
        if (draft.kind === "identity") throw new Error("not identity");
        expect(draft.missing).toEqual(missing.slice(i, i + 1));
        expect(rowOf(draft, 0)).toEqual(rowOf(input, i));
      }
    }
  });
});

test("PCA in bulk is applyPca, on every engine, whatever the number of items", async () => {
  const [n, d, k] = [1500, 100, 30]; // more than a block
  const vectors = Float32Array.from({ length: n * d }, () => 2 + random.normal());
  const list = Array.from({ length: n }, (_, i) => vectors.subarray(i * d, (i + 1) * d));
  const transform = fitVector(engine, list.slice(0, 200), { pca: k });
  const all = (count: number) =>
    new Map<string, Tensor>([
      ["vectors", { type: "F32", shape: [count, d], data: vectors.subarray(0, count * d) }],
      ["missing", { type: "U8", shape: [count], data: new Uint8Array(count) }],
    ]);
  const options = { numberMode: "bins", scaling: "none", fitOn: new Int32Array(0) } as const;
  for (const kind of ["plain", "wasm", "wasm-relaxed"] as const) {
    await using own = await createEngine({ engine: kind, workers: 2 });
    const { input } = channelInput(own, transform, all(n), options);
    const alone = channelInput(own, transform, all(1), options).input;
    for (const i of [0, 1, 700, 1023, 1024, 1499]) {
      const expected = applyVector(transform, list[i]) ?? new Float32Array(0);
      expectWithin(kind, rowOf(input, i), expected, 2 ** -23 * largest(expected)); // a rounding to float32 that falls the other way
    }
    expectWithin(kind, rowOf(alone, 0), rowOf(input, 0), 2 ** -23 * largest(rowOf(input, 0)));
  }
});

test("a text without PCA, and the built-in encoder", () => {
  const texts = ["a war film", "war and love", "a love story", "space war", "love in space", "a story of space"];
  const transform = fitText(engine, texts, { dimensions: 3 });
  if (transform.encoder.kind !== "lsa") throw new Error("lsa");
  const width = transform.encoder.lsa.dimensions;
  const data = Float32Array.from({ length: 2 * width }, (_, i) => i + 1);
  const tensors = new Map<string, Tensor>([
    ["vectors", { type: "F32", shape: [2, width], data }],
    ["missing", { type: "U8", shape: [2], data: Uint8Array.of(0, 1) }],
  ]);
  const { input } = channelInput(engine, transform, tensors, {
    numberMode: "bins",
    scaling: "none",
    fitOn: Int32Array.of(0),
  });
  expect(rowOf(input, 0)).toEqual(Array.from(data.subarray(0, width)));
  expect(rowOf(input, 1)).toEqual(new Array(width).fill(0));
});

test("identity: training items have rows of the table in order, all others are cold", () => {
  const transform = fitIdentity([7, 2, 5] as ItemIndex[]);
  const options = { numberMode: "bins", scaling: "norm", fitOn: Int32Array.of(2, 5, 7) } as const;
  const { input, scale } = channelInput(engine, transform, new Map(), { ...options, itemCount: 9 });
  expect(scale).toBe(1);
  expect(input).toEqual({
    kind: "identity",
    cold: Uint8Array.of(1, 1, 0, 1, 1, 0, 1, 0, 1),
    rows: Int32Array.of(0, 0, 0, 0, 0, 1, 0, 2, 0),
  });
  expect(channelInput(engine, transform, new Map(), { ...options, fitOn: new Uint8Array(9) }).input).toEqual(input);
  expect(draftInput(transform, undefined, { scale, numberMode: "bins" })).toEqual({
    kind: "identity",
    cold: Uint8Array.of(1),
  });
  expect(errorOf(() => channelInput(engine, transform, new Map(), options))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "channelInput: identity needs itemCount",
    }
  `);
});

test("a constant column stays as it is: nothing could scale it", () => {
  const transform = fitNumber([5, 5, 5]);
  const tensors = new Map([
    ["values", f64(Float64Array.of(5, 5))],
    ["missing", { type: "U8", shape: [2], data: new Uint8Array(2) } as Tensor],
  ]);
  const { input, scale } = channelInput(engine, transform, tensors, {
    numberMode: "bins",
    scaling: "norm",
    fitOn: Uint8Array.of(1, 1),
  });
  expect([scale, squareNorm(rowOf(input, 0))]).toEqual([1, 0]);
});

test("a draft is embedded as its item of the catalogue, to the bit", () => {
  const scope = engine.scope();
  const names = ["number", "categories", "text with PCA"];
  const inputs = names.map((name) => {
    const tensors = new Map(Object.entries({ ...CASES[name].tensors, missing: absent }));
    return channelInput(engine, CASES[name].transform, tensors, { numberMode: "bins", scaling: "norm", fitOn: FLAGS });
  });
  const channels = inputs.map(({ input }, c) => {
    if (input.kind === "identity") throw new Error("not identity");
    return {
      name: names[c],
      input: input.kind,
      inputWidth: input.kind === "dense" ? input.values.cols : input.width,
      embeddingSize: 3,
    };
  });
  const world = makeWorld(engine, scope, { precision: "f32", config: { channels } });
  const all = embed(
    engine,
    scope,
    { ...world, inputs: { itemCount: N, channels: inputs.map(({ input }) => input) } },
    TRAINING,
  );
  TRAINING.forEach((item, i) => {
    const draft = names.map((name, c) => {
      const value = present(item) ? CASES[name].apply(item, "bins") : undefined;
      return draftInput(CASES[name].transform, value, { scale: inputs[c].scale, numberMode: "bins" });
    });
    const one = embed(engine, scope, { ...world, inputs: { itemCount: 1, channels: draft } }, Int32Array.of(0));
    expect(one.Z.read()).toEqual(all.Z.view(i, i + 1).read());
    expect(one.masked).toEqual(all.masked.slice(3 * i, 3 * i + 3));
  });
});

test("mistakes are named", () => {
  const options = { numberMode: "bins", scaling: "norm", fitOn: FLAGS } as const;
  const tensors = new Map(Object.entries({ ...CASES.vector.tensors, missing: absent }));
  const without = (name: string) => new Map([...tensors].filter(([key]) => key !== name));
  expect(errorOf(() => channelInput(engine, vector, without("vectors"), options))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "channelInput: the tensor "vectors" must be F32, got nothing",
    }
  `);
  expect(
    errorOf(() => channelInput(engine, number, new Map([...tensors, ["values", absent]]), options)),
  ).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "channelInput: the tensor "values" must be F64, got U8",
    }
  `);
  expect(errorOf(() => channelInput(engine, geo, tensors, options))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "channelInput: "vectors" must hold 120 numbers, got 360",
    }
  `);
  const nobody = { ...options, fitOn: Int32Array.of(4, 10) }; // both missing
  expect(errorOf(() => channelInput(engine, vector, tensors, nobody))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "channelInput: none of the training items has a value; leave the channel out",
    }
  `);
  const draft = { scale: 1, numberMode: "bins" } as const;
  expect(errorOf(() => draftInput(number, new Float32Array(1), draft))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "draftInput: a number channel takes 16 numbers, got 1",
    }
  `);
  expect(errorOf(() => draftInput(number, applyCategories(categories, ["a"]), draft))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "draftInput: a number channel takes 16 numbers, got the row of a list of terms",
    }
  `);
  expect(errorOf(() => draftInput(categories, new Float32Array(4), draft))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "draftInput: a categories channel takes the row of a list of terms, got numbers",
    }
  `);
});

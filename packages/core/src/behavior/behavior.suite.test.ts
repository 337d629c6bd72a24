import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/behavior.json";
import type { BehaviorTransform } from "../channels/behavior.ts";
import { decodeTransform, encodeTransform } from "../channels/channel.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import type { ContentInput } from "../metric/source-space.ts";
import { type BehaviorSettings, behaviorFactors, behaviorMatrix } from "./factors.ts";
import { FoldIn } from "./fold-in.ts";
import { applyForesight, countUsers, Foresight } from "./foresight.ts";

interface Numbers {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

/** Histories as lists. */
function metItems(histories: readonly (readonly number[])[]) {
  const starts = [0];
  for (const items of histories) starts.push(starts[starts.length - 1] + items.length);
  return { starts, items: histories.flat() };
}

/** V·Vᵀ */
function products(vectors: ArrayLike<number>, n: number, k: number): number[] {
  const dot = (i: number, j: number) => {
    let sum = 0;
    for (let c = 0; c < k; c++) sum += vectors[i * k + c] * vectors[j * k + c];
    return sum;
  };
  return Array.from({ length: n * n }, (_, at) => dot(Math.floor(at / n), at % n));
}

function dense({ shape, data }: Numbers, missing: readonly number[]): ContentInput {
  const values = hostMatrix(Float32Array.from(data), shape[0], shape[1]);
  return { kind: "dense", values, missing: Uint8Array.from(missing) };
}

const named = (op: string) => golden.cases.filter((one) => one.op === op).map((one) => [one.name, one] as const);
const histories = fc.array(fc.array(fc.nat(5), { maxLength: 14 }), { minLength: 1, maxLength: 8 });

describe.each(["plain", "wasm"] as const)("on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 1 });
  });
  afterAll(() => engine.close());

  test.each(named("factors"))("factors are those of the definition: %s", (_, { inputs, outputs }) => {
    const { itemCount, items, rank, settings } = inputs as unknown as {
      itemCount: number;
      items: number[][];
      rank: number;
      settings: BehaviorSettings;
    };
    const random = new Random(1);
    const found = behaviorFactors(engine, metItems(items), { itemCount, rank, random, ...settings });
    expect(found.rank).toBe(rank);
    const { data } = (outputs as unknown as { products: Numbers }).products;
    const largest = Math.max(...data.map(Math.abs));
    products(found.vectors, itemCount, rank).forEach((product, at) => {
      expect(Math.abs(product - data[at])).toBeLessThan(2e-6 * largest);
    });
  });

  test.each(named("foldIn"))("factors follow later events by the definition: %s", (_, { inputs, outputs }) => {
    const { itemCount, items, rank, settings, prior, later } = inputs as unknown as {
      itemCount: number;
      items: number[][];
      rank: number;
      settings: Required<BehaviorSettings>;
      prior: number;
      later: number[][];
    };
    const found = behaviorFactors(engine, metItems(items), { itemCount, rank, random: new Random(1), ...settings });
    const trained = (row: number) => found.vectors.subarray(row * rank, (row + 1) * rank);
    const foreseen = Float32Array.from(trained(0), (x, j) => 0.5 * x + 0.25 * trained(1)[j]);
    const foldIn = new FoldIn<number>(
      {
        ...settings,
        prior,
        shrinkage: settings.shrinkage * found.perEvent,
        squares: found.squares,
        evidence: Float32Array.from(found.evidence),
      },
      { rowOf: (item) => (item < itemCount ? item : undefined), vectors: trained },
    );
    for (const met of later) {
      for (const [i, item] of met.entries()) foldIn.add(item, met.slice(0, i));
    }
    const { products, people } = outputs as unknown as { products: Numbers; people: number[] };
    const largest = Math.max(...products.data.map(Math.abs));
    for (let item = 0; item <= itemCount; item++) {
      const after = foldIn.factors(item, item < itemCount - 1 ? trained(item) : foreseen);
      expect(foldIn.of(item)?.people ?? 0).toBe(people[item]);
      for (let other = 0; other < itemCount; other++) {
        const product = after.reduce((sum, x, j) => sum + x * trained(other)[j], 0);
        expect(Math.abs(product - products.data[item * itemCount + other])).toBeLessThan(1e-5 * largest);
      }
    }
  });

  test("with all factors, a new item's product with a known one is that of their common later users", () => {
    const random = new Random(5);
    const n = 5;
    const items = Array.from({ length: 30 }, () => [0, 1, 2, 3, 4].filter(() => random.uniform() < 0.5));
    const settings = { userLengthExponent: 0, sessionWeight: 0, session: 10, shrinkage: 4, normExponent: 0.5 };
    const found = behaviorFactors(engine, metItems(items), { itemCount: n, rank: n, random, ...settings });
    const trained = (row: number) => found.vectors.subarray(row * n, (row + 1) * n);
    const shrinkage = settings.shrinkage * found.perEvent;
    const foldIn = new FoldIn<number>(
      { ...settings, shrinkage, prior: 1e-12, squares: found.squares, evidence: Float32Array.from(found.evidence) },
      { rowOf: (item) => (item < n ? item : undefined), vectors: trained },
    );
    const later = [[0, 2], [0], [1, 2, 4], [0, 3]];
    for (const met of later) foldIn.add(n, met);
    const after = foldIn.factors(n, new Float32Array(n));
    for (let other = 0; other < n; other++) {
      const common = later.filter((met) => met.includes(other)).length;
      const expected = common / Math.sqrt((later.length + shrinkage) * (found.evidence[other] + shrinkage));
      expect(after.reduce((sum, x, j) => sum + x * trained(other)[j], 0)).toBeCloseTo(expected, 5);
    }
  });

  test.each(named("foresight"))("what is foreseen is the ridge regression: %s", (_, { inputs, outputs }) => {
    const given = inputs as unknown as {
      met: number[];
      channels: Numbers[];
      missing: number[][];
      vectors: Numbers;
      ridge: number;
    };
    const channels = given.channels.map((channel, c) => dense(channel, given.missing[c]));
    const { met, ridge } = given;
    using scope = engine.scope();
    const foresight = new Foresight(engine, scope, channels, { met, ridge, cosines: 0, random: new Random(1) });
    const means = foresight.means(Float32Array.from(given.vectors.data));
    expect(foresight.features).toBe(1 + given.channels.reduce((sum, { shape }) => sum + shape[1], 0));
    const { data } = (outputs as unknown as { means: Numbers }).means;
    means.forEach((mean, at) => {
      expect(Math.abs(mean - data[at])).toBeLessThan(1e-6);
    });
  });

  test("what is stored of the regression foresees the same, to the bit, alone and among others", () => {
    const n = 40;
    const random = new Random(7);
    const numbers = (count: number) => Array.from({ length: count }, () => random.normal());
    const channels = [
      dense(
        { shape: [n, 3], data: numbers(3 * n) },
        numbers(n).map((x) => (x > 1 ? 1 : 0)),
      ),
    ];
    channels.push(dense({ shape: [n, 2], data: numbers(2 * n) }, new Array(n).fill(0)));
    const vectors = Float32Array.from(numbers(4 * n));
    const met = numbers(n).map((x) => (x > 0 ? 5 : 0));
    using scope = engine.scope();
    const foresight = new Foresight(engine, scope, channels, { met, cosines: 30, random: new Random(1).split("x") });
    const means = foresight.means(vectors);
    const transform = foresight.transform(vectors, ["a", "b"]);
    const { json, tensors } = encodeTransform(transform, "behavior.");
    const decoded = decodeTransform(json, new Map(Object.entries(tensors)), "behavior.") as BehaviorTransform;
    expect(decoded).toEqual(transform);
    const inputs = new Map(channels.map((channel, c) => ["ab"[c], channel]));
    const found = applyForesight(engine, decoded, { inputs, count: n });
    expect(found.flatMap((own) => Array.from(own ?? []))).toEqual(Array.from(means));
    const alone = new Map(
      channels.map((channel, c) => {
        const { values, missing } = channel as ContentInput & { kind: "dense" };
        return ["ab"[c], dense({ shape: [1, values.cols], data: Array.from(values.view(5, 6).read()) }, [missing[5]])];
      }),
    );
    expect(applyForesight(engine, decoded, { inputs: alone, count: 1 })[0]).toEqual(means.slice(20, 24));
  });

  test("cosines of projections lift the regression above lines, and an item without values gets the mean alone", () => {
    const n = 60;
    const x = Array.from({ length: n }, (_, i) => (i - 30) / 10);
    const missing = x.map((_, i) => (i === 7 ? 1 : 0));
    const vectors = Float32Array.from(x, (value) => Math.cos(2 * value));
    const met = x.map((_, i) => (i % 3 === 0 ? 0 : 4));
    const error = (cosines: number) => {
      const input = dense({ shape: [n, 1], data: x }, missing);
      const options = { met, ridge: 1e-3, cosines, random: new Random(1) };
      using scope = engine.scope();
      const means = new Foresight(engine, scope, [input], options).means(vectors);
      const others = x.flatMap((_, i) => (met[i] === 0 && missing[i] === 0 ? [(means[i] - vectors[i]) ** 2] : []));
      return others.reduce((sum, square) => sum + square, 0) / others.length;
    };
    expect(error(200)).toBeLessThan(0.2 * error(0));
  });

  test("items that nobody met have zeros", () => {
    const items = metItems([
      [0, 2, 5],
      [2, 5, 7],
      [0, 7],
      [5, 0, 2],
    ]);
    const { vectors, rank } = behaviorFactors(engine, items, { itemCount: 9, rank: 6, random: new Random(1) });
    for (const item of [1, 3, 4, 6, 8]) {
      expect(Array.from(vectors.subarray(item * rank, (item + 1) * rank))).toEqual(new Array(rank).fill(0));
    }
  });

  test("nobody met anything: no factors; and nothing can be foreseen", () => {
    const none = behaviorFactors(engine, metItems([[], []]), { itemCount: 3, random: new Random(1) });
    expect(none).toMatchObject({ rank: 0, vectors: new Float32Array(0) });
    const input = dense({ shape: [3, 1], data: [1, 2, 3] }, [0, 0, 0]);
    const options = { met: [0, 0, 0], random: new Random(1) };
    using scope = engine.scope();
    expect(() => new Foresight(engine, scope, [input], options)).toThrow(/nobody met any/);
  });
});

describe("the matrix of behavior", () => {
  test("has a row for each user and each session that met something, an item once in each", () => {
    const { rows, starts, columns, rowScale } = behaviorMatrix(metItems([[0, 1, 0, 2], [], [1]]), 4, {
      session: 2,
      sessionWeight: 0.5,
      userLengthExponent: 0.5,
    });
    const lines = Array.from({ length: rows }, (_, r) => Array.from(columns.slice(starts[r], starts[r + 1])));
    expect(lines).toEqual([[0, 1, 2], [1], [0, 1], [0, 2], [1]]);
    const expected = [1 / Math.sqrt(3), 1, 0.5 / Math.SQRT2, 0.5 / Math.SQRT2, 0.5];
    rowScale.forEach((scale, r) => {
      expect(scale).toBeCloseTo(expected[r], 14);
    });
  });

  test("of the sums of squares of its columns, none is above 1 if they are cosines", () => {
    fc.assert(
      fc.property(histories, fc.constantFrom(0, 1, 30), (lists, shrinkage) => {
        const matrix = behaviorMatrix(metItems(lists), 6, { shrinkage, normExponent: 0.5, session: 3 });
        const squares = new Float64Array(6);
        for (let r = 0; r < matrix.rows; r++) {
          for (let e = matrix.starts[r]; e < matrix.starts[r + 1]; e++) {
            const item = matrix.columns[e];
            squares[item] += (matrix.rowScale[r] * matrix.columnScale[item]) ** 2;
          }
        }
        const met = new Set(lists.flat());
        squares.forEach((square, item) => {
          if (!met.has(item)) expect(square).toBe(0);
          else if (shrinkage === 0) expect(square).toBeCloseTo(1, 12);
          else expect(square).toBeLessThan(1);
        });
      }),
      { seed: 1 },
    );
  });

  test("does not depend on the order of users", () => {
    const lists = [
      [0, 1, 2],
      [2, 3],
      [1, 0, 3, 4],
    ];
    const there = behaviorMatrix(metItems(lists), 5);
    const back = behaviorMatrix(metItems(lists.toReversed()), 5);
    there.columnScale.forEach((scale, item) => {
      expect(back.columnScale[item]).toBeCloseTo(scale, 14);
    });
  });

  test.each([
    [{ userLengthExponent: -1 }, /userLengthExponent must be at least 0, got -1/],
    [{ session: 0 }, /session must be at least 1, got 0/],
    [{ shrinkage: Number.NaN }, /shrinkage must be at least 0, got NaN/],
    [{ normExponent: Number.POSITIVE_INFINITY }, /normExponent must be at least 0, got Infinity/],
  ])("refuses %o", (settings, problem) => {
    expect(() => behaviorMatrix(metItems([[0]]), 1, settings)).toThrow(problem);
  });

  test("refuses items outside the catalogue", () => {
    expect(() => behaviorMatrix(metItems([[0, 3]]), 3)).toThrow(/item 3 is outside \[0, 3\)/);
  });
});

test("users are counted once for each item", () => {
  expect(Array.from(countUsers(metItems([[0, 0, 2], [2], []]), 4))).toEqual([1, 0, 2, 0]);
});

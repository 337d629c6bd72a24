import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { applySurrogate } from "./apply-surrogate.ts";
import { draftInput } from "./draft.ts";
import type { ChannelInput } from "./ensemble.ts";
import { type ContentInput, distanceTable, measureSource, placeItems } from "./source-space.ts";
import {
  expectSurrogate,
  fitSurrogate,
  initialSurrogate,
  type NamedSource,
  type Surrogate,
  type SurrogateTargets,
  selectSurrogateInducing,
} from "./surrogate.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const [N, MET, K] = [120, 90, 3]; // items, those with targets, columns of targets

/** Two channels, some values missing, one item with none; targets follow the first channel but for noise. */
function world(seed = 2) {
  const random = new Random(seed);
  const x = Float32Array.from({ length: 2 * N }, () => random.normal());
  const tags = Array.from({ length: N }, () => [0, 1, 2, 3, 4].filter(() => random.uniform() < 0.4));
  const lookMissing = Uint8Array.from({ length: N }, (_, i) => (i % 11 === 5 || i === N - 1 ? 1 : 0));
  const tagsMissing = Uint8Array.from({ length: N }, (_, i) => (i % 13 === 4 || i === N - 1 ? 1 : 0));
  const starts = new Int32Array(N + 1);
  tags.forEach((list, i) => {
    starts[i + 1] = starts[i] + list.length;
  });
  const inputs: [string, ContentInput][] = [
    ["look", { kind: "dense", values: hostMatrix(x, N, 2), missing: lookMissing }],
    [
      "tags",
      { kind: "sparse", width: 5, starts, columns: Int32Array.from(tags.flat()), value: 0.5, missing: tagsMissing },
    ],
  ];
  const items = Int32Array.from({ length: MET }, (_, i) => i);
  const sources: NamedSource[] = inputs.map(([name, input]) => ({
    name,
    input,
    ...measureSource(input, items, { name, random: random.split(name) }),
  }));
  const values = new Float64Array(MET * K);
  for (let i = 0; i < MET; i++) {
    const signal = [0, Math.sin(2 * x[2 * i]), Math.cos(2 * x[2 * i + 1])];
    for (let j = 0; j < K; j++) values[i * K + j] = signal[j] + 0.2 * random.normal();
  }
  const noiseFactors = Float64Array.from({ length: MET }, (_, i) => 1 + 5 / (3 + (i % 9)));
  const targets: SurrogateTargets = { items, values, k: K, noiseFactors };
  return { sources, targets, x };
}

function fitted(of = engine, { steps = 40 } = {}): { flat: Float64Array; inducing: Int32Array; values: number[] } {
  const { sources, targets } = world();
  const flat = initialSurrogate(sources.length);
  const first = selectSurrogateInducing(of, sources, { items: targets.items, flat, count: 20 });
  const chosen = new Set(first);
  const rows = Int32Array.from([...first, ...targets.items.filter((item) => !chosen.has(item))]);
  const options = { rows, inducing: first.length, steps, learningRate: 0.1, flat };
  const values = [...fitSurrogate(of, sources, targets, options)].map(({ value }) => value);
  return { flat, inducing: selectSurrogateInducing(of, sources, { items: targets.items, flat, count: 20 }), values };
}

/** Two of the three columns, for all items. */
function expected(of = engine): Surrogate {
  const { sources, targets } = world();
  return expectSurrogate(of, sources, targets, { ...fitted(of), first: 1, itemCount: N });
}

test("scales and lengths are those of the inputs: a typical pair is 1 apart, the mean square from the mean", () => {
  const [look] = world().sources;
  expect(look.scale).toBeGreaterThan(1.5); // two normal numbers: the median of 2χ²₂ is 2.8
  expect(look.scale).toBeLessThan(4);
  expect(look.length).toBeGreaterThan(1);
  expect(look.length).toBeLessThan(3);
});

test("distances are those of the definition, with entries as with numbers; unknown is never identical", () => {
  const { sources } = world();
  const items = Int32Array.of(0, 4, 5, 7, 17, 82, 16);
  using scope = engine.scope();
  const table = scope.matrix(items.length ** 2, 2);
  const placed = placeItems(scope, sources, items);
  distanceTable(engine, table, { a: placed, b: placed, same: Int32Array.from(items.keys()) });
  sources.forEach(({ input, mean, scale, length }, c) => {
    const row = (item: number) => {
      if (input.missing[item]) return mean;
      if (input.kind === "dense") return Float64Array.from(input.values.data.slice(2 * item, 2 * item + 2));
      const entries = new Set(input.columns.slice(input.starts[item], input.starts[item + 1]));
      return mean.map((_, j) => (entries.has(j) ? input.value : 0));
    };
    items.forEach((a, i) => {
      items.forEach((b, j) => {
        const square = row(a).reduce((sum, x, k) => sum + (x - row(b)[k]) ** 2, 0);
        const own = length * (input.missing[a] + input.missing[b]);
        expect(table.get(i * items.length + j, c)).toBeCloseTo(a === b ? 0 : (square + own) / scale, 10);
      });
    });
  });
});

test("fitting lowers the likelihood's value, and finds the channel that matters", () => {
  const { flat, values } = fitted();
  expect(values[39]).toBeLessThan(values[0] - 0.05);
  const [look, tags] = [flat[2], flat[3]].map((w, c) => Math.exp(flat[5 + c]) * Math.min(1, Math.exp(w)));
  expect(look).toBeGreaterThan(2 * tags);
});

test("items nobody has met are expected to be like those that are like them", () => {
  const { means, transform } = expected();
  const { x } = world();
  let [error, total] = [0, 0];
  for (let i = MET; i < N; i++) {
    if (i % 11 === 5 || i === N - 1) continue;
    error += (means[i * 2] - Math.sin(2 * x[2 * i])) ** 2;
    total += Math.sin(2 * x[2 * i]) ** 2;
  }
  expect(error).toBeLessThan(0.5 * total);
  expect(transform.width).toBe(2);
});

test("an item with targets is expected from all others: as if it had been left out", () => {
  const { sources, targets } = world();
  const found = fitted();
  const { means } = expected();
  const notInducing = targets.items.find((item) => !found.inducing.includes(item)) as number;
  for (const item of [found.inducing[0], notInducing]) {
    const keep = targets.items.filter((other) => other !== item);
    const without: SurrogateTargets = {
      ...targets,
      items: keep,
      values: Float64Array.from(
        Array.from(keep).flatMap((i) => Array.from(targets.values.subarray(i * K, (i + 1) * K))),
      ),
      noiseFactors: Float64Array.from(keep, (i) => targets.noiseFactors[i]),
    };
    const { means: others } = expectSurrogate(engine, sources, without, { ...found, first: 1, itemCount: N });
    for (const j of [0, 1]) expect(means[item * 2 + j]).toBeCloseTo(others[item * 2 + j], 9);
  }
});

describe("a draft", () => {
  const inputsOf = (item: number): Map<string, ChannelInput> =>
    new Map(
      world().sources.map(({ name, input }): [string, ChannelInput] => {
        const missing = input.missing.slice(item, item + 1);
        if (input.kind === "dense") {
          const { data, cols } = input.values;
          const values = hostMatrix(data.slice(item * cols, (item + 1) * cols), 1, cols);
          return [name, { ...input, values, missing }];
        }
        const columns = input.columns.slice(input.starts[item], input.starts[item + 1]);
        return [name, { ...input, starts: Int32Array.of(0, columns.length), columns, missing }];
      }),
    );

  test("with an item's values is expected to be what that item is, to the bit; with a value missing, too", () => {
    const { transform, means } = expected();
    const oneMissing = Array.from({ length: N - MET - 1 }, (_, i) => MET + i).find((i) => i % 11 === 5) as number;
    for (const item of [MET, MET + 3, oneMissing]) {
      const [found] = applySurrogate(engine, transform, inputsOf(item));
      expect(found).toEqual(Float32Array.from(means.subarray(item * 2, (item + 1) * 2)));
      expect(draftInput(transform, found, { scale: 2, numberMode: "bins" })).toMatchObject({ kind: "dense" });
    }
  });

  test("among others is what it is alone, to the bit", () => {
    const { transform } = expected();
    const all = new Map(world().sources.map(({ name, input }): [string, ChannelInput] => [name, input]));
    const together = applySurrogate(engine, transform, all);
    expect(together).toHaveLength(N);
    for (let item = 0; item < N; item += 7)
      expect(applySurrogate(engine, transform, inputsOf(item))).toEqual([together[item]]);
    expect(together[N - 1]).toBeUndefined();
  });

  test("without any value has nothing to go by, as in the catalogue", () => {
    const { transform, missing } = expected();
    expect(applySurrogate(engine, transform, inputsOf(N - 1))).toEqual([undefined]);
    expect(Array.from(missing).flatMap((mark, item) => (mark ? [item] : []))).toEqual([82, N - 1]); // 82 misses both by chance
  });
});

test("gives the same bits for two workers", async () => {
  await using two = await createEngine({ workers: 2 });
  expect(expected(two)).toEqual(expected());
});

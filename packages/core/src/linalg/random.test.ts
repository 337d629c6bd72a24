import { expect, test } from "vitest";
import { errorOf } from "../testing/bounds.ts";
import { normalQuantile, philox, Random } from "./random.ts";

const first = (random: Random) => [random.uint32(), random.uint32(), random.uint32()];

test("labels decide a child stream, and nothing else does", () => {
  const parent = new Random(7);
  const child = first(parent.split("user", 42));
  parent.uniform();
  expect(first(parent.split("user", 42))).toEqual(child);
  const others = [
    parent.split("user", 43),
    parent.split("user", "42"),
    parent.split("user42"),
    parent.split("use", "r42"),
    parent.split(42, "user"),
    new Random(8).split("user", 42),
    new Random(7 + 2 ** 32).split("user", 42),
    parent,
  ];
  for (const other of others) expect(first(other)).not.toEqual(child);
  expect(first(parent.split(0))).toEqual(first(parent.split(-0)));
});

test("labels that are no strings or numbers are refused, not merged into one stream", () => {
  const random = new Random(1);
  const labels = [1n, true, {}, Number.NaN, undefined] as unknown as string[];
  for (const label of labels) expect(errorOf(() => random.split(label)).code).toBe("BAD_ARGUMENT");
  expect(errorOf(() => random.split())).toEqual({ code: "BAD_ARGUMENT", message: "split: needs at least one label" });
});

test("the stream goes on past block 2³², on the block's high word", () => {
  const random = new Random(5);
  random.takeBlocks(2 ** 32 + 3);
  const words = new Uint32Array(4);
  philox(words, [3, 1, 0, 0], [5, 0]);
  expect([random.uint32(), random.uint32(), random.uint32(), random.uint32()]).toEqual(Array.from(words));
});

test("below is without bias where 2³² does not divide", () => {
  const random = new Random(3);
  const n = 3 * 2 ** 30; // without rejection the lowest third would come up twice as often
  let low = 0;
  for (let i = 0; i < 30_000; i++) if (random.below(n) < n / 3) low++;
  expect(Math.abs(low / 30_000 - 1 / 3)).toBeLessThan(0.015);
});

test("the normal quantile's ends", () => {
  expect([normalQuantile(0), normalQuantile(0.5), normalQuantile(1), normalQuantile(1.5)]).toEqual([
    -Infinity,
    0,
    Infinity,
    Number.NaN,
  ]);
});

import { Random } from "@nearkin/core";
import { expect, test } from "vitest";
import { Shortfall } from "./graph-shortfall.ts";

test("lists as good as forecast, or better, lower nothing", () => {
  const random = new Random(1);
  const fair = new Shortfall();
  expect([fair.lists, fair.recall, fair.value]).toEqual([0, null, 0]);
  for (let i = 0; i < 300; i++) fair.observe(random.uniform() < 0.97 ? 1 : 0, 0.97);
  expect(fair.recall).toBeCloseTo(0.97, 1);
  expect(fair.value).toBeLessThan(0.01);
  const better = new Shortfall();
  for (let i = 0; i < 100; i++) better.observe(1, 0.9);
  expect(better.value).toBe(0);
});

test("lists that fall short lower forecasts by as much, after a few; old ones fade", () => {
  const random = new Random(2);
  const short = new Shortfall();
  for (let i = 0; i < 19; i++) short.observe(0.9, 1);
  expect(short.value).toBe(0);
  short.observe(0.9, 1);
  expect(short.value).toBeCloseTo(0.1, 12);
  for (let i = 0; i < 3000; i++) short.observe(random.uniform() < 0.5 ? 1 : 0.98, 0.99);
  expect(short.value).toBeLessThan(0.002);
  expect(short.lists).toBe(3020);
});

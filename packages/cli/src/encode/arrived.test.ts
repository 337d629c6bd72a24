import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { arrived } from "./arrived.ts";

test("what has come is given together, without waiting for more, in its order", async () => {
  async function* source() {
    yield* [1, 2, 3];
    await pause(50);
    yield* [4, 5];
    await pause(50);
    yield 6;
  }
  const batches: number[][] = [];
  for await (const batch of arrived(source(), 10)) batches.push(batch);
  expect(batches).toEqual([[1, 2, 3], [4, 5], [6]]);
});

test("what comes while a batch is worked on is the next one, and no more is read than fits", async () => {
  let read = 0;
  async function* source() {
    for (; read < 10; read++) yield read;
  }
  const sizes: number[] = [];
  for await (const batch of arrived(source(), 4)) {
    sizes.push(batch.length);
    await pause(20);
    expect(read).toBeLessThanOrEqual(sizes.reduce((sum, n) => sum + n, 0) + 4);
  }
  expect(sizes).toEqual([4, 4, 2]);
});

test("a failure comes after what was read before it; whoever stops closes the source", async () => {
  async function* failing() {
    yield 1;
    throw new Error("the pipe broke");
  }
  const got: number[] = [];
  const reading = (async () => {
    for await (const batch of arrived(failing(), 4)) got.push(...batch);
  })();
  await expect(reading).rejects.toThrow("the pipe broke");
  expect(got).toEqual([1]);

  let closed = false;
  async function* endless() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      closed = true;
    }
  }
  for await (const _ of arrived(endless(), 4)) break;
  await pause(10);
  expect(closed).toBe(true);
});

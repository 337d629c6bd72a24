import { expect, test } from "vitest";
import { latestOnly } from "./latest.ts";

test("asks one at a time, and only the last of those that wait", async () => {
  const asked: number[] = [];
  const ends: (() => void)[] = [];
  const put = latestOnly((question: number) => {
    asked.push(question);
    return new Promise<void>((resolve) => ends.push(resolve));
  });
  const end = async () => {
    ends[ends.length - 1]();
    await new Promise((resolve) => setTimeout(resolve));
  };
  put(1);
  put(2);
  put(3);
  expect(asked).toEqual([1]);
  await end();
  expect(asked).toEqual([1, 3]);
  await end();
  put(4);
  expect(asked).toEqual([1, 3, 4]);
});

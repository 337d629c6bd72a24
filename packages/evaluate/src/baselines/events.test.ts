import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnOf, eventMatrix, frequentItemsMatrix, gramRowInto } from "./events.ts";
import { arbitraryHistories, denseEvents, denseGram, eventData } from "./events-world.ts";

const lines = ({ starts, indices, values }: { starts: Int32Array; indices: Int32Array; values: Float32Array }) =>
  Array.from({ length: starts.length - 1 }, (_, line) =>
    Array.from(indices.subarray(starts[line], starts[line + 1]), (index, k) => [index, values[starts[line] + k]]),
  );

describe("the matrix of events", () => {
  const data = eventData(5, [[3, 1, 3], [], [1]], [[2, 4, 5], [], [0.5]]);

  test("has a column for each item that was met, and the last rating of a repeat", () => {
    const X = eventMatrix(data, { values: "ratings" });
    expect(Array.from(X.items)).toEqual([1, 3]);
    expect(Array.from(X.columns)).toEqual([-1, 0, -1, 1, -1]);
    expect(lines(X.byItem)).toEqual([
      [
        [0, 4],
        [2, 0.5],
      ],
      [[0, 5]],
    ]);
    expect(lines(X.byUser).map((line) => line.length)).toEqual([2, 0, 1]);
  });

  test("counts a repeat once where it is binary", () => {
    const X = eventMatrix(data);
    expect(Array.from(X.byItem.values)).toEqual([1, 1, 1]);
  });

  test("of some items knows no others", () => {
    const X = eventMatrix(data, { items: Int32Array.of(3) });
    expect(lines(X.byUser)).toEqual([[[0, 1]], [], []]);
    expect(() => columnOf(X, 1, "EASE")).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: EASE: item 1 is not one of the 1 items it learned; ask only about items that it knows()]`,
    );
    expect(() => columnOf(X, 99, "EASE")).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: EASE: item 99 is not one of the 1 items it learned; ask only about items that it knows()]`,
    );
    expect(columnOf(X, 3, "EASE")).toBe(0);
  });

  test("gives the rows of XᵀX", () => {
    fc.assert(
      fc.property(arbitraryHistories(7), (histories) => {
        const X = eventMatrix(eventData(7, histories));
        const G = denseGram(denseEvents(7, histories), X.items);
        const row = new Float64Array(X.items.length).fill(Number.NaN);
        G.forEach((expected, i) => {
          gramRowInto(row, X, i);
          expect(Array.from(row)).toEqual(expected);
        });
      }),
      { seed: 1 },
    );
  });
});

describe("frequent items", () => {
  const data = eventData(6, [
    [5, 5, 5, 5],
    [1, 2, 3],
    [1, 2, 4],
    [1, 4, 0],
    [3, 0],
  ]);

  test("were met by enough users: repeats do not count", () => {
    expect(Array.from(frequentItemsMatrix(data, { minEvents: 2 }).items)).toEqual([0, 1, 2, 3, 4]);
    expect(Array.from(frequentItemsMatrix(data, { minEvents: 3 }).items)).toEqual([1]);
  });

  test("are the most met ones, then those of smaller index", () => {
    expect(Array.from(frequentItemsMatrix(data, { minEvents: 1, maxItems: 3 }).items)).toEqual([0, 1, 2]);
    expect(Array.from(frequentItemsMatrix(data, { minEvents: 1, maxItems: 1 }).items)).toEqual([1]);
  });

  test("must be some", () => {
    expect(() => frequentItemsMatrix(data)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: no item was met by 5 training users or more; lower minEvents, or leave this baseline out]`,
    );
  });
});

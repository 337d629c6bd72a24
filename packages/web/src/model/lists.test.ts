import { expect, test } from "vitest";
import { compareLists } from "./lists.ts";

const a = {
  ids: ["x", "y", "z"],
  titles: ["X", null, "Z"],
  lists: [
    ["y", "z"],
    ["x", "z"],
    ["x", "y"],
  ],
};
const b = {
  ids: ["z", "y", "new", "x"],
  titles: ["Z", "Y", "New", "X"],
  lists: [
    ["x", "y"],
    ["new", "x"],
    ["x", "y"],
    ["new", "new2"],
  ],
};

test("items are met by their id; those that differ most come first", () => {
  expect(compareLists(a, b, 2)).toEqual({
    items: 3,
    overlap: expect.closeTo(0.5, 12),
    sameFirst: expect.closeTo(1 / 3, 12),
    most: [
      { id: "x", title: "X", overlap: 0, a: ["y", "Z"], b: ["New", "new2"] },
      { id: "y", title: "y", overlap: 0.5, a: ["X", "Z"], b: ["New", "X"] },
    ],
  });
});

test("the same lists overlap wholly", () => {
  expect(compareLists(a, a, 1)).toMatchObject({ overlap: 1, sameFirst: 1 });
});

test("models without a common item cannot be compared", () => {
  expect(compareLists(a, { ids: ["q"], titles: [null], lists: [[]] }, 1)).toBeUndefined();
});

import { expect, test } from "vitest";
import { movesBetween } from "./moves.ts";

const order = (letters: string) => [...letters].map((id) => ({ id, title: id.toUpperCase() }));
const moves = (now: string, then: string, watched = 3) => {
  const { moved, first } = movesBetween(order(now), order(then), watched);
  return [moved.map(({ item, from, to }) => `${item.title} ${from} → ${to ?? "beyond"}`), first?.title];
};

test.each([
  ["abcd", "abcd", [[], undefined]],
  ["abcd", "bcda", [["A 1 → 4", "B 2 → 1", "C 3 → 2"], "B"]],
  ["abcd", "abdc", [["C 3 → 4"], undefined]],
  ["abcd", "xbcd", [["A 1 → beyond"], "X"]], // farther down than was asked comes before all that is found
  ["abcd", "", [["A 1 → beyond", "B 2 → beyond", "C 3 → beyond"], undefined]],
])("from %s to %s", (now, then, expected) => {
  expect(moves(now, then)).toEqual(expected);
});

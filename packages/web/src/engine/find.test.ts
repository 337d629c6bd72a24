import { expect, test } from "vitest";
import { findRows } from "./find.ts";

const titles = ["Alien", "Aliens", "The Alien Sea", "Amélie", null, "8½", "Se7en", "Spirited Away"];
const catalogue = {
  titles,
  ids: titles.map((_, i) => `item-${i}`),
  ratings: [10, 20, 90, 5, 1, 2, 3, 4],
};
const found = (text: string, limit = 10) => findRows(catalogue, text, limit).map((row) => titles[row] ?? "(none)");

test.each([
  ["alien", ["Aliens", "Alien", "The Alien Sea"]], // those that begin with it first, then by ratings
  ["ALIEN the", ["The Alien Sea"]],
  ["sea al", ["The Alien Sea"]],
  ["amelie", ["Amélie"]],
  ["AMÉ", ["Amélie"]],
  ["7", []], // within a word
  ["se", ["Se7en", "The Alien Sea"]],
  ["item-4", ["(none)"]], // by its id, since it has no title
  ["", []],
  [" - ", []],
])("%j finds %j", (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test("no more than asked for", () => {
  expect(found("alien", 2)).toEqual(["Aliens", "Alien"]);
});

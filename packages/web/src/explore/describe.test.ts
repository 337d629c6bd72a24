import { expect, test } from "vitest";
import { describeItem, inOneLine } from "./describe.ts";

const plot =
  "The crew of a commercial space freighter answers a distress signal on a desolate moon, and brings it aboard.";
const alien = {
  title: "Alien",
  fields: {
    title: "Alien",
    genres: ["Horror", "Science Fiction"],
    plot,
    directors: ["Ridley Scott"],
    year: 1979,
    release_date: "1979-05-25",
    restored: true,
    budget: null,
  },
};

test("a film: year beside the title, genres as words, the plot as a text, all else as facts", () => {
  expect(describeItem(alien)).toEqual({
    year: "1979",
    words: ["Horror", "Science Fiction"],
    facts: [
      { name: "Directors", values: ["Ridley Scott"] },
      { name: "Release date", values: ["1979-05-25"] },
      { name: "Restored", values: ["yes"] },
    ],
    texts: [{ name: "plot", text: plot }],
  });
});

test("an item without fields is no problem", () => {
  expect(describeItem({ title: null, fields: {} })).toEqual({ year: null, words: [], facts: [], texts: [] });
});

test("one line says enough to tell items apart", () => {
  expect(inOneLine(alien)).toBe("1979 · Horror, Science Fiction");
  expect(inOneLine({ title: "x", fields: { genres: ["a", "b", "c", "d"] } })).toBe("a, b, c");
  expect(inOneLine({ title: "x", fields: {} })).toBe("");
});

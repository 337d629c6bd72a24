// What is written is read as what it was: by the readers that `prepare` reads cells with.
import { parseDate } from "@nearkin/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChannelCells, channelCells } from "./cell-texts.ts";
import { cellCategories, cellDate, cellFlag, cellNumber, cellPlace, cellVector, cellWords } from "./cells.ts";

const sign = fc.constantFrom(",", ".", "'", " ", "_");

test("numbers, whatever the signs", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), sign, sign, (value, thousands, decimal) => {
      fc.pre(thousands !== decimal);
      const channel = { type: "number", column: "price", thousands, decimal } as const;
      const cells = channelCells(channel, value);
      if (cells) expect(cellNumber(channel)(cells.price)).toBe(value === 0 ? 0 : value);
      else expect([",", "."]).not.toContain(decimal); // an odd sign is all that may stand in the way
    }),
  );
  expect(channelCells({ type: "number", column: "price" }, " 1951 ")).toEqual({ price: "1951" });
  expect(channelCells({ type: "number", column: "price" }, "much")).toBeUndefined();
  expect(channelCells({ type: "number", column: "price", missing: ["-1"] }, -1)).toBeUndefined();
});

test("categories, whatever is in their names", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ minLength: 1, unit: fc.constantFrom("|", "[", "]", '"', ",", " ", "a") }),
  );
  const separators = fc.constantFrom("|", " > ", ",", null);
  fc.assert(
    fc.property(fc.array(name), separators, (names, separator) => {
      const channel = { type: "categories", column: "genres", separator } as const;
      const terms = names.map((term) => term.trim()).filter((term) => term !== "");
      const cells = channelCells(channel, names);
      if (terms.length === 0) expect(cells).toBeUndefined();
      else expect(cellCategories({}, separator)(cells?.genres ?? null)).toEqual(terms);
    }),
  );
});

test("texts: one that looks like a list is not taken apart", () => {
  const channel = { type: "text", column: "plot" } as const;
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("[", "]", '"', ",", " ", "\n", "a") }));
  fc.assert(
    fc.property(text, (value) => {
      const words = value.replaceAll(/\s+/g, " ").trim();
      const cells = channelCells(channel, value);
      if (words === "") expect(cells).toBeUndefined();
      else expect(cellWords({})(cells?.plot ?? null)).toBe(words);
    }),
  );
  expect(channelCells(channel, '["a", "b"]')).toEqual({ plot: '["[\\"a\\", \\"b\\"]"]' });
});

test("dates: a year, a time, seconds and milliseconds since 1970", () => {
  const channel = { type: "date", column: "day" } as const;
  const days = (value: number | string) => cellDate({})(channelCells(channel, value)?.day ?? null);
  expect(days(1999)).toBe(parseDate("1999"));
  expect(days(87)).toBe(parseDate("0087"));
  expect(days(" 1999-03-31T20:15:00Z")).toBe(parseDate("1999-03-31T20:15:00Z"));
  fc.assert(
    fc.property(fc.double({ min: -6e13, max: 6e13, noNaN: true }), (value) => {
      fc.pre(!(Number.isInteger(value) && value >= 0 && value <= 9999));
      const expected = parseDate(value, { epoch: Math.abs(value) >= 1e11 ? "milliseconds" : "seconds" });
      const read = days(value);
      if (read !== undefined) expect(Math.abs(read - expected)).toBeLessThan(1e-7);
      else expect(Math.abs(expected)).toBeGreaterThan(7e5); // the year 0 is 719,528 days before 1970
    }),
  );
  expect(channelCells(channel, "soon")).toBeUndefined();
  expect(channelCells(channel, 1e300)).toBeUndefined();
});

test("places and vectors", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -90, max: 90, noNaN: true }),
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
      (latitude, longitude, vector) => {
        const place = channelCells({ type: "geo", latitude: "lat", longitude: "lon" }, { latitude, longitude });
        expect(cellPlace(place?.lat ?? null, place?.lon ?? null)).toEqual({
          latitude: latitude + 0, // −0 is 0
          longitude: longitude + 0,
        });
        const cells = channelCells({ type: "vector", column: "vec" }, vector);
        if (vector.every((x) => x === 0)) expect(cells).toBeUndefined();
        else expect(cellVector(cells?.vec ?? null)).toEqual(Float32Array.from(vector, (x) => x + 0));
      },
    ),
  );
  expect(
    channelCells({ type: "geo", latitude: "lat", longitude: "lon" }, { latitude: 91, longitude: 0 }),
  ).toBeUndefined();
});

test("flags have a column each", () => {
  const cells = channelCells({ type: "categories", flags: ["Drama", "War"], separator: "|" }, ["War", "Opera"]);
  expect(cells).toEqual({ Drama: "0", War: "1" });
  expect(Object.values(cells ?? {}).map(cellFlag)).toEqual([false, true]);
});

describe("what cannot be written", () => {
  const cannot: [string, ChannelCells, Parameters<typeof channelCells>[1]][] = [
    ["a vector in place of a text", { type: "text", column: "plot" }, [0.1, 0.2]],
    ["a vector that comes from a file", { type: "vector" }, [0.1, 0.2]],
    ["what a pattern does not match", { type: "number", column: "price", pattern: "^\\$(.*)$" }, 5],
    ["an item's own vector", { type: "identity" }, 1],
    ["a text in place of a vector", { type: "vector", column: "vec" }, "[1]"],
    ["a number in place of categories", { type: "categories", column: "genres", separator: "|" }, 1],
    ["a number in place of a place", { type: "geo", latitude: "a", longitude: "b" }, 1],
    ["a list in place of a number", { type: "number", column: "year" }, ["1951"]],
    ["a list in place of a date", { type: "date", column: "year" }, ["1951"]],
  ];
  test.each(cannot)("%s", (_, channel, value) => {
    expect(channelCells(channel, value)).toBeUndefined();
  });
});

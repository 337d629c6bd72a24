// How fields of a catalogue are read, and what they look like where nobody said.
import { describe, expect, test } from "vitest";
import { fitCategories } from "../channels/categories.ts";
import { inferShape, inferShapes } from "./infer-shapes.ts";
import type { ModelChannel } from "./parts.ts";
import { type FieldShape, readDate, readNumber, readText, splitList } from "./shapes.ts";

describe("cells", () => {
  test("a pattern reads the first 10,000 characters of a cell, whatever the type", () => {
    const pattern = String.raw`\((\d{4})\)`;
    const read = (cell: string) => [
      readNumber(cell, { type: "number", pattern }),
      readDate(cell, { type: "date", pattern }),
      readText(cell, { type: "text", pattern }),
      ...splitList(cell, { type: "list", pattern }),
    ];
    expect(read(`${"x".repeat(9994)}(1970)`)).toEqual([1970, 0, "1970", "1970"]);
    expect(read(`${"x".repeat(9995)}(1970)`)).toEqual([null, null, null]);
    expect(readText("x".repeat(20_000), { type: "text" })).toHaveLength(20_000);
  });

  test("lists: names between separators, JSON arrays, one name; what cannot be read is none", () => {
    const list = (cell: string | null, rules: Partial<FieldShape> = {}) => splitList(cell, { type: "list", ...rules });
    expect(list("Action| Comedy||", { separator: "|" })).toEqual(["Action", "Comedy"]);
    expect(list("Outdoor > Tents", { separator: " > " })).toEqual(["Outdoor", "Tents"]);
    expect(list("Action|Comedy", { separator: null })).toEqual(["Action|Comedy"]);
    expect(list('["Action", ["Comedy", 7]]', { separator: "|" })).toEqual(["Action", "Comedy", "7"]);
    expect(list("['sea', 'ship']", { separator: "', '", pattern: String.raw`^\[\s*'?(.*?)'?\s*\]$` })).toEqual([
      "sea",
      "ship",
    ]);
    expect(list("(no genres listed)", { separator: "|", missing: ["(no genres listed)"] })).toEqual([]);
    expect(["", " ", null, "[1, {}]", "[broken]"].map((cell) => list(cell))).toEqual([[], [], [], [], []]);
  });

  test("numbers and dates: null where there is none", () => {
    expect(["7", " 1e3 ", "-.5", "", null, "soon", "1e999", "1,000"].map((cell) => readNumber(cell))).toEqual([
      7,
      1000,
      -0.5,
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(readNumber("1.299,50", { type: "number", thousands: ".", decimal: "," })).toBe(1299.5);
    const year: FieldShape = { type: "number", pattern: String.raw`\((\d{4})\)` };
    expect(["Heat (1995)", "Heat"].map((cell) => readNumber(cell, year))).toEqual([1995, null]);
    expect(["1970", "1970-01-02", "86400", "1e1", "never", null].map((cell) => readDate(cell))).toEqual([
      0,
      86_400_000,
      86_400_000,
      null,
      null,
      null,
    ]);
    expect(readText(" a ", { type: "text", missing: ["-"] })).toBe("a");
    expect(readText("-", { type: "text", missing: ["-"] })).toBeNull();
  });
});

describe("shapes that nobody stored", () => {
  const many = (cells: readonly (string | null)[]) => Array.from({ length: 3000 }, (_, i) => cells[i % cells.length]);
  const genres: ModelChannel = {
    name: "genres",
    transform: fitCategories([["Action", "Comedy"], ["Drama"], ["Film-Noir", "Drama"]]),
    numberMode: "bins",
    scale: 1,
  };

  test("numbers, ids, dates, lists, text", () => {
    const of = (...cells: (string | null)[]) => inferShape(many(cells));
    expect({
      numbers: of("1", "2.5", null, "-3", ""),
      mostly: of(...Array(39).fill("7"), "n/a"),
      tooFew: of(...Array(9).fill("7"), "n/a"),
      ids: of("0113497", "0076759", "12"),
      years: of("1999", "2001"),
      dates: of("1999-03-31", "2001-01", null),
      arrays: of('["a", "b"]', "[]"),
      vectors: of("[1, 2, 3]", "[0, 1, 0.5]"),
      python: of("['a', 'b']", "['c']"),
      names: of("Action|Comedy", "Drama"),
      prose: of("He ran; she did not see why he ran at all | that is all there is to say"),
      empty: of(null, "", "  "),
      title: of("Heat", "Alien"),
    }).toMatchInlineSnapshot(`
      {
        "arrays": {
          "separator": null,
          "type": "list",
        },
        "dates": {
          "type": "date",
        },
        "empty": {
          "type": "text",
        },
        "ids": {
          "type": "text",
        },
        "mostly": {
          "type": "number",
        },
        "names": {
          "separator": "|",
          "type": "list",
        },
        "numbers": {
          "type": "number",
        },
        "prose": {
          "type": "text",
        },
        "python": {
          "type": "text",
        },
        "title": {
          "type": "text",
        },
        "tooFew": {
          "type": "text",
        },
        "vectors": {
          "type": "text",
        },
        "years": {
          "type": "number",
        },
      }
    `);
  });

  test("the separator that makes names of a vocabulary", () => {
    const of = (...cells: (string | null)[]) => inferShape(many(cells), [genres]);
    expect(of("Action|Comedy", "Drama", "Drama|Film-Noir")).toEqual({
      type: "list",
      separator: "|",
      channel: "genres",
    });
    expect(of("Action, Comedy", "Drama")).toEqual({ type: "list", separator: ", ", channel: "genres" });
    expect(of("Action/Comedy", "Drama", "Western")).toEqual({ type: "list", separator: "/", channel: "genres" });
    expect(of("Action", "Drama", "Film-Noir")).toEqual({ type: "list", separator: null, channel: "genres" });
    expect(of('["Action", "Drama"]', '["Drama"]')).toEqual({ type: "list", separator: null, channel: "genres" });
    expect(of("Heat", "Alien", "Drama")).toEqual({ type: "text" });
  });

  test("a field is that of the channel of its name, where they are of one kind", () => {
    const year = { ...genres, name: "year", transform: { type: "number" } as ModelChannel["transform"] };
    const fields = new Map([
      ["year", many(["1999"])],
      ["genres", many(["Heat"])],
      ["kinds", many(["Drama|Action"])],
    ]);
    expect(Object.fromEntries(inferShapes({ fields }, [year, genres]))).toEqual({
      year: { type: "number", channel: "year" },
      genres: { type: "text" },
      kinds: { type: "list", separator: "|", channel: "genres" },
    });
  });
});

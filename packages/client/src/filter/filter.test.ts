// The filter language: what each form means, that printing and parsing are inverse, and what mistakes are told.
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { anyFilter } from "../testing/filters.ts";
import { added, all, any, not, same, seen, where, whereOf } from "./build.ts";
import { type FieldFilter, type Filter, filterLimits, tooLarge } from "./filter.ts";
import { FilterSyntaxError, parseFilter } from "./parse.ts";
import { printFilter } from "./print.ts";
import { tokenize } from "./tokens.ts";

const failure = (text: string): string => {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof FilterSyntaxError) return error.message;
    throw error;
  }
  throw new Error(`${text} is a filter`);
};

const year: Filter = { field: "year", is: 1990 };
const [a, b, c]: Filter[] = ["a", "b", "c"].map((field) => ({ field, exists: true }));

describe("reading", () => {
  test.each<[string, Filter]>([
    ["year = 1990", year],
    ["year == 1990", year],
    ["year is 1990", year],
    ["year != 1990", { not: year }],
    ["year is not 1990", { not: year }],
    ["NOT Year IS 1990", { not: { field: "Year", is: 1990 } }],
    ["year > 1990", { field: "year", above: 1990 }],
    ["year>=-1.5e3", { field: "year", atLeast: -1500 }],
    ["year < .5", { field: "year", below: 0.5 }],
    ["released <= '1994-09-23'", { field: "released", atMost: "1994-09-23" }],
    ["year between 1990 and 1999 and seen", { all: [{ field: "year", between: [1990, 1999] }, { seen: true }] }],
    ['genres has "Comedy"', { field: "genres", has: "Comedy" }],
    ['genres has any ["Comedy", "War"]', { field: "genres", hasAny: ["Comedy", "War"] }],
    ["year in [1990, '1991', true]", { field: "year", in: [1990, "1991", true] }],
    ["year in (1990)", { field: "year", in: [1990] }],
    ["year in []", { field: "year", in: [] }],
    ["year not in [1990]", { not: { field: "year", in: [1990] } }],
    ["year exists", { field: "year", exists: true }],
    ["year missing", { field: "year", exists: false }],
    ['title matches "star"', { field: "title", matches: "star" }],
    ["same(director)", { same: "director" }],
    ["seen", { seen: true }],
    ["seen = false", { seen: false }],
    ["added is true", { added: true }],
    ["not seen", { not: { seen: true } }],
    ["`release year` >= 1990", { field: "release year", atLeast: 1990 }],
    ["`not` exists", { field: "not", exists: true }],
    ["`a\\`b` exists", { field: "a`b", exists: true }],
    ["réalisateur.nom-2 = 'Clément'", { field: "réalisateur.nom-2", is: "Clément" }],
    ["x = 'it\\'s\\n\\u00e9\\u{1F600}\\\\'", { field: "x", is: "it's\n\u00e9😀\\" }],
    ["all()", { all: [] }],
    ["any(a exists)", { any: [a] }],
    ["all(a exists, b exists or c exists)", { all: [a, { any: [b, c] }] }],
    ["((a exists))", a],
  ])("%s", (text, filter) => {
    expect(parseFilter(text)).toEqual(filter);
  });

  test("not binds closest, then and, then or; parentheses first", () => {
    expect(parseFilter("a exists or b exists and c exists")).toEqual({ any: [a, { all: [b, c] }] });
    expect(parseFilter("a exists and b exists or c exists")).toEqual({ any: [{ all: [a, b] }, c] });
    expect(parseFilter("(a exists or b exists) and c exists")).toEqual({ all: [{ any: [a, b] }, c] });
    expect(parseFilter("not a exists and b exists")).toEqual({ all: [{ not: a }, b] });
    expect(parseFilter("not (a exists and b exists)")).toEqual({ not: { all: [a, b] } });
    expect(parseFilter("not not a exists")).toEqual({ not: { not: a } });
    expect(parseFilter("a exists and b exists and c exists")).toEqual({ all: [a, b, c] });
    expect(parseFilter("(a exists and b exists) and c exists")).toEqual({ all: [{ all: [a, b] }, c] });
  });

  test("the filter of the documentation", () => {
    const text = 'genres has "Comedy" and year >= 1990 and same(director) and not seen';
    expect(parseFilter(text)).toEqual({
      all: [
        { field: "genres", has: "Comedy" },
        { field: "year", atLeast: 1990 },
        { same: "director" },
        { not: { seen: true } },
      ],
    });
    expect(printFilter(parseFilter(text))).toBe(text);
  });
});

describe("printing", () => {
  test("is undone by parsing, for every filter", () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        fc.pre(tooLarge(filter) === undefined);
        const text = printFilter(filter);
        fc.pre(text.length <= filterLimits.text);
        expect(parseFilter(text)).toEqual(filter);
      }),
      { numRuns: 2000 },
    );
  });

  test("what was read is printed the same from then on", () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        fc.pre(tooLarge(filter) === undefined);
        const text = printFilter(filter);
        fc.pre(text.length <= filterLimits.text);
        expect(printFilter(parseFilter(text))).toBe(text);
      }),
    );
  });

  test("has parentheses only where they are needed", () => {
    expect(printFilter({ any: [a, { all: [b, c] }] })).toBe("a exists or b exists and c exists");
    expect(printFilter({ all: [{ any: [a, b] }, { not: { any: [b, c] } }] })).toBe(
      "(a exists or b exists) and not (b exists or c exists)",
    );
    expect(printFilter({ not: { field: "year", in: [1, 2] } })).toBe("year not in [1, 2]");
  });

  test("refuses numbers that are none", () => {
    expect(() => printFilter({ field: "year", above: Number.NaN })).toThrow(
      new RangeError("a filter compares with finite numbers, got NaN"),
    );
  });
});

describe("mistakes", () => {
  test("say what was expected, what came and where", () => {
    const texts = [
      "",
      "year",
      "year >=",
      "year >= old",
      "year = Comedy",
      "genres has Comedy",
      "genres has any Comedy",
      "genres has any ['Comedy' 'War']",
      "year between 1990",
      "year between 1990 or 1999",
      "year not 1990",
      "title matches 3",
      "title matches ''",
      "same director",
      "same()",
      "same(not)",
      "seen = 1",
      "and year = 1",
      "year = 1 year = 2",
      "year = 1 or",
      "(year = 1",
      "year = 1)",
      "all year",
      "'year' = 1",
      "`` exists",
      "year = 1990s",
      "year = 1e999",
      "year = 'Comedy",
      "`year = 1",
      "x = '\\u12'",
      "x = '\\u{110000}'",
      "year ~ 3",
      "year = 💥",
      "null exists",
      "year = null",
    ];
    expect(texts.map((text) => `${text} → ${failure(text)}`)).toMatchInlineSnapshot(`
      [
        " → character 1: expected a field, not, seen, added, same(…) or (, got the end",
        "year → character 5: expected what year shall be: =, !=, >, >=, <, <=, in, has, between, exists, missing or matches, got the end",
        "year >= → character 8: expected a number, or a text such as "1994-09-23", got the end",
        "year >= old → character 9: expected a number, or a text such as "1994-09-23", got "old"; put texts into quotes",
        "year = Comedy → character 8: expected a value such as 1990, "Comedy" or true, got "Comedy"; put texts into quotes",
        "genres has Comedy → character 12: expected a value such as 1990, "Comedy" or true, got "Comedy"; put texts into quotes",
        "genres has any Comedy → character 16: expected a list such as ["Comedy", "Drama"], got "Comedy"; put texts into quotes",
        "genres has any ['Comedy' 'War'] → character 26: expected , or ], got "War"",
        "year between 1990 → character 18: expected and, as in between 1990 and …, got the end",
        "year between 1990 or 1999 → character 19: expected and, as in between 1990 and …, got "or"",
        "year not 1990 → character 10: expected in, got 1990",
        "title matches 3 → character 15: expected a text such as "lighthouse", got 3",
        "title matches '' → character 15: expected a text such as "lighthouse", got """,
        "same director → character 6: expected ( and a field, as in same(genres), got "director"",
        "same() → character 6: expected the name of a field, got )",
        "same(not) → character 6: expected the name of a field, got "not"",
        "seen = 1 → character 8: expected true or false, got 1",
        "and year = 1 → character 1: expected a field, not, seen, added, same(…) or (, got "and"",
        "year = 1 year = 2 → character 10: expected and, or, or the end, got "year"",
        "year = 1 or → character 12: expected a field, not, seen, added, same(…) or (, got the end",
        "(year = 1 → character 10: expected and, or, or ), got the end",
        "year = 1) → character 9: expected and, or, or the end, got )",
        "all year → character 5: expected ( after all, got "year"",
        "'year' = 1 → character 1: expected a field, not, seen, added, same(…) or (, got "year"; put names between backticks",
        "\`\` exists → character 1: expected the name of a field, got """,
        "year = 1990s → character 12: expected a space after the number 1990; put texts into quotes",
        "year = 1e999 → character 8: the number 1e999 is too large",
        "year = 'Comedy → character 8: the text that begins here has no closing '",
        "\`year = 1 → character 1: the name that begins here has no closing \`",
        "x = '\\u12' → character 6: expected four hexadecimal digits after \\u, or {…}",
        "x = '\\u{110000}' → character 6: expected four hexadecimal digits after \\u, or {…}",
        "year ~ 3 → character 6: expected a word, a number or a quoted text, got "~"",
        "year = 💥 → character 8: expected a word, a number or a quoted text, got "💥"",
        "null exists → character 1: expected a field, not, seen, added, same(…) or (, got "null"; ask whether a field has a value by exists and missing",
        "year = null → character 8: expected a value such as 1990, "Comedy" or true, got "null"; ask whether a field has a value by exists and missing",
      ]
    `);
  });

  test("carry the position", () => {
    expect(() => parseFilter("year >= 1990 adn seen")).toThrow(expect.objectContaining({ position: 14 }));
    expect(failure("year >= 1990 adn seen")).toMatchInlineSnapshot(
      `"character 14: expected and, or, or the end, got "adn""`,
    );
  });

  test("whatever the text, there is a filter or a place", () => {
    const words = fc.constantFrom(
      ..."a and or not ( ) [ ] , = != >= < in has any all between seen same 'x' 1 `".split(" "),
    );
    const nearly = fc.array(words, { maxLength: 14 }).map((list) => list.join(" "));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string({ unit: "binary" })), (text) => {
        try {
          expect(tooLarge(parseFilter(text))).toBeUndefined();
        } catch (error) {
          expect(error).toBeInstanceOf(FilterSyntaxError);
          const { position } = error as FilterSyntaxError;
          expect(position).toBeGreaterThanOrEqual(1);
          expect(position).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("bounds", () => {
  const nested = (levels: number): Filter => (levels === 1 ? a : { not: nested(levels - 1) });

  test("of depth, in both forms", () => {
    expect(tooLarge(nested(20))).toBeUndefined();
    expect(parseFilter(printFilter(nested(20)))).toEqual(nested(20));
    expect(tooLarge(nested(21))).toBe("a filter is at most 20 levels deep");
    expect(failure(printFilter(nested(21)))).toBe("character 1: a filter is at most 20 levels deep");
    expect(failure(`${"(".repeat(2000)}a exists`)).toBe("character 42: a filter is at most 20 levels deep");
    expect(failure("not ".repeat(999))).toMatch(/at most 20 levels/);
    expect(failure("all(".repeat(999))).toMatch(/at most 20 levels/);
  });

  test("of parts", () => {
    const wide = (parts: number): Filter => ({ any: Array.from({ length: parts - 1 }, () => ({ seen: true })) });
    expect(tooLarge(wide(200))).toBeUndefined();
    expect(tooLarge(wide(201))).toBe("a filter has at most 200 parts");
    expect(failure(printFilter(wide(201)))).toBe("character 1: a filter has at most 200 parts");
  });

  test("of values so deep that recursion would fail", () => {
    let deep: unknown = a;
    for (let i = 0; i < 1_000_000; i++) deep = { not: deep };
    expect(tooLarge(deep)).toBe("a filter is at most 20 levels deep");
    expect(tooLarge(undefined)).toBeUndefined();
    expect(tooLarge({ all: 3, any: null })).toBeUndefined();
  });

  test("of the text and of what is quoted in it", () => {
    expect(failure(" ".repeat(4001))).toBe(
      "character 4001: a filter's text has at most 4000 characters, this one 4001",
    );
    expect(failure(`x = "${"x".repeat(513)}"`)).toBe("character 5: a text has at most 512 characters");
    expect(parseFilter(`x = "${"x".repeat(512)}"`)).toEqual({ field: "x", is: "x".repeat(512) });
    expect(failure(`${"x".repeat(513)} exists`)).toBe("character 1: a word has at most 512 characters");
    expect(failure(`x in [${"1,".repeat(1000)}1]`)).toBe("character 2007: a list has at most 1000 values");
  });

  test("a text of the longest kind is read in a moment", () => {
    const slowest = Math.max(
      ...["\\".repeat(3999), "'".repeat(4000), "a".repeat(4000), "1".repeat(4000), "a.".repeat(2000)].map((text) => {
        const start = process.cpuUsage();
        try {
          tokenize(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FilterSyntaxError);
        }
        return process.cpuUsage(start).user / 1000;
      }),
    );
    expect(slowest).toBeLessThan(200);
  });
});

describe("builders", () => {
  test("make what the language says", () => {
    const built = all(
      where("genres").has("Comedy"),
      any(where("year").between(1920, 1929), where("year").missing(), where("year").in(1950, 1960)),
      not(seen()),
      same("director"),
      where("title").matches("star"),
      not(added()),
      where("year").exists(),
      where("lead").is("Ann"),
      where("tags").hasAny("a", "b"),
      where("price").above(1),
      where("price").atLeast(1),
      where("price").below(2),
      where("price").atMost(2),
    );
    expect(printFilter(built)).toMatchInlineSnapshot(
      `"genres has "Comedy" and (year between 1920 and 1929 or year missing or year in [1950, 1960]) and not seen and same(director) and title matches "star" and not added and year exists and lead = "Ann" and tags has any ["a", "b"] and price > 1 and price >= 1 and price < 2 and price <= 2"`,
    );
    expect(parseFilter(printFilter(built))).toEqual(built);
  });

  test("know the types of fields", () => {
    const film = whereOf<{ year: number; genres: string[]; lead: string | null; silent: boolean }>();
    expect(film("genres").has("Comedy")).toEqual({ field: "genres", has: "Comedy" });
    expectTypeOf(film).parameter(0).toEqualTypeOf<"year" | "genres" | "lead" | "silent">();
    expectTypeOf(film("year").atLeast).parameters.toEqualTypeOf<[bound: number]>();
    expectTypeOf(film("genres").has).parameter(0).toEqualTypeOf<string>();
    expectTypeOf(film("genres").above).parameter(0).toBeNever();
    expectTypeOf(film("lead").is).parameter(0).toEqualTypeOf<string>();
    expectTypeOf(film("silent").is).parameter(0).toEqualTypeOf<boolean>();
    expectTypeOf(where("x").is).returns.toEqualTypeOf<FieldFilter>();
  });
});

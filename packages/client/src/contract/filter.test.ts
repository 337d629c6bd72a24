// Filters as the API takes them: both forms, whole errors with their place, and the same limits as the language.
import fc from "fast-check";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import type { z } from "zod";
import type { Filter } from "../filter/filter.ts";
import { tooLarge } from "../filter/filter.ts";
import { printFilter } from "../filter/print.ts";
import { anyFilter } from "../testing/filters.ts";
import { filter, filterForms } from "./filter.ts";
import { describeProblems } from "./problems.ts";
import { strict } from "./strict.ts";

const schema = strict({ filter });

function failure(value: unknown): string {
  const { error } = schema.safeParse({ filter: value });
  if (!error) throw new Error("expected an error");
  const { field, message } = describeProblems(error);
  return `${field} | ${message}`;
}

test("both forms become JSON", () => {
  const meant: Filter = { all: [{ field: "year", atLeast: 1990 }, { not: { seen: true } }] };
  expect(filter.parse(meant)).toEqual(meant);
  expect(filter.parse("year >= 1990 and not seen")).toEqual(meant);
  expectTypeOf<z.input<typeof filter>>().toEqualTypeOf<string | Filter>();
  expectTypeOf<z.output<typeof filter>>().toEqualTypeOf<Filter>();
});

test("every filter of the right size is taken as it is, and as text means the same", () => {
  fc.assert(
    fc.property(anyFilter, (value) => {
      fc.pre(tooLarge(value) === undefined);
      expect(filter.parse(value)).toEqual(value);
      const text = printFilter(value);
      fc.pre(text.length <= 4000);
      expect(filter.parse(text)).toEqual(value);
    }),
    { numRuns: 200 },
  );
});

test("whatever comes, there is a filter or an error, and never an exception", () => {
  const keys = fc.constantFrom("all", "any", "not", "field", "is", "in", "between", "seen", "same", "__proto__", "x");
  const nearly = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
      fc.array(tie("value")),
    ),
  })).value;
  fc.assert(
    fc.property(nearly, (value) => {
      const { success, data } = filter.safeParse(value);
      if (success) expect(tooLarge(data)).toBeUndefined();
      else expect(failure(value)).toMatch(/^filter/);
    }),
    { numRuns: 400 },
  );
});

test("mistakes are told with their place", () => {
  const values: unknown[] = [
    3,
    null,
    [],
    {},
    { field: "year" },
    { atLeast: 1990 },
    { field: "year", atleast: 1990 },
    { field: "year", atLeast: true },
    { field: "", exists: true },
    { field: "year", is: null },
    { field: "year", in: [1, null] },
    { field: "year", between: [1990] },
    { field: "year", between: [1990, 1999, 2000] },
    { field: "year", above: 1990, below: 2000 },
    { all: [{ seen: true }, { any: [{ not: { field: "year", exists: "yes" } }] }] },
    { all: [{ filed: "year", is: 1 }] },
    { all: { seen: true } },
    { all: [], any: [] },
    { seen: "yes" },
    { same: 3 },
    { field: "title", matches: "" },
    { field: "year", is: Number.POSITIVE_INFINITY },
    { field: "year", is: Number.NaN },
    "year >= old",
    "",
  ];
  expect(values.map((value) => `${JSON.stringify(value)} → ${failure(value)}`)).toMatchInlineSnapshot(`
    [
      "3 → filter | filter: expected a filter such as { "field": "year", "atLeast": 1990 }",
      "null → filter | filter: expected a filter such as { "field": "year", "atLeast": 1990 }",
      "[] → filter | filter: expected a filter such as { "field": "year", "atLeast": 1990 }",
      "{} → filter | filter: expected one of all, any, not, field, same, seen, added",
      "{"field":"year"} → filter | filter: expected exactly one of is, in, has, hasAny, above, atLeast, below, atMost, between, exists, matches beside "field"",
      "{"atLeast":1990} → filter.field | filter.field: missing; expected a text",
      "{"field":"year","atleast":1990} → filter | filter: unknown key "atleast"; did you mean "atLeast"?",
      "{"field":"year","atLeast":true} → filter.atLeast | filter.atLeast: expected a number or a text",
      "{"field":"","exists":true} → filter.field | filter.field: expected at least 1 character",
      "{"field":"year","is":null} → filter.is | filter.is: expected a text, a number, true or false",
      "{"field":"year","in":[1,null]} → filter.in[1] | filter.in[1]: expected a text, a number, true or false",
      "{"field":"year","between":[1990]} → filter.between | filter.between: expected at least 2 entries",
      "{"field":"year","between":[1990,1999,2000]} → filter.between | filter.between: expected at most 2 entries",
      "{"field":"year","above":1990,"below":2000} → filter | filter: expected exactly one of is, in, has, hasAny, above, atLeast, below, atMost, between, exists, matches beside "field"",
      "{"all":[{"seen":true},{"any":[{"not":{"field":"year","exists":"yes"}}]}]} → filter.all[1].any[0].not.exists | filter.all[1].any[0].not.exists: expected true or false, got a text",
      "{"all":[{"filed":"year","is":1}]} → filter.all[0].field | filter.all[0].field: missing; expected a text; filter.all[0].filed: unknown key "filed"; did you mean "field"?",
      "{"all":{"seen":true}} → filter.all | filter.all: expected a list, got an object",
      "{"all":[],"any":[]} → filter | filter: expected one of all, any, not, field, same, seen, added alone, got all and any",
      "{"seen":"yes"} → filter.seen | filter.seen: expected true or false, got a text",
      "{"same":3} → filter.same | filter.same: expected a text, got a number",
      "{"field":"title","matches":""} → filter.matches | filter.matches: expected at least 1 character",
      "{"field":"year","is":null} → filter.is | filter.is: expected a text, a number, true or false",
      "{"field":"year","is":null} → filter.is | filter.is: expected a text, a number, true or false",
      ""year >= old" → filter | filter: character 9: expected a number, or a text such as "1994-09-23", got "old"; put texts into quotes",
      """ → filter | filter: character 1: expected a field, not, seen, added, same(…) or (, got the end",
    ]
  `);
});

describe("size", () => {
  const nested = (levels: number): Filter => (levels === 1 ? { seen: true } : { not: nested(levels - 1) });

  test("is bounded before recursion", () => {
    expect(filter.safeParse(nested(20)).success).toBe(true);
    expect(failure(nested(21))).toBe("filter | filter: a filter is at most 20 levels deep");
    let deep: unknown = { seen: true };
    for (let i = 0; i < 1_000_000; i++) deep = { all: [deep] };
    expect(failure(deep)).toBe("filter | filter: a filter is at most 20 levels deep");
    expect(failure({ any: Array.from({ length: 200 }, () => ({ seen: true })) })).toBe(
      "filter | filter: a filter has at most 200 parts",
    );
    expect(failure("(".repeat(4001))).toBe("filter | filter: expected at most 4000 characters");
    expect(failure({ field: "x", in: Array.from({ length: 1001 }, () => 1) })).toBe(
      "filter.in | filter.in: expected at most 1000 entries",
    );
  });

  test("costs the same whatever its form: no other form is tried", () => {
    const tries = Object.values(filterForms).map((form) => vi.spyOn(form._zod, "run"));
    for (const operator of ["is", "has", "above", "matches"]) {
      for (const one of tries) one.mockClear();
      filter.parse({ any: Array.from({ length: 199 }, () => ({ field: "x", [operator]: "y" })) });
      const count = tries.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      expect([operator, count]).toEqual([operator, 200]); // a union of all forms would try up to 17 for each part
    }
  });
});

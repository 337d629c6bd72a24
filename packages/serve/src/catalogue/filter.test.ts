// Filters against a plain reading of their words, and what a look at a million texts may cost.
import type { FieldFilter } from "@nearkin/client";
import { readNumber, splitList } from "@nearkin/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasBit } from "./bitmap.ts";
import { Column } from "./columns.ts";
import { Filters } from "./filter.ts";

const NOBODY = { query: [], seen: undefined, added: [] };
const LIST = { type: "list", separator: "|" } as const;

const filtersOf = (column: Column) => new Filters({ get: () => column, names: () => [column.name] });

const anyText = fc.constantFrom("", "a", "A", "a|b", "b|c|a", "7", "7.0", "-1e3", " 7 ", "1999-03-31", "naïve", "|");
const anyTest: fc.Arbitrary<FieldFilter> = fc.oneof(
  fc.record({ field: fc.constant("x"), is: fc.oneof(anyText, fc.constantFrom(7, -1000)) }),
  fc.record({ field: fc.constant("x"), in: fc.array(fc.oneof(anyText, fc.constantFrom(7, -1000)), { maxLength: 3 }) }),
  fc.record({ field: fc.constant("x"), has: anyText }),
  fc.record({ field: fc.constant("x"), hasAny: fc.array(anyText, { maxLength: 3 }) }),
  fc.record({ field: fc.constant("x"), atLeast: fc.constantFrom(7, -2000, "a", "7") }),
  fc.record({ field: fc.constant("x"), exists: fc.boolean() }),
  fc.record({ field: fc.constant("x"), matches: anyText.filter((text) => text !== "") }),
);

/** What a test says of a text, or of none. */
function holds(test: FieldFilter, text: string | null): boolean {
  if ("exists" in test) return (text !== null) === test.exists;
  if (text === null) return false;
  const number = readNumber(text, LIST) ?? Number.NaN;
  const equals = (value: unknown) => String(value) === text || value === number;
  if ("is" in test) return equals(test.is);
  if ("in" in test) return test.in.some(equals);
  if ("has" in test) return splitList(text, LIST).includes(String(test.has));
  if ("hasAny" in test) return test.hasAny.some((term) => splitList(text, LIST).includes(String(term)));
  if ("matches" in test) return text.toLowerCase().includes(test.matches.toLowerCase());
  if (!("atLeast" in test)) throw new Error("no such test here");
  const limit = typeof test.atLeast === "number" ? test.atLeast : readNumber(test.atLeast, LIST);
  return limit === null ? text >= String(test.atLeast) : number >= limit;
}

test("a row passes where its text does, of the model or put over it", () => {
  const cells = fc.array(fc.option(anyText), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(cells, fc.dictionary(fc.nat(45).map(String), anyText), anyTest, (texts, over, filter) => {
      const column = new Column("x", LIST, texts);
      for (const [row, text] of Object.entries(over)) column.put(Number(row), text);
      const rows = 50;
      const bits = filtersOf(column).evaluate(filter, rows, NOBODY);
      const passing = Array.from({ length: rows }, (_, row) => hasBit(bits, row));
      expect(passing).toEqual(passing.map((_, row) => holds(filter, over[row] ?? texts[row] ?? null)));
    }),
    { numRuns: 500 },
  );
});

test("a filter that looks at texts takes none of them apart", () => {
  const plot = "a long plot, in which a lot happens ".repeat(8);
  const column = new Column("plot", { type: "text" }, Array(200_000).fill(plot));
  const filters = filtersOf(column);
  const started = performance.now();
  filters.evaluate({ field: "plot", exists: true }, 200_000, NOBODY);
  filters.evaluate({ field: "plot", is: "another" }, 200_000, NOBODY);
  filters.evaluate({ field: "plot", above: "another" }, 200_000, NOBODY);
  expect(performance.now() - started).toBeLessThan(1000); // many seconds, in which nobody else is answered, where each was split and read
});

test("a field that nobody has is told with some that are there, however many there are", () => {
  const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `field ${i}`);
  const asked = (count: number) => {
    const filters = new Filters({ get: () => undefined, names: () => namesOf(count) });
    return () => filters.evaluate({ field: "quite another", exists: true }, 1, NOBODY);
  };
  expect(asked(0)).toThrow('filter: there is no field "quite another"; the fields are none');
  expect(asked(30)).toThrow(/; the fields are field 0, .*, field 29$/);
  expect(asked(5000)).toThrow(/, field 29 and 4970 more$/);
});

// Filters against a plain reading of their words, and what a look at a million texts may cost.

import type { FieldFilter } from "@nearkin/client";
import { readNumber, splitList } from "@nearkin/core";
import { patience } from "@nearkin/core/testing";
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { FairQueue } from "../fair-queue.ts";
import { countBits, hasBit } from "./bitmap.ts";
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
  expect(performance.now() - started).toBeLessThan(2000 * patience); // many seconds if each were split and read
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

/** A column that counts how often a cell of it is read. */
class CountedColumn extends Column {
  reads = 0;
  override cell(row: number) {
    this.reads++;
    return super.cell(row);
  }
}

const ROWS = 300;
const words = (name: string): FieldFilter[] =>
  Array.from({ length: 198 }, (_, i) => ({ field: "plot", matches: `${name} ${i}` }));

test("filters that are asked for at once read the catalogue once for each of their words, whatever the cache holds", async () => {
  const column = new CountedColumn("plot", { type: "text" }, Array(ROWS).fill("a plot"));
  const filters = filtersOf(column);
  const queue = new FairQueue();
  const ask = (name: string) =>
    filters.evaluateInTurn({ any: words(name) }, () => ROWS, { context: NOBODY, queue, turn: { caller: name } });
  await Promise.all(Array.from({ length: 10 }, (_, n) => ask(`caller ${n}`)));
  expect(column.reads).toBe(10 * 198 * ROWS);
  await ask("again");
  await ask("again"); // in the cache
  expect(column.reads).toBe(11 * 198 * ROWS);
});

test("items that are put while a filter is read pass as they are then, and a caller who has gone is read for no longer", async () => {
  const column = new Column("plot", { type: "text" }, Array(ROWS).fill("a plot"));
  const filters = filtersOf(column);
  const gone = new AbortController();
  const queue = new FairQueue();
  const other = queue.run(() => new Promise<void>((resolve) => setTimeout(resolve, 20)));
  let rows = ROWS;
  const options = (caller: string) => ({ context: NOBODY, queue, turn: { caller, signal: gone.signal } });
  const any = { any: [{ field: "plot", matches: "ferry" }, ...words("ann")] };
  void filters.evaluate(any.any[0], rows, NOBODY); // in the cache
  const asked = filters.evaluateInTurn(any, () => rows, { ...options("ann"), turn: { caller: "ann" } });
  const left = filters.evaluateInTurn({ any: words("eve") }, () => rows, options("eve"));
  column.put(7, "a ferry");
  column.put(ROWS, "another ferry");
  rows = ROWS + 1;
  filters.changed([7, ROWS]);
  for (const test of words("bob")) filters.evaluate(test, rows, NOBODY); // pushes the first one out
  filters.evaluate({ all: words("more") }, rows, NOBODY);
  column.put(9, "a third ferry");
  filters.changed([9]);
  gone.abort(new Error("hung up"));
  await expect(left).rejects.toThrow("hung up");
  await other;
  const bits = await asked;
  expect(Array.from({ length: rows }, (_, row) => row).filter((row) => hasBit(bits, row))).toEqual([7, 9, ROWS]);
});

test('"same as the item in question" waits for its turn like any other word', async () => {
  const column = new CountedColumn("genres", LIST, Array(ROWS).fill("a|b"));
  const filters = filtersOf(column);
  const asked = { not: { same: "genres" } };
  const context = { ...NOBODY, query: [7] };
  const ask = (queue: FairQueue) =>
    filters.evaluateInTurn(asked, () => ROWS, { context, queue, turn: { caller: "ann" } });
  await expect(ask(new FairQueue({ limit: 0 }))).rejects.toMatchObject({ code: "BUSY" });
  expect(countBits(await ask(new FairQueue()))).toBe(0);
  expect(countBits(filters.evaluate({ same: "genres" }, ROWS, NOBODY))).toBe(0); // nothing in question
});

describe("a word that takes long to read", () => {
  const MANY = 100_000;
  const texts = Array.from({ length: MANY }, (_, row) => (row % 3 === 0 ? null : `${row % 7}|x`));

  /** A clock by which every slice takes a millisecond. */
  beforeEach(() => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now++);
    return () => vi.restoreAllMocks();
  });

  test("lets others have the thread, and is read for no longer once its caller has gone", async () => {
    const column = new CountedColumn("x", LIST, texts);
    const gone = new AbortController();
    const turn = { caller: "ann", signal: gone.signal };
    const options = { context: NOBODY, queue: new FairQueue(), turn };
    const asked = filtersOf(column).evaluateInTurn({ field: "x", matches: "3|" }, () => MANY, options);
    const read = column.reads;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(MANY / 2);
    gone.abort(new Error("hung up"));
    await expect(asked).rejects.toThrow("hung up");
    expect(column.reads).toBe(read);
  });

  test.each<FieldFilter>([
    { field: "x", matches: "3|" },
    { field: "x", has: "3" },
    { field: "x", exists: false },
    { field: "x", atLeast: 3 },
  ])("passes items that are put meanwhile as they are then: %j", async (word) => {
    const column = new Column("x", "atLeast" in word ? { type: "number" } : LIST, texts);
    const filters = filtersOf(column);
    let rows = MANY;
    const put = (row: number, text: string | null) => {
      column.put(row, text);
      rows = Math.max(rows, row + 1);
      filters.changed([row]);
    };
    for (const row of [5, 6, MANY - 5, MANY - 6]) put(row, "3|x");
    const options = { context: NOBODY, queue: new FairQueue(), turn: {} };
    const asked = filters.evaluateInTurn(word, () => rows, options);
    for (const row of [1, 2, 5, MANY - 1, MANY - 5]) put(row, row % 2 === 0 ? "3" : null);
    await new Promise((next) => setImmediate(next));
    for (const row of [3, 4, 6, MANY - 6, MANY, MANY + 1]) put(row, row % 2 === 0 ? "3|y" : "5");
    const bits = await asked;
    expect(bits).toEqual(filtersOf(column).evaluate(word, rows, NOBODY));
    expect(await filters.evaluateInTurn(word, () => rows, options)).toEqual(bits); // from the cache
  });
});

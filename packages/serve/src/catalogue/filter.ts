// A filter as the set of rows that pass it. What only depends on the catalogue (a field and a value) is made once, kept for the filters asked
// for last, and kept true as items are put: so a filter costs a few passes over words of 32 rows.

import type { Bound, FieldFilter, Filter } from "@nearkin/client";
import { didYouMean, NearkinError, nearestNames, shown } from "@nearkin/core";
import type { FairQueue, Turn } from "../fair-queue.ts";
import { Recent } from "../recent.ts";
import { inSlices, SLICE_ROWS, type Slices } from "../slices.ts";
import { type Bitmap, bitmapOf, clearBit, complement, fullBitmap, grown, intersect, setBit, unite } from "./bitmap.ts";
import { type Cell, Column, type FilterColumn } from "./columns.ts";

const KEPT = 256; // leaves, more than a filter has; each is a bit a row
const SHOWN = 30; // fields that an error names

const NOTHING: Filter = { any: [] };

/** Whom a filter is for. */
export interface FilterContext {
  /** Rows of the query's items: what "same" means. */
  readonly query: readonly number[];
  /** Cells of the query's drafts, by field. */
  readonly drafts?: readonly ReadonlyMap<string, Cell>[];
  /** Rows that the user has met; undefined without a user. */
  readonly seen: Iterable<number> | undefined;
  /** Rows that were put at run time. */
  readonly added: Iterable<number>;
}

/** Looked up when asked: there may be more of them later. */
export interface FilterColumns {
  get(name: string): FilterColumn | undefined;
  names(): string[];
}

interface Leaf {
  readonly column: FilterColumn;
  readonly passes: (cell: Cell) => boolean;
  bits: Bitmap;
  rows: number;
}

/** Leaves of one filter by their tests: its own for as long as it is evaluated, whatever other filters push out of the cache. */
type Held = Map<string, Leaf>;

export class Filters {
  readonly #columns: FilterColumns;
  readonly #leaves = new Recent<string, Leaf>(KEPT);
  readonly #held = new Set<Held>();

  constructor(columns: FilterColumns) {
    this.#columns = columns;
  }

  /** Like `evaluate`, but reads the catalogue when it is the caller's turn, in slices between which other requests are answered. */
  async evaluateInTurn(
    asked: Filter,
    rows: () => number,
    { context, queue, turn }: { context: FilterContext; queue: FairQueue; turn: Turn },
  ): Promise<Bitmap> {
    const filter = this.#resolved(asked, context);
    const held: Held = new Map();
    this.#held.add(held);
    try {
      const open = [...fieldTests(filter)].filter((test) => !this.#take(test, held));
      if (open.length > 0) await queue.run(() => inSlices(this.#read(open, rows, held), turn.signal), turn);
      return this.#evaluate(filter, rows(), context, held);
    } finally {
      this.#held.delete(held);
    }
  }

  /** The rows among the first `rows` that pass; the caller's own to change. */
  evaluate(asked: Filter, rows: number, context: FilterContext): Bitmap {
    const filter = this.#resolved(asked, context);
    const held: Held = new Map();
    const reading = this.#read(fieldTests(filter), () => rows, held);
    while (!reading.next().done);
    return this.#evaluate(filter, rows, context, held);
  }

  /** Items were put: their rows may pass other leaves now. */
  changed(changes: Iterable<number>): void {
    const list = [...changes];
    const leaves = new Set(this.#leaves.values());
    for (const held of this.#held) for (const leaf of held.values()) leaves.add(leaf);
    for (const leaf of leaves) {
      for (const row of list) {
        if (row >= leaf.rows) {
          leaf.rows = row + 1;
          if ((row + 32) >>> 5 > leaf.bits.length) leaf.bits = grown(leaf.bits, Math.ceil((row + 1) * 1.25));
        }
        if (leaf.passes(leaf.column.cell(row))) setBit(leaf.bits, row);
        else clearBit(leaf.bits, row);
      }
    }
  }

  /** Puts the test of a field in the place of every "same". */
  #resolved(filter: Filter, context: FilterContext): Filter {
    const part = (inner: Filter) => this.#resolved(inner, context);
    if ("all" in filter) return { all: filter.all.map(part) };
    if ("any" in filter) return { any: filter.any.map(part) };
    if ("not" in filter) return { not: part(filter.not) };
    return "same" in filter ? (this.#same(filter.same, context) ?? NOTHING) : filter;
  }

  /** @param filter without "same", whose leaves are held */
  #evaluate(filter: Filter, rows: number, context: FilterContext, held: Held): Bitmap {
    const part = (inner: Filter) => this.#evaluate(inner, rows, context, held);
    if ("all" in filter) return filter.all.reduce((set, inner) => intersect(set, part(inner)), fullBitmap(rows));
    if ("any" in filter) return filter.any.reduce((set, inner) => unite(set, part(inner)), bitmapOf(rows));
    if ("not" in filter) return complement(part(filter.not), rows);
    if ("seen" in filter) return rowSet(seenRows(context), filter.seen, rows);
    if ("added" in filter) return rowSet(context.added, filter.added, rows);
    const leaf = held.get(JSON.stringify(filter)) as Leaf;
    if (leaf.rows < rows) this.#extend(leaf, rows);
    return leaf.bits.slice(0, (rows + 31) >>> 5);
  }

  /** The test for items that share a term of a list, or have the same text, with one of the query's. Undefined if these have no value. */
  #same(field: string, { query, drafts = [] }: FilterContext): FieldFilter | undefined {
    const column = this.#column(field);
    const cells = [...query.map((row) => column.cell(row)), ...drafts.map((draft) => draft.get(field))];
    const terms = new Set(
      cells.flatMap((cell) =>
        !cell || cell.text === null ? [] : column.shape.type === "list" ? cell.terms : [cell.text],
      ),
    );
    if (terms.size === 0) return undefined;
    return column.shape.type === "list" ? { field, hasAny: [...terms] } : { field, in: [...terms] };
  }

  /** Holds the leaves of tests; those that are not in the cache are read. */
  *#read(tests: Iterable<FieldFilter>, rows: () => number, held: Held): Slices {
    for (const test of tests) {
      if (this.#take(test, held)) continue;
      const column = this.#column(test.field);
      const leaf = { column, passes: testOf(test, column), bits: bitmapOf(rows()), rows: rows() };
      const key = JSON.stringify(test);
      held.set(key, leaf); // from now on `changed` keeps what was read of it true
      yield* readLeaf(leaf, test);
      this.#leaves.set(key, leaf);
    }
  }

  /** Holds the leaf of a test for a filter if it is in the cache. */
  #take(test: FieldFilter, held: Held): boolean {
    const key = JSON.stringify(test);
    const leaf = this.#leaves.get(key);
    if (leaf) held.set(key, leaf);
    return leaf !== undefined;
  }

  #extend(leaf: Leaf, rows: number): void {
    leaf.bits = grown(leaf.bits.subarray(0, (leaf.rows + 31) >>> 5) as Bitmap, rows);
    for (let row = leaf.rows; row < rows; row++) if (leaf.passes(leaf.column.cell(row))) setBit(leaf.bits, row);
    leaf.rows = rows;
  }

  #column(name: string): FilterColumn {
    const column = this.#columns.get(name);
    if (column) return column;
    const names = this.#columns.names();
    const others = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
    const known = `; the fields are ${names.slice(0, SHOWN).join(", ") || "none"}${others}`;
    const hint = didYouMean(nearestNames(name, names, 2)) || known;
    throw new NearkinError("BAD_ARGUMENT", `filter: there is no field "${name}"${hint}`);
  }
}

function* fieldTests(filter: Filter): Generator<FieldFilter> {
  if ("all" in filter) for (const part of filter.all) yield* fieldTests(part);
  else if ("any" in filter) for (const part of filter.any) yield* fieldTests(part);
  else if ("not" in filter) yield* fieldTests(filter.not);
  else if ("field" in filter) yield filter;
}

const seenRows = ({ seen }: FilterContext): Iterable<number> => {
  if (seen) return seen;
  throw new NearkinError("BAD_ARGUMENT", 'filter: "seen" needs a user; add user=<id>, or leave it out');
};

/** Those rows, or the others. */
function rowSet(members: Iterable<number>, wanted: boolean, rows: number): Bitmap {
  const set = bitmapOf(rows);
  for (const row of members) if (row < rows) setBit(set, row);
  return wanted ? set : complement(set, rows);
}

/**
 * Reads an empty leaf: rows of the model by their parsed column if the test has one, all others one by one. Items may be put between slices; their bits
 * are right from then on, since cells are read as they are, and bits of parsed ones are set anew at the end.
 */
function* readLeaf(leaf: Leaf, test: FieldFilter): Slices {
  const { column, passes, rows } = leaf;
  const holds = column instanceof Column ? yield* parsedTest(column, test) : undefined;
  const parsed = holds && column instanceof Column ? Math.min(column.count, rows) : 0;
  for (let from = 0; from < rows; from += SLICE_ROWS) {
    const to = Math.min(from + SLICE_ROWS, rows);
    for (let row = from; row < to; row++) {
      if (holds && row < parsed ? holds(row) : passes(column.cell(row))) setBit(leaf.bits, row);
    }
    yield;
  }
  if (!(column instanceof Column) || parsed === 0) return;
  let count = 0;
  for (const row of column.over.keys()) {
    if (++count % SLICE_ROWS === 0) yield;
    if (row >= parsed) continue;
    if (passes(column.cell(row))) setBit(leaf.bits, row);
    else clearBit(leaf.bits, row);
  }
}

/** The test of the model's parsed cells, by row. Undefined if the column is not parsed for it. */
function* parsedTest(column: Column, test: FieldFilter): Slices<((row: number) => boolean) | undefined> {
  const range = rangeOf(test, column);
  if (range && "number" in range) {
    const numbers = yield* column.numbers();
    return (row) => range.number(numbers[row]);
  }
  if (!("has" in test || "hasAny" in test)) return undefined;
  const { codes, starts, values } = yield* column.terms();
  const wanted = new Set(("has" in test ? [test.has] : test.hasAny).map((term) => codes.get(String(term))));
  wanted.delete(undefined);
  return (row) => {
    for (let v = starts[row]; wanted.size > 0 && v < starts[row + 1]; v++) if (wanted.has(values[v])) return true;
    return false;
  };
}

type Range = { number: (x: number) => boolean } | { text: (x: string) => boolean };

/** A comparison by order: of numbers and dates, or of texts by their code units. NaN passes none. Undefined for other tests. */
function rangeOf(test: FieldFilter, column: FilterColumn): Range | undefined {
  if ("above" in test) return range(column, [test.above], (x, [a]) => x > a);
  if ("atLeast" in test) return range(column, [test.atLeast], (x, [a]) => x >= a);
  if ("below" in test) return range(column, [test.below], (x, [a]) => x < a);
  if ("atMost" in test) return range(column, [test.atMost], (x, [a]) => x <= a);
  if ("between" in test) return range(column, test.between, (x, [a, b]) => x >= a && x <= b);
  return undefined;
}

function range(
  column: FilterColumn,
  limits: readonly Bound[],
  holds: <T extends number | string>(x: T, limits: readonly T[]) => boolean,
): Range {
  const numbers = limits.map((limit) => column.read(limit).number);
  if (!numbers.some(Number.isNaN)) return { number: (x) => holds(x, numbers) };
  if (column.shape.type === "number" || column.shape.type === "date") {
    const what = column.shape.type === "date" ? "a date such as 1999-12-31" : "a number";
    const given = limits.map(shown).join(", ");
    throw new NearkinError("BAD_ARGUMENT", `filter: ${column.name} is compared with ${what}, got ${given}`);
  }
  const texts = limits.map(String);
  return { text: (x) => holds(x, texts) };
}

function testOf(test: FieldFilter, column: FilterColumn): (cell: Cell) => boolean {
  const range = rangeOf(test, column);
  if (range)
    return "number" in range ? ({ number }) => range.number(number) : ({ text }) => text !== null && range.text(text);
  if ("exists" in test) return ({ text }) => (text !== null) === test.exists;
  if ("matches" in test) {
    const wanted = test.matches.toLowerCase();
    return ({ text }) => text?.toLowerCase().includes(wanted) ?? false;
  }
  if ("has" in test || "hasAny" in test) {
    const wanted = new Set(("has" in test ? [test.has] : test.hasAny).map(String));
    return ({ terms }) => terms.some((term) => wanted.has(term));
  }
  const values = "in" in test ? test.in : [(test as { is: string | number | boolean }).is];
  const texts = new Set(values.map(String));
  const numbers = new Set(values.filter((value) => typeof value === "number"));
  return (cell) => {
    if (cell.text === null) return false;
    return texts.has(cell.text) || (numbers.size > 0 && numbers.has(cell.number)); // reading a text as a number takes longest
  };
}

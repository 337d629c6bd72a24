// What filters look at: the columns of the catalogue, typed. The model's own cells are texts as they stood in a file, parsed once, when a filter
// first asks; items put at run time bring values, which lie over them.
import { type FieldShape, readDate, readNumber, splitList } from "@nearkin/core";
import { SLICE_ROWS, type Slices } from "../slices.ts";

/** A value of a field, as it is put. */
export type FieldValue = string | number | boolean | readonly string[] | null;

/** A cell as a filter sees it. */
export interface Cell {
  /** null where there is nothing. */
  readonly text: string | null;
  /** The terms of a list; a text is a list of one. */
  readonly terms: readonly string[];
  /** NaN where it is no number. Dates are days since 1970. */
  readonly number: number;
}

const EMPTY: Cell = { text: null, terms: [], number: Number.NaN };

/** A text that stood in a file. Taken apart when a filter looks at its terms or its number: most look at neither, and there may be a million. */
class TextCell implements Cell {
  readonly text: string;
  readonly #shape: FieldShape;

  constructor(text: string, shape: FieldShape) {
    this.text = text;
    this.#shape = shape;
  }

  get terms(): readonly string[] {
    return splitList(this.text, this.#shape);
  }

  get number(): number {
    return numberOf(this.text, this.#shape);
  }
}

function numberOf(text: string, shape: FieldShape): number {
  const read = shape.type === "date" ? readDate : readNumber;
  return read(text, shape) ?? Number.NaN;
}

/** The model's cells as numbers, or as the codes of their terms. */
interface Terms {
  /** Code of each term. */
  readonly codes: ReadonlyMap<string, number>;
  /** (n + 1) Where a row's terms begin in `values`. */
  readonly starts: Int32Array;
  readonly values: Int32Array;
}

/** What a filter needs of a column. */
export interface FilterColumn {
  readonly name: string;
  readonly shape: FieldShape;
  cell(row: number): Cell;
  /** A value as the cells of this column are read. */
  read(value: FieldValue): Cell;
}

export class Column implements FilterColumn {
  readonly name: string;
  readonly shape: FieldShape;
  readonly #cells: readonly (string | null)[];
  readonly #over = new Map<number, FieldValue>();
  #numbers: Float64Array | undefined;
  #terms: Terms | undefined;

  /** @param cells the model's, in the order of the rows; none for a field that only items put at run time have */
  constructor(name: string, shape: FieldShape, cells: readonly (string | null)[]) {
    this.name = name;
    this.shape = shape;
    this.#cells = cells;
  }

  /** Rows that the model has. */
  get count(): number {
    return this.#cells.length;
  }

  /** Rows whose value was put at run time. */
  get over(): ReadonlyMap<number, FieldValue> {
    return this.#over;
  }

  put(row: number, value: FieldValue): void {
    this.#over.set(row, value);
  }

  /** The row has no value any more. */
  remove(row: number): void {
    if (row < this.#cells.length) this.#over.set(row, null);
    else this.#over.delete(row);
  }

  /** As people see it: numbers and lists as such, all else as it stood in the file. */
  value(row: number): FieldValue {
    const over = this.#over.get(row);
    if (over !== undefined) return over;
    const cell = this.#cells[row] ?? null;
    if (cell === null) return null;
    if (this.shape.type === "list") return splitList(cell, this.shape);
    return this.shape.type === "number" ? (readNumber(cell, this.shape) ?? cell) : cell;
  }

  cell(row: number): Cell {
    const over = this.#over.get(row);
    return over === undefined ? this.#parsed(this.#cells[row] ?? null) : this.read(over);
  }

  /** A value that was put, as filters see it. */
  read(value: FieldValue): Cell {
    if (value === null) return EMPTY;
    if (typeof value === "string") return this.#parsed(value);
    if (typeof value === "number") return { text: String(value), terms: [String(value)], number: value };
    if (typeof value === "boolean") return { text: String(value), terms: [String(value)], number: value ? 1 : 0 };
    return { text: value.join(this.shape.separator ?? "|"), terms: value, number: Number.NaN };
  }

  /** (n) The model's cells as numbers. */
  *numbers(): Slices<Float64Array> {
    if (this.#numbers) return this.#numbers;
    const numbers = new Float64Array(this.#cells.length);
    for (const [row, cell] of this.#cells.entries()) {
      if (row % SLICE_ROWS === 0) yield;
      numbers[row] = cell === null ? Number.NaN : numberOf(cell, this.shape);
    }
    this.#numbers = numbers;
    return numbers;
  }

  /** The model's cells as terms. */
  *terms(): Slices<Terms> {
    if (this.#terms) return this.#terms;
    const codes = new Map<string, number>();
    const starts = new Int32Array(this.#cells.length + 1);
    const values: number[] = [];
    for (const [row, cell] of this.#cells.entries()) {
      if (row % SLICE_ROWS === 0) yield;
      if (cell !== null) {
        for (const term of splitList(cell, this.shape)) {
          const code = codes.get(term) ?? codes.size;
          codes.set(term, code);
          values.push(code);
        }
      }
      starts[row + 1] = values.length;
    }
    const terms = { codes, starts, values: Int32Array.from(values) };
    this.#terms = terms;
    return terms;
  }

  #parsed(text: string | null): Cell {
    return text === null ? EMPTY : new TextCell(text, this.shape);
  }
}

/** A column that is no field: an item's id, its title, its number of ratings. */
export class OwnColumn implements FilterColumn {
  readonly name: string;
  readonly shape: FieldShape;
  readonly #value: (row: number) => FieldValue;

  constructor(name: string, type: "text" | "number", value: (row: number) => FieldValue) {
    this.name = name;
    this.shape = { type };
    this.#value = value;
  }

  cell(row: number): Cell {
    return this.read(this.#value(row));
  }

  read(value: FieldValue): Cell {
    if (value === null) return EMPTY;
    const text = String(value);
    return {
      text,
      terms: [text],
      number: this.shape.type === "number" ? (readNumber(text, this.shape) ?? Number.NaN) : Number.NaN,
    };
  }
}

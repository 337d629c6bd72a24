// What stands in the fields of a catalogue: numbers, dates, lists of names or text, and how their cells are read. Fields are kept as they stood
// in the files; filters need what they mean.
import { type CellReader, type CellRules, cellCategories, cellDate, cellNumber, cellText } from "../channels/cells.ts";
import { NearkinError } from "../errors.ts";
import type { JsonReader } from "./json.ts";
import type { ModelCatalogue } from "./parts.ts";

export const fieldTypes = ["number", "date", "list", "text"] as const;
export type FieldType = (typeof fieldTypes)[number];

/** How a field is read. The rules are those that the channel had which was prepared from it. */
export interface FieldShape extends Readonly<CellRules> {
  readonly type: FieldType;
  /** The kept column that it is read from, where that has another name: a year that stands in the title. */
  readonly column?: string;
  /** The channel that reads it in this way: what a draft calls it. */
  readonly channel?: string;
  /** Of a list: what stands between names; null where a cell holds one name. A JSON array needs none. @default null */
  readonly separator?: string | null;
  /** Of a number. */
  readonly thousands?: string;
  readonly decimal?: string;
}

interface ShapeReaders {
  readonly number: CellReader<number>;
  readonly date: CellReader<number>;
  readonly list: CellReader<string[]>;
  readonly text: CellReader<string>;
}

/** A pattern is compiled once for all cells. */
const readers = new WeakMap<FieldShape, ShapeReaders>();

function readersOf(shape: FieldShape): ShapeReaders {
  let found = readers.get(shape);
  if (!found) {
    found = {
      number: cellNumber(shape),
      date: cellDate(shape),
      list: cellCategories(shape, shape.separator ?? null),
      text: cellText(shape),
    };
    readers.set(shape, found);
  }
  return found;
}

const PLAIN: FieldShape = { type: "text" };
const DAY = 86_400_000; // ms

/**
 * The names of a cell, in order; none where it is empty, or cannot be read.
 *
 * @example
 * splitList("Action| Comedy|", { type: "list", separator: "|" }) // => ["Action", "Comedy"]
 * splitList('["Action", "Comedy"]', { type: "list" }) // => ["Action", "Comedy"]
 * splitList(null, { type: "list" }) // => []
 */
export const splitList = (cell: string | null, shape: FieldShape): string[] =>
  readable(readersOf(shape).list, cell) ?? [];

/**
 * The number of a cell; null where it is empty, or is none.
 *
 * @example
 * readNumber(" 1,299.50 ", { type: "number", thousands: "," }) // => 1299.5
 * readNumber("Casablanca (1942)", { type: "number", pattern: "\\((\\d{4})\\)" }) // => 1942
 * readNumber("soon") // => null
 */
export const readNumber = (cell: string | null, shape: FieldShape = PLAIN): number | null =>
  readable(readersOf(shape).number, cell) ?? null;

/**
 * The date of a cell in milliseconds since 1970; null where it is empty, or is none.
 *
 * @example
 * readDate("1970-01-02T12:00Z") // => 129600000
 */
export function readDate(cell: string | null, shape: FieldShape = PLAIN): number | null {
  const days = readable(readersOf(shape).date, cell);
  return days === undefined ? null : days * DAY;
}

/** The part of a cell that counts; null where it says nothing. */
export const readText = (cell: string | null, shape: FieldShape = PLAIN): string | null =>
  readersOf(shape).text(cell) ?? null;

/** What cannot be read says as little as what is not there: it is in the rejects of `prepare`. */
function readable<T>(read: CellReader<T>, cell: string | null): T | undefined {
  try {
    return read(cell);
  } catch (error) {
    if (error instanceof NearkinError && error.code === "BAD_VALUE") return undefined;
    throw error;
  }
}

/** The first shape that does not go with the rest of a model, and why. */
export function checkShapes({
  catalogue: { fields, shapes = new Map() },
  channels,
}: {
  catalogue: Pick<ModelCatalogue, "fields" | "shapes">;
  channels: readonly { readonly name: string }[];
}): { name: string; problem: string } | undefined {
  for (const [name, { column = name, channel }] of shapes) {
    if (!fields.has(column)) return { name, problem: `is read from "${column}", which is no field` };
    if (channel !== undefined && !channels.some((own) => own.name === channel)) {
      return { name, problem: `is read by the channel "${channel}", which is none` };
    }
  }
  return undefined;
}

/** As model.json has them, by name. */
export function describeShapes(shapes: ReadonlyMap<string, FieldShape>): Record<string, object> {
  return Object.fromEntries(Array.from(shapes, ([name, shape]) => [name, { ...shape }]));
}

/** Reads what `describeShapes` gave. */
export function readShapes(json: JsonReader, names: Iterable<string>): Map<string, FieldShape> {
  return new Map(Array.from(names, (name) => [name, readShape(json.part(name))]));
}

function readShape(json: JsonReader): FieldShape {
  const optional = (key: "column" | "channel" | "thousands" | "decimal" | "pattern") =>
    json.has(key) ? { [key]: json.text(key) } : {};
  const shape: FieldShape = {
    type: json.oneOf("type", fieldTypes),
    ...optional("column"),
    ...optional("channel"),
    ...optional("pattern"),
    ...(json.has("missing") ? { missing: json.texts("missing") } : {}),
    ...(json.has("separator") ? { separator: json.isNull("separator") ? null : json.text("separator") } : {}),
    ...optional("thousands"),
    ...optional("decimal"),
  };
  try {
    readersOf(shape);
  } catch {
    throw json.problem("pattern", "is not a regular expression");
  }
  return shape;
}

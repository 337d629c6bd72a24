// The catalogue as it is served, row by row: the model's own items as they stood in the file, without those that were deleted or put anew, and
// then the items that were put. A server may go on meanwhile: each id comes once, as it was when it was read.
import type { DraftCell, Json, JsonObject, ModelCatalogue } from "@nearkin/core";
import { channelCells } from "@nearkin/data";
import type { ItemStore, StoredItem } from "@nearkin/serve/store";
import { columnsOf, type ItemColumns } from "./item-columns.ts";
import type { TableRow } from "./row-table.ts";

const PAGE = 1000;

/** What was put or deleted at run time, in short. */
export interface Changes {
  /** Ids of all of them, and of those that are deleted. */
  readonly ids: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  /** Names of fields and channels that some item has. */
  readonly fields: ReadonlySet<string>;
  readonly channels: ReadonlySet<string>;
}

export async function readChanges(items: ItemStore): Promise<Changes> {
  const ids = new Set<string>();
  const deleted = new Set<string>();
  const fields = new Set<string>();
  const channels = new Set<string>();
  for await (const page of changedItems(items)) {
    for (const item of page) {
      ids.add(item.id);
      if (item.deleted) deleted.add(item.id);
      else deleted.delete(item.id);
      for (const name of Object.keys(item.fields)) fields.add(name);
      for (const name of Object.keys(item.channels)) channels.add(name);
    }
  }
  return { ids, deleted, fields, channels };
}

async function* changedItems(items: ItemStore): AsyncGenerator<StoredItem[]> {
  let version = 0;
  for (;;) {
    const page = await items.changedSince(version, { limit: PAGE });
    const last = page.at(-1);
    if (!last) return;
    version = last.version;
    yield page;
  }
}

/** What a table of items has. */
export interface ItemTable {
  /** All columns: the id, the title, the rest. */
  readonly columns: readonly string[];
  /** Fields of items put at run time that have no place: another column has the name, but for upper and lower case. */
  readonly homeless: readonly string[];
}

/** Parquet and DuckDB tell columns apart without regard to case. */
export function itemTable(columns: ItemColumns, changes: Changes): ItemTable {
  const byFold = new Map<string, string>();
  const homeless = new Set<string>();
  const add = (name: string) => {
    const there = byFold.get(name.toLowerCase());
    if (there === undefined) byFold.set(name.toLowerCase(), name);
    else if (there !== name) homeless.add(name);
  };
  add(columns.id);
  add(columns.title);
  columns.fields.forEach(add);
  for (const channel of changes.channels) {
    const cells = columns.channels.get(channel);
    if (cells) columnsOf(cells).forEach(add);
    else add(channel);
  }
  for (const field of changes.fields) {
    if (field === columns.id) homeless.add(field);
    else add(field);
  }
  return { columns: [...byFold.values()], homeless: [...homeless] };
}

export interface ServedItems {
  rows: TableRow[];
  /** How far it is: rows of the model's catalogue, then items put. */
  done: number;
}

export interface ServedFigures {
  /** Rows of the model's own items, and of those put at run time. */
  own: number;
  put: number;
  /** Items of the model without a row in the item file: nothing is known of them but their events. */
  undescribed: number;
  /** Items of which a channel's value cannot be written as a cell, by channel. */
  unwritten: Map<string, number>;
}

export interface ServedOptions {
  columns: ItemColumns;
  table: ItemTable;
  changes: Changes;
  /** The model's own items keep their row where they were deleted. @default false */
  withDeleted?: boolean;
}

/** Some rows at a time; `figures` counts along. */
export async function* servedItems(
  { catalogue, items }: { catalogue: ModelCatalogue; items: ItemStore },
  { columns, table, changes, withDeleted = false }: ServedOptions,
  figures: ServedFigures,
): AsyncGenerator<ServedItems> {
  const { ids, titles, fields, described } = catalogue;
  const written = new Set<string>();
  for (let from = 0; from < ids.length; from += PAGE) {
    const rows: TableRow[] = [];
    for (let i = from; i < Math.min(from + PAGE, ids.length); i++) {
      if (changes.ids.has(ids[i]) && !(withDeleted && changes.deleted.has(ids[i]))) continue;
      written.add(ids[i]);
      if (described[i] === 0) figures.undescribed++;
      else rows.push(table.columns.map((name) => ownCell(name, i)));
    }
    figures.own += rows.length;
    yield { rows, done: Math.min(from + PAGE, ids.length) };
  }
  let done = ids.length;
  for await (const page of changedItems(items)) {
    const rows: TableRow[] = [];
    for (const item of page) {
      if (item.deleted || written.has(item.id)) continue; // put again while we read: the next export has it
      written.add(item.id);
      const cells = putCells(item, columns, figures.unwritten);
      rows.push(table.columns.map((name) => cells.get(name) ?? null));
    }
    figures.put += rows.length;
    done += page.length;
    yield { rows, done };
  }

  function ownCell(name: string, i: number): string | null {
    if (name === columns.id) return ids[i];
    return fields.get(name)?.[i] ?? (name === columns.title ? titles[i] : null);
  }
}

/** Cells of an item put at run time. A channel's value goes before a field of that name, and the title before both. */
function putCells(
  { id, title, fields, channels }: Pick<StoredItem, "id" | "title" | "fields" | "channels">,
  columns: ItemColumns,
  unwritten: Map<string, number>,
): Map<string, string> {
  const cells = new Map<string, string>();
  const put = (from: Readonly<Record<string, string>>) => {
    for (const [name, cell] of Object.entries(from)) cells.set(name, cell);
  };
  for (const [name, value] of present(fields)) put(fieldCells(name, value, columns));
  for (const [name, value] of present(channels)) {
    const channel = columns.channels.get(name);
    const own = channel ? channelCells(channel, value as DraftCell) : fieldCells(name, value, columns);
    if (own) put(own);
    else if (!isEmpty(value)) unwritten.set(name, (unwritten.get(name) ?? 0) + 1);
  }
  if (title !== null) cells.set(columns.title, title);
  cells.set(columns.id, id);
  return cells;
}

const present = (values: JsonObject): [string, Json][] =>
  Object.entries(values).filter((entry): entry is [string, Json] => entry[1] != null);

/** Says nothing, and need not be written. */
const isEmpty = (value: Json): boolean =>
  (typeof value === "string" && value.trim() === "") || (Array.isArray(value) && value.length === 0);

function fieldCells(name: string, value: Json, { separators }: ItemColumns): Readonly<Record<string, string>> {
  if (typeof value === "string") return { [name]: value };
  if (typeof value === "number" || typeof value === "boolean") return { [name]: String(value) };
  const separator = separators.get(name);
  const joined =
    separator === undefined
      ? undefined
      : channelCells({ type: "categories", column: name, separator }, value as unknown as DraftCell);
  return joined ?? { [name]: JSON.stringify(value) };
}

// Which files are the interactions and which the items, when several are given.
import { NearkinError } from "@nearkin/core";
import { itemChannels, type SuggestedChannels } from "./item-channels.ts";
import {
  type InteractionColumns,
  interactionColumns,
  interactionsByContent,
  isUnique,
  itemColumn,
  namedColumn,
  titleColumn,
} from "./roles.ts";
import { renameColumns, type Table } from "./table.ts";

export interface Choice {
  interactions: { tables: readonly Table[]; columns: InteractionColumns; guessed: boolean };
  items:
    | { tables: readonly Table[]; item: string; title: string | undefined; suggested: SuggestedChannels }
    | undefined;
  /** What a person should check. */
  notes: string[];
}

export function chooseTables(tables: readonly Table[]): Choice {
  const notes: string[] = [];
  const candidates = interactionCandidates(tables);
  const groups = grouped(candidates, ({ table, columns }) => [shapeOf(table), columns.user, columns.item].join("\n"));
  const [chosen, ...others] = groups.sort((a, b) => strength(b[0]) - strength(a[0]) || b.length - a.length);
  if (!chosen) throw noInteractions(tables);
  const { columns, guessed } = chosen[0];
  const own = chosen.map(({ table }) => table);
  const names = namesOf(own);
  if (guessed) notes.push(guessNote(chosen[0], names));
  if (columns.rating === undefined) notes.push(`${names} has no column of ratings: every row counts as 1`);
  if (columns.time === undefined) notes.push(`${names} has no column of times: the order of the rows counts`);
  const metIds = new Set(own.flatMap((table) => table.cells(columns.item)).filter((cell) => cell !== null));
  const used = new Set(own.map(({ name }) => name));
  const rest = tables.filter(({ name }) => !used.has(name));
  const items = chooseItems(rest, metIds, others.flat(), notes);
  if (items) noteStrangers(own, metIds, items, notes);
  else notes.push(...noItems(own[0], columns, names));
  return { interactions: { tables: own, columns, guessed }, items, notes };
}

function guessNote({ table, columns }: Candidate, names: string): string {
  if (table.named)
    return `that user and item of ${names} are ${columns.user} and ${columns.item} is a guess from its content: check it`;
  return `${names} has no header line; that its columns are ${table.columns.join(", ")} is a guess from its content: check it`;
}

interface Candidate {
  table: Table;
  columns: InteractionColumns;
  guessed: boolean;
}

/** Tables of interactions by their names; by content those without names, and all where no name tells. */
function interactionCandidates(tables: readonly Table[]): Candidate[] {
  const byName = tables.flatMap((table) => {
    const columns = table.named ? interactionColumns(table) : undefined;
    return columns ? [{ table, columns, guessed: false }] : [];
  });
  const itemIds = new Set(
    tables.flatMap((table) => {
      const key = table.columns.find((column) => isUnique(table.cells(column)));
      return key === undefined ? [] : table.cells(key).map(String);
    }),
  );
  const isItem = itemIds.size > 0 ? (id: string) => itemIds.has(id) : undefined;
  const byContent = tables
    .filter(({ named }) => !named || byName.length === 0)
    .flatMap((table) => {
      const columns = interactionsByContent(table, isItem);
      return columns ? [named({ table, columns, guessed: true })] : [];
    });
  return [...byName, ...byContent];
}

/** Columns without a name are called by their role. */
function named({ table, columns, guessed }: Candidate): Candidate {
  if (table.named) return { table, columns, guessed };
  const roles = ["user", "item", "rating", "time"] as const;
  const nameOf = (column: string) => roles.find((role) => columns[role] === column) ?? column;
  const role = (name: keyof InteractionColumns) => (columns[name] === undefined ? undefined : name);
  return {
    table: renameColumns(table, table.columns.map(nameOf)),
    columns: { user: "user", item: "item", rating: role("rating"), time: role("time") },
    guessed,
  };
}

/** Ratings tell most, then times, then items that several rows share. */
function strength({ table, columns, guessed }: Candidate): number {
  const shared = isUnique(table.cells(columns.item)) ? 0 : 1;
  return (columns.rating === undefined ? 0 : 4) + (columns.time === undefined ? 0 : 2) + shared - (guessed ? 0.5 : 0);
}

function chooseItems(
  rest: readonly Table[],
  metIds: ReadonlySet<string>,
  otherInteractions: readonly Candidate[],
  notes: string[],
): Choice["items"] {
  const found: NonNullable<Choice["items"]>[] = [];
  const leftOut = (table: Table, reason: string) => notes.push(`left out ${table.name}: ${reason}`);
  const candidates = rest.filter((table) => {
    const other = otherInteractions.find((candidate) => candidate.table.name === table.name);
    // Something with a user and one row per item, such as who made it, describes items.
    if (!other || isUnique(table.cells(other.columns.item))) return true;
    leftOut(table, "interactions of another shape; one shape is read");
    return false;
  });
  for (const group of grouped(candidates, shapeOf)) {
    const [table] = group;
    const user = namedColumn("user", table.columns);
    if (user !== undefined && namedColumn("item", table.columns) === undefined) {
      for (const own of group) leftOut(own, "describes users; only items have channels");
      continue;
    }
    const item = itemColumn(table, metIds);
    if (item === undefined) {
      for (const own of group) leftOut(own, `no column looks like the item's id (${table.columns.join(", ")})`);
      continue;
    }
    const ids = table.cells(item);
    if (new Set(ids).size < 0.9 * ids.length) {
      leftOut(table, `has several rows for one ${item}; describe each item in one row`);
      continue;
    }
    const title = titleColumn(table, item);
    found.push({ tables: group, item, title, suggested: itemChannels(table, item, title) });
  }
  const size = ({ suggested }: (typeof found)[number]) => Object.keys(suggested.channels).length;
  const [best, ...others] = found.sort((a, b) => size(b) - size(a));
  for (const { tables } of others)
    leftOut(tables[0], `describes items too, and less than ${best.tables[0].name}; one table is read: join them`);
  return best;
}

/** Ids that do not meet are the commonest mistake; said only where all ids were looked at. */
function noteStrangers(
  interactions: readonly Table[],
  metIds: ReadonlySet<string>,
  { tables, item }: NonNullable<Choice["items"]>,
  notes: string[],
): void {
  if (![...interactions, ...tables].every(({ whole }) => whole)) return;
  const described = new Set(tables.flatMap((table) => table.cells(item)));
  const met = [...metIds].filter((id) => described.has(id)).length;
  if (met < 0.5 * metIds.size)
    notes.push(
      `only ${met} of the ${metIds.size} items in ${namesOf(interactions)} are in ${namesOf(tables)}: check the ids`,
    );
}

function noItems(table: Table, columns: InteractionColumns, names: string): string[] {
  const roles = Object.values(columns);
  const other = table.columns.filter((column) => !roles.includes(column));
  const note = `no file describes the items, so that the only channel is which item it is (identity)`;
  const hint = `if some of ${other.join(", ")} in ${names} describe the item, write them to a file with one row per item`;
  return other.length > 0 ? [note, hint] : [note];
}

function noInteractions(tables: readonly Table[]): NearkinError {
  const seen = tables.map(
    ({ name, columns, named: own }) => `${name} has ${own ? "" : "no header, and "}${columns.join(", ")}`,
  );
  return new NearkinError(
    "BAD_SOURCE",
    `no file looks like interactions, which need a column of users and one of items (user_id and item_id, say): ${seen.join("; ")}; ` +
      "rename the columns, or write nearkin.yaml by hand with interactions.columns",
  );
}

/** Files of one shape can be read as one table. Objects leave out keys at will: those that nearly all have must agree. */
function shapeOf({ format, reading, columns, cells, rows }: Table): string {
  const steady = (column: string) => cells(column).filter((cell) => cell !== null).length >= 0.9 * rows;
  const names = format === "jsonl" ? columns.filter(steady).sort() : columns;
  return JSON.stringify([format, reading.delimiter, reading.quote, names]);
}

function grouped<T>(list: readonly T[], key: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return [...groups.values()];
}

const namesOf = (tables: readonly Table[]) =>
  tables.length > 2 ? `${tables[0].name} and ${tables.length - 1} more` : tables.map(({ name }) => name).join(" and ");

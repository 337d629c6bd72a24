// Which files are the interactions and which the items, when several are given.
import { NearkinError } from "@nearkin/core";
import type { Guess, Guesses } from "./guess.ts";
import { findInteractions, type Interactions } from "./interactions.ts";
import { findItems, type Items } from "./items.ts";
import type { Overlaps } from "./overlap.ts";
import { renameColumns, type Table } from "./table.ts";

export interface Choice {
  interactions: Table;
  items: Items | undefined;
  guesses: Guesses;
  /** What a person should check. */
  notes: string[];
}

export function chooseTables(tables: readonly Table[], overlaps: Overlaps): Choice {
  const world = { tables, overlaps };
  const candidates = tables.flatMap((table) => findInteractions(world, table) ?? []);
  const [chosen, ...others] = candidates.sort(
    (a, b) => b.strength - a.strength || b.table.files.length - a.table.files.length,
  );
  if (!chosen) throw noInteractions(tables);
  const names = namesOf(chosen.table);
  const notes = [...chosen.notes];
  if (!chosen.table.named) notes.push(`${names} has no header line: what its columns are was read off its content`);
  if (chosen.guesses.rating === undefined) notes.push(`${names} has no column of ratings: every row counts as 1`);
  if (chosen.guesses.time === undefined) notes.push(`${names} has no column of times: the order of the rows counts`);
  const items = findItems(world, chosen, others, notes);
  if (!items) notes.push(...noItems(chosen, names));
  const { table, guesses } = withRoleNames(chosen);
  return {
    interactions: table,
    items,
    guesses: { interactions: guesses, ...(items ? { items: items.guesses } : {}) },
    notes,
  };
}

/** Columns without a name are called by their role. */
function withRoleNames({ table, guesses }: Interactions): Pick<Interactions, "table" | "guesses"> {
  if (table.named) return { table, guesses };
  const roles = Object.entries(guesses) as [string, Guess][];
  const nameOf = (column: string) => roles.find(([, guess]) => guess.column === column)?.[0] ?? column;
  return {
    table: renameColumns(table, table.columns.map(nameOf)),
    guesses: Object.fromEntries(
      roles.map(([role, guess]) => [
        role,
        { ...guess, column: role, reason: `column ${table.columns.indexOf(guess.column) + 1}; ${guess.reason}` },
      ]),
    ) as unknown as Guesses["interactions"],
  };
}

function noItems({ table, guesses }: Interactions, names: string): string[] {
  const roles = Object.values(guesses).map(({ column }) => column);
  const other = table.columns.filter((column) => !roles.includes(column));
  const note =
    "no file describes the items, so that the only channel is which item it is (identity), and the presets default and fast refuse to train; give a file with a row for each item";
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

const namesOf = ({ files }: Table) =>
  files.length > 2 ? `${files[0].name} and ${files.length - 1} more` : files.map(({ name }) => name).join(" and ");

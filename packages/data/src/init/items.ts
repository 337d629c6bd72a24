// The table that describes the items: the one whose key holds the ids that the interactions name.
import { posix } from "node:path";
import { count, type Guesses, percentOf } from "./guess.ts";
import { inferChannel } from "./infer.ts";
import { type Interactions, isProven, type Join, joinsOf, joinWeight, thingness, type World } from "./interactions.ts";
import { itemChannels, type SuggestedChannels } from "./item-channels.ts";
import { isBareId, isNamed, namedColumn } from "./names.ts";
import { profile } from "./profile.ts";
import { renameColumns, type Table } from "./table.ts";
import { titleColumn } from "./title-column.ts";

export interface Items {
  table: Table;
  guesses: NonNullable<Guesses["items"]>;
  suggested: SuggestedChannels;
  join: Join;
}

/** Looks for the items among the tables that are not interactions. Every table that is left out is noted with the reason. */
export function findItems(
  world: World,
  interactions: Interactions,
  others: readonly Interactions[],
  notes: string[],
): Items | undefined {
  const leftOut = (table: Table, reason: string) => {
    for (const { name } of table.files) notes.push(`left out ${name}: ${reason}`);
  };
  const found: Items[] = [];
  for (const table of world.tables) {
    if (table === interactions.table) continue;
    const other = others.find((candidate) => candidate.table === table);
    // Something with a user and one row per item, such as who made it, describes items.
    if (other && !table.facts(other.guesses.item.column).unique) {
      leftOut(table, "interactions of another shape; one shape is read");
      continue;
    }
    const join = chooseKey(world, interactions, table);
    if (typeof join === "string") leftOut(table, join);
    else found.push(describe(table, join, interactions));
  }
  // A table that holds clearly more of the ids comes first; else the one that says more.
  const held = ({ join: { overlap } }: Items) => Math.round((10 * overlap.found) / overlap.values);
  const size = ({ suggested }: Items) => Object.keys(suggested.channels).length;
  const [best, ...rest] = found.sort((a, b) => held(b) - held(a) || size(b) - size(a));
  for (const { table, join } of rest) {
    const why =
      held({ ...best, join }) < held(best) ? "holds fewer of the ids than" : "describes items too, and less than";
    leftOut(table, `${why} ${best.table.name}; one table is read: join them`);
  }
  if (best) notes.push(...keyNotes(world, interactions, best));
  return best;
}

/** The key that holds the ids of the items, or why the table is not one of items. */
function chooseKey(world: World, { table: from, guesses }: Interactions, table: Table): Join | string {
  const { user, item } = guesses;
  const scored = (column: string, sign: 1 | -1) =>
    joinsOf(world, from, column)
      .filter((join) => join.table === table)
      .map((join) => ({ ...join, score: join.weight + 0.75 * sign * thingness(table, join.key) }))
      .sort((a, b) => b.score - a.score || b.overlap.alike - a.overlap.alike);
  const [asItem] = scored(item.column, 1);
  const [asUser] = scored(user.column, -1);
  if (asItem === undefined) return noKey(table, from, item.column);
  if (asUser !== undefined && asUser.score > asItem.score && (asUser.weight > 0 || thingness(table, asUser.key) < 0)) {
    const { found, values } = asUser.overlap;
    const held =
      found === 0 ? "" : ` (its ${asUser.key} holds ${percentOf(found, values)} of the ${count(values)} users)`;
    return `describes users${held}; only items have channels`;
  }
  if (asItem.overlap.found === 0 && asItem.overlap.alike === 0)
    return `none of the ${count(asItem.overlap.values)} values of ${from.name} ${item.column} is in its ${keysOf(table)}, so nothing can be joined; write the ids of both files the same way`;
  return asItem;
}

const keysOf = (table: Table) =>
  table.columns.filter((column) => table.facts(column).id && table.facts(column).key).join(", ");

function noKey(table: Table, from: Table, item: string): string {
  const ids = new Set(from.cells(item));
  const repeated = table.columns.find(
    (column) => isNamed("item", column) && table.cells(column).some((cell) => cell !== null && ids.has(cell)),
  );
  if (repeated !== undefined) return `has several rows for one ${repeated}; describe each item in one row`;
  const user = namedColumn("user", table.columns);
  if (user !== undefined && namedColumn("item", table.columns) === undefined)
    return "describes users; only items have channels";
  return `no column looks like the item's id (${table.columns.join(", ")})`;
}

/** Channels and title of a table of items. Columns without a name are called by what they are. */
function describe(table: Table, join: Join, interactions: Interactions): Items {
  const title = titleColumn(table, join.key);
  const names = table.named ? table.columns : describedNames(table, join.key, title?.column);
  const nameOf = (column: string) => names[table.columns.indexOf(column)];
  const renamed = table.named ? table : renameColumns(table, names);
  const key = nameOf(join.key);
  const { found, values } = join.overlap;
  const from = `${posix.basename(interactions.table.name)} ${interactions.guesses.item.column}`;
  const mostFound = found >= 0.9 * values;
  const telling = isProven(join.overlap) || (mostFound && (isNamed("item", join.key) || isBareId(join.key)));
  const ownTitle = title && { ...title, column: nameOf(title.column) };
  return {
    table: renamed,
    join,
    guesses: {
      item: {
        column: key,
        confidence: telling ? "sure" : found >= 0.5 * values ? "likely" : "a guess",
        reason: `holds ${percentOf(found, values)} of the ${count(values)} values of ${from}`,
      },
      ...(ownTitle ? { title: ownTitle } : {}),
    },
    suggested: itemChannels(renamed, key, ownTitle?.column),
  };
}

function describedNames(table: Table, item: string, title: string | undefined): string[] {
  let categories: string | undefined;
  return table.columns.map((column) => {
    if (column === item) return "item";
    if (column === title) return "title";
    const decision = inferChannel(profile(column, table.cells(column)));
    const isList =
      "channel" in decision &&
      decision.channel.type === "categories" &&
      Boolean((decision.channel as { separator?: string | null }).separator);
    if (!isList || categories !== undefined) return column;
    categories = column;
    return "categories";
  });
}

/** Ids that do not meet are the commonest mistake; a second key that fits as well is a choice to be made by a person. */
function keyNotes(
  world: World,
  { table: from, guesses }: Interactions,
  { table, join, guesses: own }: Items,
): string[] {
  const { found, alike, values } = join.overlap;
  const place = `${from.name} (${guesses.item.column}) and ${table.name} (${own.item.column})`;
  const notes: string[] = [];
  if (alike - found >= 0.05 * values)
    notes.push(
      `${place} write ids in different ways: ${count(found)} of ${count(values)} are equal as they stand, ${count(alike)} if case, blanks, ` +
        "zeros in front and .0 behind are passed over; prepare compares ids as they stand: write both the same way",
    );
  else if (found < 0.5 * values)
    notes.push(
      `only ${count(found)} of the ${count(values)} items in ${from.name} are in ${table.name}: check the ids of ${place}`,
    );
  const rival = joinsOf(world, from, guesses.item.column).find(
    (other) =>
      other.table.name === table.name && other.key !== join.key && joinWeight(other.overlap) >= join.weight - 0.25,
  );
  if (rival !== undefined && !isNamed("item", join.key))
    notes.push(
      `${rival.key} of ${table.name} holds as many of the ids as ${own.item.column}: items.columns.item decides`,
    );
  return notes;
}

// Users and items of a table of interactions: every pair of id columns is weighed, by overlap with other files first, by names second.
import { posix } from "node:path";
import { type Cells, dependsOn } from "./facts.ts";
import { type Confidence, count, type Guess, type Guesses, percentOf } from "./guess.ts";
import { type IdRole, isBareId, isFileOf, isNamed, isPersonal, namedColumn } from "./names.ts";
import type { Overlap, Overlaps } from "./overlap.ts";
import { chooseRating } from "./rating-column.ts";
import type { Table } from "./table.ts";
import { chooseTime } from "./time-column.ts";

export interface Interactions {
  table: Table;
  guesses: Guesses["interactions"];
  /** Evidence for it; tables of interactions are compared by it. */
  strength: number;
  notes: string[];
}

export interface World {
  tables: readonly Table[];
  overlaps: Overlaps;
}

/** A column of one table whose values are a key of another. */
export interface Join {
  table: Table;
  key: string;
  overlap: Overlap;
  /** From 0 to 5.5: how much it speaks for the two being the same ids. */
  weight: number;
}

/** The share of values found beyond what whole numbers of that range would give by chance. */
function lift({ values, found, chance }: Overlap): number {
  return chance >= 1 || values === 0 ? 0 : Math.max(0, (found / values - chance) / (1 - chance));
}

/** Values that must be found before an overlap proves anything. */
const FEW = 10;

/** Overlap beyond chance tells most; of ids counted from 1, which all overlap, the one that covers more of the key tells more. */
export function joinWeight(overlap: Overlap): number {
  const found = Math.max(overlap.found, 0.8 * overlap.alike); // ids written in two ways are the same ids, to be mended
  if (found === 0) return 0;
  const share = found / overlap.values;
  return 4 * lift({ ...overlap, found }) * share * Math.min(1, found / FEW) + 1.5 * share * Math.sqrt(overlap.covered);
}

/** Every key of another table that holds values of a column, the best first. */
export function joinsOf({ tables, overlaps }: World, from: Table, column: string): Join[] {
  return tables
    .flatMap((table) =>
      table.columns.flatMap((key) => {
        const overlap = table === from ? undefined : overlaps.get(from, column, table, key);
        return overlap === undefined ? [] : [{ table, key, overlap, weight: joinWeight(overlap) }];
      }),
    )
    .sort((a, b) => b.weight - a.weight || b.overlap.alike - a.overlap.alike);
}

/** Negative for a table of people, positive for one of things, by its names alone. */
export function thingness(table: Table, key: string): number {
  const named = (role: IdRole) => (isNamed(role, key) ? 2 : 0) + (isFileOf(role, table.name) ? 1 : 0);
  const personal = table.columns.filter(isPersonal).length >= 2 ? 1 : 0;
  return named("item") - named("user") - personal;
}

interface Pair {
  user: string;
  item: string;
  score: number;
  /** The best join of the item. */
  join: Join | undefined;
}

/** The interactions that a table holds, or undefined. */
export function findInteractions(world: World, table: Table): Interactions | undefined {
  const pairs = weighPairs(world, table);
  for (const pair of pairs.slice(0, 3)) {
    const { user, item, join } = pair;
    const { time, notes: timeNotes } = chooseTime(table, [user, item]);
    const taken = [user, item, ...(time ? [time.column] : [])];
    const { rating, notes: ratingNotes } = chooseRating(table, { user, item }, taken);
    const named = { user: table.named && isNamed("user", user), item: table.named && isNamed("item", item) };
    const both =
      named.user &&
      namedColumn(
        "item",
        table.columns.filter((column) => column !== user),
      ) === item;
    const valued = rating !== undefined || time !== undefined;
    const joined = join !== undefined && join.weight >= 1;
    const few = idColumns(table).every(
      (column) => taken.includes(column) || column === rating?.column || isSmallNumber(table, column),
    );
    const evident =
      both ||
      (valued && (named.user || named.item || joined || few)) ||
      (joined && (named.user || table.columns.length === 2)) ||
      (!table.named && table.columns.length === 2);
    if (!evident) continue;
    const rival = pairs.find((other) => other !== pair && (other.user !== user || other.item !== item));
    const close = rival !== undefined && pair.score - rival.score < 0.75;
    return {
      table,
      guesses: {
        user: userGuess(world, table, pair, close),
        item: itemGuess(table, pair, close),
        ...(rating ? { rating } : {}),
        ...(time ? { time } : {}),
      },
      strength: pair.score + (rating ? 4 : 0) + (time ? 2 : 0) - (isReferred(world, table) ? 4 : 0),
      notes: [...(close ? [rivalNote(table, pair, rival)] : []), ...ratingNotes, ...timeNotes],
    };
  }
  return undefined;
}

/** Another table's column refers to a key of this one, beyond chance: it describes something. */
function isReferred({ tables, overlaps }: World, table: Table): boolean {
  return tables.some((from) =>
    from.columns.some((column) =>
      table.columns.some((key) => {
        const overlap = from === table ? undefined : overlaps.get(from, column, table, key);
        return overlap !== undefined && overlap.found >= FEW && lift(overlap) >= 0.5 && !from.facts(column).unique;
      }),
    ),
  );
}

function idColumns(table: Table): string[] {
  return table.columns.filter((column) => {
    const { id, unique, moment, distinct, numeric } = table.facts(column);
    if (table.named && (isNamed("user", column) || isNamed("item", column))) return id;
    return (
      id && !unique && distinct > 1 && (!moment || !numeric) && (distinct > 2 || !numeric || table.columns.length === 2)
    );
  });
}

/** A handful of numbers: seldom ids, often ratings or kinds. */
const isSmallNumber = (table: Table, column: string) =>
  table.facts(column).numeric && table.facts(column).distinct <= 21;

function weighPairs(world: World, table: Table): Pair[] {
  const ids = idColumns(table);
  const joins = new Map(ids.map((column) => [column, joinsOf(world, table, column)]));
  const pairs: Pair[] = [];
  for (const user of ids) {
    for (const item of ids) {
      if (user === item) continue;
      const toItems = joins.get(item)?.find(({ table: to, key }) => thingness(to, key) >= -1);
      const toUsers = joins.get(user)?.find(({ table: to, key }) => to !== toItems?.table && thingness(to, key) <= 0);
      const score =
        nameScore(table, user, item) +
        (toItems === undefined ? 0 : toItems.weight + 0.5 * Math.sign(thingness(toItems.table, toItems.key))) +
        (toUsers === undefined ? 0 : 0.4 * toUsers.weight) +
        contentScore(table, user, item);
      pairs.push({ user, item, score, join: toItems });
    }
  }
  return pairs.sort((a, b) => b.score - a.score);
}

function nameScore(table: Table, user: string, item: string): number {
  if (!table.named) return 0;
  const winner = (role: IdRole, column: string, columns: readonly string[]) =>
    namedColumn(role, columns) === column ? 3 : 2;
  const others = table.columns.filter((column) => column !== user);
  let score = 0;
  if (isNamed("user", user)) score += winner("user", user, table.columns);
  if (isNamed("item", item)) score += winner("item", item, others);
  else if (isBareId(item)) score += 0.5;
  if (isNamed("user", item)) score -= 3;
  if (isNamed("item", user)) score -= 3;
  return score;
}

/** Pairs of a user and an item seldom repeat, both come again, and neither is decided by the other: an order has one customer. */
function contentScore(table: Table, user: string, item: string): number {
  const cells = { user: table.cells(user), item: table.cells(item) };
  const wordy = (own: Cells) => own.filter((cell) => cell !== null && /\s/.test(cell.trim())).length > 0.5 * own.length;
  const pairs = new Set(cells.user.map((cell, k) => `${cell}\n${cells.item[k]}`)).size;
  return (
    pairs / Math.max(1, table.rows) +
    (table.facts(user).unique ? 0 : 1) +
    (table.facts(item).unique ? 0 : 1) -
    (dependsOn(cells.user, cells.item) ? 3 : 0) -
    (dependsOn(cells.item, cells.user) ? 3 : 0) -
    (isSmallNumber(table, user) ? 0.75 : 0) -
    (isSmallNumber(table, item) ? 0.75 : 0) -
    (wordy(cells.user) ? 0.5 : 0) -
    (wordy(cells.item) ? 0.5 : 0) +
    (table.columns.indexOf(user) < table.columns.indexOf(item) ? 0.3 : 0)
  );
}

const spread = (table: Table, column: string) =>
  `${count(table.facts(column).distinct)} different in ${count(table.rows)} rows`;

function userGuess(world: World, table: Table, { user, join }: Pair, close: boolean): Guess {
  const [best] = joinsOf(world, table, user).filter(
    (own) => own.table !== join?.table && thingness(own.table, own.key) <= 0,
  );
  const held = best !== undefined && best.weight >= 1;
  const named = table.named && isNamed("user", user);
  const reasons = [...(named ? ["named like a user"] : []), ...(held ? [overlapWords(best)] : []), spread(table, user)];
  const confidence: Confidence = named && !close ? "sure" : named || held || !close ? "likely" : "a guess";
  return { column: user, confidence, reason: reasons.join("; ") };
}

function itemGuess(table: Table, { item, join }: Pair, close: boolean): Guess {
  const named = table.named && isNamed("item", item);
  const reasons = [
    ...(named ? ["named like an item"] : []),
    join !== undefined && join.weight > 0 ? overlapWords(join) : spread(table, item),
  ];
  const proven = join !== undefined && isProven(join.overlap);
  const confidence: Confidence = close && !proven ? "a guess" : named || proven ? "sure" : "likely";
  return { column: item, confidence, reason: reasons.join("; ") };
}

/** So many values meet, and not by chance, that the two are the same ids. */
export const isProven = (overlap: Overlap) =>
  overlap.found >= FEW && overlap.found >= 0.9 * overlap.values && lift(overlap) >= 0.8;

/** "98 % of its 3,412 values are in games.csv game_ids" */
function overlapWords({ table, key, overlap }: Join): string {
  const share = percentOf(overlap.found, overlap.values);
  const small = overlap.chance >= 0.5 && overlap.found > 0 ? ", as small whole numbers would be by chance" : "";
  return `${share} of its ${count(overlap.values)} values are in ${posix.basename(table.name)} ${key}${small}`;
}

function rivalNote(table: Table, { user, item }: Pair, rival: Pair): string {
  return (
    `in ${table.name} the user could as well be ${rival.user} and the item ${rival.item}, instead of ${user} and ${item}: ` +
    "interactions.columns.user and interactions.columns.item decide"
  );
}

// Which column of a table is the user, the item, the rating, the time: by its name first, by its content where no name tells.
import { columnWords, detectColumn } from "../sources/detect.ts";
import type { Table } from "./table.ts";

export interface InteractionColumns {
  user: string;
  item: string;
  rating: string | undefined;
  time: string | undefined;
}

/** Words that name a person, or a thing people choose; sometimes followed by a word for "number". */
const words: Record<"user" | "item", RegExp> = {
  user: /^(user|customer|client|member|reviewer|visitor|account|viewer|reader|listener|buyer|shopper|player|subscriber|patron|person|guest|borrower|student|kunde|nutzer)s?$/,
  item: /^(item|movie|film|product|book|article|track|song|business|asin|sku|isbn|show|video|game|recipe|restaurant|place|venue|hotel|course|app|beer|wine|listing|album|artist|podcast|artikel|produkt|title)s?$/,
};
const NUMBER_WORD = /^(id|ids|number|no|nr|num|code|key|ref|uuid|guid|hash|index|idx)$/;

export const isNumber = (cell: string) => /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(cell.trim());
const isTime = (cell: string) => isNumber(cell) || /^\d{4}-\d\d-\d\d(?:$|[T ])/.test(cell.trim());

/** Whether nearly all cells that hold something pass. */
function mostly(cells: readonly (string | null)[], test: (cell: string) => boolean, share = 0.95): boolean {
  const known = cells.filter((cell) => cell !== null);
  return known.length > 0 && known.filter(test).length >= share * known.length;
}

/** The user or item column by its name; also "customer_number" and the like, which `prepare` alone would not take for one. */
export function namedColumn(role: "user" | "item", columns: readonly string[]): string | undefined {
  const byWords = columns.find((column) => {
    const [first, ...rest] = columnWords(column);
    // "artist" alone may well hold a name; "customer" alone is who bought.
    return (
      words[role].test(first ?? "") &&
      (rest.length > 0 || role === "user") &&
      rest.every((word) => NUMBER_WORD.test(word))
    );
  });
  const exact = detectColumn(role, columns);
  // A bare "id" beside a "film_number" is the row's own.
  return exact !== undefined && columnWords(exact).join("") !== "id" ? exact : (byWords ?? exact);
}

const RATING_WORD = /^(rating|score|stars?|vote|grade|note|points|sterne)$/;
const TIME_WORD = /^(timestamp|time|date|datetime|when|at|datum|zeit)$/;

type Taken = readonly (string | undefined)[];

/** Columns not taken yet whose cells pass. */
function freeColumns(table: Table, taken: Taken, test: (cell: string) => boolean): string[] {
  return table.columns.filter((column) => !taken.includes(column) && mostly(table.cells(column), test));
}

const hasWord = (column: string, word: RegExp) => columnWords(column).some((own) => word.test(own));

function ratingColumn(table: Table, taken: Taken): string | undefined {
  const free = freeColumns(table, taken, isNumber);
  return detectColumn("rating", free) ?? free.find((column) => hasWord(column, RATING_WORD));
}

/** A name that only has to do with time, such as "watch time", needs cells that are moments and not spans. */
function timeColumn(table: Table, taken: Taken): string | undefined {
  const byWord = freeColumns(table, taken, looksLikeMoment).find((column) => hasWord(column, TIME_WORD));
  return detectColumn("time", freeColumns(table, taken, isTime)) ?? byWord;
}

export function titleColumn(table: Table, item: string): string | undefined {
  return detectColumn(
    "title",
    freeColumns(table, [item], () => true),
  );
}

/** The columns of a table of interactions, if its names say that it is one. */
export function interactionColumns(table: Table): InteractionColumns | undefined {
  const user = namedColumn("user", table.columns);
  const item = namedColumn(
    "item",
    table.columns.filter((column) => column !== user),
  );
  if (user === undefined || item === undefined) return undefined;
  // An "id" that no two rows share is the row's.
  if (columnWords(item).join("") === "id" && isUnique(table.cells(item))) return undefined;
  return withValues(table, user, item);
}

function withValues(table: Table, user: string, item: string): InteractionColumns {
  const rating = ratingColumn(table, [user, item]);
  return { user, item, rating, time: timeColumn(table, [user, item, rating]) };
}

/**
 * The columns of a table of interactions by its cells alone: two columns of ids that come again and again, beside a rating or a time.
 * `isItem` says whether an id is one of a known item: without it the user is taken to come first, as nearly everywhere.
 */
export function interactionsByContent(
  table: Table,
  isItem: ((id: string) => boolean) | undefined,
): InteractionColumns | undefined {
  const namedUser = namedColumn("user", table.columns);
  const repeated = table.columns.filter((column) => !isUnique(table.cells(column))); // an id of each row's own is no item's
  const namedItem = namedColumn("item", repeated);
  const known = namedUser ?? namedItem;
  const time = table.columns.find((column) => column !== known && mostly(table.cells(column), looksLikeMoment));
  const ids = table.columns.filter((column) => column !== time && isIdColumn(table.cells(column)));
  const rating = table.columns
    .filter((column) => column !== time && column !== known && isRatingColumn(table.cells(column)))
    .findLast((column) => ids.filter((id) => id !== column).length >= 2);
  const free = ids.filter((id) => id !== rating);
  if (free.length < 2 || (free.length > 2 && known === undefined)) return undefined;
  // With neither rating nor time, two columns that repeat could be anything: only a file of nothing else may be interactions.
  if (rating === undefined && time === undefined && (table.named || table.columns.length > 2)) return undefined;
  let [user, item] = free;
  const itemShare = (column: string) => share(table.cells(column), (cell) => isItem?.(cell) ?? false);
  if (namedUser !== undefined) [user, item] = [namedUser, free.find((id) => id !== namedUser) as string];
  else if (namedItem !== undefined) [user, item] = [free.find((id) => id !== namedItem) as string, namedItem];
  else if (itemShare(user) > itemShare(item)) [user, item] = [item, user];
  return { user, item, rating, time };
}

const share = (cells: readonly (string | null)[], test: (cell: string) => boolean) =>
  cells.filter((cell) => cell !== null && test(cell)).length / Math.max(1, cells.length);

/** An ISO time, or seconds to nanoseconds since 1970, from 1973 on. */
const looksLikeMoment = (cell: string) => /^\d{4}-\d\d-\d\d/.test(cell) || (isNumber(cell) && Number(cell) >= 1e8);

/** Short words that come more than once, and not all the same. */
function isIdColumn(cells: readonly (string | null)[]): boolean {
  const distinct = new Set(cells).size;
  return (
    distinct > 1 && distinct < cells.length && mostly(cells, (cell) => cell.length <= 64 && !/\s/.test(cell.trim()), 1)
  );
}

/** A few small numbers. */
function isRatingColumn(cells: readonly (string | null)[]): boolean {
  return mostly(cells, (cell) => isNumber(cell) && Math.abs(Number(cell)) <= 100, 1) && new Set(cells).size <= 21;
}

/** The column that names the item in a table of items: the one that holds the ids met in the interactions, else by name, else by being unique. */
export function itemColumn(table: Table, metIds: ReadonlySet<string>): string | undefined {
  const named = namedColumn("item", table.columns);
  const met = (column: string) => share(table.cells(column), (cell) => metIds.has(cell));
  const unique = table.columns.filter((column) => isUnique(table.cells(column)));
  if (named !== undefined && (met(named) > 0 || unique.every((column) => met(column) < 0.05))) return named;
  const [best] = [...unique].sort((a, b) => met(b) - met(a));
  return best !== undefined && met(best) > 0 ? best : named;
}

export function isUnique(cells: readonly (string | null)[]): boolean {
  return cells.length > 0 && !cells.includes(null) && new Set(cells).size === cells.length;
}

// The title in a table of items: by its name, else the first column of short texts that hardly repeat.
import { columnWords, detectColumn } from "../sources/detect.ts";
import type { Guess } from "./guess.ts";
import { findSeparator } from "./lists.ts";
import { isTitleName } from "./names.ts";
import { mean, profile, share, wordCount } from "./profile.ts";
import type { Table } from "./table.ts";

/** Words for other texts of an item than what it is called by. */
const OTHER_TEXT =
  /^(author|artist|director|writer|creator|brand|publisher|developer|studio|seller|store|description|plot|summary|overview|text|comment|review|ingredients|steps|lyrics|city|address|street|country|url|link|image|code|id|isbn|sku|asin|uuid|key)s?$/;

export function titleColumn(table: Table, item: string): Guess | undefined {
  const columns = table.columns.filter((column) => column !== item && table.facts(column).known > 0);
  if (table.named) {
    const named =
      detectColumn("title", columns) ?? columns.find((column) => isTitleName(column) && isTitle(table, column));
    if (named !== undefined) return { column: named, confidence: "sure", reason: "named like a title" };
  }
  const free = columns.filter((column) => !table.named || !columnWords(column).some((word) => OTHER_TEXT.test(word)));
  const column = free.find((own) => isTitle(table, own));
  const reason = "the first column of short texts that hardly repeat";
  return column === undefined ? undefined : { column, confidence: table.named ? "a guess" : "likely", reason };
}

/** Words or a word, of letters, nearly all different, and not a list. */
function isTitle(table: Table, column: string): boolean {
  const own = profile(column, table.cells(column));
  const isName = (value: string) =>
    /\p{L}{2}/u.test(value) && !/^https?:|@/.test(value) && /\s|^[\p{L}\p{M}'’:!?.-]+$/u.test(value);
  return (
    own.values.length >= 0.8 * own.rows &&
    own.distinct >= 0.8 * own.values.length &&
    share(own, isName) >= 0.8 &&
    mean(own.values.map(wordCount)) <= 10 &&
    mean(own.values.map((value) => value.length)) <= 80 &&
    findSeparator(own) === undefined
  );
}

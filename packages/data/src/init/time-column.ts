// The column of times among a table of interactions.
import { detectColumn } from "../sources/detect.ts";
import { isIsoDate, isNumber, mostly } from "./facts.ts";
import type { Guess } from "./guess.ts";
import { isTimeName } from "./names.ts";
import type { Table } from "./table.ts";

export interface TimeChoice {
  time: Guess | undefined;
  notes: string[];
}

/** Finds the time by its cells; among several the name decides. A name that only has to do with time, such as "watch time", needs moments and not spans. */
export function chooseTime(table: Table, taken: readonly string[]): TimeChoice {
  const free = table.columns.filter((column) => !taken.includes(column));
  const readable = free.filter((column) => mostly(table.cells(column), (cell) => isNumber(cell) || isIsoDate(cell)));
  const moments = free.filter((column) => table.facts(column).moment);
  const named = table.named ? moments.filter(isTimeName) : [];
  const exact = table.named ? detectColumn("time", readable) : undefined;
  const column = exact ?? named[0] ?? moments[0];
  if (column === undefined) return { time: undefined, notes: unreadableNotes(table, free) };
  const known = table.facts(column);
  const kind = known.isoDate ? "ISO dates" : known.moment ? "seconds since 1970, or parts of them" : "numbers";
  const isNamed = column === exact || named.includes(column);
  const others = (named.length > 0 ? named : moments).filter((other) => other !== column);
  return {
    time: {
      column,
      confidence: isNamed && known.moment ? "sure" : isNamed || others.length === 0 ? "likely" : "a guess",
      reason: isNamed ? `named like a time; ${kind}` : kind,
    },
    notes:
      others.length === 0 || exact !== undefined
        ? []
        : [
            `${others.join(", ")} of ${table.name} could be the time as well as ${column}: interactions.columns.time decides`,
          ],
  };
}

/** Dates that `prepare` does not read are worth a word: without times the order of the rows counts. */
function unreadableNotes(table: Table, free: readonly string[]): string[] {
  const isDate = (cell: string) =>
    /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b|^\p{L}{3,9}\.? \d{1,2},? \d{4}\b|^\d{1,2}[ -]\p{L}{3,9}[ -]\d{2,4}\b/u.test(
      cell.trim(),
    );
  return free
    .filter((column) => mostly(table.cells(column), isDate))
    .map((column) => {
      const example = table.cells(column).find((cell) => cell !== null);
      return `${column} of ${table.name} holds dates such as ${example}, which are not read: write them as 2024-12-31 or as seconds since 1970 to use them`;
    });
}

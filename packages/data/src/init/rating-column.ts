// The column of ratings among a table of interactions: by its range, its steps and how often its values come again. Its name is a prior.
import { detectColumn } from "../sources/detect.ts";
import { dependsOn } from "./facts.ts";
import { count, type Guess } from "./guess.ts";
import { isAmountName, isRatingName } from "./names.ts";
import type { Table } from "./table.ts";

export interface RatingChoice {
  rating: Guess | undefined;
  /** Columns that could be ratings too, or are not taken although they might be, a sentence each. */
  notes: string[];
}

/** Ends of the scales that people rate on. */
const LEAST = [-10, -5, -2, -1, 0, 0.5, 1];
const MOST = [1, 2, 3, 4, 5, 6, 7, 9, 10, 20, 100];
/** Most steps of a scale; one of 0 to 100 has 101. */
const MAX_STEPS = 101;
/** Share of the rows with the lowest number from which on a column of whole numbers looks counted: most orders are of one piece. */
const COUNTED = 0.5;

interface Scale {
  least: number;
  most: number;
  distinct: number;
  /** Whole or half numbers on a usual scale. */
  usual: boolean;
  /** Most of the scale's steps occur. */
  full: boolean;
  counted: boolean;
  /** "whole numbers from 1 to 10, 10 different" */
  words: string;
}

/** Judges every free column of numbers. `taken` are the columns that have a role already. */
export function chooseRating(
  table: Table,
  ids: { user: string; item: string },
  taken: readonly string[],
): RatingChoice {
  const notes: string[] = [];
  const free = table.columns.filter((column) => !taken.includes(column));
  const columns = free.filter((column) => table.facts(column).numeric);
  for (const column of free) {
    if (isRatingName(column) && table.named && !columns.includes(column) && isScaleOfWords(table, column))
      notes.push(`${column} of ${table.name} is named like a rating but holds no numbers: write numbers to use it`);
  }
  const judged = columns.flatMap((column) => {
    const own = judge(table, column, ids);
    return own === undefined ? [] : [{ column, ...own }];
  });
  const exact = detectColumn("rating", columns);
  const weight = (one: (typeof judged)[number]) => one.score + (one.column === exact ? 0.5 : 0);
  const [best, second] = judged.sort((a, b) => weight(b) - weight(a));
  if (best === undefined || best.score <= 0) {
    const possible = judged.filter(({ possible: own }) => own);
    if (possible.length > 0) notes.push(unusedNote(table, possible));
    return { rating: undefined, notes };
  }
  if (second !== undefined && weight(second) === weight(best)) {
    notes.push(
      `${second.column} (${second.reason}) could be the rating as well as ${best.column}; ` +
        `to use it, set interactions.columns.rating: ${second.column}`,
    );
    if (best.confidence === "likely") best.confidence = "a guess";
  }
  return { rating: { column: best.column, confidence: best.confidence, reason: best.reason }, notes };
}

const unusedNote = (table: Table, columns: readonly { column: string; reason: string }[]) =>
  `no column of ${table.name} was taken for a rating; ${columns.map(({ column, reason }) => `${column} holds ${reason}`).join("; ")}: ` +
  `if it says how much an item was liked, set interactions.columns.rating: ${columns[0].column}`;

interface Judgement extends Omit<Guess, "column"> {
  /** Above 0: a rating. */
  score: number;
  /** Worth a word if nothing better is found. */
  possible: boolean;
}

function judge(table: Table, column: string, ids: { user: string; item: string }): Judgement | undefined {
  const cells = table.cells(column);
  const scale = scaleOf(cells);
  if (scale === undefined) return undefined;
  const { words } = scale;
  const property = (["item", "user"] as const).find(
    (role) => scale.distinct > 1 && dependsOn(cells, table.cells(ids[role])),
  );
  if (table.named && isRatingName(column)) {
    if (property !== undefined)
      return {
        score: 2,
        possible: true,
        confidence: "a guess",
        reason: `named like a rating, but the same in all rows of one ${property}; ${words}`,
      };
    const odd = scale.counted && !scale.usual;
    return { score: 4, possible: true, confidence: odd ? "likely" : "sure", reason: `named like a rating; ${words}` };
  }
  const rejected = { score: 0, confidence: "a guess", reason: words } as const;
  if (property !== undefined) {
    const reason = `${words}, the same in all rows of one ${property}`;
    // A file without a header seldom carries properties along.
    return { ...rejected, reason, score: !table.named && scale.usual ? 0.5 : 0, possible: scale.usual };
  }
  if (table.named && isAmountName(column)) return { ...rejected, possible: true };
  if (!scale.usual) return { ...rejected, possible: scale.distinct <= MAX_STEPS && scale.distinct > 1 };
  if (scale.distinct === 2 && table.named && scale.least !== -1) return { ...rejected, possible: true };
  if (scale.counted) return { ...rejected, reason: `${words}, mostly ${scale.least}, as counts are`, possible: true };
  return {
    score: scale.full ? 2 : 1,
    possible: true,
    confidence: scale.full && scale.distinct > 2 ? "likely" : "a guess",
    reason: words,
  };
}

function scaleOf(cells: readonly (string | null)[]): Scale | undefined {
  const numbers = cells.flatMap((cell) => (cell === null ? [] : [Number(cell)])).filter(Number.isFinite);
  if (numbers.length === 0) return undefined;
  const distinct = new Set(numbers);
  const [least, most] = [...distinct].reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  const whole = [...distinct].every(Number.isInteger);
  const halves = [...distinct].every((x) => Number.isInteger(2 * x));
  const steps = (most - least) * (whole ? 1 : 2) + 1;
  const lowest = numbers.filter((x) => x === least).length / numbers.length;
  const kind = whole ? "whole numbers" : halves ? "whole and half numbers" : "numbers";
  return {
    least,
    most,
    distinct: distinct.size,
    usual:
      halves &&
      LEAST.includes(least) &&
      MOST.includes(most) &&
      distinct.size > 1 &&
      distinct.size <= Math.min(MAX_STEPS, 0.5 * numbers.length),
    full: distinct.size >= 0.7 * steps,
    counted: whole && least >= 0 && distinct.size > 2 && lowest >= COUNTED,
    words: `${kind} from ${least} to ${most}, ${count(distinct.size)} different`,
  };
}

/** A handful of words, such as yes and no, or good and bad. */
function isScaleOfWords(table: Table, column: string): boolean {
  const { distinct, known } = table.facts(column);
  return known > 0 && distinct > 1 && distinct <= 20;
}

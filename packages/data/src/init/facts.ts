// Facts about the cells of one column, and about how two columns depend on each other.
import { isNumberText } from "@nearkin/core";

export type Cells = readonly (string | null)[];

export interface Facts {
  /** Cells that hold something. */
  known: number;
  distinct: number;
  /** One value per row, none missing. */
  unique: boolean;
  /** Nearly unique, nearly none missing: a few rows may repeat an id. */
  key: boolean;
  /** Nearly all cells are decimal numbers. */
  numeric: boolean;
  /** Nearly all cells are moments: ISO dates, or seconds to nanoseconds of the years 1980 to 2040. */
  moment: boolean;
  /** Nearly all cells are ISO dates. */
  isoDate: boolean;
  /** Could be ids: short texts or whole numbers that are not dates. */
  id: boolean;
}

/** Letters of an id, at most: a longer cell is prose. */
const LONGEST_ID = 128;
const MOSTLY = 0.95;
/** Share of the rows that a key tells apart. */
const NEARLY_UNIQUE = 0.9;

export const isNumber = (cell: string) => isNumberText(cell.trim());
const isWhole = (cell: string) => /^[+-]?\d+(?:\.0+)?$/.test(cell.trim());
export const isIsoDate = (cell: string) => /^\d{4}-\d\d-\d\d(?:$|[T ])/.test(cell.trim());

const EARLIEST = Date.UTC(1980, 0) / 1000;
const LATEST = Date.UTC(2040, 0) / 1000;

function isMoment(cell: string): boolean {
  if (!isNumber(cell)) return isIsoDate(cell);
  const seconds = [1, 1e3, 1e6, 1e9].map((unit) => Number(cell) / unit);
  return seconds.some((time) => time >= EARLIEST && time <= LATEST);
}

/** Nearly all cells that hold something pass. */
export function mostly(cells: Cells, test: (cell: string) => boolean, share = MOSTLY): boolean {
  const known = cells.filter((cell) => cell !== null);
  return known.length > 0 && known.filter(test).length >= share * known.length;
}

export function factsOf(cells: Cells): Facts {
  const known = cells.filter((cell) => cell !== null);
  const distinct = new Set(known).size;
  const numeric = mostly(cells, isNumber);
  const isoDate = mostly(cells, isIsoDate);
  const idLike = (cell: string) => cell.length <= LONGEST_ID && !/[\r\n]/.test(cell) && (!numeric || isWhole(cell));
  return {
    known: known.length,
    distinct,
    unique: cells.length > 0 && known.length === cells.length && distinct === cells.length,
    key: known.length >= NEARLY_UNIQUE * cells.length && distinct >= NEARLY_UNIQUE * known.length,
    numeric,
    moment: mostly(cells, isMoment),
    isoDate,
    id: distinct > 0 && !isoDate && mostly(cells, idLike),
  };
}

/** Groups and rows that a dependency must be seen in. */
const MIN_GROUPS = 5;
const MIN_GROUPED_ROWS = 20;

/** Rows with one value of `by` have one value of `cells`: a property of what `by` names. Groups of one row do not count. */
export function dependsOn(cells: Cells, by: Cells): boolean {
  const groups = new Map<string, { rows: number; values: Set<string> }>();
  for (const [k, key] of by.entries()) {
    const cell = cells[k];
    if (key === null || cell === null) continue;
    const group = groups.get(key) ?? { rows: 0, values: new Set() };
    groups.set(key, group);
    group.rows++;
    group.values.add(cell);
  }
  const several = [...groups.values()].filter(({ rows }) => rows > 1);
  const rows = several.reduce((sum, group) => sum + group.rows, 0);
  return (
    several.length >= MIN_GROUPS &&
    rows >= MIN_GROUPED_ROWS &&
    several.filter(({ values }) => values.size === 1).length >= MOSTLY * several.length
  );
}

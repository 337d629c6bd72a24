// What the cells of one column have in common.

/** Texts that people write for "not known". */
const ABSENT = new Set([
  "n/a",
  "na",
  "nan",
  "none",
  "null",
  "nil",
  "unknown",
  "not available",
  "not known",
  "-",
  "--",
  "?",
  "\\n",
  "(no genres listed)",
  "tba",
]);

export interface Profile {
  column: string;
  /** Rows looked at. */
  rows: number;
  /** Cells that say something, trimmed. */
  values: readonly string[];
  distinct: number;
  /** Texts found that stand for "not known". */
  missing: readonly string[];
}

export function profile(column: string, cells: readonly (string | null)[]): Profile {
  const missing = new Set<string>();
  const values: string[] = [];
  for (const cell of cells) {
    const text = cell?.trim() ?? "";
    if (text === "") continue;
    if (ABSENT.has(text.toLowerCase())) missing.add(text);
    else values.push(text);
  }
  return { column, rows: cells.length, values, distinct: new Set(values).size, missing: [...missing].sort() };
}

/** The share of values that pass a test. */
export function share({ values }: Pick<Profile, "values">, test: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

export const wordCount = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;

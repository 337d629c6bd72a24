// How the theory's commands print sentences: counted words, and lines that fit.

const WIDTH = 110;

/** "1 fit", "2 fits". */
export const counted = (n: number, what: string): string => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

/** Spaces to break at: not those beside a sign, which hold a formula together. */
const BREAKS = /(?<![−=≤≥<]) (?![−=≤≥<])/;

/**
 * Broken between words where it is longer than 110 characters; all lines but the first are indented. What it begins with stays as it is.
 *
 * @example
 * wrapped("  τ   one two", 6, { width: 9 }) // => "  τ   one\n      two"
 */
export function wrapped(text: string, indent: number, { width = WIDTH }: { width?: number } = {}): string {
  const lines: string[] = [];
  let line = text.slice(0, indent);
  let empty = true; // of words
  for (const word of text.slice(indent).split(BREAKS)) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = " ".repeat(indent);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join("\n");
}

// The filter language, word by word.
import { filterLimits } from "./filter.ts";

/** A text that is no filter: where, and what was expected there. */
export class FilterSyntaxError extends Error {
  /** The character at which it went wrong, counted from 1; one past the last for the end. */
  readonly position: number;
  constructor(position: number, problem: string) {
    super(`character ${position}: ${problem}`);
    this.name = "FilterSyntaxError";
    this.position = position;
  }
}

export type Token = { readonly at: number; readonly end: number } & (
  | { readonly kind: "word" | "name" | "text" | "sign"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "end"; readonly value: "" }
);

const blank = /\s+/uy;
const sign = /[()[\],]|==|=|!=|>=|<=|>|</uy;
const number = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy;
const word = /[\p{L}_][\p{L}\p{M}\p{N}_.-]*/uy;
/** What may not follow a number without a space: 1990s is a mistake, and not 1990 and s. */
const glued = /[\p{L}\p{N}_."'`]/uy;

/** All words of a text; the last is the end. */
export function tokenize(text: string): Token[] {
  if (text.length > filterLimits.text) {
    throw new FilterSyntaxError(
      filterLimits.text + 1,
      `a filter's text has at most ${filterLimits.text} characters, this one ${text.length}`,
    );
  }
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const gap = take(blank);
    if (gap !== undefined) {
      at += gap.length;
      continue;
    }
    const token = next();
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", value: "", at, end: at });
  return tokens;

  function next(): Token {
    const first = text[at];
    if (first === '"' || first === "'") return quoted("text");
    if (first === "`") return quoted("name");
    const mark = take(sign);
    if (mark !== undefined) return { kind: "sign", value: mark, at, end: at + mark.length };
    const digits = take(number);
    if (digits !== undefined) return numeral(digits);
    const letters = take(word);
    if (letters !== undefined) return { kind: "word", value: short(letters, "word"), at, end: at + letters.length };
    const found = String.fromCodePoint(text.codePointAt(at) as number);
    throw new FilterSyntaxError(at + 1, `expected a word, a number or a quoted text, got ${JSON.stringify(found)}`);
  }

  function numeral(digits: string): Token {
    const end = at + digits.length;
    glued.lastIndex = end;
    if (glued.test(text)) {
      throw new FilterSyntaxError(
        end + 1,
        `expected a space after the number ${digits.slice(0, 40)}; put texts into quotes`,
      );
    }
    const value = Number(digits);
    if (!Number.isFinite(value)) throw new FilterSyntaxError(at + 1, `the number ${digits.slice(0, 40)} is too large`);
    return { kind: "number", value, at, end };
  }

  function quoted(kind: "text" | "name"): Token {
    const { value, end } = readQuoted(text, at, kind);
    return { kind, value: short(value, kind), at, end };
  }

  function short(value: string, called: string): string {
    if (value.length <= filterLimits.value) return value;
    throw new FilterSyntaxError(at + 1, `a ${called} has at most ${filterLimits.value} characters`);
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", "0": "\0" };

/** From the quote at `start` to the same quote: \n, \t, \u0041 and \u{1F600} are escapes, and any other sign after \ stands for itself. */
function readQuoted(text: string, start: number, called: string): { value: string; end: number } {
  const quote = text[start];
  let value = "";
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === quote) return { value, end: i + 1 };
    if (text[i] !== "\\") {
      value += text[i];
      continue;
    }
    i++;
    if (text[i] === "u") {
      const code = /\{([0-9a-f]{1,6})\}|([0-9a-f]{4})/iy;
      code.lastIndex = i + 1;
      const found = code.exec(text);
      const point = found ? Number.parseInt(found[1] ?? found[2], 16) : -1;
      if (!found || point > 0x10ffff) {
        throw new FilterSyntaxError(i, "expected four hexadecimal digits after \\u, or {…}");
      }
      value += found[1] ? String.fromCodePoint(point) : String.fromCharCode(point);
      i += found[0].length;
    } else if (i < text.length) value += escapes[text[i]] ?? text[i];
  }
  throw new FilterSyntaxError(start + 1, `the ${called} that begins here has no closing ${quote}`);
}

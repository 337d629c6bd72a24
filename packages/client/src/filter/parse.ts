// From text to filter, by recursive descent. `not` binds closest, then `and`, then `or`:
//
//   filter    = and { "or" and }
//   and       = not { "and" not }
//   not       = "not" not | part
//   part      = "(" filter ")" | ("all" | "any") "(" [ filter { "," filter } ] ")" | "same" "(" name ")"
//             | ("seen" | "added") [ ("=" | "is") ("true" | "false") ] | name condition
//   condition = ("=" | "==" | "is") value | ("!=" | "is" "not") value | [ "not" ] "in" list | "has" value | "has" "any" list
//             | (">" | ">=" | "<" | "<=") bound | "between" bound "and" bound | "exists" | "missing" | "matches" text
//   list      = "[" [ value { "," value } ] "]" | "(" … ")"
//   value     = bound | "true" | "false"          bound = number | text
//   name      = a word that is none of the above, or anything between backticks
import { type Bound, type Filter, filterLimits, type Scalar, tooLarge } from "./filter.ts";
import { FilterSyntaxError, type Token, tokenize } from "./tokens.ts";

export { FilterSyntaxError } from "./tokens.ts";

/** Words of the language: a field of such a name is written between backticks. */
export const reservedWords: ReadonlySet<string> = new Set(
  "all any not and or same seen added is in has between exists missing matches true false null".split(" "),
);

const comparisons = { ">": "above", ">=": "atLeast", "<": "below", "<=": "atMost" } as const;

/** Parentheses, each of which costs a few calls; the filter's own depth is checked when it is there. */
const MOST_OPEN = 2 * filterLimits.depth;

/**
 * The filter that a text says; a `FilterSyntaxError` tells where it says none.
 *
 * @example
 * parseFilter('year >= 1990 and not seen') // => { all: [{ field: "year", atLeast: 1990 }, { not: { seen: true } }] }
 */
export function parseFilter(text: string): Filter {
  const filter = new Parser(tokenize(text)).whole();
  const problem = tooLarge(filter);
  if (problem !== undefined) throw new FilterSyntaxError(1, problem);
  return filter;
}

class Parser {
  readonly #tokens: readonly Token[];
  #place = 0;
  #open = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Filter {
    const filter = this.#either();
    if (this.#token.kind !== "end") throw this.#expected("and, or, or the end");
    return filter;
  }

  get #token(): Token {
    return this.#tokens[this.#place];
  }

  #either(): Filter {
    const first = this.#both();
    if (!this.#isWord("or")) return first;
    const any = [first];
    while (this.#takeWord("or")) any.push(this.#both());
    return { any };
  }

  #both(): Filter {
    const first = this.#negation();
    if (!this.#isWord("and")) return first;
    const all = [first];
    while (this.#takeWord("and")) all.push(this.#negation());
    return { all };
  }

  #negation(): Filter {
    if (!this.#takeWord("not")) return this.#part();
    return this.#inside(() => ({ not: this.#negation() }));
  }

  #part(): Filter {
    if (this.#takeSign("(")) return this.#inside(() => this.#closing(this.#either(), ")"));
    const token = this.#token;
    const reserved = this.#reserved();
    switch (reserved) {
      case "all":
      case "any": {
        this.#place++;
        if (!this.#takeSign("(")) throw this.#expected(`( after ${reserved}`);
        const parts = this.#inside(() => this.#listed(() => this.#either(), ")"));
        return reserved === "all" ? { all: parts } : { any: parts };
      }
      case "same":
        this.#place++;
        if (!this.#takeSign("(")) throw this.#expected("( and a field, as in same(genres)");
        return { same: this.#closing(this.#name(), ")") };
      case "seen":
      case "added": {
        this.#place++;
        const value = this.#takeSign("=") || this.#takeSign("==") || this.#takeWord("is") ? this.#truth() : true;
        return reserved === "seen" ? { seen: value } : { added: value };
      }
      case undefined:
        if (token.kind === "word" || token.kind === "name") return this.#condition(this.#name());
    }
    throw this.#expected("a field, not, seen, added, same(…) or (");
  }

  #condition(field: string): Filter {
    const token = this.#token;
    if (token.kind === "sign" && token.value in comparisons) {
      this.#place++;
      const bound = this.#bound();
      switch (comparisons[token.value as keyof typeof comparisons]) {
        case "above":
          return { field, above: bound };
        case "atLeast":
          return { field, atLeast: bound };
        case "below":
          return { field, below: bound };
        case "atMost":
          return { field, atMost: bound };
      }
    }
    if (this.#takeSign("!=")) return { not: { field, is: this.#value() } };
    if (this.#takeSign("=") || this.#takeSign("==")) return { field, is: this.#value() };
    if (this.#takeWord("is")) {
      return this.#takeWord("not") ? { not: { field, is: this.#value() } } : { field, is: this.#value() };
    }
    if (this.#takeWord("in")) return { field, in: this.#list() };
    if (this.#takeWord("not")) {
      if (!this.#takeWord("in")) throw this.#expected("in");
      return { not: { field, in: this.#list() } };
    }
    if (this.#takeWord("has")) {
      return this.#takeWord("any") ? { field, hasAny: this.#list() } : { field, has: this.#value() };
    }
    if (this.#takeWord("between")) {
      const low = this.#bound();
      if (!this.#takeWord("and")) throw this.#expected(`and, as in between ${JSON.stringify(low)} and …`);
      return { field, between: [low, this.#bound()] };
    }
    if (this.#takeWord("exists")) return { field, exists: true };
    if (this.#takeWord("missing")) return { field, exists: false };
    if (this.#takeWord("matches")) return { field, matches: this.#text() };
    throw this.#expected(`what ${field} shall be: =, !=, >, >=, <, <=, in, has, between, exists, missing or matches`);
  }

  #list(): Scalar[] {
    if (this.#takeSign("[")) return this.#listed(() => this.#value(), "]");
    if (this.#takeSign("(")) return this.#listed(() => this.#value(), ")");
    throw this.#expected('a list such as ["Comedy", "Drama"]');
  }

  /** Up to `close`, which is taken. */
  #listed<T>(read: () => T, close: string): T[] {
    const list: T[] = [];
    if (this.#takeSign(close)) return list;
    do {
      if (list.length === filterLimits.values) {
        throw new FilterSyntaxError(this.#token.at + 1, `a list has at most ${filterLimits.values} values`);
      }
      list.push(read());
    } while (this.#takeSign(","));
    return this.#closing(list, close);
  }

  #value(): Scalar {
    const { kind, value } = this.#token;
    if (kind === "text" || kind === "number") return this.#taken(value);
    if (this.#isWord("true") || this.#isWord("false")) return this.#truth();
    throw this.#expected('a value such as 1990, "Comedy" or true');
  }

  #bound(): Bound {
    const { kind, value } = this.#token;
    if (kind === "text" || kind === "number") return this.#taken(value);
    throw this.#expected('a number, or a text such as "1994-09-23"');
  }

  #text(): string {
    const { kind, value } = this.#token;
    if (kind === "text" && value !== "") return this.#taken(value);
    throw this.#expected('a text such as "lighthouse"');
  }

  #truth(): boolean {
    if (this.#takeWord("true")) return true;
    if (this.#takeWord("false")) return false;
    throw this.#expected("true or false");
  }

  #name(): string {
    const { kind, value } = this.#token;
    if (kind === "name" && value !== "") return this.#taken(value);
    if (kind === "word" && this.#reserved() === undefined) return this.#taken(value);
    throw this.#expected("the name of a field");
  }

  #taken<T>(value: T): T {
    this.#place++;
    return value;
  }

  #inside<T>(read: () => T): T {
    if (++this.#open > MOST_OPEN) {
      throw new FilterSyntaxError(this.#token.at + 1, `a filter is at most ${filterLimits.depth} levels deep`);
    }
    const result = read();
    this.#open--;
    return result;
  }

  #closing<T>(result: T, sign: string): T {
    if (!this.#takeSign(sign)) throw this.#expected(sign === ")" ? "and, or, or )" : `, or ${sign}`);
    return result;
  }

  /** The word of the language at hand, in small letters. */
  #reserved(): string | undefined {
    const { kind, value } = this.#token;
    if (kind !== "word") return undefined;
    const word = value.toLowerCase();
    return reservedWords.has(word) ? word : undefined;
  }

  #isWord(word: string): boolean {
    return this.#reserved() === word;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#place++;
    return true;
  }

  #takeSign(sign: string): boolean {
    const { kind, value } = this.#token;
    if (kind !== "sign" || value !== sign) return false;
    this.#place++;
    return true;
  }

  #expected(what: string): FilterSyntaxError {
    const { kind, value, at } = this.#token;
    const found =
      kind === "end"
        ? "the end"
        : kind === "number" || kind === "sign"
          ? value
          : JSON.stringify(String(value).slice(0, 80));
    const hint =
      kind === "word" && value.toLowerCase() === "null"
        ? "; ask whether a field has a value by exists and missing"
        : kind === "word" && what.includes(" such as ") && what.includes('"')
          ? "; put texts into quotes"
          : kind === "text" && what.startsWith("a field")
            ? "; put names between backticks"
            : "";
    return new FilterSyntaxError(at + 1, `expected ${what}, got ${found}${hint}`);
  }
}

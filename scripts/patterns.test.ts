// Every regular expression of the packages in time that grows with the text, and not with its square: one that backtracks lets a single request
// stop a server. Literals are taken from the sources and pumped; what is built at run time is asked through the function that uses it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFilter } from "@nearkin/client";
import { routes } from "@nearkin/client/contract";
import { readDate, readNumber, splitList, tokenize } from "@nearkin/core";
import ts from "typescript";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("..", import.meta.url));
const SHORT = 4000; // characters: a linear pattern takes some 20 µs, one that backtracks 10 ms
const LONG = 4 * SHORT;
const SUSPECT_MS = 2;
const MAX_GROWTH = 8; // a line grows 4 times, a square 16 times
const END = "\u0001"; // matches next to nothing

/** Files whose patterns see texts of a bounded length alone. */
const CUT_BEFORE = ["data/src/spark/failure.ts"];

interface Pattern {
  readonly at: string;
  readonly run: (text: string) => unknown;
  readonly pumps: readonly string[];
  readonly prefixes: readonly string[];
}

/** Regular expressions of a source file, with texts that may make them backtrack. */
function patternsOf(file: string): Pattern[] {
  const found: Pattern[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(patternOf(`${file.slice(repository.length)}:${line + 1} ${node.text}`, node.text));
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

function patternOf(at: string, literal: string): Pattern {
  const end = literal.lastIndexOf("/");
  const [source, flags] = [literal.slice(1, end), literal.slice(end + 1)];
  const expression = new RegExp(source, flags);
  const run = expression.global
    ? (text: string) => text.replaceAll(expression, "")
    : (text: string) => {
        expression.lastIndex = 0;
        expression.exec(text);
      };
  // its own signs and words, and one of each kind of character that a class may stand for
  const words = [...source.matchAll(/[A-Za-z :"(\\/.]{3,}/g)].map(([word]) => word.replaceAll("\\", ""));
  const signs = [...new Set([..."1a 0A.'\",[é_-", ...source.replaceAll(/[^ -~]/g, "")])];
  const pairs = ["1.", "a ", "a.", "1,", "a:", " a", "1 ", "' "];
  return { at, run, pumps: [...signs, ...pairs, ...words], prefixes: ["", ..."1a[<(-{$ ", ...words] };
}

function sourceFiles(): string[] {
  const packages = join(repository, "packages");
  return readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\.suite\.|testing\//.test(path))
      .map((path) => join(packages, name, "src", path)),
  );
}

const timeOf = (run: Pattern["run"], text: string): number => {
  const started = performance.now();
  run(text);
  return performance.now() - started;
};

/** The least of some times: what others do on the machine only adds to it. */
const leastTime = (run: Pattern["run"], text: string): number =>
  Math.min(...Array.from({ length: 3 }, () => timeOf(run, text)));

/** The first text whose time grows faster than its length; undefined if there is none. */
function superLinear({ run, pumps, prefixes }: Pattern): string | undefined {
  for (const pump of pumps) {
    for (const prefix of prefixes) {
      const textOf = (length: number) => prefix + pump.repeat(Math.ceil(length / pump.length)) + END;
      const short = textOf(SHORT);
      if (timeOf(run, short) < SUSPECT_MS || leastTime(run, short) < SUSPECT_MS) continue;
      const growth = leastTime(run, textOf(LONG)) / leastTime(run, short);
      if (growth > MAX_GROWTH) return `${JSON.stringify(prefix)} + ${JSON.stringify(pump)}·n`;
    }
  }
  return undefined;
}

test("no regular expression of a package takes time that grows faster than the text it reads", () => {
  const patterns = sourceFiles()
    .filter((file) => !CUT_BEFORE.some((path) => file.endsWith(path)))
    .flatMap(patternsOf);
  expect(patterns.length).toBeGreaterThan(200);
  const slow = patterns.flatMap((pattern) => {
    const text = superLinear(pattern);
    return text === undefined ? [] : [`${pattern.at} on ${text}`];
  });
  expect(slow).toEqual([]);
});

/** Refusals are as good as answers here. */
const quietly = (read: (text: string) => unknown) => (text: string) => {
  try {
    read(text);
  } catch {
    // refused
  }
};

test.each<[name: string, read: (text: string) => unknown, pumps: readonly string[]]>([
  ["a number of a file", readNumber, ["1", "1.", " ", "+", "1e", "e"]],
  ["a date of a file", readDate, ["1", "1999-", "1999-12-31T20:15:00.1", " ", "-"]],
  ["a list of a file", (text) => splitList(text, { type: "list", separator: "|" }), ["|", " |", "[", '["']],
  ["a text's words", tokenize, ["a", "é", "́", "1 ", " "]],
  ["a filter", (text) => parseFilter(`year = ${text}`), ["1", "1.", "(", "not ", '"', "\\", " such as "]],
  ["a query string", (text) => routes.listItems.querystring.safeParse({ limit: text }), ["1", "1.", " ", "{"]],
])("%s takes time that grows with its length", (at, read, pumps) => {
  const prefixes = ["", "1", "[", "$", '"', "1999-12-31T20:15:00."];
  expect(superLinear({ at, run: quietly(read), pumps, prefixes })).toBeUndefined();
});

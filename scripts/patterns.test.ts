// Every regular expression of the packages takes time linear in its text: a quadratic one lets a single request, file or answer stop a program.
// A pattern is linear by its form, or it is measured on the attacks that are listed here with it. One that is not listed fails the test.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFilter } from "@nearkin/client";
import { routes } from "@nearkin/client/contract";
import { readDate, readNumber, splitList, tokenize } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { isNumberText } from "../packages/core/src/channels/cells.ts";
import { bertWordSplitter } from "../packages/core/src/text/bert-words.ts";
import { jsonBytes, tinyTokenizer } from "../packages/core/src/text/testing/tiny-bert.ts";
import { readWordPiece } from "../packages/core/src/text/word-piece.ts";
import { itemChannels } from "../packages/data/src/init/item-channels.ts";
import { numberDecision } from "../packages/data/src/init/numbers.ts";
import { profile } from "../packages/data/src/init/profile.ts";
import { Failure } from "../packages/data/src/spark/failure.ts";
import { reportPolicy } from "../packages/serve/src/results/report-policy.ts";
import { growthExponent, MAX_EXPONENT } from "./testing/growth.ts";
import {
  expressionsOf,
  expressionsOfPackages,
  expressionsOfSpark,
  isLinearByForm,
} from "./testing/regular-expressions.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const { literals, written, built } = expressionsOfPackages(repository);

/** A text with parts in «» that are repeated until it is long enough: `x«ab»y` is xababab…y. */
type Attack = string;

/** Each attack is also tried with these endings: a match may need the end of the text, and `.` stops at an end of a line. */
const TAILS = ["", "!", "\n", "\n!", "\u2028!"];

function textOf(attack: Attack, length: number): string {
  const parts = attack.split(/[«»]/); // every other one is repeated
  const each = length / Math.floor(parts.length / 2);
  return parts.map((part, k) => (k % 2 === 0 ? part : part.repeat(Math.ceil(each / part.length)))).join("");
}

/** The first attack, with its ending, on which `run` is not linear; undefined if there is none. */
function superlinearAttack(run: (text: string) => unknown, attacks: readonly Attack[], longest?: number) {
  const all = attacks.flatMap((attack) => TAILS.map((tail) => attack + tail));
  return all.find((attack) => growthExponent(run, (length) => textOf(attack, length), longest) > MAX_EXPONENT);
}

/** Looks for all matches of a global pattern, tries a sticky one all along the text, and looks for the first match of any other. */
const runOf = (pattern: RegExp) => (text: string) => {
  if (pattern.global) return text.replaceAll(pattern, "");
  if (!pattern.sticky) return pattern.exec(text);
  for (let at = 0; at < text.length; ) {
    pattern.lastIndex = at;
    at += pattern.exec(text)?.[0].length || 1;
  }
  return undefined;
};

/** Patterns that are not linear by their form, with attacks on every repetition in them. */
const ATTACKED: readonly (readonly [RegExp, ...Attack[]])[] = [
  // command lines, environment and settings
  [/^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/, "«1»", "1.«1»", "1« »", "«1»« »"],
  [/^(\d+)\/(\d+)$/, "«1»", "«1»/«1»", "«1/»"],
  [/^(\d+(?:\.\d+)?)\s*(MB|GB|MiB|GiB)$/i, "«1»", "1.«1»", "«1»« »M"],
  [/(?<![/\\])[/\\]+$/, "«/»", "«a/»", "«/»a«/»"],
  [/(?<!\/)\/+$/, "«/»", "«a/»", "«/»a«/»"],
  [/^\s*([^=\s]+)\s*=\s*([^\sx]+)(x?)\s*$/, "« »", "«a»", "a« »", "a=«x»", "a=« »", "«a=»", "a=1x« »"],
  [/^(local(\[.*\])?|yarn|spark:\/\/.+|k8s:\/\/.+)$/, "local[«]»", "spark://«a»", "k8s://«a»"],
  [/^\[?(.*?)\]?(?::(\d+))?$/, "[«]»", "«:1»", "«:»", "[«1»", "«1»:«1»"],
  [
    /^spark-core_[\d.]+-(\d+\.\d.*)\.jar$/,
    "spark-core_«1»",
    "spark-core_1-«1»",
    "spark-core_1-1.«1»",
    "spark-core_1-1.1«.jar»",
  ],
  [/OpenBLAS (\S+)/, "«OpenBLAS »", "OpenBLAS «a»"],
  [/; did you mean .*$/s, "«; did you mean »"],
  [/\/(\d+)$/, "«/»", "«/1»", "/«1»"],
  [/\.\d+Z$/, "«.1»", ".«1»"],

  // requests, and answers of a server
  [/^bearer +(\S+)$/i, "bearer« »", "bearer «a»", "bearer« »«a»"],
  [/^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/, "[«:»", "«a»", "«a:»"],
  [/^(?:rest\.(.+)|own\.(\d{1,15})\.(.+))$/s, "rest.«a»", "own.«1»", "own.1.«a»", "«own.1.»"],
  [/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i, "«1»", "«1»e", "1.«1»e", "1e«1»", ".«1»"],
  [/^[+-]?\d{5,}(\.\d+)?$/, "«1»", "«1».", "11111.«1»"],
  [/[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy, "«1»", "«1»+", "«1.»", "«1e»", "«+»", "1.«1»e", "«.»"],
  [/[\p{L}_][\p{L}\p{M}\p{N}_.-]*/uy, "«a»", "«1»", "«a.»", "«é»"],
  [/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu, "«a»", "a«\u0301»", "«\u0301»", "«a \u0301»"],
  [
    /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu,
    "«\u0301»",
    `«${"\u0301".repeat(30)}a»`,
    `«${"\u0301".repeat(31)}a»`,
    "«\u0301\u0323»",
  ],
  [/\{(\w+)\}/g, "«{»", "«{a»", "{«a»", "«{}»"],
  [/received (.*)$/s, "«received »", "received «a»"],
  [
    /^draft: (?:channel ([^:]+): )?(.*)$/s,
    "draft: channel «a»",
    "draft: channel «a:»",
    "draft: «a»",
    "«draft: channel »",
  ],
  [/there is no channel "([^"]+)"/, '«there is no channel "»', 'there is no channel "«a»', "«there is no channel »"],
  [
    /(?:draft|channels)(?:\.([\w-]+)|\["([^"]*)"\])/,
    '«draft["»',
    '«channels["a"»',
    'draft["«a»',
    "«draft.»",
    "«draft»",
  ],
  [
    /^(?=[^\s:]*(?:draft|channels))[^:]*: (?:channel [^:]+: )?/,
    "«draft»",
    "«channels»",
    "«a»",
    "draft: «channel »",
    "draft: channel «a»",
    "draft: channel «a:»",
  ],
  [/[?#].*$/s, "«?»", "«#»", "?«a»"],
  [/^bytes (\d+)-\d+\/(\d+|\*)$/, "bytes «1»", "bytes 1-«1»", "bytes 1-1/«1»", "bytes «1-»"],
  [/^nt_([\w-]+)\.[\w-]+$/, "nt_«a»", "nt_a.«a»", "nt_«a.»"],
  [/^(?:::ffff:)?127(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/, "«::ffff:»", "127«.1»", "127«.»"],
  [/^(localhost|127(\.\d+){3}|\[::1\])$/, "127«.1»", "127.«1»"],
  [/^(-?[\d.]+)(?:\s*[,;]\s*|\s+)(-?[\d.]+)$/, "«1»", "1« »", "1 ,« »", "1« »,« »", "1« »«1»", "1,«1»", "«1 »"],
  [
    /<script type="module"[^<>]* src="(\/assets\/[^"<>]+)"/,
    '«<script type="module"»',
    '«<script type="module" src="/assets/»',
    '<script type="module"« src="/assets/»',
    '<script type="module" src="/assets/«a»',
  ],
  [
    /^ {4}at .*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\)|index \d+\))$/,
    "    at «:1»",
    "    at :«1»",
    "    at «index 1»",
    "    at index «1»",
    "    at «(native)»",
  ],

  // cells, names and headers of files
  [/^(?:'.*'|".*")?$/s, "'«a»", '"«a»', "'«'»", "«'\"»"],
  [/\s|^[\p{L}\p{M}'’:!?.-]+$/u, "«a»", "«é»", "«1»"],
  [/^[+-]?\d+(?:\.0+)?$/, "«1»", "«1».", "1.«0»", "«1»«0»"],
  [/^-?\d+\.0+$/, "«1»", "1.«0»", "«0»"],
  [
    /^[$€£]?\s*[+-]?\d[\d.]*,[\d.,]*\d\s*[$€£]?$/,
    "$« »",
    "«1»",
    "«1,»",
    "1,«1»",
    "«1.»",
    "1,1« »",
    "1,«,»",
    "1,«1»« »",
  ],
  [/^[+-]?[.,]*\d[\d.,]*$|^\d{4}-\d\d-\d\d/, "«.»", "«.1»", "«1»", ".«1,»", "«.»«1»"],
  [/[}\]",\w]\s*$/, "«a»", "« »", "«a »", "a« »", "«a»« »"],
  [/\..*$/s, "«.»", ".«a»", "«a.»"],
  [/:\w+$/, "«:»", "«:a»", ":«a»", "«a»"],
  [/^_+|(?<!_)_+$/g, "«_»", "«a_»", "a«_»"],
  [/\.([a-z0-9]+)(?:\.gz)?$/i, "«.»", "«.a»", ".«a»", "«.gz»", ".a«.gz»", "«.gz.»"],
  [
    /"[^"\\]*(?:\\.[^"\\]*)*(?:"(\s*:)?)?|[{}]/g,
    '«"»',
    '"«a»',
    '«\0\\"\\»',
    '«"\\»',
    '"«\\"»',
    '«"" »',
    '""« »',
    "«{»",
  ],
  [/[!-/:-@[-`{-~]|[0-9a-z]+/g, "«a»", "«!»", "«a!»"],
  [/'descr':\s*'([^']*)'/, "«'descr':»", "'descr':« »", "«'descr':'»", "'descr':'«a»"],
  [/'fortran_order':\s*(True|False)/, "«'fortran_order':»", "'fortran_order':« »", "«'fortran_order': »"],
  [/'shape':\s*\(([\d,\s]*)\)/, "«'shape':(»", "'shape':« »", "'shape':(«1, »", "«'shape': »"],
  [
    /^([0-9a-f]{32})(?:\s+\*?(\S.*))?$/i,
    `${"a".repeat(32)}« »`,
    `${"a".repeat(32)}« »a`,
    `${"a".repeat(32)}« »*`,
    `${"a".repeat(32)} «*»`,
    `${"a".repeat(32)} «a»`,
  ],
  [/<[^<>]+>/g, "«<»", "<«a»", "«<a»"],
  [/(?<!\d)-?\d+\.\d{3,}(?:e-?\d+)?/g, "«1»", "«-1»", "«1.»", "1.«1»", "1.111e«1»", "«-»"],
  [/^(FLOAT|DOUBLE|DECIMAL\(.*\))\[\d*\]$/, "DECIMAL(«)»", "DECIMAL(«)[1»", "FLOAT[«1»"],
  [
    /^(BOOLEAN|INT32|INT64|INT96|FLOAT|DOUBLE|\w+ (UTF8|ENUM|DECIMAL)\b.*|BYTE_ARRAY StringType.*)/,
    "«a»",
    "«a »",
    "a UTF8«a»",
    "a UTF8« »",
  ],

  // our own SQL
  [/\{([a-zA-Z]\w*)\}/g, "«{»", "«{a»", "{«a»"],
  [/^CREATE (TABLE|VIEW) (\w+) AS\s+(.*)$/s, "CREATE TABLE «a»", "CREATE TABLE a AS« »", "CREATE TABLE a AS «a»"],
  [/;\s*$/, "«;»", "«; »", ";« »", "« »"],

  // what DuckDB, Hadoop and Spark print
  [/ β = (.+)$/s, "« β = »", " β = «a»"],
  [/file = (.*)/, "«file = »", "file = «a»"],
  [
    /^(spark\.[^\t\n\r\u2028\u2029]+)\t(.*)$/gm,
    "«spark.»",
    "«spark.\r»",
    "«spark.a\t»",
    "spark.«a»",
    "«spark.a\n»",
    "«spark.\u2028»",
  ],
  [/^-?\w+: |Exception/, "«a»", "«a:»", "-«a»", "«Exceptio»"],
  [
    /^(\[Stage \d+:[=> ]*\((\d+) \+ \d+\) \/ (\d+)\])+/,
    "«[Stage 1:(1 + 1) / 1]»",
    "[Stage «1»",
    "[Stage 1:« »",
    "[Stage 1:(«1»",
    "[Stage 1:(1 + 1) / «1»",
  ],
  [
    /No FileSystem for scheme:? "?([\w+.-]+)|Class org\.apache\.hadoop\.fs\.(\w+)\.[\w$]+ not found/,
    "«No FileSystem for scheme»",
    "«Class org.apache.hadoop.fs.a.a»",
    "«Class org.apache.hadoop.fs.a.a »",
    "Class org.apache.hadoop.fs.«a»",
    "Class org.apache.hadoop.fs.a.«a»",
  ],
];

/** Lines of Spark's log are cut before they are matched; up to that length even patterns with several repetitions must be fast. */
const MAX_LOG_CHARACTERS = 4096; // 4000, up to a power of 2
const ATTACKED_WHEN_CUT: typeof ATTACKED = [
  [
    /Cannot run program "?([^"\s,]+)|(?:exec|bash|sh|env):(?:(?!(?:exec|bash|sh|env):).)*?(?<![\w./-])([\w./-]+): (?:command )?(?:not found|No such file)/,
    "«sh:»",
    "«sh:»«a»",
    "«sh:»«a: »",
    "sh:«a»",
    'Cannot run program "«a»',
  ],
  [
    /Subprocess exited with status (\d+)\.?(?: Error:\s*(.*))?/,
    "«Subprocess exited with status 1»",
    "Subprocess exited with status «1»",
    "Subprocess exited with status 1 Error:« »",
  ],
  [
    /FAILED_READ_FILE\.FILE_NOT_EXIST\](?:(?!FAILED_READ_FILE).)*? reading file ((?:(?! reading file ).)+?)\. File does|Caused by: java\.io\.FileNotFoundException: File (.+) does not exist/,
    "«FAILED_READ_FILE.FILE_NOT_EXIST]»",
    "«FAILED_READ_FILE.FILE_NOT_EXIST] reading file »",
    "«FAILED_READ_FILE.FILE_NOT_EXIST]»« reading file »",
    "«FAILED_READ_FILE.FILE_NOT_EXIST]»« reading file »«a»",
    "«Caused by: java.io.FileNotFoundException: File »",
  ],
  [
    /\[PATH_NOT_FOUND\] Path does not exist: (.+?)\.?(?: SQLSTATE.*)?$/s,
    "«[PATH_NOT_FOUND] Path does not exist: »",
    "«[PATH_NOT_FOUND] Path does not exist: »« SQLSTATE»",
  ],
  [
    /\[UNRESOLVED_COLUMN[.\w]*\].*? name ((?:`[^`]+`\.?)+)(?:.*?Did you mean one of the following\? \[(.*?)\])?/,
    "«[UNRESOLVED_COLUMN»",
    "«[UNRESOLVED_COLUMN]»",
    "«[UNRESOLVED_COLUMN]»« name »",
    "«[UNRESOLVED_COLUMN] name `»",
    "[UNRESOLVED_COLUMN] name «`a`»",
    "[UNRESOLVED_COLUMN] name «`a`»«Did you mean one of the following? [»",
    "[UNRESOLVED_COLUMN«a»",
  ],
  [
    /\[PARQUET_TYPE_\w+\] .*?Parquet type:? (.*?)\.?(?: SQLSTATE.*)?$/s,
    "«[PARQUET_TYPE_A] »",
    "«[PARQUET_TYPE_A»",
    "[PARQUET_TYPE_«A»",
    "«[PARQUET_TYPE_A] »«Parquet type »",
    "«[PARQUET_TYPE_A] »«Parquet type »« SQLSTATE»",
  ],
  [
    /cannot create table with location to a non-empty directory (.+?)\.?(?: To allow|$)/s,
    "«cannot create table with location to a non-empty directory »",
  ],
  [
    /(?:java\.lang\.OutOfMemoryError|Container killed .* memory)(.*)/,
    "«Container killed »",
    "«Container killed »« memor»",
  ],
  [
    /^\s*(?:Error in query: )?(\[[A-Z_]+(?:\.[A-Z_]+)*\] .*)/,
    "« »",
    "[«A»",
    "[«A.»",
    "[A«.A»",
    "Error in query: [A] «a»",
  ],
  [/(?:Exception|Error)\b.*?: (.+)/, "«Error »", "«Error»", "«Exception:»"],
];

/** Rows for `test.each`. */
const rows = (list: typeof ATTACKED) => list.map(([pattern, ...attacks]) => [pattern, attacks] as const);

const attacked = [...ATTACKED, ...ATTACKED_WHEN_CUT];

test("every pattern of a package is linear by its form, or attacked here", () => {
  const known = new Set(attacked.map(([pattern]) => String(pattern)));
  const others = literals.filter(({ pattern }) => !isLinearByForm(pattern));
  expect(others.filter(({ pattern }) => !known.has(String(pattern)))).toEqual([]);
  const found = new Set(others.map(({ pattern }) => String(pattern)));
  expect([...known].filter((pattern) => !found.has(pattern))).toEqual([]); // no longer there
  expect(literals.length).toBeGreaterThan(300);
});

test.each(rows(ATTACKED))("linear: %s", (pattern, attacks) => {
  expect(superlinearAttack(runOf(pattern), attacks)).toBeUndefined();
});

test.each(rows(ATTACKED_WHEN_CUT))("fast on a line of a log: %s", (pattern, attacks) => {
  expect(superlinearAttack(runOf(pattern), attacks, MAX_LOG_CHARACTERS)).toBeUndefined();
});

/** Patterns that `init` and layouts write into configurations, and those of Spark's SQL, which cells of files and values of drafts reach. */
const WRITTEN: typeof ATTACKED = [
  [/^\s*([+-]?\d+(?:\.\d+)?)\s*$/u, "« »", "«1»", "1.«1»", "1« »", "« »1« »"],
  [/(\d{4})\s*$/u, "«1»", "1111« »", "«1111 »", "« »"],
  [
    /\((\d{4})(?:\s*[–-]\s*(?:\d{4})?)?\)\s*$/u,
    "«(1995»",
    "«(1995)»",
    "(1995« »",
    "(1995)« »",
    "(1995 -« »",
    "(1995« »-« »",
    "«(1995) »",
  ],
  [
    /\((\d{4})(?:\s*[–-]\s*(?:\d{4})?)?\)+\s*(?:\(V\)\s*)?$/u,
    "«(1995»",
    "«(1995)»",
    "(1995«)»",
    "(1995)« »",
    "(1995)« »(V)« »",
    "(1995« »-« »",
    "«(1995) (V)»",
  ],
  [
    /^\s*(?:[Ff]rom\s+)?(?:\$\s*)?(\d[\d,]*(?:\.\d+)?)\s*(?:[–-].*)?$/u,
    "« »",
    "from« »",
    "« »from« »$« »",
    "$« »",
    "«1»",
    "1«,»",
    "1.«1»",
    "1« »",
    "1 -«a»",
  ],
  [/^\s*(\d{4})(?:\.0)?\s*$/u, "« »", "1111« »", "«1»"],
  [/^\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\s*$/, "« »", "«1»", "1.«1»", "1e«1»", "1« »", ".«1»"],
  [
    /^ *[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]+)?)?(Z| UTC|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)? *$/,
    "« »",
    "1999-01-01« »",
    "1999-01-01T00:00:00.«0»",
  ],
  [/([T ])24(:00(:00([.]0+)?)?)/, "«T24:00»", "T24:00:00.«0»", "«T24:00:00.0»"],
];

test("every pattern that is written into a configuration, and of Spark's SQL, is linear by its form, or attacked here", () => {
  const spark = expressionsOfSpark(readFileSync(join(repository, "packages/data/sql/spark.sql"), "utf8"));
  const found = [...written.map(({ pattern }) => pattern), ...spark].filter((pattern) => !isLinearByForm(pattern));
  expect([...new Set(found.map(String))].sort()).toEqual(WRITTEN.map(([pattern]) => String(pattern)).sort());
});

test.each(rows(WRITTEN))("linear: %s", (pattern, attacks) => {
  expect(superlinearAttack(runOf(pattern), attacks)).toBeUndefined();
});

/** Every `new RegExp`: the function that it is attacked through, or why it needs no attack. */
const BUILT: Readonly<Record<string, string>> = {
  "packages/core/src/channels/cells.ts expression":
    "a user's pattern, which sees 10,000 characters: model/shapes.test.ts",
  "packages/core/src/text/bert-words.ts removed": "words of BERT",
  "packages/core/src/text/bert-words.ts accent": "words of BERT",
  "packages/core/src/text/bert-words.ts word": "words of BERT",
  "packages/core/src/text/word-piece.ts markPattern": "word pieces",
  "packages/data/src/config/schema.ts isPattern": "compiled only",
  "packages/data/src/config/schema.ts isPattern (2)": "matched with the empty text",
  "packages/data/src/init/item-channels.ts pattern": "a year in a title",
  "packages/data/src/init/numbers.ts expression": "numbers with units",
  "packages/data/src/init/numbers.ts MEASURE": "numbers with units",
  "packages/data/src/init/numbers.ts ONLY_CURRENCY": "numbers with units",
  "packages/data/src/spark/failure.ts pattern": "a line of Spark's log",
};

test("every `new RegExp` of a package is named here", () => {
  expect([...built].sort()).toEqual(Object.keys(BUILT).sort());
});

/** Cells of a column in which one cell is `text`, and the others are not. */
const cellsWith = (text: string, other: string) => [text, ...Array.from({ length: 30 }, () => other)];

/** Calls a reader that may refuse a text: refusals are as good as answers here. */
const quietly = (read: (text: string) => unknown) => (text: string) => {
  try {
    read(text);
  } catch {
    // refused
  }
};

const wordsOf = bertWordSplitter();
const pieces = readWordPiece(jsonBytes(tinyTokenizer));

test.each<[name: string, read: (text: string) => unknown, attacks: readonly Attack[]]>([
  ["a number of a file", readNumber, ["«1»", "«1»e", "«1.»", "« »", "«+»", "1e«1»"]],
  ["a text that may be a number", isNumberText, ["«1»", "«1»e"]],
  ["a date of a file", readDate, ["«1»", "«1999-»", "1999-12-31T20:15:00.«1»", "1999-12-31T20:15:00.«1»-", "« »"]],
  ["a list of a file", (text) => splitList(text, { type: "list", separator: "|" }), ["«|»", "« |»", "[«[»", '«["»']],
  ["a text's words", tokenize, ["«a»", "«é»", "«\u0301»", "a«\u0301\u0323»", "a«\uFF9E\u0301»", "«1 »", "« »"]],
  [
    "words of BERT",
    wordsOf,
    ["«a»", "«é»", "é«a»", "é«!»", "« »é", "«\u0301»", "é«\u0301\u0323»", "«京»", "é«\u0000»", "«é »"],
  ],
  [
    "word pieces",
    (text) => pieces.encode(text, new Int32Array(300), 0, 256),
    ["«[MASK]»", "«[MASK»", "«[»", "«cat»", "«!»"],
  ],
  [
    "a filter",
    (text) => parseFilter(`year = ${text}`),
    ["«1»", "«1.»", "«(»", "«not »", '"«\\»', "« such as »", '«"»'],
  ],
  ["a query string", (text) => routes.listItems.querystring.safeParse({ limit: text }), ["«1»", "«1.»", "« »", "«{»"]],
  [
    "numbers with units",
    (text) => ["$9", "9 min", "9"].map((other) => numberDecision(profile("size", cellsWith(text, other)))),
    ["$«1»", "«1»", "$«1,111»", "1« »x", "1«a»", "$« »1", "$1.«1»", "« 1»"],
  ],
  [
    "a year in a title",
    (text) => {
      const cells = cellsWith(text, "Lantern Harbour (1995)");
      return itemChannels({ file: "items.csv", columns: ["title"], cells: () => cells } as never, "id", "title");
    },
    ["«(1995»", "«(1995)»", "(1995« »", "(1995)« »a", "«(1995 »", "«(1995) »", "(1995 -« »", "a« »a"],
  ],
  [
    "a line of Spark's log",
    (text) => new Failure().look(text),
    ["«sh:»«a»", "«nearkin: rows are missin»", "«[PARQUET_TYPE_A] »«Parquet type »« SQLSTATE»", "«Error »"],
  ],
  [
    "the policy of a report",
    reportPolicy,
    [
      "«<style>»",
      "«<style»",
      "«</style>»",
      "«<style></style>»",
      "<style>«<»",
      "«<style»></style>",
      "«<style>a</style»",
    ],
  ],
])("linear: %s", (_, read, attacks) => {
  expect(superlinearAttack(quietly(read), attacks)).toBeUndefined();
});

describe("this test itself", () => {
  test.each<[RegExp, Attack]>([
    [/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i, "«1»e"],
    [/<style>(.*?)<\/style>/g, "«<style>»"],
    [/[?#].*$/, "«?»"], // needs an end of a line
    [/^([0-9a-f]{32})(?:\s+\*?(.+))?$/, `${"a".repeat(32)}« »a`], // an end of a line that is not "\n"
    [/\s+$/, "« »"],
    [/\d+x/y, "«1»"],
    [/a.*b.*c/, "«a»«b»"], // cubic
  ])("finds that %s is not linear", (pattern, attack) => {
    expect(superlinearAttack(runOf(pattern), [attack])).toBeDefined();
    expect(isLinearByForm(pattern)).toBe(false);
  });

  test.each([/\s+/g, /[^a-z]+/g, /^a*b/, /^(?:x|[*+]*)y{1,9}$/u, /^\w[\w.-]*$/, /^\d{4}-\d\d/, /\p{L}{2}|\u{20}/u])(
    "takes %s for linear by its form",
    (pattern) => {
      expect(isLinearByForm(pattern)).toBe(true);
    },
  );

  test.each([/a*b/, /^a*|b*c/, /^a*b*/, /^a*/m, /^(?:ab?){3}/, /^(a*)\1/, /a{0,5000}b/, /a{5000}b/, /a{2,}b/])(
    "does not take %s for linear by its form",
    (pattern) => {
      expect(isLinearByForm(pattern)).toBe(false);
    },
  );

  test("finds literals, and what is built, by the name of the declaration around it", () => {
    const text = 'const a = /b+/g;\nfunction c() {\n  return [new RegExp("d"), RegExp(`e`)];\n}\n// /f/\n';
    expect(expressionsOf("g.ts", text)).toEqual({
      literals: [{ at: "g.ts:1", pattern: /b+/g }],
      written: [],
      built: ["g.ts c", "g.ts c (2)"],
    });
  });

  test("finds patterns of configurations, and of Spark's SQL", () => {
    const text = "const A = String.raw`\\d+`;\nconst b = [{ pattern: A }, { pattern: 'x*' }, { pattern: c }];\n";
    expect(expressionsOf("g.ts", text).written.map(({ pattern }) => pattern)).toEqual([/\d+/u, /x*/u]);
    expect(expressionsOfSpark("a RLIKE '^\\\\s*\\\\z' b REGEXP_REPLACE(TRIM(c), '0+', '$1')")).toEqual([/^\s*$/, /0+/]);
  });
});

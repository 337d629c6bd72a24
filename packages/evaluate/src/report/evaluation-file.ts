// The JSON that `nearkin evaluate --out` wrote, checked as far as a page reads it: a file that was cut, edited or mixed up is refused by the first
// place that is wrong, before half of it stands on a page.
import { NearkinError } from "@nearkin/core";
import { metricNames, paperMetrics } from "../protocol/measure.ts";
import { strata } from "../protocol/strata.ts";
import { EVALUATION_FORMAT, EVALUATION_VERSION, type EvaluationResult } from "../result.ts";
import { shortened } from "./numbers.ts";

/** Whatever the text is but a whole evaluation, is a `BAD_FILE` that begins with `path`. */
export function parseEvaluation(text: string, path: string): EvaluationResult {
  let found: Partial<EvaluationResult> | null;
  try {
    found = JSON.parse(text) as Partial<EvaluationResult> | null;
  } catch (cause) {
    throw new NearkinError("BAD_FILE", `${path}: expected the JSON that nearkin evaluate --out writes`, { cause });
  }
  if (found?.format !== EVALUATION_FORMAT || found.version !== EVALUATION_VERSION) {
    throw new NearkinError(
      "BAD_FILE",
      `${path}: expected the format ${EVALUATION_FORMAT}, version ${EVALUATION_VERSION}, got ${JSON.stringify(found?.format ?? null)}, version ${JSON.stringify(found?.version ?? null)}; write it with nearkin evaluate --out`,
    );
  }
  const problem = evaluation(found, "");
  if (problem !== undefined) throw new NearkinError("BAD_FILE", `${path}: ${problem}; evaluate again`);
  return found as EvaluationResult;
}

/** The first thing that is wrong with a value that stands `at` a place, in words; undefined where nothing is. */
type Check = (value: unknown, at: string) => string | undefined;

const expecting =
  (expected: string, test: (value: unknown) => boolean): Check =>
  (value, at) =>
    test(value) ? undefined : `${at}: expected ${expected}, got ${shown(value)}`;

const text = expecting("a text", (value) => typeof value === "string");
const yesOrNo = expecting("true or false", (value) => typeof value === "boolean");
const number = expecting("a number", Number.isFinite);
const count = expecting("a whole number of at least 0", (value) => Number.isInteger(value) && (value as number) >= 0);
/** JSON has no NaN: what could not be measured is null. */
const measured = expecting("a number or null", (value) => value === null || Number.isFinite(value));

const oneOf = (...words: readonly string[]): Check =>
  expecting(words.map((word) => JSON.stringify(word)).join(" or "), (value) => words.includes(value as string));

const optional =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? undefined : check(value, at);

const list =
  (check: Check, { least = 0 }: { least?: number } = {}): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return `${at}: expected a list, got ${shown(value)}`;
    if (value.length < least) return `${at}: expected a list of at least ${least}, got ${value.length}`;
    return first(value.map((entry, i) => check(entry, `${at}[${i}]`)));
  };

/** Other keys may stand beside them: a page does not read those. */
const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, at) =>
    isObject(value)
      ? first(Object.entries(fields).map(([key, check]) => check(value[key], below(at, key))))
      : `${at}: expected keys and values, got ${shown(value)}`;

/** Keys of any name. */
const record =
  (check: Check): Check =>
  (value, at) =>
    isObject(value)
      ? first(Object.entries(value).map(([key, entry]) => check(entry, below(at, key))))
      : `${at}: expected keys and values, got ${shown(value)}`;

const all = (names: readonly string[], check: Check): Check =>
  object(Object.fromEntries(names.map((name) => [name, check])));

const interval = { mean: measured, low: measured, high: measured };

const evaluation = object({
  dataset: object({
    name: text,
    hash: text,
    split: text,
    role: oneOf("test", "validation"),
    items: count,
    users: count,
    events: count,
    simulated: yesOrNo,
    queries: count,
  }),
  k: count,
  base: text,
  truths: list(object({ name: text, queries: count, empty: count, size: object({ mean: number, median: number }) })),
  recommenders: list(
    object({
      name: text,
      kind: oneOf("model", "baseline"),
      seeds: list(number, { least: 1 }),
      truths: record(
        object({
          queries: count,
          metrics: all(
            metricNames,
            object({
              ...interval,
              overSeeds: optional(measured),
              against: optional(
                object({
                  difference: object(interval),
                  test: object({ better: count, equal: count, worse: count, p: number }),
                }),
              ),
            }),
          ),
          strata: all(strata, measured),
          known: optional(list(object({ events: text, queries: count, metrics: all(paperMetrics, object(interval)) }))),
        }),
      ),
      catalogue: all(["coverage", "diversity", "popularity", "ties"], measured),
      settings: optional(text),
      calibration: optional(
        object({
          items: count,
          rmse: number,
          rmseOfMean: number,
          nll: object(interval),
          nllOfMean: number,
          coverage: record(number),
          byRatings: list(
            object({ least: count, items: count, rmse: number, rmseOfMean: number, correlation: measured }),
          ),
        }),
      ),
    }),
    { least: 1 },
  ),
});

const first = (problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((problem) => problem !== undefined);

function below(at: string, key: string): string {
  if (at === "") return key;
  return /^\w+$/.test(key) ? `${at}.${key}` : `${at}[${JSON.stringify(key)}]`;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "keys and values" : shortened(JSON.stringify(value), 40);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

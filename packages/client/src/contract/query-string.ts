// A query string is texts; the contract speaks of numbers, lists and weights. Each text is read by the schema of its key, so that one schema
// serves query strings, bodies, the client's types and the documentation.
import { z } from "zod";

/** The values of one key: a text, or several where it stands there more than once. */
export type QueryTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A schema for parsed query strings, from the schema of what they mean. An empty text is as good as none, but where a text is meant. */
export function fromQueryString<Query extends z.ZodObject>(query: Query) {
  const readers = new Map(Object.entries(query.shape).map(([key, schema]) => [key, readerOf(schema)]));
  return z.preprocess((texts: QueryTexts, context): unknown => {
    if (typeof texts !== "object" || texts === null) return texts;
    const values: Record<string, unknown> = Object.create(null); // where __proto__ is a key like any other, and refused as one
    for (const [key, given] of Object.entries(texts)) {
      if (given === undefined) continue;
      const reader = readers.get(key);
      try {
        const value = reader ? reader(given) : given; // the strict object refuses keys it does not know
        if (value !== undefined) values[key] = value;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        context.issues.push({ code: "custom", path: [key], message: error.message, input: given });
      }
    }
    return values;
  }, query);
}

class Unreadable extends Error {}

type Reader = (given: string | readonly string[]) => unknown;

/** How texts are read for a schema, by what it describes. */
function readerOf(schema: z.core.$ZodType): Reader {
  const meant = unwrapped(schema);
  if (meant instanceof z.ZodString) return single((text) => text);
  if (meant instanceof z.ZodArray) return list;
  if (meant instanceof z.ZodNumber) return single(orNone(number));
  if (meant instanceof z.ZodBoolean) return single(orNone(toBoolean));
  if (meant instanceof z.ZodRecord) return single(orNone(toWeights));
  if (meant instanceof z.ZodUnion) return single(orNone(toAny));
  return single(orNone((text) => text));
}

const orNone = (read: (text: string) => unknown) => (text: string) => (text === "" ? undefined : read(text));
const number = (text: string): number => toNumber(text) ?? fail(`expected a number, got ${shown(text)}`);

/** The schema behind `optional`, `default` and `preprocess`. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.out);
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap()) : schema;
}

function single(read: (text: string) => unknown): Reader {
  return (given) => (typeof given === "string" ? read(given) : fail("stands there more than once; give it once"));
}

/** The key repeated, once for each; or once, with a JSON list. */
function list(given: string | readonly string[]): unknown {
  if (typeof given !== "string") return given;
  if (given === "") return undefined;
  const parsed = given.startsWith("[") ? fromJson(given) : undefined;
  return Array.isArray(parsed) ? parsed : [given];
}

const MAX_NUMBER_CHARACTERS = 400; // more than JSON.stringify ever writes for a number
const numeral = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function toNumber(text: string): number | undefined {
  return text.length <= MAX_NUMBER_CHARACTERS && numeral.test(text) ? Number(text) : undefined;
}

function toBoolean(text: string): boolean {
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  return fail(`expected true or false, got ${shown(text)}`);
}

/** `genres:2,plot:0.5`, or JSON, which names that have a colon or a comma need. */
function toWeights(text: string): unknown {
  if (text.startsWith("{")) return fromJson(text) ?? fail(`expected JSON, got ${shown(text)}`);
  const entries = text.split(",").map((part): [string, number] => {
    const colon = part.lastIndexOf(":");
    const weight = toNumber(part.slice(colon + 1).trim());
    if (colon < 1 || weight === undefined)
      return fail(`expected weights such as genres:2,plot:0.5, got ${shown(part)}`);
    return [part.slice(0, colon).trim(), weight];
  });
  const seen = new Set<string>();
  for (const [channel] of entries) {
    checkKey(channel);
    if (seen.has(channel)) fail(`${shown(channel)} stands there more than once`);
    seen.add(channel);
  }
  return Object.fromEntries(entries);
}

/** A number, JSON of an object, or a text: what forms there are is for the schema to say. */
function toAny(text: string): unknown {
  return toNumber(text) ?? (text.startsWith("{") ? (fromJson(text) ?? text) : text);
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value) => {
      checkKey(key);
      return value;
    });
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    return undefined;
  }
}

/** A body with this key is refused as well; zod would leave it out without a word. */
function checkKey(key: string): void {
  if (key === "__proto__") fail("the key __proto__ is not accepted");
}

function fail(message: string): never {
  throw new Unreadable(message);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 40));

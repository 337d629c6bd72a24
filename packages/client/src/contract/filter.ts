// Filters as the API takes them: JSON, or a text of the filter language.
import { z } from "zod";
import { type Filter, fieldOperators, filterLimits, tooLarge } from "../filter/filter.ts";
import { FilterSyntaxError, parseFilter } from "../filter/parse.ts";
import { nearest } from "./nearest.ts";
import { strict } from "./strict.ts";

const field = z.string().min(1).max(filterLimits.value).describe("A field of items, or one of id, title, ratings.");
const word = z.string().max(filterLimits.value);
const scalar = z.union([word, z.number(), z.boolean()], "expected a text, a number, true or false");
const scalars = z.array(scalar).max(filterLimits.values);
const bound = z.union([z.number(), word], "expected a number or a text");

const part: z.ZodType<Filter, Filter> = z.lazy(() => filterJson);
const parts = z.array(part).max(filterLimits.nodes);

/** Each form of a filter, by the key that only it has. */
export const filterForms = {
  all: strict({ all: parts.describe("All of these hold; of none, every item.") }),
  any: strict({ any: parts.describe("One of these or more; of none, no item.") }),
  not: strict({ not: part }),
  same: strict({ same: field.describe("A field that it has in common with the item in question.") }),
  seen: strict({ seen: z.boolean().describe("Whether the user has an event with it.") }),
  added: strict({ added: z.boolean().describe("Whether it was put at run time.") }),
  is: strict({ field, is: scalar.describe("Equals.") }),
  in: strict({ field, in: scalars.describe("Equals one of these.") }),
  has: strict({ field, has: scalar.describe("A list that holds this.") }),
  hasAny: strict({ field, hasAny: scalars.describe("A list that holds one of these.") }),
  above: strict({ field, above: bound }),
  atLeast: strict({ field, atLeast: bound }),
  below: strict({ field, below: bound }),
  atMost: strict({ field, atMost: bound }),
  between: strict({ field, between: z.tuple([bound, bound]).describe("From the first to the second, both included.") }),
  exists: strict({ field, exists: z.boolean().describe("Whether it has a value.") }),
  matches: strict({ field, matches: word.min(1).describe("Holds this text, upper and lower case alike.") }),
} as const satisfies Readonly<Record<string, z.ZodType<Filter, Filter>>>;

/**
 * A filter as JSON, of bounded size: `tooLarge` is asked first. Only the form whose key is there is tried: a union would try all of them, for
 * every part, and a large filter would keep a server busy.
 */
export const filterJson: z.ZodType<Filter, Filter> = z
  .record(z.string(), z.unknown())
  .check(({ value, issues }) => {
    const form = formOf(value);
    if (!form) {
      issues.push({ code: "custom", message: noSuchFilter(value), input: value });
      return;
    }
    const { error } = form.safeParse(value);
    for (const issue of error?.issues ?? []) issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  })
  .meta({
    id: "Filter",
    description: `Which items may be recommended: at most ${filterLimits.nodes} parts, ${filterLimits.depth} levels deep.`,
  }) as unknown as z.ZodType<Filter, Filter>;

/** The one form whose key a value has. */
function formOf(value: object): z.ZodType<Filter, Filter> | undefined {
  const found = Object.keys(value).filter((key) => Object.hasOwn(filterForms, key));
  return found.length === 1 ? filterForms[found[0] as keyof typeof filterForms] : undefined;
}

const bounded = z.preprocess((value: Filter, context) => {
  const problem = tooLarge(value);
  if (problem !== undefined) context.issues.push({ code: "custom", message: problem, input: value });
  return value;
}, filterJson);

const filterText = z
  .string()
  .max(filterLimits.text)
  .transform((value, context): Filter => {
    try {
      return parseFilter(value);
    } catch (error) {
      if (!(error instanceof FilterSyntaxError)) throw error;
      context.issues.push({ code: "custom", message: error.message, input: value });
      return z.NEVER;
    }
  })
  .describe('The filter language, such as: genres has "Comedy" and year >= 1990 and not seen');

/** A filter as JSON or as text; JSON after parsing. */
export const filter = z
  .union([filterText, bounded], { error: (issue) => noSuchFilter(issue.input) })
  .describe("Which items may be recommended, as JSON or as a text of the filter language. Default: all.");

const heads = ["all", "any", "not", "field", "same", "seen", "added"];

/** A value that is no form of a filter, in words. */
function noSuchFilter(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return 'expected a filter such as { "field": "year", "atLeast": 1990 }';
  }
  const keys = Object.keys(value);
  const known = [...heads, ...fieldOperators];
  const odd = keys.find((key) => !known.includes(key));
  if (odd !== undefined) {
    const near = nearest(odd, known);
    return `unknown key ${JSON.stringify(odd.slice(0, 64))}${near ? `; did you mean ${JSON.stringify(near)}?` : ""}`;
  }
  if (keys.includes("field")) return `expected exactly one of ${fieldOperators.join(", ")} beside "field"`;
  const operator = keys.find((key) => !heads.includes(key));
  if (operator !== undefined) return `expected "field" beside ${JSON.stringify(operator)}`;
  return `expected one of ${heads.join(", ")}${keys.length > 1 ? ` alone, got ${keys.join(" and ")}` : ""}`;
}

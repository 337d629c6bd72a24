// From filter to text: `parseFilter` makes the same filter of it again, whatever it is.
import type { Filter, Scalar } from "./filter.ts";
import { reservedWords } from "./parse.ts";

/**
 * A filter in the filter language.
 *
 * @example
 * printFilter({ any: [{ field: "year", below: 1930 }, { not: { seen: true } }] }) // => "year < 1930 or not seen"
 */
export function printFilter(filter: Filter): string {
  if ("all" in filter) return printParts("all", filter.all);
  if ("any" in filter) return printParts("any", filter.any);
  if ("not" in filter) return printNegation(filter.not);
  if ("same" in filter) return `same(${printName(filter.same)})`;
  if ("seen" in filter) return filter.seen ? "seen" : "seen = false";
  if ("added" in filter) return filter.added ? "added" : "added = false";
  const name = printName(filter.field);
  if ("is" in filter) return `${name} = ${printValue(filter.is)}`;
  if ("in" in filter) return `${name} in ${printList(filter.in)}`;
  if ("has" in filter) return `${name} has ${printValue(filter.has)}`;
  if ("hasAny" in filter) return `${name} has any ${printList(filter.hasAny)}`;
  if ("above" in filter) return `${name} > ${printValue(filter.above)}`;
  if ("atLeast" in filter) return `${name} >= ${printValue(filter.atLeast)}`;
  if ("below" in filter) return `${name} < ${printValue(filter.below)}`;
  if ("atMost" in filter) return `${name} <= ${printValue(filter.atMost)}`;
  if ("between" in filter) {
    const [low, high] = filter.between;
    return `${name} between ${printValue(low)} and ${printValue(high)}`;
  }
  if ("exists" in filter) return `${name} ${filter.exists ? "exists" : "missing"}`;
  return `${name} matches ${printValue(filter.matches)}`;
}

/** Infix from two parts on; fewer have no sign between them. */
function printParts(kind: "all" | "any", parts: readonly Filter[]): string {
  if (parts.length < 2) return `${kind}(${parts.map(printFilter).join(", ")})`;
  return parts.map((part) => printWithin(kind, part)).join(kind === "all" ? " and " : " or ");
}

function printNegation(negated: Filter): string {
  if ("is" in negated) return `${printName(negated.field)} != ${printValue(negated.is)}`;
  if ("in" in negated) return `${printName(negated.field)} not in ${printList(negated.in)}`;
  return `not ${printWithin("not", negated)}`;
}

/** In parentheses where it would be torn apart, or melt into what surrounds it. */
function printWithin(around: "all" | "any" | "not", part: Filter): string {
  const infix = "all" in part && part.all.length > 1 ? "all" : "any" in part && part.any.length > 1 ? "any" : undefined;
  const bare = infix === undefined || (around === "any" && infix === "all");
  return bare ? printFilter(part) : `(${printFilter(part)})`;
}

function printName(name: string): string {
  const bare = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$/u.test(name) && !reservedWords.has(name.toLowerCase());
  return bare ? name : `\`${name.replaceAll(/[\\`]/g, "\\$&")}\``;
}

const printList = (values: readonly Scalar[]): string => `[${values.map(printValue).join(", ")}]`;

function printValue(value: Scalar): string {
  if (typeof value !== "number") return JSON.stringify(value);
  if (!Number.isFinite(value)) throw new RangeError(`a filter compares with finite numbers, got ${value}`);
  return Object.is(value, -0) ? "-0" : String(value);
}

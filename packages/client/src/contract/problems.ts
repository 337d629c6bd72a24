// What is wrong with a request, in words, and where.
import type { z } from "zod";

/** One problem of a value. */
export interface Problem {
  /** Where, such as `items[0].draft.year`; "" for the whole. */
  readonly field: string;
  readonly message: string;
}

const MOST = 5; // problems in one message

/** Every problem, in the order they were met. Of a union, those of the form that was meant, where that is plain. */
export function problemsOf(error: { readonly issues: readonly z.core.$ZodIssue[] }): Problem[] {
  return error.issues.flatMap((issue) => unfold(issue, [])).map(asProblem);
}

/** All problems as one message, and the place of the first. `part` is what was parsed, for a problem of the whole. */
export function describeProblems(
  error: { readonly issues: readonly z.core.$ZodIssue[] },
  part = "the body",
): { message: string; field: string } {
  const problems = problemsOf(error);
  const shown = problems.slice(0, MOST).map(({ field, message }) => `${field || part}: ${message}`);
  if (problems.length > MOST) shown.push(`and ${problems.length - MOST} more`);
  return { message: shown.join("; "), field: problems[0]?.field ?? "" };
}

type Path = readonly PropertyKey[];
type Placed = { readonly issue: z.core.$ZodIssue; readonly path: Path };

function unfold(issue: z.core.$ZodIssue, parent: Path): Placed[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const meant = theOneMeant(issue.errors);
    if (meant) return meant.flatMap((inner) => unfold(inner, path));
  }
  // The rule that a key breaks says more than that it is no key.
  if (issue.code === "invalid_key" && issue.issues.length > 0) return [{ issue: issue.issues[0], path }];
  return [{ issue, path }];
}

/** The form of a union that the value comes closest to, if one comes closer than all others. */
function theOneMeant(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const ranked = forms
    .map((issues) => ({ issues, distance: distance(issues) }))
    .sort((a, b) => a.distance - b.distance);
  const [first, second] = ranked;
  if (first.distance >= 1000) return undefined;
  return second === undefined || first.distance < second.distance ? first.issues : undefined;
}

/** Another kind of value is farthest, then keys that the form does not have. */
function distance(issues: readonly z.core.$ZodIssue[]): number {
  let sum = 0;
  for (const issue of issues) {
    if (issue.path.length > 0) sum += 1;
    else if (issue.code === "unrecognized_keys") sum += 100;
    else if (issue.code === "invalid_type" || issue.code === "invalid_value") sum += 1000;
    else if (issue.code === "invalid_union") sum += Math.min(1000, ...issue.errors.map(distance));
    else sum += 1;
  }
  return sum;
}

function asProblem({ issue, path }: Placed): Problem {
  const at = issue.code === "unrecognized_keys" ? [...path, issue.keys[0]] : path;
  return { field: printPath(at), message: phrase(issue) };
}

/** zod's own words, in ours; a message of a schema's own is kept. */
function phrase(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (!/^(?:Invalid input|Invalid option|Too small|Too big): /.test(message)) return message;
  switch (issue.code) {
    case "invalid_type": {
      const received = /received (.*)$/s.exec(message)?.[1];
      const expected = kinds[issue.expected] ?? issue.expected;
      if (received === "undefined") return `missing; expected ${expected}`;
      if (issue.expected === "int")
        return `expected ${expected}, got ${received === "number" ? "a fraction" : received}`;
      return `expected ${expected}, got ${received === "boolean" ? "a boolean" : (kinds[received ?? ""] ?? received)}`;
    }
    case "invalid_value":
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return `expected at least ${amount(issue.minimum, issue.origin)}`;
    case "too_big":
      return `expected at most ${amount(issue.maximum, issue.origin)}`;
    default:
      return message;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  record: "an object",
  object: "an object",
};

function amount(count: number | bigint, origin: string): string {
  if (origin === "string") return `${count} ${count === 1 ? "character" : "characters"}`;
  if (origin === "array") return `${count} ${count === 1 ? "entry" : "entries"}`;
  return String(count);
}

/** `items[0].draft["odd key"]` */
export function printPath(path: Path): string {
  let printed = "";
  for (const step of path) {
    if (typeof step === "number") printed += `[${step}]`;
    else if (/^[a-z_][\w-]*$/i.test(String(step)))
      printed += `${printed === "" ? "" : "."}${String(step).slice(0, 64)}`;
    else printed += `[${JSON.stringify(String(step).slice(0, 64))}]`;
  }
  return printed;
}

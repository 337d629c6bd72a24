// What the filters have in common: a line of JSON, checked key by key, and what is said of one that is wrong.
import { NearkinError, nearestNames } from "@nearkin/core";

/** A line that cannot be answered is answered with the reason. */
export interface LineError {
  readonly code: string;
  readonly message: string;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An id as it stands in JSON: text, or a whole number that becomes one; undefined for all else. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

export function checkKeys(object: object, known: readonly string[], where: string): void {
  const key = Object.keys(object).find((name) => !known.includes(name));
  if (key === undefined) return;
  const [near] = nearestNames(key, known, 1);
  throw bad(
    `unknown key ${JSON.stringify(key)}${where}${near ? `; did you mean ${JSON.stringify(near)}?` : ""} (known are ${known.join(", ")})`,
  );
}

/** The id under a key of a line; `form` is what a line looks like. */
export function readId(line: Record<string, unknown>, key: string, form: string): string {
  const value = line[key];
  const id = idOf(value);
  if (id !== undefined) return id;
  if (value == null) throw bad(`expected ${form}, got ${value === null ? `null for ${key}` : `no ${key}`}`);
  throw bad(
    typeof value === "number"
      ? `${key}: ${value} is no whole number that is held exactly; give the id as text, in quotes`
      : `${key}: expected an id as text, got ${shown(value)}`,
  );
}

export const bad = (message: string): NearkinError => new NearkinError("BAD_ARGUMENT", message);

/** A value of JSON, short enough for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}

// A route and what is asked of it, as a URL.
import type { Filter } from "../filter/filter.ts";
import { filterLimits } from "../filter/filter.ts";
import { printFilter } from "../filter/print.ts";

/** `/v1/items/{id}` with its parameters filled in. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== "string" || value === "")
      throw new TypeError(`expected an id for ${path}, got ${shown(value)}`);
    if (isDots(value)) throw new TypeError(`the id "${value}" cannot stand in an address: URLs take it for a folder`);
    return encoded(value);
  });
}

/** Texts that a URL takes for a folder, also when they are escaped. */
export const isDots = (id: string): boolean => id === "." || id === "..";

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new TypeError(`the id ${JSON.stringify(value)} holds half of a character`, { cause });
  }
}

function shown(value: unknown): string {
  return value === "" ? "an empty text" : typeof value === "object" && value !== null ? "an object" : String(value);
}

/** `?k=3&weights=genres:2`, or nothing. What is undefined is left out. */
export function printQuery(query: object): string {
  const texts = Object.entries(query).flatMap(([key, value]) =>
    printValue(key, value).map(
      (text) => `${key}=${encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%2C", ",")}`,
    ),
  );
  return texts.length > 0 ? `?${texts.join("&")}` : "";
}

function printValue(key: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return printList(value);
  if (typeof value !== "object") return [String(value)];
  return [key === "filter" ? filterText(value as Filter) : printWeights(value as Readonly<Record<string, number>>)];
}

/** Repeated; as JSON where a text would itself be taken for JSON. */
function printList(values: readonly string[]): readonly string[] {
  return values.some((value) => value.startsWith("[")) ? [JSON.stringify(values)] : values;
}

function printWeights(weights: Readonly<Record<string, number>>): string {
  const plain = Object.entries(weights).every(([name, weight]) => /^[\w-]+$/.test(name) && Number.isFinite(weight));
  if (!plain) return JSON.stringify(weights);
  return Object.entries(weights)
    .map(([name, weight]) => `${name}:${weight}`)
    .join(",");
}

function filterText(filter: Filter): string {
  const text = printFilter(filter);
  return text.length <= filterLimits.text ? text : JSON.stringify(filter);
}

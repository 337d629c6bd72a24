// An item's fields as its page shows them, whatever they are: what stands beside the title, what is a word, a fact or a text.
import { capital } from "../design/numbers.ts";
import type { FieldValue, ItemFacts } from "../engine/similarity.ts";

export interface Described {
  /** Beside the title: the year, where there is one. */
  readonly year: string | null;
  /** Words of the first list, such as genres. */
  readonly words: readonly string[];
  /** The rest, by name. */
  readonly facts: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Longer texts, such as a plot. */
  readonly texts: readonly { readonly name: string; readonly text: string }[];
}

const LONG = 80; // characters from which a text is a paragraph

export function describeItem({ title, fields }: Pick<ItemFacts, "title" | "fields">): Described {
  let year: string | null = null;
  let words: readonly string[] | undefined;
  const facts: { name: string; values: readonly string[] }[] = [];
  const texts: { name: string; text: string }[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const values = valuesOf(value);
    if (values.length === 0 || value === title) continue;
    if (year === null && /^(release[ _-]?)?year$/i.test(name)) year = values[0];
    else if (Array.isArray(value) && words === undefined) words = values;
    else if (values.length === 1 && values[0].length > LONG) texts.push({ name, text: values[0] });
    else facts.push({ name: readable(name), values });
  }
  return { year, words: words ?? [], facts, texts };
}

function valuesOf(value: FieldValue): readonly string[] {
  if (value === null || value === "") return [];
  if (typeof value === "boolean") return [value ? "yes" : "no"];
  return typeof value === "object" ? value : [String(value)];
}

/** A column's name as a label: "release_date" is "Release date". */
export const readable = (name: string): string => capital(name.replaceAll(/[_-]+/g, " ").trim());

/** In one line, for cards and lists: "1979 · Horror, Science Fiction". */
export function inOneLine(item: Pick<ItemFacts, "title" | "fields">): string {
  const { year, words } = describeItem(item);
  return [year, words.slice(0, 3).join(", ")].filter(Boolean).join(" · ");
}

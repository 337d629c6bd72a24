// A draft as it is typed, and what the API takes of it.
import type { Cell, ItemContent } from "@nearkin/client";
import type { FieldValue, ItemFacts } from "../engine/similarity.ts";
import type { StudioField, StudioForm } from "./form.ts";

/** What stands in a field: words of a list, or what was typed, also where it cannot be read yet. */
export type Typed = string | readonly string[];

export interface StudioDraft {
  readonly title: string;
  /** By channel; one left out is empty. */
  readonly values: Readonly<Record<string, Typed>>;
  /** The item it was begun from. */
  readonly from?: string | undefined;
}

export const blank: StudioDraft = { title: "", values: {} };

export const isBlank = ({ title, values }: StudioDraft): boolean => title === "" && Object.keys(values).length === 0;

/** The draft of a question: values by channel, without those that are empty. */
export type Cells = Readonly<Record<string, Exclude<Cell, null>>>;

const isEmpty = (typed: Typed | undefined): boolean =>
  typed === undefined || (typeof typed === "string" ? typed.trim() === "" : typed.length === 0);

export const typedIn = ({ values }: StudioDraft, channel: string): Typed | undefined =>
  Object.hasOwn(values, channel) ? values[channel] : undefined; // a channel may be called constructor

/** Fields with a value, in the form's order. */
export const filled = ({ fields }: StudioForm, draft: StudioDraft): StudioField[] =>
  fields.filter(({ channel }) => !isEmpty(typedIn(draft, channel)));

/** The same with another value in one field. */
export const withValue = (draft: StudioDraft, channel: string, typed: Typed | undefined): StudioDraft => {
  const { [channel]: _, ...others } = draft.values;
  return { ...draft, values: isEmpty(typed) ? others : { ...others, [channel]: typed as Typed } };
};

/** What the API is asked with. What cannot be read goes as it was typed: the answer says what is wrong with it. */
export function cellsOf(form: StudioForm, draft: StudioDraft): Cells {
  return Object.fromEntries(
    filled(form, draft).map((field) => [field.channel, cellOf(field, typedIn(draft, field.channel) as Typed)]),
  );
}

function cellOf({ kind }: StudioField, typed: Typed): Exclude<Cell, null> {
  if (typeof typed !== "string") return [...typed];
  const text = typed.trim();
  switch (kind) {
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "place": {
      const [, latitude, longitude] = /^(-?[\d.]+)(?:\s*[,;]\s*|\s+)(-?[\d.]+)$/.exec(text) ?? [];
      return latitude === undefined ? text : { latitude: Number(latitude), longitude: Number(longitude) };
    }
    default:
      return text;
  }
}

/** The item that is put: the draft, and under the names of the catalogue's fields what pages show and filters ask about. */
export function contentOf(form: StudioForm, draft: StudioDraft): ItemContent {
  const channels = cellsOf(form, draft);
  const fields: Record<string, string | number | string[]> = {};
  for (const { channel, field } of filled(form, draft)) {
    const cell = channels[channel];
    if (field !== undefined && isFieldValue(cell)) fields[field] = cell;
  }
  const title = draft.title.trim();
  return { channels: { ...channels }, fields, ...(title === "" ? {} : { title }) };
}

const isFieldValue = (cell: Exclude<Cell, null>): cell is string | number | string[] =>
  typeof cell !== "object" || (Array.isArray(cell) && cell.every((one) => typeof one === "string"));

/** An item of the catalogue as a draft: all that its fields say of the channels. */
export function draftOf({ fields }: StudioForm, { id, title, fields: values }: ItemFacts): StudioDraft {
  let draft: StudioDraft = { title: title ?? "", values: {}, from: id };
  for (const { channel, field, kind } of fields) {
    const value = field === undefined ? null : (values[field] ?? null);
    if (value !== null) draft = withValue(draft, channel, typedOf(value, kind));
  }
  return draft;
}

function typedOf(value: Exclude<FieldValue, null>, kind: StudioField["kind"]): Typed {
  if (kind === "list") return typeof value === "object" ? value : [String(value)];
  return typeof value === "object" ? value.join(", ") : String(value);
}

// From items as they are put to rows: texts become vectors where these are known, the towers embed the rest, and what waits for an encoder is
// said. A value that cannot be read names its place.
import { type Draft, type MissingChannel, type Model, NearkinError } from "@nearkin/core";
import type { TextVectors } from "../texts/vectors.ts";
import type { ReadyItem } from "./catalogue.ts";
import type { FieldValue } from "./columns.ts";

const EMBEDDED = 32; // items embedded before others have their turn

/** An item as it is put, or as the store has it. */
export interface ItemContent {
  readonly id: string;
  readonly title: string | null;
  readonly channels: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface PreparedItem {
  readonly ready: ReadyItem;
  readonly missing: readonly MissingChannel[];
  /** Texts that are still to be encoded. */
  readonly texts: readonly { readonly encoder: string; readonly text: string }[];
}

/** A value of an item that cannot be used. */
export class BadItemError extends NearkinError {
  /** Which of the items. */
  readonly index: number;
  /** Where in the item. */
  readonly path: readonly string[];
  constructor(place: { index: number; path: readonly string[] }, message: string, options?: ErrorOptions) {
    super("BAD_VALUE", message, options);
    this.index = place.index;
    this.path = place.path;
  }
}

export interface PrepareOptions {
  /** Channels that the model does not have: an error for items that come now, passed over for those of earlier models. */
  unknownChannels: "refuse" | "pass over";
}

/** In order. The first item that cannot be used fails all, unless channels of other models are passed over: then it is left out. */
export async function prepareItems(
  model: Model,
  vectors: TextVectors,
  items: readonly ItemContent[],
  { unknownChannels }: PrepareOptions,
): Promise<(PreparedItem | undefined)[]> {
  const lenient = unknownChannels === "pass over";
  const encoded = new Map(textChannels(model).map((channel) => [channel.name, channel.encoder]));
  const names = new Set(model.parts.channels.map(({ name }) => name));
  const known = await knownVectors(vectors, encoded, items);
  const drafts = items.map(({ channels }): { draft: Draft; texts: PreparedItem["texts"]; pending: string[] } => {
    const draft: Record<string, unknown> = {};
    const texts: { encoder: string; text: string }[] = [];
    const pending: string[] = [];
    for (const [name, cell] of Object.entries(channels)) {
      if (lenient && !names.has(name)) continue;
      const encoder = encoded.get(name);
      const vector = encoder !== undefined && typeof cell === "string" ? known.get(encoder)?.get(cell) : undefined;
      draft[name] = vector ?? cell;
      if (encoder === undefined || typeof cell !== "string" || vector || cell.trim() === "") continue;
      texts.push({ encoder, text: cell });
      pending.push(name);
    }
    return { draft: draft as Draft, texts, pending };
  });
  const prepared: (PreparedItem | undefined)[] = [];
  for (let from = 0; from < drafts.length; from += EMBEDDED) {
    const some = drafts.slice(from, from + EMBEDDED);
    const results = await model.embedAll(
      some.map(({ draft }) => draft),
      { pendingTexts: "skip" },
    );
    results.forEach((result, i) => {
      const { id, title, fields, channels } = items[from + i];
      if (result instanceof Error) {
        if (!lenient) throw badItem(from + i, result);
        prepared.push(undefined);
        return;
      }
      const { texts, pending } = some[i];
      const all = { ...fieldsOfChannels(model, channels), ...(fields as Record<string, FieldValue>) };
      const missing = result.missing.filter(({ channel }) => !pending.includes(channel));
      prepared.push({ ready: { id, title, fields: all, embedded: result, pending }, missing, texts });
    });
    await new Promise((turn) => setImmediate(turn));
  }
  return prepared;
}

/** Text channels whose texts an encoder beside the model makes vectors of. */
function textChannels(model: Model): { name: string; encoder: string }[] {
  return model.parts.channels.flatMap(({ name, transform }) =>
    transform.type === "text" && transform.encoder.kind === "external" && !transform.encoder.name.startsWith("vectors:")
      ? [{ name, encoder: transform.encoder.name }]
      : [],
  );
}

/** Vectors of texts that were encoded before, by encoder and text. */
async function knownVectors(
  vectors: TextVectors,
  encoded: ReadonlyMap<string, string>,
  items: readonly ItemContent[],
): Promise<Map<string, Map<string, Float32Array>>> {
  const texts = new Map<string, Set<string>>();
  for (const { channels } of items) {
    for (const [name, encoder] of encoded) {
      const cell = channels[name];
      if (typeof cell !== "string" || cell.trim() === "") continue;
      texts.set(encoder, (texts.get(encoder) ?? new Set()).add(cell));
    }
  }
  const known = new Map<string, Map<string, Float32Array>>();
  for (const [encoder, some] of texts) {
    const list = [...some];
    const found = await vectors.known(encoder, list);
    known.set(encoder, new Map(list.flatMap((text, i) => (found[i] ? [[text, found[i]] as const] : []))));
  }
  return known;
}

/** What filters can ask of an item that only has channels: a field that a channel is read from has the channel's value. */
function fieldsOfChannels(model: Model, channels: ItemContent["channels"]): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = {};
  for (const [field, { channel }] of model.shapes) {
    if (channel === undefined) continue;
    const value = channels[channel];
    const isTerms = Array.isArray(value) && value.every((term) => typeof term === "string");
    if (typeof value === "string" || typeof value === "number" || isTerms) fields[field] = value as FieldValue;
  }
  return fields;
}

/** `draft: channel year: expected a number …` as the place in the request and what was wrong there. */
function badItem(index: number, cause: Error): BadItemError {
  const found = /^draft: (?:channel ([^:]+): )?(.*)$/s.exec(cause.message);
  const channel = found?.[1] ?? /there is no channel "([^"]+)"/.exec(cause.message)?.[1];
  const path = channel === undefined ? ["channels"] : ["channels", channel];
  return new BadItemError({ index, path }, found?.[2] ?? cause.message, { cause });
}

// A draft: an item that is in no catalogue, described by its channels. Each value goes through the transform of its channel, exactly as
// the catalogue's did; what is not given, or says nothing, is missing, with the reason, and never a silent zero.
import { applyCategories } from "../channels/categories.ts";
import type { ChannelTransform } from "../channels/channel.ts";
import { applyDate, parseDate } from "../channels/date.ts";
import { applyGeo, type Place } from "../channels/geo.ts";
import { applyNumber, type NumberMode } from "../channels/number.ts";
import { applyText, applyTextVector, type TextTransform } from "../channels/text.ts";
import { applyVector } from "../channels/vector.ts";
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { type DraftValue, draftInput } from "../metric/draft.ts";
import type { ChannelInput, ItemInputs } from "../metric/ensemble.ts";
import { applySurrogate } from "../metric/surrogate.ts";
import { didYouMean, nearestNames } from "./nearest.ts";
import type { ModelChannel } from "./parts.ts";

/**
 * An item by the names of its channels, each value already taken apart (`separator`, `pattern` and `thousands` of nearkin.yaml are for files):
 * a number, also as a text such as "1951"; a date as text, or as a number (a year, or seconds from 1970); a text; categories as a
 * list, or one as a text; a place; a vector (also for a text channel: what its encoder would make of the text). A channel that is left
 * out, null or undefined is missing.
 */
export type Draft = Readonly<Record<string, DraftCell | null | undefined>>;
export type DraftCell = number | string | readonly string[] | ArrayLike<number> | Place;

/** Texts → vectors, by the encoder that made the catalogue's. Called once for each encoder, with all texts of a draft. */
export type EncodeTexts = (texts: readonly string[], encoder: string) => Promise<readonly Float32Array[]>;

/** A channel of a draft without a value. */
export interface MissingChannel {
  readonly channel: string;
  readonly reason: string;
}

export interface ResolvedDraft {
  /** Of one item. */
  readonly inputs: ItemInputs;
  readonly missing: readonly MissingChannel[];
}

type Resolved = { value: DraftValue } | { reason: string };

/**
 * Inputs of the towers for one draft. A value that cannot be read is a `BAD_VALUE`, a key that is no channel a `BAD_ARGUMENT`. What a surrogate
 * channel expects follows from the channels before it.
 */
export async function resolveDraft(
  channels: readonly ModelChannel[],
  draft: Draft,
  { engine, encode }: { engine: Engine; encode?: EncodeTexts | undefined },
): Promise<ResolvedDraft> {
  checkKeys(channels, draft);
  const vectors = await encodeDraft(channels, draft, encode);
  const missing: MissingChannel[] = [];
  const inputs = new Map<string, ChannelInput>();
  for (const [c, { name, transform, numberMode, scale }] of channels.entries()) {
    const cell = draft[name] ?? undefined;
    const resolved =
      vectors[c] ??
      (transform.type === "surrogate"
        ? expected(applySurrogate(engine, transform, inputs))
        : cell === undefined
          ? absent(transform)
          : naming(name, () => resolve(transform, cell, numberMode)));
    if ("reason" in resolved) missing.push({ channel: name, reason: resolved.reason });
    inputs.set(name, draftInput(transform, "reason" in resolved ? undefined : resolved.value, { scale, numberMode }));
  }
  return { inputs: { itemCount: 1, channels: [...inputs.values()] }, missing };
}

const expected = (value: Float32Array | undefined): Resolved =>
  value ? { value } : { reason: "none of the channels it follows from has a value" };

function checkKeys(channels: readonly ModelChannel[], draft: Draft): void {
  const names = channels.map(({ name }) => name);
  for (const key of Object.keys(draft)) {
    const channel = channels.find(({ name }) => name === key);
    if (!channel) {
      const hint = didYouMean(nearestNames(key, names, 1)) || `; the channels are ${names.join(", ")}`;
      throw new NearkinError("BAD_ARGUMENT", `draft: there is no channel "${key}"${hint}`);
    }
    if (channel.transform.type === "identity" && draft[key] != null) {
      throw new NearkinError("BAD_ARGUMENT", `draft: channel ${key} is learned from who met an item; leave it out`);
    }
    if (channel.transform.type === "surrogate" && draft[key] != null) {
      throw new NearkinError("BAD_ARGUMENT", `draft: channel ${key} follows from the others; leave it out`);
    }
  }
}

const absent = ({ type }: ChannelTransform): Resolved => ({
  reason: type === "identity" ? "a new item has no vector of its own" : "not given",
});

function resolve(transform: ChannelTransform, cell: DraftCell, mode: NumberMode): Resolved {
  switch (transform.type) {
    case "number":
      return of(applyNumber(transform, expectNumber(cell), { mode }));
    case "date":
      return of(applyDate(transform, days(cell), { mode }));
    case "categories": {
      const row = applyCategories(transform, terms(cell));
      if (row && row.indices.length > 0) return of(row);
      const unknown = row?.unknown ?? [];
      return { reason: unknown.length > 0 ? noneKnown(unknown) : "the list is empty" };
    }
    case "geo":
      return of(applyGeo(transform, place(cell)));
    case "vector":
      return isNumbers(cell) ? of(applyVector(transform, cell)) : { reason: needsVector(transform.width) };
    case "text":
      return resolveText(transform, cell);
    case "identity":
    case "surrogate":
      return absent(transform);
  }
}

/** Several categories in one text are the mistake to expect of someone who copies a cell of a file. */
function noneKnown(unknown: readonly string[]): string {
  const reason = `training knows none of ${unknown.join(", ")}`;
  for (const separator of [" > ", "|", ";", ","]) {
    const several = unknown.find((term) => term.includes(separator));
    if (several === undefined) continue;
    const list = several.split(separator).map((term) => JSON.stringify(term.trim()));
    return `${reason}; taken as one category; give a list: [${list.join(", ")}]`;
  }
  return reason;
}

const of = (value: DraftValue): Resolved => ({ value });
const needsVector = (width: number) => `it takes a vector of ${width} numbers`;

function resolveText(transform: TextTransform, cell: DraftCell): Resolved {
  if (isNumbers(cell)) return of(applyTextVector(transform, cell));
  const words = applyText(transform, expectText(cell));
  if (typeof words !== "string") return of(words);
  return { reason: words === "unknown" ? "training knows none of its words" : "the text is blank" };
}

/** What external encoders make of the draft's texts, by channel; undefined where there is nothing for them to do. */
async function encodeDraft(
  channels: readonly ModelChannel[],
  draft: Draft,
  encode: EncodeTexts | undefined,
): Promise<(Resolved | undefined)[]> {
  const found = new Array<Resolved | undefined>(channels.length);
  const jobs = new Map<string, { channel: number; text: string }[]>();
  for (const [c, { name, transform }] of channels.entries()) {
    const cell = draft[name];
    if (transform.type !== "text" || transform.encoder.kind !== "external" || cell == null || isNumbers(cell)) continue;
    const text = naming(name, () => expectText(cell))
      .replaceAll(/\s+/g, " ")
      .trim();
    const { encoder } = transform;
    if (text === "") found[c] = { reason: "the text is blank" };
    else if (encoder.name.startsWith("vectors:"))
      found[c] = { reason: `its vectors come from ${encoder.name}; ${needsVector(encoder.dimensions)}` };
    else if (!encode)
      found[c] = { reason: `the encoder ${encoder.name} is not at hand here; ${needsVector(encoder.dimensions)}` };
    else jobs.set(encoder.name, [...(jobs.get(encoder.name) ?? []), { channel: c, text }]);
  }
  for (const [encoder, texts] of jobs) {
    const vectors = await (encode as EncodeTexts)(
      texts.map(({ text }) => text),
      encoder,
    ).catch(unavailable);
    texts.forEach(({ channel }, i) => {
      if ("reason" in vectors) {
        found[channel] = vectors;
        return;
      }
      const transform = channels[channel].transform as TextTransform;
      found[channel] = naming(channels[channel].name, () => of(applyTextVector(transform, vectors[i])));
    });
  }
  return found;
}

/** An encoder that is not installed leaves its channels missing, and says so; whatever else goes wrong is an error. */
function unavailable(error: unknown): { reason: string } {
  if (error instanceof NearkinError && error.code === "ENCODER_UNAVAILABLE") return { reason: error.message };
  throw error;
}

/** Says which channel it was. */
function naming<T>(channel: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof NearkinError)) throw cause;
    throw new NearkinError(cause.code, `draft: channel ${channel}: ${cause.message}`, { cause });
  }
}

function badCell(expected: string, cell: unknown): NearkinError {
  return new NearkinError("BAD_VALUE", `expected ${expected}, got ${JSON.stringify(cell)}`);
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function expectNumber(cell: DraftCell): number {
  if (typeof cell === "string" && NUMBER.test(cell.trim())) return Number(cell);
  if (typeof cell !== "number") throw badCell("a number", cell);
  return cell;
}

function expectText(cell: DraftCell): string {
  if (typeof cell !== "string") throw badCell("a text", cell);
  return cell;
}

/** Days since 1970. Whole numbers of at most four digits are years, as in files; others count seconds or, from 10¹¹ on, milliseconds. */
function days(cell: DraftCell): number {
  if (typeof cell === "string") return parseDate(cell);
  if (typeof cell !== "number") throw badCell("a date", cell);
  if (Number.isInteger(cell) && cell >= 0 && cell <= 9999) return parseDate(String(cell).padStart(4, "0"));
  return parseDate(cell, { epoch: Math.abs(cell) >= 1e11 ? "milliseconds" : "seconds" });
}

function terms(cell: DraftCell): string[] {
  if (typeof cell !== "string" && !(Array.isArray(cell) && cell.every((term) => typeof term === "string"))) {
    throw badCell("a list of texts", cell);
  }
  const list = typeof cell === "string" ? [cell] : (cell as readonly string[]);
  return list.map((term) => term.trim()).filter((term) => term !== "");
}

function place(cell: DraftCell): Place {
  const { latitude, longitude } = cell as Place;
  if (typeof latitude === "number" && typeof longitude === "number") return { latitude, longitude };
  throw badCell("a place such as { latitude: 52.5, longitude: 13.4 }", cell);
}

function isNumbers(cell: DraftCell): cell is ArrayLike<number> {
  if (typeof cell !== "object") return false;
  return (
    cell instanceof Float32Array ||
    cell instanceof Float64Array ||
    (Array.isArray(cell) && cell.length > 0 && cell.every((x) => typeof x === "number"))
  );
}

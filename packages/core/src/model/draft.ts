// Drafts: items that are in no catalogue, described by their channels. What is not given, or says nothing, is missing, with the reason, and
// never a silent zero. Many are read at once: their texts are encoded in one call, and one that cannot be read stops none of the others.
// q drafts, p channels
import { applyForesight } from "../behavior/foresight.ts";
import type { ChannelTransform } from "../channels/channel.ts";
import { applyTextVector, type TextTransform } from "../channels/text.ts";
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { applySurrogate } from "../metric/apply-surrogate.ts";
import { draftInputs } from "../metric/draft.ts";
import type { ChannelInput, ItemInputs } from "../metric/ensemble.ts";
import { checkDraft } from "./answers.ts";
import {
  absent,
  type DraftCell,
  expectText,
  isNumbers,
  needsVector,
  type Resolved,
  resolveCell,
} from "./draft-cells.ts";
import { didYouMean, nearestNames } from "./nearest.ts";
import type { ModelChannel } from "./parts.ts";

/**
 * An item by the names of its channels, each value already taken apart (`separator`, `pattern` and `thousands` of nearkin.yaml are for files):
 * a number, also as a text such as "1951"; a date as text, or as a number (a year, or seconds from 1970); a text; categories as a
 * list, or one as a text; a place; a vector (also for a text channel: what its encoder would make of the text). A channel that is left
 * out, null or undefined is missing.
 */
export type Draft = Readonly<Record<string, DraftCell | null | undefined>>;

/** Texts → vectors, by the encoder that made the catalogue's. Called once for each encoder, with all texts of all drafts. */
export type EncodeTexts = (texts: readonly string[], encoder: string) => Promise<readonly Float32Array[]>;

/** A channel of a draft without a value. */
export interface MissingChannel {
  readonly channel: string;
  readonly reason: string;
}

/** The reason of a channel whose text waits for its vector. */
export const PENDING = "pending";

export interface ReadDraftsOptions {
  engine: Engine;
  encode?: EncodeTexts | undefined;
  /** `skip`: texts of external encoders are left for later, and their channels missing with the reason `pending`. @default "encode" */
  pendingTexts?: "encode" | "skip";
}

/** A draft that can be embedded. */
interface ReadDraft {
  /** Its row in the inputs. */
  readonly row: number;
  readonly missing: readonly MissingChannel[];
}

export interface ReadDrafts {
  /** Of the drafts that could be read, in order. */
  readonly inputs: ItemInputs;
  /** (q) Or what is wrong with one. */
  readonly drafts: readonly (ReadDraft | NearkinError)[];
}

/** A text that waits for its encoder. */
interface WaitingText {
  readonly text: string;
  readonly encoder: string;
}

/** A draft's cells (p), or what is wrong with one of them. */
type Cells = (Resolved | WaitingText)[] | NearkinError;

/**
 * Inputs of the towers for drafts. A value that cannot be read is a `BAD_VALUE` of its draft, a key that is no channel a `BAD_ARGUMENT`. Surrogate
 * and behavior channels follow from the channels before them.
 */
export async function readDrafts(
  channels: readonly ModelChannel[],
  drafts: readonly Draft[],
  options: ReadDraftsOptions,
): Promise<ReadDrafts> {
  const cells = drafts.map((draft): Cells => attempt(() => readCells(channels, draft, options)));
  await encodeTexts(channels, cells, options.encode);
  const known = cells.filter((own) => !(own instanceof NearkinError)) as Resolved[][];
  const missing = known.map((): MissingChannel[] => []);
  const inputs = new Map<string, ChannelInput>();
  for (const [c, { name, transform, numberMode, scale }] of channels.entries()) {
    const column = isDerived(transform)
      ? derive(options.engine, transform, { inputs, count: known.length }).map(expected)
      : known.map((own) => own[c]);
    const values = column.map((own, i) => {
      if ("value" in own) return own.value;
      missing[i].push({ channel: name, reason: own.reason });
      return undefined;
    });
    inputs.set(name, draftInputs(transform, values, { scale, numberMode }));
  }
  let rows = 0;
  return {
    inputs: { itemCount: known.length, channels: [...inputs.values()] },
    drafts: cells.map((own) => {
      if (own instanceof NearkinError) return own;
      const row = rows++;
      return { row, missing: missing[row] };
    }),
  };
}

type DerivedTransform = Extract<ChannelTransform, { type: "surrogate" | "behavior" }>;

/** Whether a channel has no values of its own: they follow from the channels before it. */
const isDerived = (transform: ChannelTransform): transform is DerivedTransform =>
  transform.type === "surrogate" || transform.type === "behavior";

function derive(
  engine: Engine,
  transform: DerivedTransform,
  of: { inputs: ReadonlyMap<string, ChannelInput>; count: number },
): (Float32Array | undefined)[] {
  return transform.type === "surrogate"
    ? applySurrogate(engine, transform, of.inputs)
    : applyForesight(engine, transform, of);
}

const expected = (value: Float32Array | undefined): Resolved =>
  value ? { value } : { reason: "none of the channels it follows from has a value" };

/** What a draft says of every channel; of a surrogate channel nothing yet. */
function readCells(
  channels: readonly ModelChannel[],
  draft: Draft,
  { encode, pendingTexts = "encode" }: ReadDraftsOptions,
): (Resolved | WaitingText)[] {
  checkDraft(draft);
  checkKeys(channels, draft);
  return channels.map(({ name, transform, numberMode }) => {
    const cell = Object.hasOwn(draft, name) ? draft[name] : undefined; // a channel may be called constructor
    if (cell == null) return absent(transform);
    return naming(name, () => {
      if (transform.type !== "text" || transform.encoder.kind !== "external" || isNumbers(cell)) {
        return resolveCell(transform, cell, numberMode);
      }
      const { name: encoder, dimensions } = transform.encoder;
      const text = expectText(cell).replaceAll(/\s+/g, " ").trim();
      if (text === "") return { reason: "the text is blank" };
      if (encoder.startsWith("vectors:")) {
        return { reason: `its vectors come from ${encoder}; ${needsVector(dimensions)}` };
      }
      if (pendingTexts === "skip") return { reason: PENDING };
      if (!encode) return { reason: `the encoder ${encoder} is not at hand here; ${needsVector(dimensions)}` };
      return { text, encoder };
    });
  });
}

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
    if (isDerived(channel.transform) && draft[key] != null) {
      throw new NearkinError("BAD_ARGUMENT", `draft: channel ${key} follows from the others; leave it out`);
    }
  }
}

/** Puts values in the place of the texts that wait: one call for each encoder. */
async function encodeTexts(
  channels: readonly ModelChannel[],
  drafts: Cells[],
  encode: EncodeTexts | undefined,
): Promise<void> {
  const waiting = new Map<string, { text: string; draft: number; channel: number }[]>();
  for (const [draft, cells] of drafts.entries()) {
    if (cells instanceof NearkinError) continue;
    for (const [channel, cell] of cells.entries()) {
      if (!("encoder" in cell)) continue;
      const { text, encoder } = cell;
      waiting.set(encoder, waiting.get(encoder) ?? []);
      waiting.get(encoder)?.push({ text, draft, channel });
    }
  }
  for (const [encoder, jobs] of waiting) {
    const vectors = await (encode as EncodeTexts)(
      jobs.map(({ text }) => text),
      encoder,
    ).catch(failure);
    for (const [i, { draft, channel }] of jobs.entries()) {
      const cells = drafts[draft];
      if (cells instanceof NearkinError) continue; // another text of it has failed
      const { name, transform } = channels[channel];
      const resolved: Resolved | NearkinError =
        vectors instanceof NearkinError || "reason" in vectors
          ? vectors
          : attempt(() => naming(name, () => ({ value: applyTextVector(transform as TextTransform, vectors[i]) })));
      if (resolved instanceof NearkinError) drafts[draft] = resolved;
      else cells[channel] = resolved;
    }
  }
}

/**
 * An encoder that is not installed leaves its channels missing, and says so. Whatever else it says is wrong is wrong with the drafts that need
 * it; what nobody foresaw is thrown.
 */
function failure(error: unknown): { reason: string } | NearkinError {
  if (!(error instanceof NearkinError)) throw error;
  return error.code === "ENCODER_UNAVAILABLE" ? { reason: error.message } : error;
}

/** What is wrong with one draft is no reason to give up on the others. */
function attempt<T>(read: () => T): T | NearkinError {
  try {
    return read();
  } catch (error) {
    if (error instanceof NearkinError) return error;
    throw error;
  }
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

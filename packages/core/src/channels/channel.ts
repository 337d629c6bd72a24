// All channel types in one union: how wide their inputs are, and how their transforms are stored.
import type { Tensor } from "../model/safetensors.ts";
import { type BehaviorTransform, decodeBehavior, encodeBehavior } from "./behavior.ts";
import { type CategoriesTransform, decodeCategories, encodeCategories } from "./categories.ts";
import { type DateTransform, decodeDate, encodeDate } from "./date.ts";
import { decodeGeo, encodeGeo, GEO_WIDTH, type GeoTransform } from "./geo.ts";
import { decodeIdentity, encodeIdentity, type IdentityTransform } from "./identity.ts";
import { decodeNumber, encodeNumber, type NumberMode, type NumberTransform, numberWidth } from "./number.ts";
import { prefixed, type Stored, StoredReader } from "./stored.ts";
import { decodeSurrogate, encodeSurrogate, type SurrogateTransform } from "./surrogate.ts";
import { decodeText, encodeText, type TextTransform, textWidth } from "./text.ts";
import { decodeVector, encodeVector, type VectorTransform } from "./vector.ts";

/** What was learnt about a channel from the training items; `type` says which kind it is. */
export type ChannelTransform =
  | NumberTransform
  | CategoriesTransform
  | VectorTransform
  | TextTransform
  | DateTransform
  | GeoTransform
  | IdentityTransform
  | SurrogateTransform
  | BehaviorTransform;

export type ChannelType = ChannelTransform["type"];

/** Every channel type. */
export const channelTypes: readonly ChannelType[] = [
  "number",
  "categories",
  "vector",
  "text",
  "date",
  "geo",
  "identity",
  "surrogate",
  "behavior",
];

/**
 * d, the width of a channel's input. `mode` matters to numbers and dates only. Categories and identity are as wide as their
 * one-hot rows, which are kept sparse.
 *
 * @example
 * inputWidth(fitNumber([1, 2, 3])) // => 16
 * inputWidth(fitNumber([1, 2, 3]), "standardised") // => 1
 * inputWidth(fitCategories([["Drama", "War"], ["Drama"]])) // => 2
 */
export function inputWidth(transform: ChannelTransform, mode: NumberMode = "bins"): number {
  switch (transform.type) {
    case "number":
    case "date":
      return numberWidth(mode);
    case "categories":
      return transform.terms.length;
    case "vector":
      return transform.pca?.dimensions ?? transform.width;
    case "text":
      return textWidth(transform);
    case "geo":
      return GEO_WIDTH;
    case "identity":
      return transform.items.length;
    case "surrogate":
    case "behavior":
      return transform.width;
  }
}

/**
 * A transform as JSON and named tensors. Give each channel its own `prefix`, such as "title.", to keep all of them in one file.
 *
 * @example
 * const { json, tensors } = encodeTransform(fitCategories([["Drama", "War"], ["Drama"]]), "genres.");
 * Object.keys(tensors) // => ["genres.counts"]
 * decodeTransform(json, new Map(Object.entries(tensors)), "genres.").terms // => ["Drama", "War"]
 */
export function encodeTransform(transform: ChannelTransform, prefix = ""): Stored {
  const { json, tensors } = encode(transform);
  return { json, tensors: prefixed(prefix, tensors) };
}

/** The inverse of `encodeTransform`, exactly; arrays are those of `tensors`, not copies. What does not fit is a `BAD_FILE`. */
export function decodeTransform(json: unknown, tensors: ReadonlyMap<string, Tensor>, prefix = ""): ChannelTransform {
  const stored = new StoredReader(json, tensors, prefix);
  const type = stored.text("type") as ChannelType;
  switch (type) {
    case "number":
      return decodeNumber(stored);
    case "categories":
      return decodeCategories(stored);
    case "vector":
      return decodeVector(stored);
    case "text":
      return decodeText(stored);
    case "date":
      return decodeDate(stored);
    case "geo":
      return decodeGeo(stored);
    case "identity":
      return decodeIdentity(stored);
    case "surrogate":
      return decodeSurrogate(stored);
    case "behavior":
      return decodeBehavior(stored);
    default:
      throw stored.problem(`the type is "${type satisfies never}"; known are ${channelTypes.join(", ")}`);
  }
}

function encode(transform: ChannelTransform): Stored {
  switch (transform.type) {
    case "number":
      return encodeNumber(transform);
    case "categories":
      return encodeCategories(transform);
    case "vector":
      return encodeVector(transform);
    case "text":
      return encodeText(transform);
    case "date":
      return encodeDate(transform);
    case "geo":
      return encodeGeo(transform);
    case "identity":
      return encodeIdentity(transform);
    case "surrogate":
      return encodeSurrogate(transform);
    case "behavior":
      return encodeBehavior(transform);
  }
}

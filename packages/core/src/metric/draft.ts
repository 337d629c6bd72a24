// An item that is not in the catalogue: its channels' values, as the transforms of channels/ gave them, as the inputs of one item.
import type { CategoryRow } from "../channels/categories.ts";
import { type ChannelTransform, inputWidth } from "../channels/channel.ts";
import type { NumberMode } from "../channels/number.ts";
import { NearkinError } from "../errors.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import type { ChannelInput } from "./ensemble.ts";
import { scaleInPlace } from "./inputs.ts";

/** What applyNumber, applyDate, applyGeo, applyVector, applyText, applyCategories or applySurrogate made of a value; undefined where there is none. */
export type DraftValue = Float32Array | CategoryRow | undefined;

export interface DraftOptions {
  /** That of the channel's `ScaledInput`. */
  readonly scale: number;
  /** That of the catalogue's inputs. */
  readonly numberMode: NumberMode;
}

/** The same numbers as `channelInput` gives an item of the catalogue with this value. A draft is cold: it has no identity. */
export function draftInput(
  transform: ChannelTransform,
  value: DraftValue,
  { scale, numberMode }: DraftOptions,
): ChannelInput {
  if (transform.type === "identity") return { kind: "identity", cold: Uint8Array.of(1) };
  const width = inputWidth(transform, numberMode);
  const missing = Uint8Array.of(value === undefined ? 1 : 0);
  if (transform.type === "categories") {
    if (value instanceof Float32Array) throw mismatch(transform, "the row of a list of terms", "numbers");
    const columns = value?.indices ?? new Int32Array(0);
    return {
      kind: "sparse",
      width,
      starts: Int32Array.of(0, columns.length),
      columns,
      value: Math.fround(scale),
      missing,
    };
  }
  const numbers = value ?? new Float32Array(width);
  if (!(numbers instanceof Float32Array)) throw mismatch(transform, `${width} numbers`, "the row of a list of terms");
  if (numbers.length !== width) throw mismatch(transform, `${width} numbers`, `${numbers.length}`);
  return { kind: "dense", values: hostMatrix(scaleInPlace(numbers.slice(), scale), 1, width), missing };
}

function mismatch({ type }: ChannelTransform, expected: string, got: string): NearkinError {
  return new NearkinError("SHAPE_MISMATCH", `draftInput: a ${type} channel takes ${expected}, got ${got}`);
}

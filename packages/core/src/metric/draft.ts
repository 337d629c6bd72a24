// Items that are not in the catalogue: their channels' values, as the transforms of channels/ gave them, as the inputs of towers.
// q drafts, d inputs of a channel
import type { CategoryRow } from "../channels/categories.ts";
import { type ChannelTransform, inputWidth } from "../channels/channel.ts";
import type { NumberMode } from "../channels/number.ts";
import { NearkinError } from "../errors.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import type { ChannelInput } from "./ensemble.ts";
import { scaleInPlace } from "./inputs.ts";

/** What applyNumber, applyDate, applyGeo, applyVector, applyText, applyCategories, applySurrogate or applyForesight made of a value; undefined where there is none. */
export type DraftValue = Float32Array | CategoryRow | undefined;

export interface DraftOptions {
  /** That of the channel's `ScaledInput`. */
  readonly scale: number;
  /** That of the catalogue's inputs. */
  readonly numberMode: NumberMode;
}

/** The same numbers as `channelInput` gives an item of the catalogue with this value. A draft is cold: it has no identity. */
export function draftInput(transform: ChannelTransform, value: DraftValue, options: DraftOptions): ChannelInput {
  return draftInputs(transform, [value], options);
}

/** The same of many drafts, in their order. */
export function draftInputs(
  transform: ChannelTransform,
  values: readonly DraftValue[],
  { scale, numberMode }: DraftOptions,
): ChannelInput {
  if (transform.type === "identity") return { kind: "identity", cold: new Uint8Array(values.length).fill(1) };
  const width = inputWidth(transform, numberMode);
  const missing = Uint8Array.from(values, (value) => (value === undefined ? 1 : 0));
  if (transform.type === "categories") {
    const starts = new Int32Array(values.length + 1);
    const columns: number[] = [];
    values.forEach((value, i) => {
      if (value instanceof Float32Array) throw mismatch(transform, "the row of a list of terms", "numbers");
      for (const column of value?.indices ?? []) columns.push(column);
      starts[i + 1] = columns.length;
    });
    return { kind: "sparse", width, starts, columns: Int32Array.from(columns), value: Math.fround(scale), missing };
  }
  const numbers = new Float32Array(values.length * width);
  values.forEach((value, i) => {
    if (value === undefined) return;
    if (!(value instanceof Float32Array)) throw mismatch(transform, `${width} numbers`, "the row of a list of terms");
    if (value.length !== width) throw mismatch(transform, `${width} numbers`, `${value.length}`);
    numbers.set(value, i * width);
  });
  const rows = hostMatrix(scaleInPlace(numbers, scale), values.length, width);
  if (transform.type === "behavior") return { kind: "factors", values: rows, missing: missing.fill(1) }; // nobody met a draft
  return { kind: "dense", values: rows, missing };
}

function mismatch({ type }: ChannelTransform, expected: string, got: string): NearkinError {
  return new NearkinError("SHAPE_MISMATCH", `draftInput: a ${type} channel takes ${expected}, got ${got}`);
}

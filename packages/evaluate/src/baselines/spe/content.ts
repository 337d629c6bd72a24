// x_i: all content channels of an item side by side, each scaled to mean square norm 1 so that none speaks louder than another, and one more
// column for each channel, 1 where it has no value: the first layer learns what to make of that. Rows are written batch by batch, so
// categories stay as small as they are stored.
// n items, p channels, d = Σ d_c + p
import { type ContentInput, channelInput, type Engine, type Matrix, NearkinError } from "@nearkin/core";
import { type Dataset, loadChannels } from "@nearkin/data";

/** A channel that says something of content. */
export type SpeInput = ContentInput;

export interface SpeContent {
  /** d */
  readonly width: number;
  /** (p) */
  readonly inputs: readonly SpeInput[];
}

export function concatenate(inputs: readonly SpeInput[]): SpeContent {
  return { inputs, width: inputs.reduce((sum, input) => sum + widthOf(input) + 1, 0) };
}

/** All channels of a dataset but identities: the free part is SPE's own. */
export async function loadSpeContent(
  engine: Engine,
  dataset: Dataset,
  { trainItems, itemCount }: { trainItems: Int32Array; itemCount: number },
): Promise<SpeContent> {
  const inputs: SpeInput[] = [];
  for (const { transform, tensors } of (await loadChannels(dataset)).values()) {
    const options = { numberMode: "bins", scaling: "norm", fitOn: trainItems, itemCount } as const;
    const { input } = channelInput(engine, transform, tensors, options);
    if (input.kind !== "identity") inputs.push(input);
  }
  if (inputs.length === 0) throw new NearkinError("BAD_DATASET", `${dataset.folder} has no channel with content`);
  return concatenate(inputs);
}

/** Writes the contents of `items` into the rows of X (B, d). */
export function writeContent(X: Matrix, { inputs }: SpeContent, items: ArrayLike<number>): void {
  X.fill(0);
  const { data, offset, rowStride } = X;
  let start = 0;
  for (const input of inputs) {
    const width = widthOf(input);
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      const row = offset + i * rowStride + start;
      if (input.missing[item] !== 0) data[row + width] = 1;
      else if (input.kind === "dense") {
        const { data: values, offset: first, rowStride: stride } = input.values;
        for (let j = 0; j < width; j++) data[row + j] = values[first + item * stride + j];
      } else {
        for (let entry = input.starts[item]; entry < input.starts[item + 1]; entry++) {
          data[row + input.columns[entry]] = input.value;
        }
      }
    }
    start += width + 1;
  }
}

function widthOf(input: SpeInput): number {
  return input.kind === "dense" ? input.values.cols : input.width;
}

// Texts → vectors for a text channel: which encoder, with what fallback, and vectors that someone else made.
import { isAbsolute, join } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { ChannelConfig } from "../config/schema.ts";
import {
  alignVectors,
  type EncodeEstimate,
  type EncodeProgress,
  type EncoderSpec,
  encodeAll,
  openEncoder,
  parseEncoderSpec,
  readVectors,
} from "../encoders/index.ts";
import { readParquetVectors } from "../vectors-parquet.ts";
import type { Catalogue } from "./catalogue.ts";
import { cellKey } from "./cells.ts";

export interface TextOptions {
  /** Where relative files of the configuration start. */
  folder: string;
  /** Folder of encoded texts. @default the user's cache */
  cache?: string | undefined;
  /** Threads that encode. @default the cores there are */
  threads?: number | undefined;
  signal?: AbortSignal | undefined;
  onEncode?: ((channel: string, progress: EncodeProgress) => void) | undefined;
  onEstimate?: ((channel: string, estimate: EncodeEstimate) => void) | undefined;
}

type TextConfig = Extract<ChannelConfig, { type: "text" }>;

export type EncodedTexts =
  | { kind: "lsa"; notes: string[] }
  | { kind: "encoded"; encoder: string; dimensions: number; rows: (Float32Array | undefined)[]; notes: string[] };

/** One vector per item by the configured encoder; `lsa` is fitted by the caller. */
export async function encodeTexts(
  name: string,
  config: TextConfig,
  texts: readonly (string | undefined)[],
  catalogue: Catalogue,
  options: TextOptions,
): Promise<EncodedTexts> {
  const spec = parseSpec(name, config.encoder ?? "minilm");
  if (spec.kind === "lsa") return { kind: "lsa", notes: [] };
  if (spec.kind === "vectors") {
    const rows = await vectorsByKey(catalogue, options, { ...config, file: spec.file, tensor: spec.tensor });
    const dimensions = rows.find((row) => row)?.length ?? 0;
    return { kind: "encoded", encoder: config.encoder as string, dimensions, rows, notes: [] };
  }
  try {
    await using encoder = await openEncoder(
      spec.kind === "hf" ? { ...spec, model: localModel(spec.model, options.folder) } : spec,
      options.threads === undefined ? {} : { threads: options.threads },
    );
    const vectors = await encodeAll(
      encoder,
      texts.map((text) => text ?? ""),
      {
        ...(options.cache === undefined ? {} : { cache: options.cache }),
        ...(options.signal ? { signal: options.signal } : {}),
        onProgress: (progress) => options.onEncode?.(name, progress),
        onEstimate: (estimate) => options.onEstimate?.(name, estimate),
      },
    );
    const d = encoder.dimensions;
    const rows = texts.map((text, i) => (text === undefined ? undefined : vectors.subarray(i * d, (i + 1) * d)));
    return { kind: "encoded", encoder: config.encoder ?? "minilm", dimensions: d, rows, notes: [] };
  } catch (error) {
    // Only the default gives way, and says so; an encoder that was asked for is an error.
    if (config.encoder !== undefined || (error as { code?: string }).code !== "ENCODER_UNAVAILABLE") throw error;
    return {
      kind: "lsa",
      notes: [`channel ${name}: minilm is not installed, so its texts are encoded by lsa, which is coarser`],
    };
  }
}

/** Vectors from a file, found by the item's id or by another column. Rows of zeros are missing. */
export async function vectorsByKey(
  catalogue: Catalogue,
  options: TextOptions,
  source: { file: string; tensor?: string | undefined; ids?: string | undefined; key?: string | undefined },
): Promise<(Float32Array | undefined)[]> {
  const { file, tensor, ids, key } = source;
  const path = vectorFile(file, options.folder);
  const table = await readVectors(path, {
    ...(tensor === undefined ? {} : { tensor }),
    ...(ids === undefined ? {} : { ids }),
    readParquet: readParquetVectors,
  });
  const keys = await catalogue.keys(key, cellKey);
  const { vectors, missing } = alignVectors(
    table,
    keys.map((own) => own ?? ""),
  );
  if (missing === keys.length) {
    const ours = keys.filter((own) => own !== undefined).slice(0, 3);
    throw new NearkinError(
      "BAD_SOURCE",
      `${file}: none of its ids is found in ${key ?? "the item ids"}; it has ${table.ids.slice(0, 3).join(", ")} …, the items have ${ours.join(", ")} …`,
    );
  }
  const d = table.dimensions;
  return keys.map((_, i) => {
    const row = vectors.subarray(i * d, (i + 1) * d);
    return row.some((value) => value !== 0) ? row : undefined;
  });
}

/** The files of vectors that the channels name: inputs like any other. */
export function vectorFiles(channels: Readonly<Record<string, ChannelConfig>>): string[] {
  const files = Object.entries(channels).flatMap(([name, channel]) => {
    if (channel.type === "vector") return channel.file === undefined ? [] : [channel.file];
    if (channel.type !== "text" || channel.encoder === undefined) return [];
    const spec = parseSpec(name, channel.encoder);
    return spec.kind === "vectors" ? [spec.file] : [];
  });
  return [...new Set(files)];
}

export const vectorFile = (file: string, folder: string) => (isAbsolute(file) ? file : join(folder, file));

/** `hf:./model` is meant from the configuration's folder; a bare name is left to the encoder. */
const localModel = (model: string, folder: string) => (/^\.{1,2}\//.test(model) ? join(folder, model) : model);

function parseSpec(channel: string, text: string): EncoderSpec {
  try {
    return parseEncoderSpec(text);
  } catch (cause) {
    throw new NearkinError("BAD_CONFIG", `channels.${channel}: ${(cause as Error).message}`, { cause });
  }
}

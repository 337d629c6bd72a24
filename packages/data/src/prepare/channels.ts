// From cells to channel inputs: what is fitted is fitted on training items only, applied to all, and written with the marks of what is missing.
import {
  applyCategories,
  applyGeo,
  applyText,
  type ChannelTransform,
  type Engine,
  fitCategories,
  fitDate,
  fitEncodedText,
  fitGeo,
  fitIdentity,
  fitNumber,
  fitText,
  fitVector,
  type ItemIndex,
  NearkinError,
  type Tensor,
} from "@nearkin/core";
import type { ChannelConfig } from "../config/schema.ts";
import type { Catalogue } from "./catalogue.ts";
import { cellCategories, cellDate, cellFlag, cellNumber, cellPlace, cellVector, cellWords } from "./cells.ts";
import type { BadCell } from "./rejects.ts";
import { encodeTexts, type TextOptions, vectorsByKey } from "./texts.ts";

/** A prepared channel. */
export interface PreparedChannel {
  transform: ChannelTransform;
  /** Inputs of all items, in their order; empty for `identity`. */
  tensors: Record<string, Tensor>;
  /** 1 where the item has no value. */
  missing: Uint8Array;
  bad: BadCell[];
  /** Occurrences of categories, or texts, that training does not know. */
  unknown: number;
  /** What the user should know. */
  notes: string[];
}

export interface ChannelContext extends TextOptions {
  engine: Engine;
  catalogue: Catalogue;
  seed: number;
}

/** Prepares one channel; what its values do not allow is said with its name. */
export async function prepareChannel(
  name: string,
  config: ChannelConfig,
  context: ChannelContext,
): Promise<PreparedChannel> {
  try {
    return await readAndFit(name, config, context);
  } catch (cause) {
    if (!(cause instanceof NearkinError) || cause.code !== "BAD_ARGUMENT") throw cause;
    throw new NearkinError("BAD_SOURCE", `channels.${name}: ${cause.message}`, { cause });
  }
}

async function readAndFit(name: string, config: ChannelConfig, context: ChannelContext): Promise<PreparedChannel> {
  const { catalogue } = context;
  const bad: BadCell[] = [];
  switch (config.type) {
    case "number": {
      const values = await catalogue.read([config.column], cellNumber(config), bad);
      if (config.log) rejectNegatives(values, config.column, catalogue, bad);
      const transform = fitNumber(known(name, catalogue.training(values)), { log: config.log });
      return { transform, ...numbers(values), bad, unknown: 0, notes: [] };
    }
    case "date": {
      const values = await catalogue.read([config.column], cellDate(config), bad);
      return {
        transform: fitDate(known(name, catalogue.training(values))),
        ...numbers(values),
        bad,
        unknown: 0,
        notes: [],
      };
    }
    case "categories":
      return categories(name, config, catalogue, bad);
    case "geo": {
      const places = await catalogue.read([config.latitude, config.longitude], cellPlace, bad);
      const transform = fitGeo(known(name, catalogue.training(places)));
      const rows = places.map((place) => applyGeo(transform, place));
      return { transform, ...vectors(rows, 3), bad, unknown: 0, notes: [] };
    }
    case "vector":
      return vector(name, config, context, bad);
    case "text":
      return text(name, config, context, bad);
    case "identity": {
      const items = Array.from(catalogue.isTraining.keys()).filter((item) => catalogue.isTraining[item] === 1);
      const missing = catalogue.isTraining.map((training) => 1 - training);
      return { transform: fitIdentity(items as ItemIndex[]), tensors: {}, missing, bad, unknown: 0, notes: [] };
    }
  }
}

async function categories(
  name: string,
  config: Extract<ChannelConfig, { type: "categories" }>,
  catalogue: Catalogue,
  bad: BadCell[],
): Promise<PreparedChannel> {
  const { flags } = config;
  const values = flags
    ? await catalogue.read(flags, (...cells) => flagged(flags, cells), bad)
    : await catalogue.read([config.column as string], cellCategories(config, config.separator), bad);
  const transform = fitCategories(known(name, catalogue.training(values)), config);
  const starts = new Int32Array(values.length + 1);
  const missing = new Uint8Array(values.length);
  const indices: number[] = [];
  let unknown = 0;
  values.forEach((terms, item) => {
    const row = applyCategories(transform, terms);
    for (const index of row?.indices ?? []) indices.push(index);
    unknown += row?.unknown.length ?? 0;
    // Two items of which training knows no category are not alike for that: unknown, never a row of zeros.
    if (!row || row.indices.length === 0) missing[item] = 1;
    starts[item + 1] = indices.length;
  });
  const tensors: Record<string, Tensor> = {
    starts: { type: "I32", shape: [starts.length], data: starts },
    indices: { type: "I32", shape: [indices.length], data: Int32Array.from(indices) },
    missing: { type: "U8", shape: [missing.length], data: missing },
  };
  return { transform, tensors, missing, bad, unknown, notes: [] };
}

/** An item no file describes has no flags at all: missing. Described with none set, it is missing too. */
function flagged(names: readonly string[], cells: readonly (string | null)[]): string[] | undefined {
  const set = names.filter((_, k) => cellFlag(cells[k]));
  return set.length > 0 ? set : undefined;
}

async function vector(
  name: string,
  config: Extract<ChannelConfig, { type: "vector" }>,
  context: ChannelContext,
  bad: BadCell[],
): Promise<PreparedChannel> {
  const { catalogue, engine } = context;
  const rows =
    config.file === undefined
      ? sameWidth(
          await catalogue.read([config.column as string], cellVector, bad),
          config.column as string,
          catalogue,
          bad,
        )
      : await vectorsByKey(catalogue, context, { ...config, file: config.file });
  const width = rows.find((row) => row !== undefined)?.length;
  if (width === undefined) throw noValues(name);
  const transform = fitVector(engine, known(name, catalogue.training(rows)), { width });
  return { transform, ...vectors(rows, width), bad, unknown: 0, notes: [] };
}

async function text(
  name: string,
  config: Extract<ChannelConfig, { type: "text" }>,
  context: ChannelContext,
  bad: BadCell[],
): Promise<PreparedChannel> {
  const { catalogue, engine, seed } = context;
  const texts = await catalogue.read([config.column], cellWords(config), bad);
  const components = config.pca === undefined ? (name === "title" ? 64 : 96) : config.pca;
  const encoded = await encodeTexts(name, config, texts, catalogue, context);
  if (encoded.kind === "lsa") {
    // LSA already is a reduction of the training texts: it goes to the width that PCA would leave.
    const transform = fitText(engine, known(name, catalogue.training(texts)), { seed, dimensions: components ?? 128 });
    let unknown = 0;
    const rows = texts.map((words) => {
      const row = applyText(transform, words);
      if (row === "unknown") unknown++;
      return typeof row === "string" ? undefined : row;
    });
    const width = transform.encoder.kind === "lsa" ? transform.encoder.lsa.dimensions : 0;
    return { transform, ...vectors(rows, width), bad, unknown, notes: encoded.notes };
  }
  const { rows, dimensions, encoder, notes } = encoded;
  const transform = fitEncodedText(engine, known(name, catalogue.training(rows)), {
    encoder,
    dimensions,
    ...(components === null ? {} : { pca: components }),
  });
  return { transform, ...vectors(rows, dimensions), bad, unknown: 0, notes };
}

/** `values`, unless none of them is known: a channel that says nothing cannot be fitted. */
function known<T>(name: string, values: (T | undefined)[]): (T | undefined)[] {
  if (values.every((value) => value === undefined)) throw noValues(name);
  return values;
}

const noValues = (name: string) =>
  new NearkinError(
    "BAD_SOURCE",
    `channels.${name}: no training item has a value; check its column, or leave the channel out`,
  );

function rejectNegatives(values: (number | undefined)[], column: string, catalogue: Catalogue, bad: BadCell[]): void {
  values.forEach((value, item) => {
    if (value === undefined || value >= 0) return;
    bad.push({
      row: catalogue.sourceRow[item],
      column,
      reason: "negative, but the channel takes its logarithm",
      value: String(value),
    });
    values[item] = undefined;
  });
}

/** Vectors of another width than most training items have are bad cells. */
function sameWidth(
  rows: (Float32Array | undefined)[],
  column: string,
  catalogue: Catalogue,
  bad: BadCell[],
): (Float32Array | undefined)[] {
  const widths = new Map<number, number>();
  for (const row of catalogue.training(rows)) if (row) widths.set(row.length, (widths.get(row.length) ?? 0) + 1);
  const width = [...widths].sort(([a, m], [b, n]) => n - m || a - b)[0]?.[0];
  return rows.map((row, item) => {
    if (row === undefined || row.length === width) return row;
    const reason = `has ${row.length} numbers, but most vectors have ${width ?? "none"}`;
    bad.push({ row: catalogue.sourceRow[item], column, reason, value: "" });
    return undefined;
  });
}

function numbers(values: readonly (number | undefined)[]): Pick<PreparedChannel, "tensors" | "missing"> {
  const missing = Uint8Array.from(values, (value) => (value === undefined ? 1 : 0));
  const data = Float64Array.from(values, (value) => value ?? Number.NaN); // NaN: a mistake shows, a zero would not
  return {
    tensors: {
      values: { type: "F64", shape: [data.length], data },
      missing: { type: "U8", shape: [missing.length], data: missing },
    },
    missing,
  };
}

function vectors(
  rows: readonly (Float32Array | undefined)[],
  width: number,
): Pick<PreparedChannel, "tensors" | "missing"> {
  const data = new Float32Array(rows.length * width);
  const missing = new Uint8Array(rows.length);
  rows.forEach((row, item) => {
    if (row) data.set(row, item * width);
    else missing[item] = 1;
  });
  return {
    tensors: {
      vectors: { type: "F32", shape: [rows.length, width], data },
      missing: { type: "U8", shape: [missing.length], data: missing },
    },
    missing,
  };
}

// A checkpoint: everything a run needs to go on as if it had never stopped, bit for bit, in one file.
import { createHash } from "node:crypto";
import {
  decodeSafetensors,
  decodeTransform,
  encodeSafetensors,
  encodeTransform,
  hostMatrix,
  inputWidth,
  type Matrix,
  NearkinError,
  type Scope,
  type Tensor,
} from "@nearkin/core";
import { type AddedChannel, addedChannel, withChannel } from "./extend.ts";
import type { Judgement, Progress, Run } from "./run.ts";

/** What decides the numbers of a run: it is resumed only where all of it is the same. */
export interface RunIdentity {
  dataset: string;
  config: unknown;
  engine: string;
  /** The model a warm run started from, and the steps a final one was given. */
  from: string | null;
  steps: unknown;
  version: string;
}

const FORMAT = "nearkin-checkpoint 2";
const HASH = "sha256";

export function encodeCheckpoint(run: Run, identity: RunIdentity): Uint8Array {
  const { progress, statistics } = run;
  const { best, top, inducing, ...rest } = progress;
  const tensors: Record<string, Tensor> = {
    flat: vector(run.flat),
    mean: vector(run.state.mean),
    square: vector(run.state.square),
    averaged: vector(run.averaged),
    history: run.history.toTensor(),
    inducing: { type: "I32", shape: [inducing.length], data: inducing },
    ...statisticsTensors("statistics", statistics),
  };
  if (best) {
    tensors["best.flat"] = { type: "F32", shape: [best.flat.length], data: best.flat };
    tensors["best.scores"] = { type: "F64", shape: [best.scores.length], data: best.scores };
    Object.assign(tensors, statisticsTensors("best.statistics", best.statistics));
  }
  if (top) tensors["top.scores"] = { type: "F64", shape: [top.scores.length], data: top.scores };
  const channel = encodeChannel(addedChannel(run));
  Object.assign(tensors, channel.tensors);
  const metadata = {
    format: FORMAT,
    identity: JSON.stringify(identity),
    progress: JSON.stringify({ ...rest, best: figures(best), top: figures(top) }),
    ...channel.metadata,
  };
  return encodeSafetensors(tensors, { ...metadata, [HASH]: hashOf(Object.entries(tensors), metadata) });
}

/**
 * A freshly opened run with what a checkpoint holds, the channel that stage 2 added included: fitting it again would take minutes. What is of
 * another run, or damaged, is an error, and the file stays as it is.
 */
export function restoreCheckpoint(
  opened: Run,
  bytes: Uint8Array,
  { identity, where, scope }: { identity: RunIdentity; where: string; scope: Scope },
): Run {
  const { tensors, metadata } = decoded(bytes, where);
  const other = parsed<Record<string, unknown>>(metadata.identity, where);
  const differing = changes(other, identity);
  if (differing.length > 0) {
    const named = differing.length > 6 ? [...differing.slice(0, 5), `${differing.length - 5} more`] : differing;
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${where}: the run that was stopped had other settings (${named.join("; ")}); give the same options to go on with it, or start anew without --resume`,
    );
  }
  const read: ReadTensor = (name, type, length) => {
    const found = tensors.get(name);
    if (!found) throw damaged(where, `"${name}" is missing`);
    if (found.type !== type || (length !== undefined && found.data.length !== length)) {
      const expected = `${length === undefined ? "" : `${length} numbers of `}${type}`;
      throw damaged(where, `"${name}" has ${found.data.length} numbers of ${found.type}, expected ${expected}`);
    }
    return found.data.slice() as Arrays[typeof type];
  };
  const channel = metadata.channel === undefined ? null : decodeChannel(metadata.channel, tensors, { where, read });
  const run = channel ? withChannel(opened, scope, channel) : opened;
  const { size } = run.layout;
  const flat = (name: string) => read(name, "F32", size);
  const history = tensors.get("history");
  const [columns] = run.history.toTensor().shape;
  if (history?.type !== "F64" || history.shape.length !== 2 || history.shape[0] !== columns) {
    throw damaged(where, `"history" should have ${columns} columns`);
  }
  put(run.flat, flat("flat"));
  put(run.state.mean, flat("mean"));
  put(run.state.square, flat("square"));
  put(run.averaged, flat("averaged"));
  run.history.fromTensor(history);
  run.statistics = readStatistics("statistics", run, read);
  const { best, top, ...rest } = parsed<SavedProgress>(metadata.progress, where);
  run.progress = {
    ...rest,
    inducing: read("inducing", "I32"),
    top: top && { ...top, scores: read("top.scores", "F64") },
    best: best && {
      ...best,
      scores: read("best.scores", "F64"),
      flat: flat("best.flat"),
      statistics: readStatistics("best.statistics", run, read),
    },
  };
  return run;
}

type SavedProgress = Omit<Progress, "inducing" | "best" | "top"> & {
  best: Omit<Judgement, "scores"> | null;
  top: Omit<Judgement, "scores"> | null;
};

interface Arrays {
  F32: Float32Array;
  F64: Float64Array;
  I32: Int32Array;
  U8: Uint8Array;
}

/** A copy of a tensor's numbers; one that is missing, of another type or length is an error. */
type ReadTensor = <T extends keyof Arrays>(name: string, type: T, length?: number) => Arrays[T];

/** What differs, each by its path: "siamese.steps: 2000, now 400". Paths of the configuration begin at its own top. */
function changes({ config: before, ...rest }: Record<string, unknown>, { config: now, ...own }: RunIdentity): string[] {
  return [...differences(before, now), ...differences(rest, own)];
}

function differences(before: unknown, now: unknown, path = ""): string[] {
  if (isObject(before) && isObject(now)) {
    const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
    return [...keys].flatMap((key) => differences(before[key], now[key], path === "" ? key : `${path}.${key}`));
  }
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  return [`${path || "configuration"}: ${shown(before)}, now ${shown(now)}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Ids are long, and their beginning tells them apart. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.join(",");
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /^[0-9a-f]{64}$/.test(text) ? text.slice(0, 12) : text;
}

const CHANNEL = "channel.";

function encodeChannel(channel: AddedChannel | null): {
  tensors: Record<string, Tensor>;
  metadata: Record<string, string>;
} {
  if (channel?.input.kind !== "dense") return { tensors: {}, metadata: {} };
  const { spec, transform, scale, input } = channel;
  const { json, tensors } = encodeTransform(transform, CHANNEL);
  const { values, missing } = input;
  return {
    tensors: {
      ...tensors,
      "input.values": { type: "F32", shape: [values.rows, values.cols], data: values.data as Float32Array },
      "input.missing": { type: "U8", shape: [missing.length], data: missing },
    },
    metadata: { channel: JSON.stringify({ spec, scale, transform: json }) },
  };
}

function decodeChannel(
  text: string,
  tensors: ReadonlyMap<string, Tensor>,
  { where, read }: { where: string; read: ReadTensor },
): AddedChannel {
  const { spec, scale, transform: json } = parsed<SavedChannel>(text, where);
  const transform = decodeTransform(json, tensors, CHANNEL);
  const missing = read("input.missing", "U8");
  const width = inputWidth(transform);
  const values = read("input.values", "F32", missing.length * width);
  return {
    spec,
    scale,
    transform,
    input: { kind: "dense", values: hostMatrix(values, missing.length, width), missing },
  };
}

type SavedChannel = Pick<AddedChannel, "spec" | "scale"> & { transform: unknown };

function figures(judgement: Judgement | null): Omit<Judgement, "scores"> | null {
  return judgement && { step: judgement.step, score: judgement.score, holdoutNll: judgement.holdoutNll };
}

/** The tensors and texts of a checkpoint that is as it was written. */
function decoded(bytes: Uint8Array, where: string): ReturnType<typeof decodeSafetensors> {
  let file: ReturnType<typeof decodeSafetensors>;
  try {
    file = decodeSafetensors(bytes);
  } catch (cause) {
    throw damaged(where, (cause as Error).message, cause);
  }
  const { [HASH]: hash, ...metadata } = file.metadata;
  if (metadata.format !== FORMAT) {
    throw new NearkinError("BAD_FILE", `${where}: it is no checkpoint of this version; start anew without --resume`);
  }
  if (hash !== hashOf(file.tensors, metadata)) throw damaged(where, "its SHA-256 is another");
  return { tensors: file.tensors, metadata };
}

function damaged(where: string, how: string, cause?: unknown): NearkinError {
  return new NearkinError("BAD_FILE", `${where}: the checkpoint is damaged (${how}); start anew without --resume`, {
    cause,
  });
}

/** SHA-256 of everything that a checkpoint holds but itself. */
function hashOf(tensors: Iterable<readonly [string, Tensor]>, metadata: Readonly<Record<string, string>>): string {
  const hash = createHash("sha256");
  const texts = Object.entries(metadata).sort(byName);
  hash.update(JSON.stringify(texts));
  for (const [name, { type, shape, data }] of [...tensors].sort(byName)) {
    hash.update(JSON.stringify([name, type, shape]));
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0);

function parsed<T>(text: string | undefined, where: string): T {
  try {
    return JSON.parse(text ?? "") as T;
  } catch (cause) {
    throw damaged(where, `its notes cannot be read: ${(cause as Error).message}`, cause);
  }
}

function vector(m: Matrix): Tensor {
  return { type: "F32", shape: [m.rows], data: (m.data as Float32Array).slice(m.offset, m.offset + m.rows) };
}

function put(m: Matrix, data: Float32Array): void {
  (m.data as Float32Array).set(data, m.offset);
}

function statisticsTensors(prefix: string, { scales, lengths, standIns }: Run["statistics"]): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {};
  const add = (name: string, data: Float64Array) => {
    tensors[`${prefix}.${name}`] = { type: "F64", shape: [data.length], data };
  };
  add("scales", scales);
  add("lengths", lengths);
  standIns.forEach((standIn, c) => {
    add(`standIn.${c}`, standIn);
  });
  return tensors;
}

function readStatistics(prefix: string, { model }: Run, read: ReadTensor): Run["statistics"] {
  const p = model.channels.length;
  return {
    scales: read(`${prefix}.scales`, "F64", p),
    lengths: read(`${prefix}.lengths`, "F64", p),
    standIns: model.channels.map((_, c) => read(`${prefix}.standIn.${c}`, "F64")),
  };
}

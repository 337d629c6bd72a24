// A checkpoint: everything a run needs to go on as if it had never stopped, bit for bit, in one file.
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

const FORMAT = "nearkin-checkpoint 1";

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
  return encodeSafetensors(
    { ...tensors, ...channel.tensors },
    {
      format: FORMAT,
      identity: JSON.stringify(identity),
      progress: JSON.stringify({ ...rest, best: figures(best), top: figures(top) }),
      ...channel.metadata,
    },
  );
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
  if (metadata.format !== FORMAT) {
    throw new NearkinError("BAD_FILE", `${where}: it is no checkpoint of this version; start anew without --resume`);
  }
  const other = JSON.parse(metadata.identity) as Record<string, unknown>;
  const differing = Object.entries(identity).filter(
    ([key, value]) => JSON.stringify(other[key]) !== JSON.stringify(value),
  );
  if (differing.length > 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${where}: the run that was stopped had another ${differing.map(([key]) => key).join(", ")}; give the same options to go on with it, or start anew without --resume`,
    );
  }
  const tensor = (name: string) => {
    const found = tensors.get(name);
    if (!found) throw new NearkinError("BAD_FILE", `${where}: "${name}" is missing; start anew without --resume`);
    return found;
  };
  const channel = metadata.channel === undefined ? null : decodeChannel(metadata.channel, tensors);
  const run = channel ? withChannel(opened, scope, channel) : opened;
  put(run.flat, tensor("flat"));
  put(run.state.mean, tensor("mean"));
  put(run.state.square, tensor("square"));
  put(run.averaged, tensor("averaged"));
  run.history.fromTensor(tensor("history"));
  run.statistics = readStatistics("statistics", tensors, run.model.channels.length);
  const { best, top, ...rest } = JSON.parse(metadata.progress) as Omit<Progress, "inducing" | "best" | "top"> & {
    best: Omit<Judgement, "scores"> | null;
    top: Omit<Judgement, "scores"> | null;
  };
  const scores = (of: "best" | "top") => Float64Array.from(tensor(`${of}.scores`).data as Float64Array);
  run.progress = {
    ...rest,
    inducing: Int32Array.from(tensor("inducing").data as Int32Array),
    top: top && { ...top, scores: scores("top") },
    best: best && {
      ...best,
      scores: scores("best"),
      flat: Float32Array.from(tensor("best.flat").data as Float32Array),
      statistics: readStatistics("best.statistics", tensors, run.model.channels.length),
    },
  };
  return run;
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

function decodeChannel(text: string, tensors: ReadonlyMap<string, Tensor>): AddedChannel {
  const {
    spec,
    scale,
    transform: json,
  } = JSON.parse(text) as Pick<AddedChannel, "spec" | "scale"> & {
    transform: unknown;
  };
  const transform = decodeTransform(json, tensors, CHANNEL);
  const values = Float32Array.from(tensors.get("input.values")?.data as Float32Array);
  const missing = Uint8Array.from(tensors.get("input.missing")?.data as Uint8Array);
  const width = inputWidth(transform);
  return {
    spec,
    scale,
    transform,
    input: { kind: "dense", values: hostMatrix(values, missing.length, width), missing },
  };
}

function figures(judgement: Judgement | null): Omit<Judgement, "scores"> | null {
  return judgement && { step: judgement.step, score: judgement.score, holdoutNll: judgement.holdoutNll };
}

function decoded(bytes: Uint8Array, where: string): ReturnType<typeof decodeSafetensors> {
  try {
    return decodeSafetensors(bytes);
  } catch (cause) {
    const { message } = cause as Error;
    throw new NearkinError(
      "BAD_FILE",
      `${where}: the checkpoint is damaged (${message}); start anew without --resume`,
      { cause },
    );
  }
}

function vector(m: Matrix): Tensor {
  return { type: "F32", shape: [m.rows], data: (m.data as Float32Array).slice(m.offset, m.offset + m.rows) };
}

function put(m: Matrix, { data }: Tensor): void {
  (m.data as Float32Array).set(data as Float32Array, m.offset);
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

function readStatistics(prefix: string, tensors: ReadonlyMap<string, Tensor>, channels: number): Run["statistics"] {
  const read = (name: string) => Float64Array.from((tensors.get(`${prefix}.${name}`)?.data ?? []) as Float64Array);
  return {
    scales: read("scales"),
    lengths: read("lengths"),
    standIns: Array.from({ length: channels }, (_, c) => read(`standIn.${c}`)),
  };
}

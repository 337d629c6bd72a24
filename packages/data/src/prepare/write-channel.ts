// One channel as files: its inputs among the dataset's, its transform aside until all channels are there.
import { type Engine, encodeSafetensors, encodeTransform } from "@nearkin/core";
import type { Manifest } from "../manifest.ts";
import type { Catalogue } from "./catalogue.ts";
import { prepareChannel } from "./channels.ts";
import type { BadCell } from "./rejects.ts";
import type { RunContext } from "./steps.ts";
import { writeBytes } from "./write.ts";

/** What is known of a channel once its files are written. */
export interface StoredChannel {
  entry: Manifest["channels"][string];
  bad: BadCell[];
  notes: string[];
}

/** The arrays of a channel's transform, until they go to transforms.safetensors. */
export const transformFile = (name: string) => `transform-${name}.safetensors`;

export async function writeChannel(
  name: string,
  { config, folder, options, work, emit }: RunContext,
  catalogue: Catalogue,
  engine: Engine,
): Promise<StoredChannel> {
  const channel = await prepareChannel(name, config.channels[name], {
    engine,
    catalogue,
    seed: config.seed,
    folder,
    cache: options.cache,
    threads: options.threads,
    signal: options.signal,
    onEncode: (own, progress) => emit({ type: "encode", channel: own, progress }),
    onEstimate: (own, estimate) => emit({ type: "estimate", channel: own, estimate }),
  });
  const { transform, tensors, missing, unknown, bad, notes } = channel;
  if (Object.keys(tensors).length > 0)
    writeBytes(work.path(`channels/${name}.safetensors`), encodeSafetensors(tensors));
  const stored = encodeTransform(transform, `${name}.`);
  writeBytes(work.scratch(transformFile(name)), encodeSafetensors(stored.tensors));
  const entry = {
    type: transform.type,
    present: missing.reduce((sum, absent) => sum + 1 - absent, 0),
    trainingPresent: missing.reduce((sum, absent, item) => sum + (1 - absent) * catalogue.isTraining[item], 0),
    unknown,
    unreadable: bad.length,
    transform: stored.json,
  };
  return { entry, bad, notes };
}

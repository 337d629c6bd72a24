// A run whose model gets one more channel between two stages, or loses it again. Everything else is taken over by name: a layout puts
// parameters elsewhere when there is one more of them.
import {
  type ChannelInput,
  centreMissing,
  type Matrix,
  measureStatistics,
  rescaleWeights,
  type Scope,
  type Statistics,
} from "@nearkin/core";
import type { TrainedChannel, TrainingSet } from "../input/training-set.ts";
import { ensembleOf, freshModel, type Run } from "./run.ts";

/** A channel with its inputs. */
export interface AddedChannel extends TrainedChannel {
  readonly input: ChannelInput;
}

/** The channel that stage 2 added, if it has. */
export function addedChannel({ set }: Run): AddedChannel | null {
  const last = set.channels.length - 1;
  const channel = set.channels[last];
  return channel.transform.type === "surrogate" ? { ...channel, input: set.inputs.channels[last] } : null;
}

/** The same run with room for one more channel; its numbers are as they were drawn. */
export function withChannel(run: Run, scope: Scope, added: AddedChannel): Run {
  const { input, ...channel } = added;
  const { channels, inputs } = run.set;
  return rebuilt(run, scope, {
    ...run.set,
    channels: [...channels, channel],
    inputs: { ...inputs, channels: [...inputs.channels, input] },
  });
}

/** The same run without its last channel. */
export function withoutLastChannel(run: Run, scope: Scope): Run {
  const { channels, inputs } = run.set;
  const shorter = rebuilt(run, scope, {
    ...run.set,
    channels: channels.slice(0, -1),
    inputs: { ...inputs, channels: inputs.channels.slice(0, -1) },
  });
  const { scales, lengths, standIns } = run.statistics;
  shorter.statistics = {
    scales: scales.slice(0, -1),
    lengths: lengths.slice(0, -1),
    standIns: standIns.slice(0, -1),
  };
  return shorter;
}

/** Parameters by name; what is new stays as it was drawn. */
function rebuilt(run: Run, scope: Scope, set: TrainingSet): Run {
  const { engine, config, random, flat } = run;
  const fresh = freshModel(engine, scope, { config, set, random, precision: flat.precision });
  for (const [name, to] of fresh.parameters) {
    const from = run.parameters.get(name);
    if (from) copyCommon(to, from);
  }
  return { ...run, set, ...fresh };
}

/** The part that both have: all of it, but for the channel weights. */
function copyCommon(to: Matrix, from: Matrix): void {
  for (let i = 0; i < Math.min(to.rows, from.rows); i++) {
    for (let j = 0; j < Math.min(to.cols, from.cols); j++) to.set(i, j, from.get(i, j));
  }
}

/** Measures all scales, that of the last channel for the first time: it weighs h = 1, the others what they weighed. */
export function measureAdded(run: Run, label: string): void {
  const { engine, model, parameters, set } = run;
  const name = model.channels[model.channels.length - 1].name;
  const random = run.random.split("statistics", label);
  const others = [...parameters].filter(([tensor]) => tensor.endsWith(".missing") && tensor !== `${name}.missing`);
  const kept = others.map(([, standIn]) => standIn.read());
  centreMissing(engine, ensembleOf(run), random.split("missing"), set.trainItems);
  others.forEach(([, standIn], i) => {
    standIn.write(kept[i]);
  });
  const before = run.statistics;
  const after = measureStatistics(engine, ensembleOf(run), random, set.trainItems);
  const last = model.channels.length - 1;
  const earlier: Statistics = {
    ...before,
    scales: Float64Array.of(...before.scales.slice(0, last), after.scales[last]),
  };
  rescaleWeights(model, parameters, earlier, after);
  run.statistics = after;
}

// What a graph is made of, and how: options as they come, checked.
import { availableParallelism } from "node:os";
import { type LiftedRows, NearkinError } from "@nearkin/core";
import type { GraphOrigin } from "./graph-file.ts";
import type { ResolveUsearch } from "./graph-link.ts";
import type { SharedShard } from "./graph-thread.ts";

export interface GraphIndexOptions {
  /** Rows [0, count) are put in. They lie in shared memory, and stay there while the graph is built. */
  rows: LiftedRows;
  /** (p) h of the base metric, none negative. */
  weights: ArrayLike<number>;
  /** Id of the model that made the rows. */
  model: string;
  /** Where the graph is kept between starts. @default it is not */
  folder?: string;
  /** How vectors are stored. f16 is as good as f32 in half the memory. @default "f16" */
  scalar?: "f16" | "bf16" | "f32";
  /** Links of a row, twice as many on the lowest level. @default 16 */
  connectivity?: number;
  /** How widely a new row looks for its neighbours. @default 128 */
  expansion?: number;
  /** Threads for building, and for searches that come together. @default the cores, at most 8 */
  threads?: number;
  onProgress?: (done: number, total: number) => void;
  /** Told of files that are of no use, and of graphs that could not be kept; the graph serves all the same. */
  onWarning?: (warning: NearkinError) => void;
  /** Where usearch is. @default as installed */
  resolveUsearch?: ResolveUsearch;
}

export interface GraphPlan {
  /** (p) h of the base metric, the largest made 1. */
  weights: Float64Array;
  threads: number;
  origin: GraphOrigin;
}

export function planGraph(options: GraphIndexOptions): GraphPlan {
  const { rows, model, scalar = "f16", connectivity = 16, expansion = 128 } = options;
  const threads = options.threads ?? Math.min(availableParallelism(), 8);
  const given = Array.from(options.weights);
  const largest = Math.max(...given);
  if (given.length !== rows.layout.channelCount || !given.every((h) => h >= 0 && h < Infinity) || largest === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `graph: takes ${rows.layout.channelCount} weights of at least 0, not all 0, got ${given.join(", ")}; a metric with negative ones is no distance, and only the exact scan serves it`,
    );
  }
  const weights = Float64Array.from(given, (h) => h / largest); // the order is the same, and 16 bits do not overflow
  for (const [name, value, most] of [
    ["threads", threads, availableParallelism()], // usearch keeps room for as many threads as there are cores
    ["connectivity", connectivity, 256],
    ["expansion", expansion, 4096],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 1 || value > most) {
      throw new NearkinError("BAD_ARGUMENT", `graph: ${name} must be a whole number from 1 to ${most}, got ${value}`);
    }
  }
  const origin = {
    model,
    count: rows.count,
    sizes: rows.layout.sizes,
    weights: given,
    scalar,
    connectivity,
    expansion,
  };
  return { weights, threads, origin };
}

/** Where the rows lie, for a thread to read them there. */
export function sharedShards(rows: LiftedRows): SharedShard[] {
  return rows.shards.map(({ rows: { data, offset, rowStride, rows: count } }) => {
    if (!(data.buffer instanceof SharedArrayBuffer)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        "graph: rows must lie in shared memory; open the engine wasm with shared memory",
      );
    }
    return { buffer: data.buffer, offset, stride: rowStride, rows: count };
  });
}

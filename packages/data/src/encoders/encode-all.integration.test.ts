import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CacheWarning, embeddingsFolder, openCache } from "./cache.ts";
import { type EncodeEstimate, type EncodeProgress, encodeAll, estimateAdvice } from "./encode-all.ts";
import { startChild } from "./testing/child.ts";
import { TestFolder } from "./testing/files.ts";
import { toyEncoder, toyVector } from "./testing/toy-encoder.ts";

let folder: TestFolder;
beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder.remove());

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);
const vectorsOf = (texts: string[]) => new Float32Array(texts.flatMap(toyVector));
const chunks = () => embeddingsFolder(toyEncoder(), folder.path);

test("each distinct text once, blank texts never, rows in the order given", async () => {
  const encoder = toyEncoder();
  const vectors = await encodeAll(encoder, ["b", "a", "", "b", " ", "a", "c"], { cache: folder.path, chunkSize: 2 });
  const zero = [0, 0, 0];
  const [a, b, c] = ["a", "b", "c"].map(toyVector);
  expect(vectors).toEqual(new Float32Array([b, a, zero, b, zero, a, c].flat()));
  expect(encoder.seen).toEqual(["b", "a", "c"]);
  expect(await encodeAll(encoder, [], { cache: folder.path })).toEqual(new Float32Array());
});

test("a second run encodes only what is new", async () => {
  await encodeAll(toyEncoder(), numbered(5), { cache: folder.path, chunkSize: 2 });
  const second = toyEncoder();
  const texts = numbered(7).toReversed();
  expect(await encodeAll(second, texts, { cache: folder.path })).toEqual(vectorsOf(texts));
  expect(second.seen).toEqual(["text 6", "text 5"]);
});

test("the chunk size changes no vector", async () => {
  const texts = numbered(10);
  for (const chunkSize of [1, 3, 10]) {
    expect(await encodeAll(toyEncoder(), texts, { cache: false, chunkSize })).toEqual(vectorsOf(texts));
  }
  expect(readdirSync(folder.path)).toEqual([]);
});

test("another model has another cache", async () => {
  await encodeAll(toyEncoder(), ["a"], { cache: folder.path });
  const other = toyEncoder({ model: "toy-2" });
  await encodeAll(other, ["a"], { cache: folder.path });
  expect(other.seen).toEqual(["a"]);
});

test("an open cache serves many calls", async () => {
  const encoder = toyEncoder();
  const cache = await openCache(encoder, { cache: folder.path });
  for (const text of ["a", "b", "a"]) await encodeAll(encoder, [text], { cache });
  expect(encoder.seen).toEqual(["a", "b"]);
});

test("a killed process leaves its finished chunks, and the next one encodes only the rest", async () => {
  const child = startChild("encode-slowly.ts", { args: [folder.path] });
  let out = "";
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject).on("exit", () => reject(new Error("it ended by itself")));
    child.stderr?.on("data", (piece) => reject(new Error(String(piece))));
    child.stdout?.on("data", (piece) => {
      out += piece;
      if (out.includes("text 13\n")) resolve(); // in the fourth chunk
    });
  });
  const gone = new Promise((resolve) => child.removeAllListeners("exit").on("exit", (_, signal) => resolve(signal)));
  child.kill("SIGKILL");
  expect(await gone).toBe("SIGKILL");

  const kept = readdirSync(chunks()).filter((name) => name.endsWith(".safetensors")).length;
  expect(kept).toBeGreaterThanOrEqual(3);
  expect(kept).toBeLessThan(10);
  const warnings: CacheWarning[] = [];
  const second = toyEncoder();
  const onWarning = (warning: CacheWarning) => warnings.push(warning);
  const vectors = await encodeAll(second, numbered(40), { cache: folder.path, chunkSize: 4, onWarning });
  expect(second.seen).toEqual(numbered(40).slice(4 * kept));
  expect(vectors).toEqual(vectorsOf(numbered(40)));
  expect(warnings).toEqual([]);
});

test("two runs at once make the same files", async () => {
  const run = () => encodeAll(toyEncoder({ delay: 1 }), numbered(20), { cache: folder.path, chunkSize: 5 });
  const [first, second] = await Promise.all([run(), run()]);
  expect(second).toEqual(first);
  expect(readdirSync(chunks()).length).toBe(4);
});

test("stopping keeps the finished chunks", async () => {
  const controller = new AbortController();
  const onProgress = ({ done }: EncodeProgress) => void (done === 5 && controller.abort(new Error("enough")));
  const options = { cache: folder.path, chunkSize: 2, signal: controller.signal, onProgress };
  await expect(encodeAll(toyEncoder(), numbered(9), options)).rejects.toThrow("enough");
  const second = toyEncoder();
  await encodeAll(second, numbered(9), { cache: folder.path });
  expect(second.seen).toEqual(numbered(9).slice(4));
});

test("progress counts distinct texts, those in the cache included", async () => {
  await encodeAll(toyEncoder(), ["a", "b"], { cache: folder.path });
  const seen: EncodeProgress[] = [];
  const onProgress = (progress: EncodeProgress) => seen.push(progress);
  await encodeAll(toyEncoder(), ["a", "c", "b", "d", "c", ""], { cache: folder.path, chunkSize: 1, onProgress });
  expect(seen).toEqual([2, 3, 4].map((done) => ({ done, texts: 4, cached: 2 })));
});

test("the estimate comes after the first chunk, if there is more to do", async () => {
  await encodeAll(toyEncoder(), numbered(3), { cache: folder.path });
  const seen: EncodeEstimate[] = [];
  const onEstimate = (estimate: EncodeEstimate) => seen.push(estimate);
  const encoder = toyEncoder({ delay: 5 });
  await encodeAll(encoder, numbered(13), { cache: folder.path, chunkSize: 4, onEstimate });
  const [{ perSecond, secondsLeft, ...rest }] = seen;
  expect(seen.length).toBe(1);
  expect(rest).toEqual({ texts: 13, cached: 3 });
  expect(perSecond).toBeLessThan(210);
  expect(secondsLeft).toBeCloseTo(6 / perSecond, 9);
  await encodeAll(encoder, numbered(16), { cache: folder.path, chunkSize: 4, onEstimate });
  expect(seen.length).toBe(1);
});

test("advice where it would take long", () => {
  const estimate = { texts: 62_000, cached: 1000, perSecond: 18.64, secondsLeft: 3260 };
  expect(estimateAdvice(estimate)).toMatchInlineSnapshot(`
    "Encoding will take about 54 minutes: 61000 texts at 19 a second. Faster choices:
      lsa              fitted on the texts themselves in seconds, coarser
      vectors:<file>   vectors made elsewhere, for example on a GPU
      hf:<folder>      a smaller or quantised model (onnx/model_quantized.onnx)
    Stopping loses nothing: finished chunks are kept, and the next run goes on from there."
  `);
  expect(estimateAdvice({ ...estimate, secondsLeft: 20_000 })).toContain("about 6 hours");
  expect(estimateAdvice({ ...estimate, secondsLeft: 900 })).toBeUndefined();
});

test("a damaged chunk is ignored with a warning, and written anew", async () => {
  const texts = numbered(6);
  await encodeAll(toyEncoder(), texts, { cache: folder.path, chunkSize: 2 });
  const names = readdirSync(chunks()).sort();
  const before = names.map((name) => readFileSync(join(chunks(), name)));
  const damages = [
    (path: string) => truncateSync(path, 100),
    (path: string) => writeFileSync(path, ""),
    (path: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 70] ^= 1; // in the vectors, where only the hash can tell
      writeFileSync(path, bytes);
    },
    (path: string) => writeFileSync(path, "no header of any kind, but long enough to have one"),
  ];
  const messages: string[] = [];
  for (const damage of damages) {
    damage(join(chunks(), names[1]));
    const second = toyEncoder();
    const onWarning = ({ code, message }: CacheWarning) => {
      messages.push(`${code}: ${message.replace(chunks(), "<folder>").replace(/[0-9a-f]{64}/, "<hash>")}`);
    };
    expect(await encodeAll(second, texts, { cache: folder.path, onWarning })).toEqual(vectorsOf(texts));
    expect(second.seen.length).toBe(2);
    expect(readdirSync(chunks()).sort()).toEqual(names);
    expect(names.map((name) => readFileSync(join(chunks(), name)))).toEqual(before);
  }
  expect(messages).toMatchInlineSnapshot(`
    [
      "CACHE_CHUNK_IGNORED: the cached vectors in <folder>/<hash>.safetensors are ignored (it is cut short); their texts are encoded again",
      "CACHE_CHUNK_IGNORED: the cached vectors in <folder>/<hash>.safetensors are ignored (it is cut short); their texts are encoded again",
      "CACHE_CHUNK_IGNORED: the cached vectors in <folder>/<hash>.safetensors are ignored (its bytes have changed since it was written); their texts are encoded again",
      "CACHE_CHUNK_IGNORED: the cached vectors in <folder>/<hash>.safetensors are ignored (its header is damaged); their texts are encoded again",
    ]
  `);
});

test("a damaged chunk whose texts end in another file is removed", async () => {
  await encodeAll(toyEncoder(), numbered(4), { cache: folder.path });
  const [name] = readdirSync(chunks());
  truncateSync(join(chunks(), name), 50);
  await encodeAll(toyEncoder(), numbered(2), { cache: folder.path });
  expect(readdirSync(chunks())).not.toContain(name);
  expect(readdirSync(chunks()).length).toBe(1);
});

test("a folder that cannot be written to", async () => {
  const file = folder.write("file", "in the way");
  const warnings: CacheWarning[] = [];
  const onWarning = (warning: CacheWarning) => warnings.push(warning);
  const vectors = await encodeAll(toyEncoder(), numbered(4), { cache: file, chunkSize: 1, onWarning });
  expect(vectors).toEqual(vectorsOf(numbered(4)));
  expect(warnings.map(({ code }) => code)).toEqual(["CACHE_NOT_WRITTEN"]);
  const place = embeddingsFolder(toyEncoder(), file);
  expect(warnings[0].message.replaceAll(place, "<place>").replaceAll(folder.path, "<folder>")).toMatchInlineSnapshot(
    `"vectors are not kept in <place> (ENOTDIR: not a directory, mkdir '<place>'); name another folder by NEARKIN_CACHE"`,
  );
});

test("temporary files of a killed process go after an hour, and disturb nobody before", async () => {
  await encodeAll(toyEncoder(), ["a"], { cache: folder.path });
  const [old, fresh] = ["x.safetensors.1-a.tmp", "x.safetensors.2-b.tmp"].map((name) => join(chunks(), name));
  for (const path of [old, fresh]) writeFileSync(path, "half a ch");
  utimesSync(old, 0, 0);
  const warnings: CacheWarning[] = [];
  await openCache(toyEncoder(), { cache: folder.path, onWarning: (warning) => warnings.push(warning) });
  expect(readdirSync(chunks()).filter((name) => name.endsWith(".tmp"))).toEqual(["x.safetensors.2-b.tmp"]);
  expect(warnings).toEqual([]);
  rmSync(fresh);
});

test("what cannot be done", async () => {
  await expect(
    encodeAll(toyEncoder(), ["a"], { cache: false, chunkSize: 0 }),
  ).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encodeAll: chunkSize must be a whole number of at least 1, got 0]`,
  );
  const wrong = { ...toyEncoder(), encode: async () => new Float32Array(5) };
  await expect(encodeAll(wrong, ["a"], { cache: false })).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: toy: expected vectors (1, 3), got 5 values]`,
  );
});

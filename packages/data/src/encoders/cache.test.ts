import { homedir } from "node:os";
import { join } from "node:path";
import { decodeSafetensors } from "@nearkin/core";
import { afterEach, expect, test, vi } from "vitest";
import { embeddingsFolder } from "./cache.ts";
import { cacheFolder } from "./cache-folder.ts";
import { encodeChunk, textKey } from "./chunk-file.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const encoder = { name: "hf:org/my model", model: "m1", dimensions: 4 };

test("the folder: as told, NEARKIN_CACHE, or the user's cache", () => {
  expect(cacheFolder({ NEARKIN_CACHE: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a");
  expect(cacheFolder({ XDG_CACHE_HOME: "/b" })).toBe("/b/nearkin");
  expect(cacheFolder({})).toBe(join(homedir(), ".cache", "nearkin"));
  vi.stubEnv("NEARKIN_CACHE", "/env");
  expect(embeddingsFolder(encoder)).toMatch(/^\/env\/embeddings\/hf-org-my-model-[0-9a-f]{16}$/);
  expect(embeddingsFolder(encoder, "/told")).toMatch(/^\/told\/embeddings\/hf-org-my-model-[0-9a-f]{16}$/);
});

test("name, model and width each make another folder", () => {
  const others = [{ name: "hf:org-my model" }, { model: "m2" }, { dimensions: 5 }].map((other) => ({
    ...encoder,
    ...other,
  }));
  const folders = [encoder, ...others].map((e) => embeddingsFolder(e, "/c"));
  expect(new Set(folders).size).toBe(4);
});

test("a chunk is a safetensors file that anyone can read, named by its content", () => {
  const vectors = new Float32Array([1, 2, 3, 4]);
  const { name, bytes } = encodeChunk([textKey("é"), textKey("b")], vectors, { model: "m1" });
  const { tensors, metadata } = decodeSafetensors(bytes);
  expect(metadata).toEqual({ model: "m1" });
  expect(tensors.get("vectors")).toEqual({ type: "F32", shape: [2, 2], data: vectors });
  const hashes = tensors.get("hashes");
  expect(hashes?.shape).toEqual([2, 32]);
  // printf é | sha256sum
  expect(Buffer.from(hashes?.data as Uint8Array).toString("hex", 0, 32)).toBe(
    "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
  );
  expect(encodeChunk([textKey("é"), textKey("b")], vectors, { model: "m1" }).name).toBe(name);
  expect(name).toMatch(/^[0-9a-f]{64}\.safetensors$/);
});

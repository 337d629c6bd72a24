// Choosing and opening an engine: what it says about itself, what it falls back to, how it refuses.
import { afterEach, expect, test, vi } from "vitest";
import { NearkinError } from "../errors.ts";
import { createEngine, type EngineOptions } from "./create.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

async function refusal(options: EngineOptions): Promise<{ code: string; message: string }> {
  const error = await createEngine(options).catch((thrown: unknown) => thrown);
  if (!(error instanceof NearkinError)) throw new Error("expected a refusal");
  return { code: error.code, message: error.message };
}

async function infoOf(options: EngineOptions) {
  const engine = await createEngine(options);
  await engine.close();
  return engine.info;
}

test("the default is the strict engine, the same bits everywhere", async () => {
  expect(await infoOf({ workers: 2 })).toEqual({
    kind: "wasm",
    workers: 2,
    sharedMemory: true,
    reproducible: true,
    notes: [],
  });
});

test("fastest without a native library is the relaxed engine", async () => {
  expect(await infoOf({ policy: "fastest", workers: 1 })).toMatchObject({ kind: "wasm-relaxed", reproducible: false });
});

test("a native library that does not load is noted, not fatal", async () => {
  const native = () => Promise.reject(new NearkinError("ENGINE_UNAVAILABLE", "no libopenblas"));
  const info = await infoOf({ policy: "fastest", workers: 1, native });
  expect(info).toMatchObject({ kind: "wasm-relaxed", notes: ["native engine not used: no libopenblas"] });
});

test("memory that may not be shared means one thread, and says so", async () => {
  expect(await infoOf({ engine: "wasm", workers: 3, shared: false })).toEqual({
    kind: "wasm",
    workers: 1,
    sharedMemory: false,
    reproducible: true,
    notes: ["one thread only: shared memory was not wanted"],
  });
});

test("where WebAssembly may not be compiled, auto is plain and wasm refuses", async () => {
  vi.spyOn(WebAssembly, "compile").mockRejectedValue(new Error("blocked by CSP"));
  const message =
    "WebAssembly could not be compiled (blocked by CSP); a page needs script-src 'wasm-unsafe-eval', or use the engine plain";
  expect(await refusal({ engine: "wasm" })).toEqual({ code: "ENGINE_UNAVAILABLE", message });
  expect(await infoOf({})).toMatchObject({
    kind: "plain",
    notes: [`plain TypeScript instead of WebAssembly: ${message}`],
  });
});

test("where relaxed SIMD does not run, wasm-relaxed refuses", async () => {
  vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
  expect(await refusal({ engine: "wasm-relaxed" })).toEqual({
    code: "ENGINE_UNAVAILABLE",
    message: "relaxed SIMD does not run here; use the engine wasm, or Node 20.19 or later",
  });
});

test.each<[EngineOptions, string, string]>([
  [
    { engine: "native" },
    "ENGINE_UNAVAILABLE",
    "the native engine needs @nearkin/native: npm install @nearkin/native, then pass native: openBlas",
  ],
  [{ engine: "gpu" as "wasm" }, "BAD_ARGUMENT", "engine must be auto, wasm, wasm-relaxed, native or plain, got gpu"],
  [{ workers: 0 }, "BAD_ARGUMENT", "workers must be a whole number of at least 1, got 0"],
  [{ workers: 1.5 }, "BAD_ARGUMENT", "workers must be a whole number of at least 1, got 1.5"],
])("%o is refused", async (options, code, message) => {
  expect(await refusal(options)).toEqual({ code, message });
});

import { NearkinError } from "../errors.ts";
import type { Engine, EngineKind } from "./engine.ts";
import { createPlainEngine } from "./plain/engine.ts";
import { type Accelerate, createWasmEngine, type WasmOptions } from "./wasm/engine.ts";
import { relaxedAvailable } from "./wasm/modules.ts";

export interface EngineOptions extends Omit<WasmOptions, "simd"> {
  /**
   * `wasm`: strict SIMD, the same bits on every machine. `wasm-relaxed`: fused multiply-add. `native`: the system's OpenBLAS
   * for products and factorisations. `plain`: TypeScript only. `auto`: by `policy`.
   * @default "auto"
   */
  engine?: EngineKind | "auto";
  /** What `auto` is after. `reproducible`: strict WASM. `fastest`: native if it loads, else relaxed, else strict. @default "reproducible" */
  policy?: "reproducible" | "fastest";
  /** Loads the native routines; pass `openBlas` of @nearkin/native. Core itself never looks for them. */
  native?: Accelerate;
}

/**
 * Opens an engine. What was chosen, and what could not be had, is in `engine.info`.
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const scope = engine.scope();
 * const A = scope.matrix(2, 2).write([1, 2, 3, 4]);
 * const C = scope.matrix(2, 2);
 * engine.gemm(C, A, A);
 * Array.from(C.read()) // => [7, 10, 15, 22]
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const { engine = "auto", policy = "reproducible", native, ...rest } = options;
  if (policy !== "reproducible" && policy !== "fastest") {
    throw new NearkinError("BAD_ARGUMENT", `policy must be reproducible or fastest, got ${String(policy)}`);
  }
  switch (engine) {
    case "plain":
      return createPlainEngine();
    case "wasm":
      return createWasmEngine({ ...rest, simd: "strict" });
    case "wasm-relaxed":
      return createWasmEngine({ ...rest, simd: "relaxed" });
    case "native":
      if (!native) {
        throw new NearkinError(
          "ENGINE_UNAVAILABLE",
          "the native engine needs @nearkin/native: npm install @nearkin/native, then pass native: openBlas",
        );
      }
      return createWasmEngine({ ...rest, simd: "strict" }, native);
    case "auto":
      return automatic(policy, native, rest);
    default:
      throw new NearkinError(
        "BAD_ARGUMENT",
        `engine must be auto, wasm, wasm-relaxed, native or plain, got ${String(engine)}`,
      );
  }
}

async function automatic(policy: string, native: Accelerate | undefined, options: WasmOptions): Promise<Engine> {
  const notes: string[] = [];
  const noted = (engine: Engine): Engine => {
    engine.info.notes = [...notes, ...engine.info.notes];
    return engine;
  };
  if (policy === "fastest" && native) {
    try {
      return await createWasmEngine({ ...options, simd: "strict" }, native);
    } catch (error) {
      notes.push(`native engine not used: ${(error as Error).message}`);
    }
  }
  try {
    const simd = policy === "fastest" && relaxedAvailable() ? "relaxed" : "strict";
    return noted(await createWasmEngine({ ...options, simd }));
  } catch (error) {
    if (!(error instanceof NearkinError) || error.code !== "ENGINE_UNAVAILABLE") throw error;
    notes.push(`plain TypeScript instead of WebAssembly: ${error.message}`);
    return createPlainEngine(notes);
  }
}

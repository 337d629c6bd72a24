import { NearkinError } from "../../errors.ts";
import type { Engine, EngineInfo } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { factorisations, type Solve } from "./factorisations.ts";
import { kernelPass } from "./kernel-pass.ts";
import { MAX_WORKERS } from "./layout.ts";
import { availableCores, relaxedAvailable, type Simd, sharedMemoryAvailable } from "./modules.ts";
import { Pool } from "./pool.ts";
import { registerPool } from "./pools.ts";
import { products } from "./products.ts";
import { scans } from "./scan.ts";
import { grams } from "./sparse-gram.ts";
import { training } from "./training.ts";

export interface WasmOptions {
  /** `relaxed` fuses multiply and add: about half as fast again, and no longer the same bits on every machine. @default "strict" */
  simd?: Simd;
  /** Threads, the caller's included. @default the cores available, at most 8; 1 without shared memory */
  workers?: number;
  /** Share memory between threads. @default where the platform allows */
  shared?: boolean;
  /** Most memory to use, in pages of 64 KiB. @default 65536 (4 GiB) */
  maxPages?: number;
  /** How long to wait for a worker before it counts as lost, in ms. @default 120000 */
  timeout?: number;
}

/** Another library's routines, on the same memory, for what it does better. */
export interface Accelerator {
  /** Its name and version. */
  library: string;
  /** Threads it will use. */
  workers: number;
  /** May return false for strides it cannot take; then the engine's own product runs. */
  gemm(C: Matrix, A: Matrix, B: Matrix, alpha: number, beta: number, transposeA: boolean, transposeB: boolean): boolean;
  /** Lower triangle of α·op(A)·op(A)ᵀ + β·C. */
  syrk(C: Matrix, A: Matrix, alpha: number, beta: number, transpose: boolean): boolean;
  factor(A: Matrix): number;
  solve: Solve;
}

/** A WebAssembly.Memory, by what is needed of it: its type is not known everywhere. */
interface LinearMemory {
  readonly buffer: ArrayBufferLike;
}

/** Given the memory, returns the routines: how @nearkin/native joins without core knowing of it. */
export type Accelerate = (memory: LinearMemory, workers: number) => Accelerator | Promise<Accelerator>;

const pools = new WeakMap<Engine, Pool>();

/** The memory and kernels behind an engine on WebAssembly; none behind others. */
export function poolOf(engine: Engine): Pool | undefined {
  return pools.get(engine);
}

/** The engine on WebAssembly SIMD kernels. Throws ENGINE_UNAVAILABLE where WebAssembly may not be compiled. */
export async function createWasmEngine(options: WasmOptions = {}, accelerate?: Accelerate): Promise<Engine> {
  const { simd = "strict", shared = sharedMemoryAvailable() } = options;
  const workers = options.workers ?? Math.min(8, availableCores());
  if (!Number.isInteger(workers) || workers < 1) {
    throw new NearkinError("BAD_ARGUMENT", `workers must be a whole number of at least 1, got ${workers}`);
  }
  if (options.timeout !== undefined && !(options.timeout > 0)) {
    throw new NearkinError("BAD_ARGUMENT", `timeout must be a positive number of milliseconds, got ${options.timeout}`);
  }
  if (simd === "relaxed" && !relaxedAvailable()) {
    throw new NearkinError(
      "ENGINE_UNAVAILABLE",
      "relaxed SIMD does not run here; use the engine wasm, or Node 20.19 or later",
    );
  }
  let pool: Pool;
  try {
    pool = await Pool.create({ ...options, simd, shared, workers });
  } catch (cause) {
    if (cause instanceof NearkinError) throw cause;
    throw new NearkinError(
      "ENGINE_UNAVAILABLE",
      `WebAssembly could not be compiled (${(cause as Error).message}); a page needs script-src 'wasm-unsafe-eval', or use the engine plain`,
      { cause },
    );
  }
  if (workers > MAX_WORKERS) pool.notes.push(`${MAX_WORKERS} threads instead of ${workers}: there cannot be more`);
  if (workers > 1 && !shared) {
    const why =
      options.shared === false
        ? "shared memory was not wanted"
        : "memory cannot be shared here (a page must be cross-origin isolated)";
    pool.notes.push(`one thread only: ${why}`);
  }
  let accelerator: Accelerator | undefined;
  try {
    accelerator = await accelerate?.(pool.arena.memory, pool.workers);
  } catch (error) {
    await pool.close();
    throw error;
  }
  if (accelerator && accelerator.workers < pool.workers) {
    pool.notes.push(`${accelerator.library} was built for ${accelerator.workers} of the ${pool.workers} threads`);
  }
  registerPool(pool);
  const multiply = products(pool, accelerator);
  const info: EngineInfo = {
    kind: accelerator ? "native" : simd === "strict" ? "wasm" : "wasm-relaxed",
    workers: pool.workers,
    sharedMemory: shared,
    reproducible: simd === "strict" && !accelerator,
    ...(accelerator && { library: accelerator.library }),
    notes: pool.notes,
  };
  const close = () => pool.close();
  const engine: Engine = {
    info,
    scope() {
      pool.checkOpen();
      return pool.arena.open();
    },
    ...multiply,
    ...factorisations(pool, accelerator),
    ...kernelPass(pool, multiply),
    ...training(pool),
    ...scans(pool),
    ...grams(pool),
    close,
    [Symbol.asyncDispose]: close,
  };
  pools.set(engine, pool);
  return engine;
}

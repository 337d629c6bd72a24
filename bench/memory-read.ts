// What the machine can read: bytes in the ten streams that a scan reads them in, and nothing done with them.
import type { Matrix } from "@nearkin/core";
import { Pool } from "../packages/core/src/linalg/wasm/pool.ts";

export interface MemoryReader {
  /** Reads all bytes once. */
  read(): void;
  close(): Promise<void>;
}

/** Reads `bytes` of memory, shared among `workers` threads. */
export async function memoryReader(bytes: number, workers: number): Promise<MemoryReader> {
  const pool = await Pool.create({ simd: "strict", workers, shared: true });
  const scope = pool.arena.open();
  const data: Matrix = scope.zeros(bytes / 4, 1, "f32");
  const sink = scope.matrix(workers * 8, 1);
  const kernel = pool.kernelNumber("read_bytes");
  const part = Math.floor(bytes / workers / 4096) * 4096;
  const read = () => {
    for (let t = 0; t < workers; t++)
      pool
        .job(t)
        .put(pool.address(data) + t * part)
        .put(part)
        .put(10)
        .putVector(sink, t * 8);
    pool.run(kernel, workers);
  };
  return { read, close: () => pool.close() };
}

// Scans that do not hold up whoever asks: on threads of their own where memory can be shared, in short turns of the caller's thread
// elsewhere. Several queries at once cost little more than one, for rows are read once for all of them.
import { NearkinError } from "../errors.ts";
import type { Engine } from "./engine.ts";
import { HostScans, plainScan } from "./host-scans.ts";
import type { ScanThreads } from "./scan-query.ts";
import { poolOf } from "./wasm/engine.ts";
import { availableCores, relaxedAvailable, type Simd } from "./wasm/modules.ts";
import { wasmScan } from "./wasm/scan-on-host.ts";
import { SharedScans } from "./wasm/shared-scans.ts";

export interface ScanThreadsOptions {
  /** Changes speed only. @default the cores available, at most 8 */
  threads?: number;
  /** Fused arithmetic is half as fast again for several queries; scores differ from the strict ones in their last bits. @default "relaxed" where it runs */
  simd?: Simd;
  /** Room for queries, bitmaps and results of one batch; pages that are not used cost nothing. @default 32 MiB */
  bytes?: number;
}

/** Starts threads that scan rows in the memory of this engine. Without shared memory the caller's thread scans, and lets others have their turn. */
export async function openScanThreads(engine: Engine, options: ScanThreadsOptions = {}): Promise<ScanThreads> {
  const { threads = Math.min(8, availableCores()), bytes = 2 ** 25 } = options;
  checkCount("threads", threads, 1);
  checkCount("bytes", bytes, 65536);
  const pool = poolOf(engine);
  if (!pool) return new HostScans(plainScan());
  if (!engine.info.sharedMemory) return new HostScans(wasmScan(pool, bytes));
  const simd = options.simd ?? (relaxedAvailable() ? "relaxed" : "strict");
  try {
    return await SharedScans.open(pool, { threads, simd, bytes });
  } catch (error) {
    // For example a Content-Security-Policy without `worker-src blob:`.
    if (!(error instanceof NearkinError) || error.code !== "WORKER_FAILED") throw error;
    return new HostScans(wasmScan(pool, bytes));
  }
}

function checkCount(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `scan threads: ${name} must be a whole number of at least ${least}, got ${value}`,
    );
  }
}

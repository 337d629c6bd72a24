// Which threads work in a memory: for operations that stand beside the engine.
import type { Storage } from "../matrix.ts";
import type { Pool } from "./pool.ts";

const pools = new WeakMap<Storage, Pool>();

export const poolOf = (storage: Storage): Pool | undefined => pools.get(storage);

export function registerPool(pool: Pool): void {
  pools.set(pool.arena, pool);
}

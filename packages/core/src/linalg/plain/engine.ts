// The numerical core as one would write it on paper: the oracle of every other engine's tests, and what remains where
// WebAssembly may not run. All arithmetic is f64; an f32 matrix only rounds what is stored.
import type { Engine } from "../engine.ts";
import { factorisations } from "./factorisations.ts";
import { kernelPass } from "./kernel-pass.ts";
import { products } from "./products.ts";
import { plainScope } from "./scope.ts";
import { grams } from "./sparse-gram.ts";
import { training } from "./training.ts";

export function createPlainEngine(notes: readonly string[] = []): Engine {
  const close = async () => {};
  return {
    // Math.exp and its kin differ between JavaScript engines in the last bit.
    info: { kind: "plain", workers: 1, sharedMemory: false, reproducible: false, notes },
    scope: plainScope,
    ...products,
    ...grams,
    ...factorisations,
    ...kernelPass,
    ...training,
    close,
    [Symbol.asyncDispose]: close,
  };
}

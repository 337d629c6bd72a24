/** The mathematics of Nearkin, the same in Node, in browsers and on the edge. Files and network never enter here. */
export { type ErrorCode, NearkinError, NotPositiveDefiniteError } from "./errors.ts";
export type { Scope } from "./linalg/arena.ts";
export { createEngine, type EngineOptions } from "./linalg/create.ts";
export {
  type Activation,
  type AdamwOptions,
  type CholeskyOptions,
  type DistanceOptions,
  type Engine,
  type EngineInfo,
  type EngineKind,
  type GemmOptions,
  type GemvOptions,
  type Jitter,
  type KernelGradients,
  type KernelOptions,
  type Link,
  type SolveOptions,
  type SparseRows,
  type SyrkOptions,
  TopK,
} from "./linalg/engine.ts";
export { type FloatArray, hostIndices, hostMatrix, Indices, Matrix, type Precision } from "./linalg/matrix.ts";
export { normalQuantile, Random } from "./linalg/random.ts";
export type { Accelerate, Accelerator } from "./linalg/wasm/engine.ts";
export { relaxedAvailable } from "./linalg/wasm/modules.ts";

/** The mathematics of Nearkin, the same in Node, in browsers and on the edge. Files and network never enter here. */
export { type ErrorCode, NearkinError, NotPositiveDefiniteError } from "./errors.ts";
export type { Scope } from "./linalg/arena.ts";
export { createEngine, type EngineOptions } from "./linalg/create.ts";
export type {
  Activation,
  AdamwOptions,
  CholeskyOptions,
  DistanceOptions,
  Engine,
  EngineInfo,
  EngineKind,
  GemmOptions,
  GemvOptions,
  Jitter,
  KernelGradients,
  KernelOptions,
  Link,
  SolveOptions,
  SparseRows,
  SyrkOptions,
} from "./linalg/engine.ts";
export { type FloatArray, hostIndices, hostMatrix, Indices, Matrix, type Precision } from "./linalg/matrix.ts";
export { normalQuantile, Random } from "./linalg/random.ts";
export { TopK } from "./linalg/top-k.ts";
export type { Accelerate, Accelerator } from "./linalg/wasm/engine.ts";

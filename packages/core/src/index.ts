/** The mathematics of Nearkin, the same in Node, in browsers and on the edge. Files and network never enter here. */
export {
  applyCategories,
  type CategoriesConfig,
  type CategoriesTransform,
  type CategoryRow,
  fitCategories,
} from "./channels/categories.ts";
export {
  type ChannelTransform,
  type ChannelType,
  channelTypes,
  decodeTransform,
  encodeTransform,
  inputWidth,
} from "./channels/channel.ts";
export { applyDate, type DateTransform, fitDate, type ParseDateOptions, parseDate } from "./channels/date.ts";
export { applyGeo, fitGeo, type GeoTransform, type Place } from "./channels/geo.ts";
export { applyIdentity, fitIdentity, type IdentityTransform } from "./channels/identity.ts";
export { applyLsa, fitLsa, type Lsa, type LsaConfig } from "./channels/lsa.ts";
export {
  type ApplyNumberOptions,
  applyNumber,
  fitNumber,
  type NumberConfig,
  type NumberMode,
  type NumberTransform,
} from "./channels/number.ts";
export { applyPca, fitPca, type Pca, type PcaConfig } from "./channels/pca.ts";
export type { Json, JsonObject, Stored } from "./channels/stored.ts";
export {
  applyText,
  applyTextVector,
  type EncodedTextConfig,
  fitEncodedText,
  fitText,
  type LsaTextConfig,
  type TextEncoding,
  type TextTransform,
} from "./channels/text.ts";
export {
  applyTfidf,
  fitTfidf,
  type TermWeights,
  type TextAbsence,
  type Tfidf,
  type TfidfConfig,
} from "./channels/tfidf.ts";
export { tokenize } from "./channels/tokens.ts";
export { applyVector, fitVector, type VectorConfig, type VectorTransform } from "./channels/vector.ts";
export { type ErrorCode, NearkinError, NotPositiveDefiniteError } from "./errors.ts";
export type { Scope } from "./linalg/arena.ts";
export { createEngine, type EngineOptions } from "./linalg/create.ts";
export { type KrylovSvd, type KrylovSvdOptions, krylovSvd } from "./linalg/decompositions/krylov-svd.ts";
export { denseOperator, type GramOperator } from "./linalg/decompositions/operator.ts";
export { type Orthonormalized, orthonormalize } from "./linalg/decompositions/orthonormalize.ts";
export {
  type RandomizedSvd,
  type RandomizedSvdOptions,
  randomizedSvd,
} from "./linalg/decompositions/randomized-svd.ts";
export {
  type SparseMatrix,
  type SparseOperatorOptions,
  sparseOperator,
} from "./linalg/decompositions/sparse-operator.ts";
export {
  type SymmetricEigen,
  smallestEigenvalue,
  symmetricEigen,
} from "./linalg/decompositions/symmetric-eigen.ts";
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
  SparseGramOptions,
  SparseRows,
  SyrkOptions,
} from "./linalg/engine.ts";
export { type FloatArray, hostIndices, hostMatrix, Indices, Matrix, type Precision } from "./linalg/matrix.ts";
export { normalQuantile, Random } from "./linalg/random.ts";
export { TopK } from "./linalg/top-k.ts";
export type { Accelerate, Accelerator } from "./linalg/wasm/engine.ts";
export { type ItemId, type ItemIndex, type UserId, type UserIndex, Vocabulary } from "./model/ids.ts";
export { decodeSafetensors, encodeSafetensors, type Tensor, type TensorType, toFloat32 } from "./model/safetensors.ts";

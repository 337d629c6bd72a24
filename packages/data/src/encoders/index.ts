/** Text → vectors, without DuckDB. Texts never leave the machine. */
export { type CacheOptions, type CacheWarning, type EmbeddingCache, embeddingsFolder, openCache } from "./cache.ts";
export { cacheFolder } from "./cache-folder.ts";
export {
  type EncodeAllOptions,
  type EncodeEstimate,
  type EncodeProgress,
  encodeAll,
  estimateAdvice,
} from "./encode-all.ts";
export type { EncodeOptions, Encoder } from "./encoder.ts";
export { type EncoderSpec, type OpenEncoderOptions, openEncoder, parseEncoderSpec } from "./encoder-spec.ts";
export { type HfOptions, type HfPrecision, openHf } from "./hf.ts";
export { type MiniLmOptions, openMiniLm } from "./minilm.ts";
export { alignVectors, type ReadVectorsOptions, readVectors, type VectorTable } from "./vectors.ts";

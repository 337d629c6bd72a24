/** The mathematics of Nearkin, the same in Node, in browsers and on the edge. Files and network never enter here. */
export { type BlendInputs, blendFactors } from "./behavior/blend.ts";
export {
  type BehaviorFactors,
  type BehaviorOptions,
  type BehaviorSettings,
  behaviorFactors,
  behaviorMatrix,
  type MetItems,
} from "./behavior/factors.ts";
export { FoldIn, type FoldInSettings, type ItemEvidence } from "./behavior/fold-in.ts";
export { applyForesight, countUsers, Foresight, type ForesightOptions } from "./behavior/foresight.ts";
export {
  applyCategories,
  type CategoriesConfig,
  type CategoriesTransform,
  type CategoryRow,
  fitCategories,
} from "./channels/categories.ts";
export {
  type CellReader,
  type CellRules,
  cellCategories,
  cellDate,
  cellNumber,
  cellText,
  isNumberText,
  jsonNames,
  type NumberRules,
} from "./channels/cells.ts";
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
export type { SourceRows, SurrogateSource, SurrogateTransform } from "./channels/surrogate.ts";
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
export { type ErrorCode, NearkinError, NotPositiveDefiniteError, shown } from "./errors.ts";
export {
  type AdditiveParameters,
  type AdditiveProblem,
  type AdditiveTerms,
  additiveNll,
  additiveParameters,
  additiveSize,
  jointAndSingleTerms,
  pairsOf,
} from "./gp/additive.ts";
export { type AdditiveFitOptions, type AdditiveFitStep, fitAdditive } from "./gp/additive-fit.ts";
export { type BlockInputs, blocksByNearest, type ItemBlocks } from "./gp/blocks.ts";
export { type ExactGradients, type ExactNll, exactNll } from "./gp/exact.ts";
export { type MeasuredShift, measureShift } from "./gp/indefinite.ts";
export { type InducingInputs, selectInducing, selfKernel } from "./gp/inducing.ts";
export type { Blocks, ExactInputs, Likelihood, SparseInputs, SparseLikelihood } from "./gp/inputs.ts";
export { type LeaveOneOut, leaveOneOut } from "./gp/leave-one-out.ts";
export { itemNoise, type NoiseInputs, noiseBackward } from "./gp/noise.ts";
export {
  exactPosterior,
  fitPosterior,
  type Posterior,
  type PosteriorInputs,
  type Prediction,
  predict,
  type TrainingRows,
} from "./gp/posterior.ts";
export { type SparseGradients, type SparseNll, sparseNll } from "./gp/sparse.ts";
export type { Scope } from "./linalg/arena.ts";
export { createEngine, type EngineOptions } from "./linalg/create.ts";
export { type KrylovSvd, type KrylovSvdOptions, krylovSvd } from "./linalg/decompositions/krylov-svd.ts";
export { denseOperator, type GramOperator } from "./linalg/decompositions/operator.ts";
export { type Orthonormalized, orthonormalize } from "./linalg/decompositions/orthonormalize.ts";
export {
  type PivotedCholesky,
  type PivotedCholeskyOptions,
  pivotedCholesky,
} from "./linalg/decompositions/pivoted-cholesky.ts";
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
  PairGradients,
  SolveOptions,
  SparseGramOptions,
  SparseRows,
  SyrkOptions,
} from "./linalg/engine.ts";
export { type FloatArray, hostIndices, hostMatrix, Indices, Matrix, type Precision } from "./linalg/matrix.ts";
export { normalQuantile, portableLog, Random } from "./linalg/random.ts";
export type { ScanQuery, ScanThreads } from "./linalg/scan-query.ts";
export { openScanThreads, type ScanThreadsOptions } from "./linalg/scan-threads.ts";
export { TopK } from "./linalg/top-k.ts";
export type { Accelerate, Accelerator } from "./linalg/wasm/engine.ts";
export { centred } from "./metric/centre.ts";
export { type DraftOptions, type DraftValue, draftInput } from "./metric/draft.ts";
export { type Embedding, type EmbedOptions, type Ensemble, embed, embedBackward } from "./metric/embed.ts";
export {
  type ChannelInput,
  type ChannelSpec,
  type ContentInput,
  type EnsembleConfig,
  embeddingWidth,
  ensembleLayout,
  type ItemInputs,
  initializeEnsemble,
  isContent,
  type Statistics,
} from "./metric/ensemble.ts";
export { exp, inverseSoftplus, logistic, softplus } from "./metric/exponential.ts";
export { type ChannelInputOptions, channelInput, type InputScaling } from "./metric/inputs.ts";
export { applyLink, linkSlope } from "./metric/link.ts";
export {
  type ContrastiveBatch,
  contrastiveLoss,
  crossEntropyLoss,
  type PairBatch,
  type PairLossGradients,
  type SoftmaxBatch,
  softmaxLoss,
} from "./metric/losses.ts";
export { measureSource, type Source, type SourceStatistics } from "./metric/source-space.ts";
export { centreMissing, measureStatistics } from "./metric/statistics.ts";
export {
  expectSurrogate,
  fitSurrogate,
  initialSurrogate,
  type NamedSource,
  type Surrogate,
  type SurrogateFitOptions,
  type SurrogateTargets,
  selectSurrogateInducing,
} from "./metric/surrogate.ts";
export {
  columnWeights,
  type LengthGradient,
  metricWeights,
  rescaleWeights,
  rowLengths,
  weightsBackward,
} from "./metric/weights.ts";
export { type Metric, type MetricFamily, metricFamilies } from "./metrics/families.ts";
export { paperHitRate, paperMrr, paperNdcg } from "./metrics/paper.ts";
export { hit, mrr, ndcg, precision } from "./metrics/standard.ts";
export type { RankedList, TruthSet } from "./metrics/truth.ts";
export type {
  CandidateOptions,
  EmbedDraftOptions,
  EmbeddedDraft,
  Explanation,
  ItemQuery,
  MetItem,
  MetricOptions,
  ModelSimilarOptions,
  PersonalMetric,
  PersonalPosterior,
  PersonalPrediction,
  PersonalReason,
  PredictAllOptions,
  PredictedRating,
  SimilarItem,
  SimilarResult,
  SuggestedQuestion,
} from "./model/answers.ts";
export { channelWeights, type LearnedWeights, queryWeights } from "./model/channel-weights.ts";
export { decodeModel, type ReadModelFile } from "./model/decode.ts";
export { type Draft, type EncodeTexts, type MissingChannel, PENDING } from "./model/draft.ts";
export type { DraftCell } from "./model/draft-cells.ts";
export { encodeModel } from "./model/encode.ts";
export { type Contribution, contributionsOf } from "./model/explain.ts";
export { modelFiles } from "./model/files.ts";
export { type ItemId, type ItemIndex, type UserId, type UserIndex, Vocabulary } from "./model/ids.ts";
export { inferShape, inferShapes } from "./model/infer-shapes.ts";
export type { CatalogueItem, ItemDirectory, Items } from "./model/items.ts";
export { Model } from "./model/model.ts";
export { didYouMean, nearestNames } from "./model/nearest.ts";
export { type OpenModelOptions, openModel } from "./model/open.ts";
export type {
  ModelCatalogue,
  ModelChannel,
  ModelDataset,
  ModelEngine,
  ModelHistory,
  ModelItems,
  ModelNoise,
  ModelParts,
  ModelPosterior,
  ModelStage,
  ModelUpdates,
  ModelWarning,
} from "./model/parts.ts";
export {
  type EmbeddedItem,
  RatingModel,
  type RatingParts,
  type RatingPrediction,
  type RatingPredictions,
} from "./model/rating.ts";
export type { RowRoom } from "./model/room.ts";
export { decodeSafetensors, encodeSafetensors, type Tensor, type TensorType, toFloat32 } from "./model/safetensors.ts";
export { ensembleRowLayout, ensembleScaling, scaleEmbeddings, storedParameters } from "./model/scaling.ts";
export {
  type FieldShape,
  type FieldType,
  fieldTypes,
  readDate,
  readNumber,
  readText,
  splitList,
} from "./model/shapes.ts";
export { type UserRating, userItems } from "./model/user-ratings.ts";
export { metricOf, predictionFor, questionsFor, type UsersOf } from "./model/users.ts";
export {
  layoutParameters,
  type ParameterLayout,
  type ParameterSpec,
  type Parameters,
  type ParameterTensor,
  parameterViews,
} from "./nn/parameters.ts";
export {
  initializeTower,
  type TowerActivations,
  towerActivations,
  towerBackward,
  towerForward,
  towerOf,
  towerScratch,
  towerSpecs,
} from "./nn/tower.ts";
export * from "./personal/index.ts";
export { BestLists } from "./rank/best-lists.ts";
export { bitmapOf, bitmapWords } from "./rank/bitmap.ts";
export { type BoundOptions, byBound, type RatingOrder } from "./rank/bounds.ts";
export type { Scored } from "./rank/certify.ts";
export {
  counterfactualRanks,
  counterfactualRanksInSlices,
  type RankCandidates,
  type Ranks,
} from "./rank/counterfactual.ts";
export { checkDiversity, DIVERSITY_POOL, type DiversityOptions, diversify } from "./rank/diversity.ts";
export { channelDistances, exactScore, totalDistance } from "./rank/exact.ts";
export { type HistoryOptions, latestItems, type QueryHistory } from "./rank/history.ts";
export {
  buildRows,
  type LiftedRowValues,
  measureCentres,
  type RowLayout,
  type RowScaling,
  rowLayout,
  writeLiftedRow,
} from "./rank/layout.ts";
export { type NeighbourBlock, type NeighbourOptions, neighboursOfAll } from "./rank/neighbours.ts";
export { buildQuery, type Query, type QueryOptions } from "./rank/query.ts";
export { type RankOptions, rankWith } from "./rank/rank-with.ts";
export {
  type LiftedItem,
  type LiftedRows,
  liftedItem,
  liftRows,
  locate,
  logPopularity,
  measureBounds,
  type RowBounds,
  type RowShard,
} from "./rank/rows.ts";
export {
  type ScanCounters,
  type ScannedRows,
  ScanQueue,
  type ScanQueueOptions,
  type SearchOptions,
} from "./rank/scan-queue.ts";
export { scanScores } from "./rank/scores.ts";
export { type Neighbour, rankExactly, reasons, type SimilarOptions, similar } from "./rank/similar.ts";
export { comesBefore, tieHash, tieHashes } from "./rank/ties.ts";
export { MINILM_ARITHMETIC, type MiniLm, type MiniLmFiles, type MiniLmOptions, openMiniLm } from "./text/minilm.ts";

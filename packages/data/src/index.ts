/** From anyone's files to a dataset folder. */
export { describeProblems, parseConfig, parseYaml } from "./config/parse.ts";
export type { Config, ConfigInput } from "./config/schema.ts";
export { type CatalogueData, loadCatalogue, loadItems, loadUsers } from "./dataset/catalogue.ts";
export { type DatasetChannel, loadChannels } from "./dataset/channels.ts";
export { type EventBatch, type ReadEventsOptions, readEvents } from "./dataset/events.ts";
export {
  type Factors,
  type Histories,
  type ItemStatistics,
  loadTraining,
  type Pairs,
  type TrainingData,
  type UserStatistics,
} from "./dataset/load.ts";
export { lastMet } from "./dataset/met.ts";
export { type Dataset, type OpenDatasetOptions, openDataset } from "./dataset/open.ts";
export type { LoadOptions } from "./dataset/read.ts";
export { type ItemRole, itemRoles, type QueryRole } from "./dataset/roles.ts";
export {
  type Affinity,
  type CoInteraction,
  openTruth,
  type QueryRows,
  type Truth,
  type TruthItems,
  type TruthUsers,
} from "./dataset/truth.ts";
export * from "./download/index.ts";
export { type Suggestion, type SuggestOptions, suggestConfig } from "./init/suggest.ts";
export { formatInspection } from "./inspect/format.ts";
export { type InspectOptions, inspectDataset } from "./inspect/inspect.ts";
export type { Inspection } from "./inspect/inspection.ts";
export type { Warning, WarningCode } from "./inspect/warning.ts";
export { findLayout, type Layout, type LayoutName, layoutConfig, layouts } from "./layouts/index.ts";
export { canonicalJson, type Manifest } from "./manifest.ts";
export { type Cells, type ChannelCells, channelCells } from "./prepare/cell-texts.ts";
export type { PrepareEvent } from "./prepare/events.ts";
export { type PrepareOptions, prepare } from "./prepare/prepare.ts";
export { readParquet } from "./read-parquet.ts";
export * from "./sample/index.ts";
export { type ResolvedSource, resolveSource, SAMPLE } from "./source.ts";
export { isUrl } from "./sources/files.ts";
export { exactly, parquetAt, sparkColumn, sparkFunctions, sparkText } from "./spark/dialect.ts";
export { requireStorage, type SparkScript, sparkScriptOf, stageOnly } from "./spark/elsewhere.ts";
export { findSpark, type Spark } from "./spark/find.ts";
export type { SparkProgress } from "./spark/progress-bar.ts";
export { runSpark, type SparkJob, sparkCommand } from "./spark/run.ts";
export type { SparkOptions } from "./spark/tables.ts";
export { readParquetVectors } from "./vectors-parquet.ts";
export {
  type ParquetColumn,
  type ParquetField,
  type ParquetValues,
  ParquetWriter,
  writeParquet,
} from "./write-parquet.ts";

/** Measures recommenders on what training has not seen. */
export { chance } from "./baselines/chance.ts";
export { type Content, type ContentOptions, loadContent } from "./baselines/content.ts";
export { cosines, logistic, uniform } from "./baselines/content-recommenders.ts";
export { type EaseOptions, ease } from "./baselines/ease.ts";
export type { EventData, FrequentItemsRecommender } from "./baselines/events.ts";
export { type MetricRecommenderOptions, metricRecommender, modelRecommender } from "./baselines/metric.ts";
export { type ItemKnnOptions, itemKnn } from "./baselines/neighbors.ts";
export { popularity } from "./baselines/popularity.ts";
export { type Slim, type SlimOptions, slim } from "./baselines/slim.ts";
export { type SpeOptions, type SpeProgress, type SpeRecommender, type SpeSettings, spe } from "./baselines/spe.ts";
export { ResultCache } from "./experiments/cache.ts";
export {
  type PaperChoice,
  type PaperEvent,
  type PaperLine,
  type PaperOptions,
  type PaperResult,
  type PaperRow,
  reproducePaper,
} from "./experiments/paper.ts";
export {
  checkUsers,
  type PaperUsersEvent,
  type PaperUsersOptions,
  reproducePersonalisation,
} from "./experiments/paper-users.ts";
export {
  type ComparedRefit,
  measurePersonalisation,
  type PersonalisationEvent,
  type PersonalisationOptions,
  type PersonalisationResult,
  type PersonalisedModel,
  type RefitFigure,
  type ShownUser,
} from "./experiments/personalisation.ts";
export type { RefitPoint, RefitStart } from "./experiments/refits.ts";
export { type KnownVerdict, knownVerdicts } from "./known.ts";
export { modelLabel } from "./model-label.ts";
export { type Calibration, calibrate, type Forecast, forecastItems } from "./protocol/calibration.ts";
export { type CatalogueFigures, catalogueFigures } from "./protocol/catalogue.ts";
export type { RankedLists } from "./protocol/lists.ts";
export { type Measured, type MetricName, measure, metricNames } from "./protocol/measure.ts";
export { measurePersonally, type PersonalTask, personalTasks } from "./protocol/personal.ts";
export type { Recommender } from "./protocol/recommender.ts";
export { type Stratum, strata, stratify } from "./protocol/strata.ts";
export { loadTruths, type TruthTable } from "./protocol/truths.ts";
export * from "./report/index.ts";
export type {
  EvaluatedDataset,
  EvaluationResult,
  KnownResult,
  MetricResult,
  RecommenderResult,
  TruthResult,
  TruthSummary,
} from "./result.ts";
export { type EvaluateEvent, type EvaluateOptions, evaluate } from "./run.ts";
export { openSplit, type Split } from "./split.ts";
export { bootstrapMean, type Interval } from "./statistics/bootstrap.ts";
export { directionOf, type SignTest, signTest } from "./statistics/sign-test.ts";
export { familyTable, knownTable, markdownTable, overviewTable, plainTable, type Table } from "./tables.ts";
export * from "./theory/index.ts";

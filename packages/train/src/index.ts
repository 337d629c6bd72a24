/** Learns a metric from a dataset folder, and writes a model folder. */
export { presets } from "./config/presets.ts";
export { resolveTrainConfig } from "./config/resolve.ts";
export {
  type Preset,
  type StageName,
  type TrainConfig,
  type TrainConfigInput,
  trainConfigSchema,
} from "./config/schema.ts";
export type { Ranking, StepReport, TrainEvent, TrainWarning, WarningCode } from "./events.ts";
export { type CurvePoint, type HistoryRow, type StageCurves, stageCurves, type ValidationPoint } from "./run/curves.ts";
export { type Selection, selectionOf } from "./run/finish.ts";
export { engineName, type TrainLook, type TrainOptions, train } from "./train.ts";

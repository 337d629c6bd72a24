/** Reports: plain data first, then one self-contained page. */
export { type HistoryRow, readHistory } from "./curves.ts";
export { gatherModelReport, type ModelReportInputs, parseEvaluation } from "./model.ts";
export type {
  ChannelWeight,
  ExampleNeighbour,
  ModelReport,
  NeighbourExample,
  ReportEnvironment,
  ReportedChannel,
  ReportedData,
  ReportedModel,
  ReportedStage,
  ReportedTraining,
  Reproduction,
  StageCurves,
} from "./model-report.ts";
export { checkFolds } from "./paper/folds.ts";
export { gatherPaperReport, type PaperReportInputs } from "./paper/gather.ts";
export type { PaperChannel, PaperData, PaperFold, PaperReport, SettingChange } from "./paper/paper-report.ts";
export { type PaperChoices, type PaperSettings, paperOptions, resolvePaperSettings } from "./paper/settings.ts";
export {
  checkReportPath,
  modelReportPage,
  paperReportPage,
  reportJsonPath,
  writeModelReport,
  writePaperReport,
} from "./write.ts";

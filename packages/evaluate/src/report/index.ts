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
export { checkReportPath, modelReportPage, reportJsonPath, writeModelReport } from "./write.ts";

/** Reports: plain data first, then one self-contained page. */

export { checkFolds } from "../experiments/folds.ts";
export { parseEvaluation } from "./evaluation-file.ts";
export { mainTruth } from "./headline.ts";
export { readHistory } from "./history.ts";
export { gatherModelReport, type ModelReportInputs } from "./model.ts";
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
} from "./model-report.ts";
export { gatherPaperReport, type PaperReportInputs } from "./paper/gather.ts";
export type { PaperChannel, PaperData, PaperFold, PaperReport, SettingChange } from "./paper/paper-report.ts";
export { type PaperChoices, type PaperSettings, paperOptions, resolvePaperSettings } from "./paper/settings.ts";
export { gatherUsersReport, type UsersReportInputs } from "./users/gather.ts";
export type { UsersReport } from "./users/users-report.ts";
export {
  checkReportPath,
  modelReportPage,
  paperReportPage,
  reportJsonPath,
  usersReportPage,
  writeModelReport,
  writePaperReport,
  writeUsersReport,
} from "./write.ts";
export { checkOutPath, writeWhole } from "./write-whole.ts";

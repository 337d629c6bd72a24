// Gathers a report on users' own metrics. Nothing is measured here.
import type { PersonalisationResult } from "../../experiments/personalisation.ts";
import type { ReportEnvironment, Reproduction } from "../model-report.ts";
import { USERS_REPORT_FORMAT, USERS_REPORT_VERSION, type UsersReport } from "./users-report.ts";

export interface UsersReportInputs {
  readonly result: PersonalisationResult;
  readonly reproduce: Reproduction;
  readonly environment: ReportEnvironment;
}

export function gatherUsersReport({ result, reproduce, environment }: UsersReportInputs): UsersReport {
  const report: UsersReport = {
    format: USERS_REPORT_FORMAT,
    version: USERS_REPORT_VERSION,
    simulated: result.dataset.simulated,
    users: result,
    reproduce,
    environment,
  };
  return JSON.parse(JSON.stringify(report)) as UsersReport; // as it will be read again
}

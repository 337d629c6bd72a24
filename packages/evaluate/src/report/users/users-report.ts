// What a report on users' own metrics says, as plain data: the JSON beside the page, from which the page is made and nothing else.
import type { PersonalisationResult } from "../../experiments/personalisation.ts";
import type { ReportEnvironment, Reproduction } from "../model-report.ts";

export const USERS_REPORT_FORMAT = "nearkin-users-report";
export const USERS_REPORT_VERSION = 1;

/** Everything on the page. */
export interface UsersReport {
  readonly format: typeof USERS_REPORT_FORMAT;
  readonly version: typeof USERS_REPORT_VERSION;
  /** Users and ratings are made up: said at the top and in every section with results. */
  readonly simulated: boolean;
  readonly users: PersonalisationResult;
  readonly reproduce: Reproduction;
  /** Where and when the report was made: the only part that differs between two runs on the same inputs. */
  readonly environment: ReportEnvironment;
}

/** As much of a report as the sections on users need: the page of the paper's experiments has them too. */
export type WithUsers = Pick<UsersReport, "simulated" | "users">;

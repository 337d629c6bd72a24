// What the page on metric recovery says, as plain data: the JSON beside it, from which the page is made and nothing else.
import type { ReportEnvironment, Reproduction } from "../report/model-report.ts";
import { checkReportPath, reportJsonPath } from "../report/write.ts";
import { writeWhole } from "../report/write-whole.ts";
import type { RecoveryResult } from "./recovery.ts";

export interface RecoveryReport {
  readonly format: "nearkin-recovery-report";
  readonly version: 1;
  readonly result: RecoveryResult;
  readonly reproduce: Reproduction;
  /** Where and when the report was made: the only part that differs between two runs with the same settings. */
  readonly environment: ReportEnvironment;
}

export interface RecoveryReportInputs {
  readonly result: RecoveryResult;
  /** The command line that made it. */
  readonly command: string;
  readonly environment: ReportEnvironment;
}

export function recoveryReport({ result, command, environment }: RecoveryReportInputs): RecoveryReport {
  return {
    format: "nearkin-recovery-report",
    version: 1,
    result,
    reproduce: {
      commands: [{ does: "Simulate, and write this report", command }],
      config: { ...result.settings },
    },
    environment,
  };
}

/** One self-contained page. What draws its figure is loaded when the first page is made. */
export async function recoveryPage(report: RecoveryReport): Promise<string> {
  const { renderRecoveryReport } = await import("./recovery-page.ts");
  return renderRecoveryReport(report);
}

/** Writes `<name>.html` and `<name>.json`, each whole or not at all; returns both paths. */
export async function writeRecoveryReport(page: string, report: RecoveryReport): Promise<[string, string]> {
  await checkReportPath(page);
  const json = reportJsonPath(page);
  const markup = await recoveryPage(report);
  await writeWhole(json, `${JSON.stringify(report, null, 2)}\n`);
  await writeWhole(page, markup);
  return [page, json];
}

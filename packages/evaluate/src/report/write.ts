// The page and its JSON on disk, each written whole or not at all.
import { extname } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { ModelReport } from "./model-report.ts";
import type { PaperReport } from "./paper/paper-report.ts";
import type { UsersReport } from "./users/users-report.ts";
import { checkOutPath, writeWhole } from "./write-whole.ts";

/** The JSON beside a page: the same name, another end. */
export function reportJsonPath(page: string): string {
  if (extname(page).toLowerCase() !== ".html") {
    throw new NearkinError("BAD_ARGUMENT", `--out: expected a file that ends in .html, got ${page}`);
  }
  return `${page.slice(0, -extname(page).length)}.json`;
}

/** Whether a report can be written there; asked before hours of work. */
export async function checkReportPath(page: string): Promise<void> {
  for (const path of [page, reportJsonPath(page)]) await checkOutPath(path);
}

/** A report as one self-contained page. What draws its figures is loaded when the first page is made: few programs make one. */
export async function modelReportPage(report: ModelReport): Promise<string> {
  const { renderModelReport } = await import("./page.ts");
  return renderModelReport(report);
}

/** The same of the paper's experiments. */
export async function paperReportPage(report: PaperReport): Promise<string> {
  const { renderPaperReport } = await import("./paper/page.ts");
  return renderPaperReport(report);
}

/** The same of users' own metrics. */
export async function usersReportPage(report: UsersReport): Promise<string> {
  const { renderUsersReport } = await import("./users/page.ts");
  return renderUsersReport(report);
}

/** Writes `<name>.html` and `<name>.json`; returns both paths. */
export async function writeModelReport(page: string, report: ModelReport): Promise<[string, string]> {
  return writeReport(page, report, modelReportPage);
}

/** The same of the paper's experiments. */
export async function writePaperReport(page: string, report: PaperReport): Promise<[string, string]> {
  return writeReport(page, report, paperReportPage);
}

/** The same of users' own metrics. */
export async function writeUsersReport(page: string, report: UsersReport): Promise<[string, string]> {
  return writeReport(page, report, usersReportPage);
}

async function writeReport<Report>(
  page: string,
  report: Report,
  render: (report: Report) => Promise<string>,
): Promise<[string, string]> {
  await checkReportPath(page);
  const files: [string, string][] = [
    [reportJsonPath(page), `${JSON.stringify(report, null, 2)}\n`],
    [page, await render(report)],
  ];
  for (const [path, text] of files) await writeWhole(path, text);
  return [page, reportJsonPath(page)];
}

// Gathers a report on the paper's experiments: what was measured, on which data, with which settings. Nothing is measured here.
import type { Dataset, Manifest } from "@nearkin/data";
import type { PaperResult } from "../../experiments/paper.ts";
import type { PersonalisationResult } from "../../experiments/personalisation.ts";
import type { ReportEnvironment, Reproduction } from "../model-report.ts";
import { PAPER_REPORT_FORMAT, PAPER_REPORT_VERSION, type PaperData, type PaperReport } from "./paper-report.ts";
import { type PaperSettings, settingChanges } from "./settings.ts";

export interface PaperReportInputs {
  readonly result: PaperResult;
  readonly users?: PersonalisationResult | undefined;
  readonly settings: PaperSettings;
  /** Command lines that make it all again. */
  readonly commands: Reproduction["commands"];
  readonly environment: ReportEnvironment;
}

/** `datasets`: those of the result, in its order. */
export function gatherPaperReport(
  datasets: readonly Dataset[],
  { result, users, settings, commands, environment }: PaperReportInputs,
): PaperReport {
  const report: PaperReport = {
    format: PAPER_REPORT_FORMAT,
    version: PAPER_REPORT_VERSION,
    simulated: datasets.some(({ manifest }) => manifest.simulated),
    data: describeData(datasets),
    result,
    users: users ?? null,
    settings,
    changes: settingChanges(settings),
    reproduce: { commands, config: { ...settings } },
    environment,
  };
  return JSON.parse(JSON.stringify(report)) as PaperReport; // as it will be read again
}

function describeData(datasets: readonly Dataset[]): PaperData {
  const { counts, ratings, channels, config } = datasets[0].manifest;
  const { by = "none", fraction = 0 } = (config.split ?? {}) as { by?: string; fraction?: number };
  return {
    name: nameOf(datasets.map(({ manifest }) => manifest)),
    items: counts.items,
    users: counts.users,
    events: counts.interactions,
    ratings,
    split: by,
    fraction,
    channels: Object.entries(channels).map(([channel, { type, transform }]) => ({
      name: channel,
      type,
      encoder: encoderOf(transform),
    })),
    folds: datasets.map(({ manifest }) => {
      const { train, validation, test } = manifest.counts.roles;
      return { id: manifest.id, roles: { train, validation, test } };
    }),
  };
}

/** Folds without a name of their own are called after their folders, each after another: then it is their source that has a name. */
function nameOf(manifests: readonly Manifest[]): string {
  const [{ name, config }] = manifests;
  return manifests.every((own) => own.name === name) ? name : sourceName(config);
}

/** The folder that the interactions are in, or the file, as far as the configuration names one of them. */
function sourceName({ interactions }: Manifest["config"]): string {
  const { files = [] } = (interactions ?? {}) as { files?: string | readonly string[] };
  const paths = [files].flat().map((path) => path.split(/[\\/]/).filter((part) => !["", ".", ".."].includes(part)));
  const [folders, names] = [new Set(paths.map((path) => path.at(-2))), new Set(paths.map((path) => path.at(-1)))];
  const found = [folders, names].flatMap((parts) => (parts.size === 1 ? [...parts] : []));
  return found.find((part) => part !== undefined && !/[*?[]/.test(part)) ?? "the dataset";
}

function encoderOf({ encoder }: Readonly<Record<string, unknown>>): string | null {
  const { name, kind } = (encoder ?? {}) as { name?: unknown; kind?: unknown };
  return typeof name === "string" ? name : typeof kind === "string" ? kind : null;
}

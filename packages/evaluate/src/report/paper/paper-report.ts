// What a report on the paper's experiments says, as plain data: the JSON beside the page, from which the page is made and nothing else.
import type { PaperResult } from "../../experiments/paper.ts";
import type { PersonalisationResult } from "../../experiments/personalisation.ts";
import type { ReportEnvironment, Reproduction } from "../model-report.ts";
import type { PaperSettings } from "./settings.ts";

export const PAPER_REPORT_FORMAT = "nearkin-paper-report";
export const PAPER_REPORT_VERSION = 1;

/** Everything on the page. */
export interface PaperReport {
  readonly format: typeof PAPER_REPORT_FORMAT;
  readonly version: typeof PAPER_REPORT_VERSION;
  /** Users and ratings are made up: said at the top and in every section with results. */
  readonly simulated: boolean;
  readonly data: PaperData;
  readonly result: PaperResult;
  /** Users' own metrics; null where no dataset split by users was given. */
  readonly users: PersonalisationResult | null;
  /** All of them, with those of the preset. */
  readonly settings: PaperSettings;
  /** Where they differ from what the preset `paper` and SPE have by themselves. */
  readonly changes: readonly SettingChange[];
  readonly reproduce: Reproduction;
  /** Where and when the report was made: the only part that differs between two runs on the same inputs. */
  readonly environment: ReportEnvironment;
}

/** What the folds have in common, then each of them. */
export interface PaperData {
  readonly name: string;
  readonly items: number;
  readonly users: number;
  readonly events: number;
  readonly ratings: { readonly kind: string; readonly mean: number; readonly least: number; readonly most: number };
  /** "time" or "random". */
  readonly split: string;
  /** Share of the items held out for test, and again for validation. */
  readonly fraction: number;
  readonly channels: readonly PaperChannel[];
  readonly folds: readonly PaperFold[];
}

export interface PaperChannel {
  readonly name: string;
  readonly type: string;
  /** Of a text. */
  readonly encoder: string | null;
}

export interface PaperFold {
  /** SHA-256 of the dataset folder. */
  readonly id: string;
  /** Items by role. */
  readonly roles: { readonly train: number; readonly validation: number; readonly test: number };
}

export interface SettingChange {
  /** `train.ssl.steps` */
  readonly key: string;
  readonly value: unknown;
  readonly usual: unknown;
}

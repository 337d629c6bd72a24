// What a report on a model says, as plain data: the JSON beside the page, from which the page is made and nothing else.
import type { StageCurves } from "@nearkin/train";
import type { EvaluationResult } from "../result.ts";

export const MODEL_REPORT_FORMAT = "nearkin-model-report";
export const MODEL_REPORT_VERSION = 1;

/** Everything on the page. JSON has no NaN: what could not be measured is null. */
export interface ModelReport {
  readonly format: typeof MODEL_REPORT_FORMAT;
  readonly version: typeof MODEL_REPORT_VERSION;
  /** Users and ratings are made up: said at the top and in every section with results. */
  readonly simulated: boolean;
  readonly model: ReportedModel;
  readonly data: ReportedData;
  readonly training: ReportedTraining;
  /** In the order of the channels. */
  readonly weights: readonly ChannelWeight[];
  readonly evaluation: EvaluationResult;
  readonly examples: readonly NeighbourExample[];
  readonly reproduce: Reproduction;
  /** Where and when the report was made: the only part that differs between two runs on the same inputs. */
  readonly environment: ReportEnvironment;
}

export interface ReportedModel {
  readonly name: string;
  /** SHA-256 of the model folder. */
  readonly id: string;
  /** Its name among the recommenders of the evaluation, at β = 0. */
  readonly label: string;
  readonly preset: string | null;
  readonly seed: number | null;
  /** What trained it, in words: "native, OpenBLAS 0.3.21, 1 threads". */
  readonly engine: string;
  /** Items of its catalogue. */
  readonly items: number;
  /** T */
  readonly temperature: number;
  /** β that ranked validation items best. */
  readonly popularity: number;
  /** Whether it predicts ratings. */
  readonly predictsRatings: boolean;
  /** The model it started from, if any: its id. */
  readonly from: string | null;
}

export interface ReportedData {
  readonly name: string;
  /** SHA-256 of the dataset folder. */
  readonly id: string;
  readonly items: number;
  readonly users: number;
  readonly events: number;
  readonly training: { readonly items: number; readonly users: number; readonly events: number };
  readonly roles: {
    readonly train: number;
    readonly validation: number;
    readonly test: number;
    readonly unseen: number;
  };
  readonly userRoles: { readonly train: number; readonly validation: number; readonly test: number };
  /** "time", "random", "users" or "none". */
  readonly split: string;
  /** Seconds since 1970; null where nothing is cut by time, or there are no times. */
  readonly time: { readonly from: number; readonly to: number; readonly cut: number | null } | null;
  readonly ratings: { readonly kind: string; readonly mean: number; readonly least: number; readonly most: number };
  readonly channels: readonly ReportedChannel[];
}

export interface ReportedChannel {
  readonly name: string;
  readonly type: string;
  /** Items with a value; null for a channel that training made. */
  readonly present: number | null;
  /** Of the training items. */
  readonly trainingPresent: number | null;
}

export interface ReportedTraining {
  readonly stages: readonly ReportedStage[];
  readonly warnings: readonly ReportedWarning[];
}

export interface ReportedStage {
  readonly name: string;
  readonly steps: number;
  /** The step that was kept. */
  readonly best: number;
  /** Of the step that was kept, on validation items. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Absent where the folder has no history.parquet. */
  readonly curves?: StageCurves;
}

export interface ReportedWarning {
  readonly code: string;
  readonly text: string;
  readonly stage: string | null;
  readonly step: number;
}

export interface ChannelWeight {
  readonly channel: string;
  readonly type: string;
  /** h */
  readonly weight: number;
  /** Of Σ|h|: its part of the distance of a typical random pair. */
  readonly share: number;
}

/** An item and its nearest, with the reasons. */
export interface NeighbourExample {
  readonly id: string;
  readonly title: string | null;
  /** Whether training has met it. */
  readonly kind: "warm" | "never seen";
  /** Why this one, in words: no example is picked by hand. */
  readonly why: string;
  /** Training ratings. */
  readonly ratings: number;
  /** What the model expects of its mean rating, and how sure it is; absent without a posterior. */
  readonly predicted?: { readonly mean: number; readonly deviation: number };
  /** What became of an item that training has not seen. */
  readonly actual?: { readonly ratings: number; readonly mean: number | null };
  /** Σ h: how far apart two random items are. */
  readonly typical: number;
  readonly neighbours: readonly ExampleNeighbour[];
}

export interface ExampleNeighbour {
  readonly id: string;
  readonly title: string | null;
  readonly rank: number;
  /** t, the sum of the contributions in their order. */
  readonly distance: number;
  readonly contributions: readonly ExampleContribution[];
}

export interface ExampleContribution {
  readonly channel: string;
  readonly contribution: number;
  /** Whose value is not known, so that a stand-in takes its place. */
  readonly unknown: "query" | "item" | "both" | null;
}

export interface Reproduction {
  /** Command lines in their order, each with what it does. */
  readonly commands: readonly { readonly does: string; readonly command: string }[];
  /** What the file of settings holds that the commands name: all of them. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Names and values, in the order of printing. */
export type ReportEnvironment = Readonly<Record<string, string>>;

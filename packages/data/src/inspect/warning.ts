// A warning: a code that stays, and a text that says what was found and what to try.
import type { Manifest } from "../manifest.ts";
import type { Inspection } from "./inspection.ts";
import type { SuspectFacts } from "./suspects.ts";

/** Every code a warning can carry. */
export type WarningCode =
  | "LEAK_RATING_CHANNEL"
  | "CONSTANT_CHANNEL"
  | "LOW_COVERAGE"
  | "DEGENERATE_TIME_SPLIT"
  | "NO_TIMES"
  | "IMPLICIT_RATINGS"
  | "MANY_UNDESCRIBED"
  | "FEW_INTERACTIONS"
  | "TIME_BEFORE_1980"
  | "TIME_IN_FUTURE"
  | "HEAVY_USER"
  | "DUPLICATES"
  | "ID_SPACES";

export interface Warning {
  code: WarningCode;
  text: string;
}

/** What the checks look at. */
interface Facts {
  inspection: Omit<Inspection, "warnings">;
  suspects: SuspectFacts;
  manifest: Manifest;
}

export type Check = (facts: Facts) => Warning[];

export const number = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 2 });
export const percent = (share: number) => `${(100 * share).toLocaleString("en", { maximumSignificantDigits: 2 })} %`;
export const warn = (code: WarningCode, applies: boolean, text: () => string): Warning[] =>
  applies ? [{ code, text: text() }] : [];

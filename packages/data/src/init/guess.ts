// A guess of init: what it took for what, how sure it is, and why.

export type Confidence = "sure" | "likely" | "a guess";

export interface Guess {
  column: string;
  confidence: Confidence;
  /** A clause that gives the reason, with the figures behind it. */
  reason: string;
}

/** Every column that was given a role, by section of nearkin.yaml. */
export interface Guesses {
  interactions: { user: Guess; item: Guess; rating?: Guess; time?: Guess };
  items?: { item: Guess; title?: Guess };
}

/** 3412 as "3,412". */
export const count = (n: number): string => n.toLocaleString("en-US");

/** A share as a person says it. Rounded down, so that 100 % means all. */
export function percentOf(part: number, whole: number): string {
  if (part === 0) return "none";
  if (part === whole) return "all";
  const share = Math.floor((100 * part) / whole);
  return share === 0 ? "under 1 %" : `${share} %`;
}

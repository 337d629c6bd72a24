// Hits by popularity: what only knows the popular hits the head of the truth, and nothing else.
import type { Evaluation } from "@nearkin/client";
import { isMeasured } from "../design/numbers.ts";

export const strata = ["head", "middle", "tail"] as const;
type Stratum = (typeof strata)[number];

/** Marks of the thirds, told apart by shape too. */
export const stratumLooks = [
  { name: "head: the most popular third", colour: "var(--accent)", shape: "circle" },
  { name: "middle", colour: "var(--channel-2)", shape: "square" },
  { name: "tail: the least popular third", colour: "var(--channel-1)", shape: "triangle" },
] as const;

export interface StratumRow {
  readonly name: string;
  readonly own: boolean;
  readonly values: Readonly<Record<Stratum, number | null>>;
}

export interface StratumDot {
  readonly row: number;
  readonly series: number;
  readonly stratum: Stratum;
  readonly value: number;
}

/** Recommenders with a figure in some third; held-out users have none. */
export const strataRows = ({ recommenders }: Pick<Evaluation, "recommenders">, truth: string): StratumRow[] =>
  recommenders.flatMap(({ name, kind, truths }) => {
    const values = truths[truth]?.strata;
    if (!values || !strata.some((stratum) => isMeasured(values[stratum]))) return [];
    return [{ name, own: kind === "model", values }];
  });

export const strataDots = (rows: readonly StratumRow[]): StratumDot[] =>
  rows.flatMap(({ values }, row) =>
    strata.flatMap((stratum, series) => {
      const value = values[stratum];
      return isMeasured(value) ? [{ row, series, stratum, value }] : [];
    }),
  );

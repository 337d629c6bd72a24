// Figures as docs/results.md prints them.
import type { Interval } from "@nearkin/evaluate";

/** ".173"; a dash for what was not measured. */
export const decimals = (value: number | null): string =>
  value === null || !Number.isFinite(value)
    ? "–"
    : value
        .toFixed(3)
        .replace(/^(-?)0\./, "$1.")
        .replace("-", "−");

export const interval = ({ mean, low, high }: Interval): string =>
  `${decimals(mean)} [${decimals(low)}, ${decimals(high)}]`;

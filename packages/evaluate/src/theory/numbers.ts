// Numbers as the theory's page and command print them: a bound may be 0.3 or 1e-118.

/** Three figures, whatever the size: "12.3", "0.0431"; far from 1 with an exponent: "1.2e-9". */
export function significant(value: number | null, digits = 3): string {
  if (value === null || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) return value.toExponential(1).replace("e+", "e").replaceAll("-", "−");
  return value.toLocaleString("en", { maximumSignificantDigits: digits }).replace("-", "−");
}

/** The same of a number that is above 0 and finite, though too small or too large for a double, which then has 0 or ∞. */
export function aboveZero(value: number): string {
  if (value === 0) return "under 1e−323";
  return value === Infinity ? "over 1e308" : significant(value);
}

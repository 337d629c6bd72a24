// Numbers as the page prints them: the same digits as in reports and on the terminal. What could not be measured is null, and a dash.

export type Measured = number | null | undefined;

export const isMeasured = (value: Measured): value is number => typeof value === "number" && Number.isFinite(value);

/**
 * With so many digits behind the point, and a true minus.
 *
 * @example
 * decimals(-0.1234) // => "−0.123"
 */
export function decimals(value: Measured, digits = 3): string {
  if (!isMeasured(value)) return "–";
  return value
    .toFixed(digits)
    .replace(/^-(?=0\.?0*$)/, "")
    .replace("-", "−");
}

/** The same with its sign, for differences. */
export const signed = (value: Measured, digits = 3): string =>
  isMeasured(value) && Number(value.toFixed(digits)) > 0 ? `+${decimals(value, digits)}` : decimals(value, digits);

/** So many digits that count, without an exponent where that is no longer. */
export function significant(value: Measured, digits = 3): string {
  if (!isMeasured(value)) return "–";
  return String(Number(value.toPrecision(digits))).replaceAll("-", "−");
}

/** A share in percent, with a digit more where it is small. */
export function percent(share: Measured): string {
  if (!isMeasured(share)) return "–";
  const value = 100 * share;
  const digits = value !== 0 && Math.abs(value) < 10 ? 1 : 0;
  return `${decimals(value, digits)}\u00a0%`;
}

export const count = (value: Measured): string => (isMeasured(value) ? value.toLocaleString("en") : "–");

/** "1 item", "2 items". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** "[0.160, 0.187]", not to be broken between lines. */
export const rangeText = ({ low, high }: { low: Measured; high: Measured }, print = decimals): string =>
  isMeasured(low) && isMeasured(high) ? `[${print(low)},\u00a0${print(high)}]` : "";

/** "p < 0.001", "p = 0.04"; more digits near 0.01, where a difference becomes sure. */
export const pValue = (p: number): string =>
  (p < 0.001 ? "p < 0.001" : `p = ${decimals(p, p < 0.015 ? 3 : 2)}`).replaceAll(" ", "\u00a0");

/** Words as a list: "a, b and c". */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;

/** "0.8 s", "34 s", "4 min 36 s", "2 h 5 min". */
export function duration(seconds: Measured): string {
  if (!isMeasured(seconds)) return "–";
  if (seconds < 10) return `${decimals(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return parts(whole, "min", "s");
  return parts(Math.round(whole / 60), "h", "min");
}

/** 60 of the small ones are a large one. */
function parts(small: number, largeName: string, smallName: string): string {
  const large = `${Math.floor(small / 60)} ${largeName}`;
  return small % 60 === 0 ? large : `${large} ${small % 60} ${smallName}`;
}

/** A day and a minute, where the reader is. */
export const moment = (milliseconds: number): string =>
  new Date(milliseconds).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** "the" → "The". */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

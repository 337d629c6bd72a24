// Numbers as the page prints them. What could not be measured is NaN in memory and null in JSON: both are a dash.

export type Measured = number | null | undefined;

export const isMeasured = (value: Measured): value is number => typeof value === "number" && Number.isFinite(value);

/** ".173", "1.245": figures between 0 and 1 without the zero, as in the tables of the terminal. */
export function decimals(value: Measured, digits = 3): string {
  if (!isMeasured(value)) return "–";
  return value
    .toFixed(digits)
    .replace(/^-(?=0\.?0*$)/, "")
    .replace(/^(-?)0\./, "$1.")
    .replace("-", "−");
}

/** The same with its sign. */
export const signed = (value: Measured, digits = 3): string =>
  isMeasured(value) && value > 0 ? `+${decimals(value, digits)}` : decimals(value, digits);

export function percent(share: Measured): string {
  if (!isMeasured(share)) return "–";
  const value = 100 * share;
  const digits = value !== 0 && Math.abs(value) < 10 ? 1 : 0;
  return `${value.toFixed(digits)} %`;
}

export const count = (value: Measured): string => (isMeasured(value) ? value.toLocaleString("en") : "–");

/** "1 item", "2 items". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** "p < .001", "p = .04", not to be broken between lines; more digits near .01, where a difference becomes sure. */
export const pValue = (p: number): string =>
  (p < 0.001 ? "p < .001" : `p = ${decimals(p, p < 0.015 ? 3 : 2)}`).replaceAll(" ", "\u00a0");

/** Words as a list: "a, b and c". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** "The" → "The"; "chance" → "Chance". */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** "30 d" and "β = 0.25" are not broken between lines. */
export const unbroken = (name: string): string => name.replace(/ d$/, "\u00a0d").replaceAll(" = ", "\u00a0=\u00a0");

/** At most so many letters, the last an ellipsis. */
export const shortened = (text: string, most: number): string => {
  const letters = [...text];
  return letters.length <= most
    ? text
    : `${letters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
};

/** A day in UTC, from seconds since 1970. */
export const day = (seconds: number): string => new Date(1000 * seconds).toISOString().slice(0, 10);

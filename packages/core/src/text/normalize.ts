// Unicode normalization in linear time. `String.normalize` sorts the combining marks behind a letter by insertion, quadratic in their number: 100,000
// marks in alternating classes took three seconds. No language needs more than a few, so those beyond 30 in a row are dropped, the bound
// that Unicode's stream-safe format (UAX #15) sets too. The halfwidth voicing marks of Japanese become marks when they are normalized.

const LONG_RUN = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu;

/** `text.normalize(form)`, with at most 30 combining marks in a row. */
export const normalizeText = (text: string, form: "NFD" | "NFKC"): string =>
  text.replace(LONG_RUN, "$1").normalize(form);

// Columns of numbers: plain ones, prices and measures that need a pattern, and those that only look like numbers.
import { columnWords, summarisesRatings } from "../sources/detect.ts";
import { isNumber } from "./facts.ts";
import type { Decision } from "./infer.ts";
import { type Profile, share } from "./profile.ts";

/** From this share of readable cells on a column counts as numbers; the rest is missing, by a pattern. */
const ENOUGH = 0.9;
const PLAIN = String.raw`^\s*([+-]?\d+(?:\.\d+)?)\s*$`;

const DERIVED =
  "looks summed up from ratings or counted from interactions; what the kernel is to predict must not be a channel of it";

/** How a column of numbers becomes a channel, or undefined where it holds something else. */
export function numberDecision(own: Profile): Decision | undefined {
  const { column } = own;
  const readable = share(own, isNumber);
  if (readable >= ENOUGH) {
    if (summarisesRatings(column)) return { skip: DERIVED };
    if (isCounter(own)) return { skip: "counts the rows" };
    const date = dateNumber(own);
    if (date) return date;
    if (readable === 1) return numberChannel(own);
    const comment = `${percent(1 - readable)} of the cells are no numbers and count as missing`;
    return numberChannel(own, { pattern: PLAIN, comment });
  }
  const measure = commonMeasure(own);
  if (!measure) {
    if (share(own, isCommaNumber) < ENOUGH) return undefined;
    const example = own.values.find((value) => value.includes(","));
    return { skip: `numbers with commas, such as ${example}: declare it with decimal: "," or thousands: ","` };
  }
  if (summarisesRatings(column)) return { skip: DERIVED };
  const left = measure.share === 1 ? "" : `; the other ${percent(1 - measure.share)} count as missing`;
  const { pattern, thousands } = measure;
  return numberChannel(own, { pattern, thousands, comment: `the number in ${JSON.stringify(measure.example)}${left}` });
}

interface Reading {
  pattern?: string | undefined;
  thousands?: string | undefined;
  comment?: string;
}

function numberChannel({ column, values, missing }: Profile, { pattern, thousands, comment }: Reading = {}): Decision {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const numbers = values
    .map((value) => (expression ? expression.exec(value)?.[1] : value))
    .map((value) => Number(thousands === undefined ? value : value?.replaceAll(thousands, "")))
    .filter((x) => Number.isFinite(x));
  return {
    channel: {
      type: "number",
      column,
      ...(pattern === undefined ? {} : { pattern }),
      ...(thousands === undefined ? {} : { thousands }),
      ...(missing.length === 0 ? {} : { missing: [...missing] }),
      ...(isSkewed(numbers) ? { log: true } : {}),
    },
    ...(comment === undefined ? {} : { comment }),
  };
}

/** Far more small numbers than large ones, as with prices, lengths and counts: their ratio matters, not their difference. */
function isSkewed(numbers: readonly number[]): boolean {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (fraction: number) => sorted[Math.floor(fraction * (sorted.length - 1))];
  return sorted.length > 0 && sorted[0] >= 0 && at(0.95) > 4 * Math.max(at(0.5), 1e-9);
}

/** 0, 1, 2, … or 1, 2, 3, …: a row number under some name. */
function isCounter({ values, rows }: Profile): boolean {
  const first = Number(values[0]);
  return (
    rows > 2 &&
    values.length === rows &&
    (first === 0 || first === 1) &&
    values.every((value, k) => Number(value) === first + k)
  );
}

const MOMENT = /^(date|time|timestamp|datetime|at|on|released?|published|created|added|updated|launched)$/;

/** Seconds or milliseconds since 1970 under a name that says so, and dates written as 20190131. */
function dateNumber(own: Profile): Decision | undefined {
  const { column, missing } = own;
  const absent = missing.length === 0 ? {} : { missing: [...missing] };
  if (share(own, (value) => /^(1[89]|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(value)) === 1) {
    return {
      channel: { type: "date", column, pattern: String.raw`^(\d{4})`, ...absent },
      comment: "of 20190131 the year is read",
    };
  }
  if (!columnWords(column).some((word) => MOMENT.test(word))) return undefined;
  return share(own, (value) => /^\d{9,13}(\.\d+)?$/.test(value)) === 1
    ? { channel: { type: "date", column, ...absent } }
    : undefined;
}

/** 12,5 or 1,299.00 or 1.299,00. */
const isCommaNumber = (value: string) => isNumber(value) || /^[$€£]?\s*[+-]?\d[\d.]*,[\d.,]*\d\s*[$€£]?$/.test(value);

const CURRENCY = String.raw`(?:[$€£¥₹]|USD|EUR|GBP|US\$|Rs\.?)`;
const MEASURE = new RegExp(
  String.raw`^(${CURRENCY}?)\s*(\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?)\s*(${CURRENCY}|%|\p{L}{2,12}\.?)?$`,
  "u",
);
const ONLY_CURRENCY = new RegExp(`^${CURRENCY}$`, "u");
const SINGLE = String.raw`\d+(?:\.\d+)?`;
/** 1,997.53 as well, and not 12,50, whose comma means something else. */
const GROUPED = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|${SINGLE}`;

interface Measure {
  pattern: string;
  thousands: string | undefined;
  share: number;
  example: string;
}

/**
 * The unit most cells share: "$12.99", "90 min". Numbers of another unit would be nonsense beside them. Money may have commas between
 * thousands in rows that were not looked at.
 */
function commonMeasure(own: Profile): Measure | undefined {
  const units = new Map<string, { before: string; after: string; count: number; example: string; commas: boolean }>();
  for (const value of own.values) {
    const match = MEASURE.exec(value);
    if (!match) continue;
    const [, before, number, after = ""] = match;
    const unit = units.get(`${before} ${after}`) ?? { before, after, count: 0, example: value, commas: false };
    units.set(`${before} ${after}`, { ...unit, count: unit.count + 1, commas: unit.commas || number.includes(",") });
  }
  const all = [...units.values()];
  if (all.reduce((sum, unit) => sum + unit.count, 0) < ENOUGH * own.values.length || all.length > 4) return undefined;
  const [best] = all.sort((a, b) => b.count - a.count);
  const part = best.count / own.values.length;
  if (part < 0.5 || `${best.before}${best.after}` === "") return undefined;
  const before = best.before === "" ? "" : String.raw`\s*${escaped(best.before)}`;
  const after = best.after === "" ? "" : String.raw`${escaped(best.after)}\s*`;
  const grouped = [best.before, best.after].some((unit) => ONLY_CURRENCY.test(unit)) || best.commas;
  const pattern = String.raw`^${before}\s*(${grouped ? GROUPED : SINGLE})\s*${after}$`;
  return { pattern, thousands: grouped ? "," : undefined, share: part, example: best.example };
}

const escaped = (text: string) => text.replaceAll(/[$.*+?^(){}|[\]\\]/g, String.raw`\$&`);

export const percent = (part: number) => (part < 0.01 ? "under 1 %" : `${Math.round(100 * part)} %`);

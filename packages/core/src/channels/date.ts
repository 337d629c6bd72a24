// Dates: read as days since 1970-01-01 UTC, then a number channel in years.
import { NearkinError, shown } from "../errors.ts";
import {
  type ApplyNumberOptions,
  applyNumber,
  decodeNumber,
  encodeNumber,
  fitNumber,
  type NumberTransform,
} from "./number.ts";
import { prefixed, type Stored, type StoredReader } from "./stored.ts";

const DAYS_PER_YEAR = 365.2425; // mean of the Gregorian calendar

export interface DateTransform {
  readonly type: "date";
  /** The number channel of years since 1970. */
  readonly years: NumberTransform;
}

export interface ParseDateOptions {
  /** What a number counts since 1970-01-01 UTC. @default "seconds" */
  epoch?: "seconds" | "milliseconds";
}

// year, or year and month, or a whole date, or date and time: to the minute, the second or a fraction, with Z or an offset
const MAX_DATE_CHARACTERS = 64;
const ISO =
  /^(\d{4}|[+-]\d{6})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:[.,]\d+)?))?(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i;

/**
 * A date as days since 1970-01-01 UTC, with fractions. Texts are ISO 8601: `1999`, `1999-03`, `1999-03-31`, `1999-03-31T20:15`,
 * with seconds, and with `Z` or an offset (UTC without one). A year or month without a day is its first day. Numbers count
 * from 1970. Anything else is a `BAD_VALUE`.
 *
 * @example
 * parseDate("1970-01-02T12:00Z") // => 1.5
 * parseDate("1999-03-31") // => 10681
 * parseDate(86400) // => 1
 */
export function parseDate(value: string | number, { epoch = "seconds" }: ParseDateOptions = {}): number {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new NearkinError("BAD_VALUE", `expected a date, got ${value}`);
    return value / (epoch === "milliseconds" ? 86_400_000 : 86_400);
  }
  const text = typeof value === "string" ? value.trim() : "";
  const match = text.length <= MAX_DATE_CHARACTERS ? ISO.exec(text) : null;
  if (!match) {
    const hint = /^\d+$/.test(text) ? "; if it counts seconds or milliseconds from 1970, give a number" : "";
    throw new NearkinError(
      "BAD_VALUE",
      `expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got ${shown(value)}${hint}`,
    );
  }
  const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", zone = "Z"] = match;
  const check = (name: string, digits: string, least: number, most: number): number => {
    const n = Number(digits.replace(",", "."));
    if (n >= least && n < most + 1) return n; // seconds have fractions
    throw new NearkinError("BAD_VALUE", `${name} must be from ${least} to ${most}, got ${digits} in ${shown(value)}`);
  };
  const y = Number(year);
  const m = check("month", month, 1, 12);
  const d = check("day", day, 1, daysInMonth(y, m));
  const time = check("hour", hour, 0, 23) * 3600 + check("minute", minute, 0, 59) * 60 + check("second", second, 0, 59);
  let offset = 0;
  if (zone.length > 1) {
    const sign = zone[0] === "-" ? -1 : 1;
    offset =
      sign *
      (check("offset hour", zone.slice(1, 3), 0, 23) * 3600 +
        check("offset minute", zone.slice(3).replace(":", "") || "0", 0, 59) * 60);
  }
  return daysFrom1970(y, m, d) + (time - offset) / 86_400;
}

/** Learns a transform from the days (`parseDate`) of the training items. */
export function fitDate(days: Iterable<number | undefined>): DateTransform {
  return { type: "date", years: fitNumber(Array.from(days, inYears)) };
}

/** Days as a channel's input, in the modes of a number; missing gives undefined. */
export function applyDate(
  transform: DateTransform,
  days: number | undefined,
  options?: ApplyNumberOptions,
): Float32Array | undefined {
  return applyNumber(transform.years, inYears(days), options);
}

export function encodeDate({ type, years }: DateTransform): Stored {
  const { json, tensors } = encodeNumber(years);
  return { json: { type, years: json }, tensors: prefixed("years.", tensors) };
}

export function decodeDate(stored: StoredReader): DateTransform {
  return { type: "date", years: decodeNumber(stored.part("years")) };
}

const inYears = (days: number | undefined): number | undefined =>
  days === undefined ? undefined : days / DAYS_PER_YEAR;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// Proleptic Gregorian calendar. The year is counted from March, so that the leap day is its last.
function daysFrom1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const sinceMarch = (month + 9) % 12;
  const dayOfYear = Math.floor((153 * sinceMarch + 2) / 5) + day - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return 365 * y + leapDays + dayOfYear - 719_468; // days from 0000-03-01 to 1970-01-01
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NearkinError } from "../errors.ts";
import { Bed } from "../testing/bed.ts";
import { applyDate, fitDate, parseDate } from "./date.ts";

const bed = new Bed({ runs: 300 });

describe("parseDate", () => {
  test("agrees with Date on every day and second it can say", () => {
    bed.check(fc.date({ noInvalidDate: true }), (date) => {
      // the day exactly, the time of day to what the fraction of a double can hold
      const days = parseDate(date.toISOString());
      expect(Math.abs(days * 86_400_000 - date.getTime())).toBeLessThanOrEqual(
        2 ** -51 * Math.max(86_400_000, Math.abs(date.getTime())),
      );
      expect(parseDate(date.toISOString().slice(0, -14))).toBe(Math.floor(date.getTime() / 86_400_000));
    });
  });

  test("numbers count seconds, or milliseconds, from 1970", () => {
    expect(parseDate(1_095_379_200)).toBe(12_678);
    expect(parseDate(1_095_379_200_000, { epoch: "milliseconds" })).toBe(12_678);
    expect(parseDate(-43_200)).toBe(-0.5);
  });

  test("parts that are left out are their first", () => {
    expect(parseDate("1999")).toBe(parseDate("1999-01-01"));
    expect(parseDate(" 1999-03 ")).toBe(parseDate("1999-03-01T00:00:00Z"));
    expect(parseDate("1999-03-01t20:15z")).toBe(parseDate("1999-03-01 21:15+01"));
    expect(parseDate("1999-03-01T20:15:30,5+0130")).toBe(parseDate("1999-03-01T18:45:30.5"));
    expect(parseDate("-000001-01-01")).toBe(parseDate("0000-01-01") - 365);
  });

  test("what is no date is refused, and why", () => {
    // biome-ignore format: a list of short texts
    const refused = [
      "", "yesterday", "31.03.1999", "03/31/1999", "1999-3-1", "19990331", "1095379200", "1999-13", "1999-02-29", "1900-02-29",
      "2000-02-30", "1999-04-31", "1999-00-01", "1999-01-01T24:00", "1999-01-01T23:60", "1999-01-01T23:59:60",
      "1999-01-01T12:00+25:00", "1999-01-01T12", Number.NaN, Infinity, true as unknown as string,
    ];
    const messages = refused.map((value) => {
      try {
        return `accepted ${value} as ${parseDate(value)}`;
      } catch (error) {
        return `${(error as NearkinError).code}: ${(error as NearkinError).message}`;
      }
    });
    expect(messages.join("\n")).toMatchInlineSnapshot(`
      "BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got ""
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "yesterday"
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "31.03.1999"
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "03/31/1999"
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "1999-3-1"
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "19990331"; if it counts seconds or milliseconds from 1970, give a number
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "1095379200"; if it counts seconds or milliseconds from 1970, give a number
      BAD_VALUE: month must be from 1 to 12, got 13 in "1999-13"
      BAD_VALUE: day must be from 1 to 28, got 29 in "1999-02-29"
      BAD_VALUE: day must be from 1 to 28, got 29 in "1900-02-29"
      BAD_VALUE: day must be from 1 to 29, got 30 in "2000-02-30"
      BAD_VALUE: day must be from 1 to 30, got 31 in "1999-04-31"
      BAD_VALUE: month must be from 1 to 12, got 00 in "1999-00-01"
      BAD_VALUE: hour must be from 0 to 23, got 24 in "1999-01-01T24:00"
      BAD_VALUE: minute must be from 0 to 59, got 60 in "1999-01-01T23:60"
      BAD_VALUE: second must be from 0 to 59, got 60 in "1999-01-01T23:59:60"
      BAD_VALUE: offset hour must be from 0 to 23, got 25 in "1999-01-01T12:00+25:00"
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "1999-01-01T12"
      BAD_VALUE: expected a date, got NaN
      BAD_VALUE: expected a date, got Infinity
      BAD_VALUE: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got true"
    `);
  });
});

test("a date is a number of years", () => {
  const days = ["1990-01-01", "2000-01-01", undefined, "2010-01-01"].map((text) => text && parseDate(text));
  const fitted = fitDate(days as (number | undefined)[]);
  expect(fitted.years.mean).toBeCloseTo(30, 2); // since 1970
  expect(fitted.years).toMatchObject({ count: 3, missing: 1 });
  const [z] = applyDate(fitted, parseDate("2010-01-01"), { mode: "standardised" }) as Float32Array;
  expect(z).toBeCloseTo(Math.sqrt(1.5), 3);
  expect(applyDate(fitted, parseDate("2010-01-01"))).toHaveLength(16);
  expect(applyDate(fitted, undefined)).toBeUndefined();
});

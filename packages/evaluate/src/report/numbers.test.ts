import { expect, test } from "vitest";
import { count, decimals, listed, percent, plural, pValue, shortened, signed } from "./numbers.ts";

test("numbers as the page prints them", () => {
  expect([0.1734, -0.05, 1.2, 0, -0.0001, null, Number.NaN].map((value) => decimals(value))).toEqual([
    ".173",
    "−.050",
    "1.200",
    ".000",
    ".000",
    "–",
    "–",
  ]);
  expect([signed(0.1), signed(-0.1), signed(null)]).toEqual(["+.100", "−.100", "–"]);
  expect([0, 0.057, 0.4, 1, null].map(percent)).toEqual(["0 %", "5.7 %", "40 %", "100 %", "–"]);
  expect([count(16_158), plural(1, "item"), plural(2, "query", "queries")]).toEqual(["16,158", "1 item", "2 queries"]);
  expect([pValue(0.0001), pValue(0.004), pValue(0.0124), pValue(0.04)]).toEqual([
    "p\u00a0<\u00a0.001",
    "p\u00a0=\u00a0.004",
    "p\u00a0=\u00a0.012",
    "p\u00a0=\u00a0.04",
  ]);
  expect([listed([]), listed(["a"]), listed(["a", "b", "c"])]).toEqual(["", "a", "a, b and c"]);
  expect([shortened("short", 5), shortened("rather long", 8)]).toEqual(["short", "rather…"]);
});

// What people send to see whether something breaks.
import fc from "fast-check";

const texts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "x\udfffy",
  "\u202e\u200b\ufeff",
  "e\u0301",
  "👩‍👩‍👧‍👦",
  "\r\nX-Injected: 1\r\n\r\n",
  "'; DROP TABLE events; --",
  "' OR '1'='1",
  "$1",
  "?1",
  "nearkin.events",
  "%",
  "%00",
  "%2e%2e%2f",
  "..",
  ".",
  "../../../../etc/passwd",
  "..\\..\\windows",
  "/",
  "//",
  "a/b?c#d&e=f",
  "<script>alert(1)</script>",
  "{{7*7}}#{7*7}",
  "$(touch x)`id`",
  "| cat /etc/passwd",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "NaN",
  "Infinity",
  "-Infinity",
  "1e999",
  "0x10",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "[object Object]",
  "[1,",
  '{"a":',
  "id",
  "title",
  "ratings",
];

/** As long as a field takes, or a little longer; digits with something behind them make careless patterns backtrack. */
const longTexts = [
  "a".repeat(513),
  "é".repeat(2001),
  "x".repeat(100_001),
  `${"1".repeat(10_000)}x`,
  `${"1".repeat(99_999)}x`,
  `1${" ".repeat(99_998)}x`,
  `1999-12-31T20:15:00.${"1".repeat(99_000)}x`,
];

/** Texts that break what was not written with them in mind. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20, unit: "binary" }) },
  { weight: 1, arbitrary: fc.constantFrom(...longTexts) },
);

/** JSON of another kind than anybody wants. */
const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom(null, true, false, 0, -1, 0.5, 1e21, -1e308, 2 ** 53, 201, 10_001, [], {}, [[]], [null]),
  fc
    .constantFrom('{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}')
    .map((text) => JSON.parse(text)),
  fc.integer({ min: 10, max: 2000 }).map((depth) => nested(depth, "[", "]")),
  fc.integer({ min: 10, max: 2000 }).map((depth) => nested(depth, '{"not":', "}")),
);

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);

type Change = "replace" | "remove" | "add" | "wrap" | "repeat";

/** One place of a value is changed: another value, no value, a key too many, a list around it, an entry twice. */
export function spoiled(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.constantFrom<Change>("replace", "replace", "remove", "add", "wrap", "repeat");
  return fc.tuple(values, change, fc.nat(), nastyText, nastyValue).map(([value, kind, place, key, other]) => {
    const whole = { whole: structuredClone(value) };
    const places = placesOf(whole);
    const [holder, at] = places[place % places.length];
    apply(kind, holder, at, { key, other });
    return whole.whole;
  });
}

type Holder = Record<string | number, unknown>;

/** Every place of a value: what holds it, and at which key. */
function placesOf(value: unknown): [Holder, string | number][] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
  return keys.flatMap((key) => [[value as Holder, key], ...placesOf((value as Holder)[key])]);
}

function apply(
  kind: Change,
  holder: Holder,
  at: string | number,
  { key, other }: { key: string; other: unknown },
): void {
  const value = holder[at];
  if (kind === "replace") holder[at] = other;
  else if (kind === "wrap") holder[at] = [value];
  else if (kind === "remove" && !Array.isArray(holder)) delete holder[at];
  else if (kind === "repeat" && Array.isArray(value)) value.push(...value);
  else if (kind === "add" && typeof value === "object" && value !== null) {
    Object.defineProperty(value, key, { value: other, enumerable: true, configurable: true, writable: true });
  } else holder[at] = other;
}

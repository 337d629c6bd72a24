// Values at random from a schema: what it takes, with its bounds, and now and then beyond. Of schemas it covers the kinds that the contract is
// made of, and refuses others aloud, so that a new kind is not passed over in silence.
import fc from "fast-check";
import type { z } from "zod";
import { nastyText } from "./nasty.ts";

/**
 * Values by the key they stand at that mean something to a server: with none of them, every request would be about what nobody knows. Lists
 * hand their key to their entries.
 */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** As much of a schema as is looked at. */
interface Def {
  readonly type: string;
  readonly format?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly items?: readonly z.core.$ZodType[];
  readonly keyType?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
  readonly getter?: () => z.core.$ZodType;
}

interface Check {
  readonly check: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
}

const LONG = 3; // entries of a list or record, mostly

/** Values that a schema takes, nearly all of them. */
export function valuesOf(schema: z.core.$ZodType, known: Known = {}, key = ""): fc.Arbitrary<unknown> {
  const def = schema._zod.def as unknown as Def;
  const inner = (of: z.core.$ZodType | undefined) => valuesOf(of as z.core.$ZodType, known, key);
  switch (def.type) {
    case "optional":
    case "default": // mostly left out: a request with all there is has little chance to be a good one
      return fc.option(inner(def.innerType), { nil: undefined, freq: 2 });
    case "nullable":
      return fc.option(inner(def.innerType), { nil: null });
    case "array":
      return listsOf(inner(def.element), bounds(def));
    case "lazy":
      return inner(def.getter?.());
  }
  const made = madeOf(def, known, key);
  return Object.hasOwn(known, key)
    ? fc.oneof({ weight: 4, arbitrary: known[key] }, { weight: 1, arbitrary: made })
    : made;
}

function madeOf(def: Def, known: Known, key: string): fc.Arbitrary<unknown> {
  const inner = (of: z.core.$ZodType | undefined, name = key) => valuesOf(of as z.core.$ZodType, known, name);
  switch (def.type) {
    case "object":
      return recordOf(Object.entries(def.shape ?? {}).map(([name, of]) => [name, inner(of, name)]));
    case "record":
      return fc
        .array(fc.tuple(inner(def.keyType, `${key}.key`), inner(def.valueType, `${key}.value`)), { maxLength: LONG })
        .map((entries) => ownKeys(entries as [string, unknown][]));
    case "tuple":
      return fc.tuple(...(def.items ?? []).map((item) => inner(item)));
    case "union":
      return fc.oneof(...(def.options ?? []).map((option) => inner(option)));
    case "pipe": // what comes in: the side that is no transformation
      return isTransform(def.in) ? inner(def.out) : inner(def.in);
    case "string":
      return def.format === undefined ? textsOf(bounds(def)) : timesOf(def.format);
    case "number":
      return numbersOf(bounds(def), def.format !== undefined);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case "literal":
      return fc.constantFrom(...(def.values ?? []));
    case "unknown":
      return fc.jsonValue({ maxDepth: 3 });
    default:
      throw new TypeError(`no values are made for a schema of the kind ${def.type}, at ${key}: add it here`);
  }
}

/** Keys of the object that a schema is about, whatever is done with it before. */
export function keysOf(schema: z.core.$ZodType): string[] {
  const def = schema._zod.def as unknown as Def;
  if (def.type === "pipe") return keysOf((isTransform(def.in) ? def.out : def.in) as z.core.$ZodType);
  return Object.keys(def.shape ?? {});
}

const isTransform = (schema: z.core.$ZodType | undefined): boolean =>
  (schema?._zod.def as unknown as Def | undefined)?.type === "transform";

function bounds({ checks = [] }: Def): { least: number | undefined; most: number | undefined } {
  const found: { least: number | undefined; most: number | undefined } = { least: undefined, most: undefined };
  for (const { _zod } of checks) {
    const { check, minimum, maximum, value } = _zod.def;
    if (check === "min_length") found.least = minimum;
    else if (check === "max_length") found.most = maximum;
    else if (check === "greater_than") found.least = value;
    else if (check === "less_than") found.most = value;
  }
  return found;
}

function listsOf(entry: fc.Arbitrary<unknown>, { least = 0, most = LONG }: ReturnType<typeof bounds>) {
  return fc.array(entry, { minLength: Math.min(least, LONG), maxLength: Math.max(least, Math.min(most, LONG)) });
}

function textsOf({ least = 0, most = 64 }: ReturnType<typeof bounds>): fc.Arbitrary<string> {
  const short = fc.string({ minLength: least, maxLength: Math.min(most, 12), unit: "grapheme" });
  const full = fc.constantFrom("a", "é", "漢").map((letter) => letter.repeat(Math.min(most, 100_000)));
  return fc.oneof(
    { weight: 6, arbitrary: short },
    { weight: 3, arbitrary: nastyText.filter((text) => text.length >= least && text.length <= most) },
    { weight: 1, arbitrary: full },
  );
}

function timesOf(format: string): fc.Arbitrary<string> {
  const date = fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true });
  return date.map((time) => (format === "date" ? time.toISOString().slice(0, 10) : time.toISOString()));
}

function numbersOf({ least, most }: ReturnType<typeof bounds>, isWhole: boolean): fc.Arbitrary<number> {
  const [min, max] = [least ?? (isWhole ? -1e9 : -1.7e308), most ?? (isWhole ? 1e9 : 1.7e308)];
  const small = [0, 1, 2, 3, 5, 10, ...(isWhole ? [] : [-1, 0.5, 1e-9, 1e-300, -0])];
  const edges = [min, max, ...small].filter((value) => value >= min && value <= max);
  return fc.oneof(
    fc.constantFrom(...edges),
    isWhole ? fc.integer({ min, max: Math.min(max, min + 50) }) : fc.double({ min, max, noNaN: true }),
  );
}

/** An object of these keys, those left out that are undefined. */
function recordOf(entries: readonly [string, fc.Arbitrary<unknown>][]): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .tuple(...entries.map(([, values]) => values))
    .map((values) => ownKeys(entries.map(([name], i) => [name, values[i]] as const)));
}

/** Also __proto__ as a key of its own, as JSON.parse makes one. */
function ownKeys(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries([...entries].filter(([, value]) => value !== undefined));
}

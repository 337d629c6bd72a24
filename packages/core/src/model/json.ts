// JSON of a model folder: written in one canonical form, and read with every field checked. What does not fit is a BAD_MODEL that says
// where, by path: "channels[2].scale".
import { NearkinError } from "../errors.ts";

/** A folder that is no model, or not the one that was written. */
export function badModel(text: string, options?: ErrorOptions): NearkinError {
  return new NearkinError("BAD_MODEL", text, options);
}

/** JSON with sorted keys: the order in which a file was written or read does not matter to its hash. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`)
    .join(",")}}`;
}

/** Throws unless JSON gives the value back: no NaN, no infinity, nothing but plain objects, arrays, texts, numbers, true, false and null. */
export function checkJson(value: unknown, path: string): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (Array.isArray(value)) {
    for (const [i, entry] of value.entries()) checkJson(entry, `${path}[${i}]`);
  } else if (typeof value === "object" && [null, Object.prototype].includes(Object.getPrototypeOf(value))) {
    for (const [key, entry] of Object.entries(value)) if (entry !== undefined) checkJson(entry, `${path}.${key}`);
  } else {
    const got = typeof value === "object" ? value.constructor?.name : String(value);
    throw new NearkinError("BAD_ARGUMENT", `encodeModel: ${path} must be JSON, got ${got}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the fields of an object. */
export class JsonReader {
  readonly #file: string;
  readonly #path: string;
  readonly #fields: Fields;

  constructor(value: unknown, file: string, path = "") {
    this.#file = file;
    this.#path = path;
    if (!isObject(value)) throw this.problem("", "is not an object");
    this.#fields = value;
  }

  text(key: string): string {
    const value = this.#own(key);
    if (typeof value !== "string") throw this.problem(key, "is not a text");
    return value;
  }

  oneOf<T extends string>(key: string, known: readonly T[]): T {
    const value = this.text(key);
    if (!(known as readonly string[]).includes(value)) {
      throw this.problem(key, `is "${value}"; known are ${known.join(", ")}`);
    }
    return value as T;
  }

  number(key: string): number {
    const value = this.#own(key);
    if (typeof value !== "number") throw this.problem(key, "is not a number");
    return value;
  }

  /** A whole number of at least `least`. */
  count(key: string, least = 0): number {
    const value = this.#own(key);
    if (!Number.isSafeInteger(value) || (value as number) < least) {
      throw this.problem(key, `is not a whole number of at least ${least}`);
    }
    return value as number;
  }

  flag(key: string): boolean {
    const value = this.#own(key);
    if (typeof value !== "boolean") throw this.problem(key, "is not true or false");
    return value;
  }

  isNull(key: string): boolean {
    return this.#own(key) === null;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key);
  }

  list(key: string): readonly unknown[] {
    const value = this.#own(key);
    if (!Array.isArray(value)) throw this.problem(key, "is not a list");
    return value;
  }

  texts(key: string): readonly string[] {
    const value = this.list(key);
    if (!value.every((entry) => typeof entry === "string")) throw this.problem(key, "is not a list of texts");
    return value as string[];
  }

  /** Texts, and null where there is none; `length` of them. */
  cells(key: string, length: number): readonly (string | null)[] {
    const value = this.list(key);
    if (!value.every((entry) => entry === null || typeof entry === "string")) {
      throw this.problem(key, "is not a list of texts and nulls");
    }
    if (value.length !== length) throw this.problem(key, `has ${value.length} entries instead of ${length}`);
    return value as (string | null)[];
  }

  /** Any object; its fields are the caller's affair. */
  object(key: string): Fields {
    const value = this.#own(key);
    if (!isObject(value)) throw this.problem(key, "is not an object");
    return value;
  }

  part(key: string): JsonReader {
    return new JsonReader(this.#own(key), this.#file, this.#at(key));
  }

  /** A reader for each object of a list. */
  parts(key: string): JsonReader[] {
    return this.list(key).map((entry, i) => new JsonReader(entry, this.#file, `${this.#at(key)}[${i}]`));
  }

  /** An object whose values are all of one type. */
  record<T extends "string" | "number">(key: string, type: T): Record<string, T extends "string" ? string : number> {
    const value = this.object(key);
    for (const [name, entry] of Object.entries(value)) {
      if (typeof entry !== type)
        throw this.problem(`${key}.${name}`, type === "string" ? "is not a text" : "is not a number");
    }
    return { ...value } as Record<string, T extends "string" ? string : number>;
  }

  problem(key: string, text: string): NearkinError {
    const where = key === "" ? this.#path : this.#at(key);
    return badModel(
      `${this.#file}: ${where === "" ? "it" : `"${where}"`} ${text}; train the model again with this version`,
    );
  }

  #at(key: string): string {
    return this.#path === "" ? key : `${this.#path}.${key}`;
  }

  #own(key: string): unknown {
    if (!Object.hasOwn(this.#fields, key)) throw this.problem(key, "is missing");
    return this.#fields[key];
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The form of a golden file (reference/goldenfile.py) and reading its fields by type.
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";

export interface GoldenCase {
  op: string;
  name: string;
  inputs: object;
  outputs: object;
}

export interface GoldenFile {
  generator: string;
  generatorSha256: string;
  cases: readonly GoldenCase[];
}

/** The fields of a case. A field that is missing or of another type is an error. */
export class Inputs {
  readonly #fields: Record<string, unknown>;

  constructor(fields: object) {
    this.#fields = fields as Record<string, unknown>;
  }

  has(key: string): boolean {
    return key in this.#fields;
  }

  number(key: string): number {
    const value = this.#fields[key];
    if (typeof value !== "number") throw new Error(`golden: ${key} is not a number`);
    return value;
  }

  text(key: string): string {
    const value = this.#fields[key];
    if (typeof value !== "string") throw new Error(`golden: ${key} is not a text`);
    return value;
  }

  flag(key: string): boolean {
    const value = this.#fields[key];
    if (typeof value !== "boolean") throw new Error(`golden: ${key} is not true or false`);
    return value;
  }

  vector(key: string): number[] {
    const value = this.#fields[key];
    if (!isNumbers(value)) throw new Error(`golden: ${key} is not a list of numbers`);
    return value;
  }

  vectors(key: string): number[][] {
    const value = this.#fields[key];
    if (!Array.isArray(value) || !value.every(isNumbers)) throw new Error(`golden: ${key} is not a list of lists`);
    return value;
  }

  matrix(key: string): Matrix {
    const value = this.#fields[key] as { shape?: unknown; data?: unknown } | undefined;
    if (!value || !isNumbers(value.shape) || !isNumbers(value.data)) throw new Error(`golden: ${key} is not a matrix`);
    return hostMatrix(Float64Array.from(value.data), value.shape[0], value.shape[1]);
  }

  /** Whatever it is, as its numbers in order. */
  numbers(key: string): number[] {
    const value = this.#fields[key];
    if (typeof value === "number") return [value];
    if (Array.isArray(value)) return value.flat();
    return Array.from(this.matrix(key).read());
  }
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((x) => typeof x === "number");
}

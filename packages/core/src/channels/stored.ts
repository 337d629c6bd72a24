// A transform at rest: numbers and texts as JSON, arrays as named tensors. A part of a transform is a nested object there and a
// prefix here: the tensors of `pca` are `pca.mean`, `pca.components`.
import { NearkinError } from "../errors.ts";
import type { Tensor, TensorType } from "../model/safetensors.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** What goes into the settings and the arrays of a dataset or model folder. */
export interface Stored {
  readonly json: JsonObject;
  readonly tensors: Readonly<Record<string, Tensor>>;
}

/** The same tensors, with `prefix` before their names. */
export function prefixed(prefix: string, tensors: Readonly<Record<string, Tensor>>): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));
}

export const vectorTensor = {
  f64: (data: Float64Array): Tensor => ({ type: "F64", shape: [data.length], data }),
  f32: (data: Float32Array): Tensor => ({ type: "F32", shape: [data.length], data }),
  i32: (data: Int32Array): Tensor => ({ type: "I32", shape: [data.length], data }),
  u8: (data: Uint8Array): Tensor => ({ type: "U8", shape: [data.length], data }),
};

export const matrixTensor = (data: Float32Array, rows: number, cols: number): Tensor => ({
  type: "F32",
  shape: [rows, cols],
  data,
});

/** Reads the fields of a stored transform. A field that is missing or of another kind is a `BAD_FILE`. */
export class StoredReader {
  readonly #json: Readonly<Record<string, unknown>>;
  readonly #tensors: ReadonlyMap<string, Tensor>;
  readonly #prefix: string;

  constructor(json: unknown, tensors: ReadonlyMap<string, Tensor>, prefix = "") {
    this.#prefix = prefix;
    this.#tensors = tensors;
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw this.problem("is not an object");
    this.#json = json as Record<string, unknown>;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#json, key);
  }

  number(key: string): number {
    const value = this.#own(key);
    if (typeof value !== "number" || !Number.isFinite(value)) throw this.problem(`"${key}" is not a number`);
    return value;
  }

  /** A whole number of at least `least`. */
  count(key: string, least = 0): number {
    const value = this.#own(key);
    if (!Number.isSafeInteger(value) || (value as number) < least) {
      throw this.problem(`"${key}" is not a whole number of at least ${least}`);
    }
    return value as number;
  }

  flag(key: string): boolean {
    const value = this.#own(key);
    if (typeof value !== "boolean") throw this.problem(`"${key}" is not true or false`);
    return value;
  }

  text(key: string): string {
    const value = this.#own(key);
    if (typeof value !== "string") throw this.problem(`"${key}" is not a text`);
    return value;
  }

  texts(key: string): string[] {
    const value = this.#own(key);
    if (!Array.isArray(value) || !value.every((text) => typeof text === "string")) {
      throw this.problem(`"${key}" is not a list of texts`);
    }
    return value;
  }

  f64(key: string, length: number): Float64Array {
    return this.#tensor(key, "F64", [length]).data as Float64Array;
  }

  f32(key: string, ...shape: number[]): Float32Array {
    return this.#tensor(key, "F32", shape).data as Float32Array;
  }

  /** `length` undefined: as many as there are. */
  i32(key: string, length?: number): Int32Array {
    return this.#tensor(key, "I32", [length]).data as Int32Array;
  }

  u8(key: string, length: number): Uint8Array {
    return this.#tensor(key, "U8", [length]).data as Uint8Array;
  }

  /** The reader of a part: a nested object, and the tensors whose names begin with its key. */
  part(key: string): StoredReader {
    return new StoredReader(this.#own(key), this.#tensors, `${this.#prefix}${key}.`);
  }

  problem(text: string): NearkinError {
    const where = this.#prefix === "" ? "" : ` ${this.#prefix.slice(0, -1)}`;
    return new NearkinError("BAD_FILE", `stored transform${where}: ${text}`);
  }

  #own(key: string): unknown {
    if (!Object.hasOwn(this.#json, key)) throw this.problem(`"${key}" is missing`);
    return this.#json[key];
  }

  #tensor(key: string, type: TensorType, shape: readonly (number | undefined)[]): Tensor {
    const tensor = this.#tensors.get(this.#prefix + key);
    if (tensor === undefined) throw this.problem(`the tensor "${this.#prefix}${key}" is missing`);
    const fits =
      tensor.shape.length === shape.length && shape.every((n, i) => (n ?? tensor.shape[i]) === tensor.shape[i]);
    if (tensor.type !== type || !fits) {
      const expected = `${type} [${shape.map((n) => n ?? "any")}]`;
      throw this.problem(`"${this.#prefix}${key}" must be ${expected}, got ${tensor.type} [${tensor.shape}]`);
    }
    return tensor;
  }
}

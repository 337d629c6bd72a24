// The identity channel: row i of the table is the item's own vector. An item that has none (cold), and in training a row drawn by
// identity dropout, gets the mean vector instead, so that the other channels learn to do without it. B rows.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Indices, Matrix } from "../linalg/matrix.ts";
import type { Batch } from "./batch.ts";
import type { ChannelInput } from "./ensemble.ts";
import { clearRows, NO_ROWS, setRows } from "./rows.ts";

export interface IdentityChannel {
  readonly input: ChannelInput & { kind: "identity" };
  /** (items, e_c) */
  readonly table: Matrix;
  /** z̄ (e_c); looked at where a row has no vector. */
  readonly standIn: Float64Array;
  /** Probability that a row does without. */
  readonly dropout: number;
}

/** The rows of the table that a batch uses, and the rows of the batch that have a stand-in. */
export interface IdentityPass {
  readonly rows: Indices;
  readonly masked: readonly number[];
}

/** Fills Z (B, e_c). */
export function identityForward(
  batch: Batch,
  Z: Matrix,
  { input, table, standIn, dropout }: IdentityChannel,
): IdentityPass {
  const { engine, scope, items, precision, random } = batch;
  const rows = scope.indices(Z.rows);
  let chance: Matrix | undefined;
  if (dropout > 0 && random) {
    chance = scope.matrix(Z.rows, 1, precision);
    engine.fillUniform(chance, random);
  }
  let masked: number[] | undefined;
  for (let i = 0; i < Z.rows; i++) {
    const item = items.data[items.offset + i];
    const cold = input.cold[item] !== 0;
    rows.data[rows.offset + i] = cold ? 0 : (input.rows?.[item] ?? item);
    if (cold || (chance && chance.data[chance.offset + i] < dropout)) {
      masked ??= [];
      masked.push(i);
    }
  }
  engine.gatherRows(Z, table, rows);
  if (masked) {
    if (standIn.length !== Z.cols) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `identity: a stand-in of ${standIn.length} numbers for vectors of ${Z.cols}; measure the statistics first`,
      );
    }
    setRows(Z, masked, standIn);
  }
  return { rows, masked: masked ?? NO_ROWS };
}

/** Adds dZ (B, e_c) to the table's gradient; that of a stand-in goes nowhere. `scratch` is (B, e_c). */
export function identityBackward(
  engine: Engine,
  gradient: Matrix,
  dZ: Matrix,
  { rows, masked, scratch }: IdentityPass & { readonly scratch: Matrix },
): void {
  let kept = dZ;
  if (masked.length > 0) {
    engine.convert(scratch, dZ);
    clearRows(scratch, masked);
    kept = scratch;
  }
  engine.scatterAddRows(gradient, kept, rows);
}

// Surrogate targets of stage 2 (method: "many surrogates at once"): leading right singular vectors of the degree-normalised user × item
// matrix of the training events. The first one is popularity (for this normalisation, √d_i exactly where the graph is connected) and dropped.
import { writeFileSync } from "node:fs";
import { type Engine, encodeSafetensors, krylovSvd, Random, type SparseMatrix, sparseOperator } from "@nearkin/core";
import type { Database } from "../database.ts";

export interface FactorOptions {
  count: number;
  passes: number | undefined;
  seed: number;
  itemCount: number;
}

/** The matrix as typed arrays: rows are the training users in order, columns all items. */
async function loadMatrix(database: Database, itemCount: number): Promise<SparseMatrix> {
  const { users } = await database.row<{ users: number }>("SELECT COUNT(*) AS users FROM matrix_rows");
  const { items } = await database.row<{ items: number }>("SELECT COUNT(*) AS items FROM matrix_columns");
  const { events } = await database.row<{ events: number }>("SELECT events FROM totals");
  const degrees = new Int32Array(users);
  const rowScale = new Float64Array(users);
  await database.readInto("SELECT events, scale FROM matrix_rows ORDER BY user_index", [degrees, rowScale]);
  const starts = new Int32Array(users + 1);
  for (let u = 0; u < users; u++) starts[u + 1] = starts[u] + degrees[u];
  const indices = new Int32Array(items);
  const scales = new Float64Array(items);
  await database.readInto("SELECT item_index, scale FROM matrix_columns ORDER BY item_index", [indices, scales]);
  const columnScale = new Float64Array(itemCount);
  indices.forEach((item, k) => {
    columnScale[item] = scales[k];
  });
  const columns = new Int32Array(events);
  await database.readInto("SELECT item_index FROM training", [columns]); // in the order of users
  return { rows: users, cols: itemCount, starts, columns, rowScale, columnScale };
}

/** Writes `vectors` (items, k) and `singularValues` (k). Items without training events have rows of zeros. Returns k. */
export async function writeFactors(
  database: Database,
  engine: Engine,
  path: string,
  options: FactorOptions,
): Promise<number> {
  const { count, passes, seed, itemCount } = options;
  const matrix = await loadMatrix(database, itemCount);
  const { rank, singularValues, rightVectors } = krylovSvd(
    engine,
    sparseOperator(engine, matrix, { precision: "f32" }),
    {
      rank: count + 1,
      ...(passes === undefined ? {} : { passes: Math.max(passes, Math.ceil((count + 1) / 32)) }), // blocks of 32 columns
      random: new Random(seed).split("factors"),
    },
  );
  const k = Math.max(rank - 1, 0);
  const vectors = new Float32Array(itemCount * k);
  for (let i = 0; i < itemCount; i++) {
    for (let j = 0; j < k; j++) vectors[i * k + j] = rightVectors[i * rank + j + 1];
  }
  writeFileSync(
    path,
    encodeSafetensors({
      singularValues: { type: "F64", shape: [k], data: singularValues.slice(1) },
      vectors: { type: "F32", shape: [itemCount, k], data: vectors },
    }),
  );
  return k;
}

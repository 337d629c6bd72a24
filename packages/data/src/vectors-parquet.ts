// Vectors from Parquet, through DuckDB, which loads only when called. Kept out of encoders/: that entry does without DuckDB.
import { stat } from "node:fs/promises";
import type { DuckDBListVector } from "@duckdb/node-api";
import { NearkinError } from "@nearkin/core";
import type { VectorTable } from "./encoders/vectors.ts";

export interface ParquetVectorsOptions {
  /** Column with the vectors: a list or array of numbers. @default the only one there is */
  tensor?: string;
  /** Column with the ids. @default `id` or `ids`, or the only column of whole numbers or texts */
  ids?: string;
}

const isVector = (type: string) => /^(FLOAT|DOUBLE|DECIMAL\(.*\))\[\d*\]$/.test(type);
const isId = (type: string) => /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|VARCHAR|UUID)$/.test(type);

/**
 * Reads a column of vectors and a column of ids, for `readVectors({ readParquet })`. NULL in place of a vector is the zero row.
 *
 * @example
 * const table = await readVectors("plots.parquet", { readParquet: readParquetVectors });
 */
export async function readParquetVectors(path: string, options: ParquetVectorsOptions = {}): Promise<VectorTable> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  await stat(path).catch((cause: Error) => {
    throw new NearkinError("BAD_FILE", `${path}: cannot be read (${cause.message})`, { cause });
  });
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false", // nothing is fetched to read a local file
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    // A glob would read several files: [ * ? are letters of a name here.
    const source = `read_parquet('${path.replaceAll("'", "''").replace(/[[*?]/g, "[$&]")}')`;
    const run = (sql: string) =>
      connection.stream(sql).catch((cause: Error) => {
        throw new NearkinError("BAD_FILE", `${path}: ${cause.message.split("\n")[0]}`, { cause });
      });
    const described = await (await run(`DESCRIBE SELECT * FROM ${source}`)).getRows();
    const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
    const vectorColumn = pick(path, columns, options.tensor, {
      what: "column of vectors (a list or array of FLOAT or DOUBLE)",
      fits: isVector,
      usual: [],
    });
    const idColumn = pick(path, columns, options.ids, {
      what: "column of ids (whole numbers or texts)",
      fits: isId,
      usual: ["id", "ids"],
    });
    const [id, vector] = [quoted(idColumn), quoted(vectorColumn)];
    const one = async (sql: string) => Number((await (await run(sql)).getRows())[0]?.[0] ?? 0);
    const n = await one(`SELECT count(*) FROM ${source}`);
    const d = await one(`SELECT len(${vector}) FROM ${source} WHERE ${vector} IS NOT NULL LIMIT 1`);
    const ids: string[] = [];
    const vectors = new Float32Array(n * d); // (n, d)
    for await (const chunk of await run(`SELECT CAST(${id} AS VARCHAR), CAST(${vector} AS FLOAT[]) FROM ${source}`)) {
      const chunkIds = chunk.getColumnVector(0);
      const lists = chunk.getColumnVector(1) as DuckDBListVector;
      const values = lists.childVector; // of all rows, one after another: no list is built for each
      for (let row = 0; row < chunk.rowCount; row++) {
        const name = chunkIds.getItem(row);
        if (name === null) throw new NearkinError("BAD_VALUE", `${path}: row ${ids.length + 1} has no ${idColumn}`);
        const at = ids.push(String(name)) - 1;
        if (lists.getItemVector(row) === null) continue;
        const length = lists.getEntryLength(row);
        if (length !== d) {
          throw new NearkinError(
            "BAD_FILE",
            `${path}: the vector of id ${JSON.stringify(name)} has ${length} values, another has ${d}`,
          );
        }
        const offset = lists.getEntryOffset(row);
        for (let j = 0; j < d; j++) {
          vectors[at * d + j] = (values.getItem(offset + j) as number | null) ?? Number.NaN; // NULL inside a vector
        }
      }
    }
    return { dimensions: d, ids, vectors };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

interface Column {
  name: string;
  type: string;
}

/** The column asked for, or the only one that fits. */
function pick(
  path: string,
  columns: readonly Column[],
  asked: string | undefined,
  { what, fits, usual }: { what: string; fits: (type: string) => boolean; usual: readonly string[] },
): string {
  const candidates = columns.filter(({ type }) => fits(type)).map(({ name }) => name);
  const found =
    asked === undefined
      ? (candidates.find((name) => usual.includes(name)) ?? (candidates.length === 1 ? candidates[0] : undefined))
      : candidates.find((name) => name === asked);
  if (found !== undefined) return found;
  const wanted = asked === undefined ? "one" : `"${asked}" to be a`;
  const have = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  throw new NearkinError("BAD_FILE", `${path}: expected ${wanted} ${what}, got ${have}`);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

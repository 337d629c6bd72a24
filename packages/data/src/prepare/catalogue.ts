// The catalogue as channels see it: one column of cells at a time, in the order of the items.
import { NearkinError } from "@nearkin/core";
import type { Database } from "../database.ts";
import type { BadCell } from "./rejects.ts";

/** Columns of the catalogue, read one at a time. */
export class Catalogue {
  readonly itemCount: number;
  /** 1 where training has events of the item: what everything fitted is fitted on. */
  readonly isTraining: Uint8Array;
  /** Rows of the item files, for reports; −1 for an item that no file describes. */
  readonly sourceRow: Int32Array;
  readonly #database: Database;
  readonly #fields: readonly string[];

  private constructor(database: Database, fields: readonly string[], isTraining: Uint8Array, sourceRow: Int32Array) {
    this.#database = database;
    this.#fields = fields;
    this.isTraining = isTraining;
    this.sourceRow = sourceRow;
    this.itemCount = isTraining.length;
  }

  static async open(database: Database, fields: readonly string[]): Promise<Catalogue> {
    const { items } = await database.row<{ items: number }>("SELECT COUNT(*) AS items FROM catalogue");
    const training = new Int32Array(items);
    const sourceRow = new Int32Array(items);
    await database.readInto(
      `SELECT CAST(role = 'train' AS INTEGER), CAST(COALESCE(source_row, -1) AS INTEGER) FROM catalogue ORDER BY item_index`,
      [training, sourceRow],
    );
    return new Catalogue(database, fields, Uint8Array.from(training), sourceRow);
  }

  /** The cells of some columns, item by item. */
  async *cells(columns: readonly string[]): AsyncGenerator<(string | null)[]> {
    const names = columns.map((column) => {
      const k = this.#fields.indexOf(column);
      if (k < 0) throw new NearkinError("BAD_ARGUMENT", `the catalogue has no column ${column}`);
      return `field_${k + 1}`;
    });
    const list = names.map((name, k) => `${name} AS cell_${k}`).join(", ");
    for await (const rows of this.#database.stream(`SELECT ${list} FROM catalogue ORDER BY item_index`)) {
      for (const row of rows) yield names.map((_, k) => row[`cell_${k}`] as string | null);
    }
  }

  /** The values of a channel, one per item; a cell that cannot be read is undefined here and an entry of `bad`. */
  async read<T>(
    columns: readonly string[],
    reader: (...cells: (string | null)[]) => T | undefined,
    bad: BadCell[],
  ): Promise<(T | undefined)[]> {
    const values: (T | undefined)[] = [];
    for await (const cells of this.cells(columns)) {
      try {
        values.push(reader(...cells));
      } catch (error) {
        if (!(error instanceof NearkinError) || error.code !== "BAD_VALUE") throw error;
        const row = this.sourceRow[values.length];
        bad.push({
          row,
          column: columns.join(", "),
          reason: error.message,
          value: cells.map((cell) => cell ?? "").join(", "),
        });
        values.push(undefined);
      }
    }
    return values;
  }

  /** The values of the training items, in order. */
  training<T>(values: readonly T[]): T[] {
    return values.filter((_, item) => this.isTraining[item] === 1);
  }

  /** The ids of the items, or what another column calls them. */
  async keys(
    column: string | undefined,
    reader: (cell: string | null) => string | undefined,
  ): Promise<(string | undefined)[]> {
    if (column !== undefined) return this.read([column], reader, []);
    const rows = await this.#database.rows<{ item_id: string }>("SELECT item_id FROM catalogue ORDER BY item_index");
    return rows.map((row) => row.item_id);
  }
}

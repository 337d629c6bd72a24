// What items and users are called, and what the files say about items. Apart from the training arrays: ids may be millions of strings, and
// most of training never asks for one.
import { type FieldShape, type ItemId, type ItemIndex, type UserId, type UserIndex, Vocabulary } from "@nearkin/core";
import { identifier } from "../database.ts";
import { fieldName } from "../prepare/read.ts";
import { loadRoles } from "./load.ts";
import { badDataset, type Dataset } from "./open.ts";
import { type LoadOptions, openReader, parquet, readColumns, reading } from "./read.ts";
import { fieldShapes } from "./shapes.ts";

const ITEMS = "items.parquet";
const USERS = "users.parquet";

/** Ids of all items, in the order of their indices. */
export async function loadItems(dataset: Dataset, options?: LoadOptions): Promise<Vocabulary<ItemId, ItemIndex>> {
  const [ids] = await readTexts(dataset, ITEMS, ["item_id"], options);
  return new Vocabulary<ItemId, ItemIndex>(ids as ItemId[]);
}

/** Ids of all users, in the order of their indices. */
export async function loadUsers(dataset: Dataset, options?: LoadOptions): Promise<Vocabulary<UserId, UserIndex>> {
  const [ids] = await readTexts(dataset, USERS, ["user_id"], options);
  return new Vocabulary<UserId, UserIndex>(ids as UserId[]);
}

/** Items as people see them; every array is in the order of the items. */
export interface CatalogueData {
  readonly ids: readonly ItemId[];
  /** null where an item has none, or there is no column of titles. */
  readonly titles: readonly (string | null)[];
  /** Codes of `itemRoles`. */
  readonly roles: Uint8Array;
  /** 1 where an item file has a row for it. */
  readonly described: Uint8Array;
  /** The columns kept, by the name the file gives them; cells as they stood there, null where empty. */
  readonly fields: ReadonlyMap<string, readonly (string | null)[]>;
  /** How they are read, by what a filter calls them. */
  readonly shapes: ReadonlyMap<string, FieldShape>;
}

export async function loadCatalogue(dataset: Dataset, options?: LoadOptions): Promise<CatalogueData> {
  const { columns, counts } = dataset.manifest;
  const names = columns.items?.fields ?? [];
  const [ids, ...cells] = await readTexts(dataset, ITEMS, ["item_id", ...names.map(fieldName)], options);
  const fields = new Map(names.map((name, k) => [name, cells[k]]));
  const title = columns.items?.title;
  await using database = await openReader(options);
  const described = new Int32Array(counts.items);
  const sql = `SELECT CAST(described AS INTEGER) FROM ${parquet(dataset.path(ITEMS))}`;
  await readColumns(dataset, ITEMS, { database, sql }, [described]);
  return {
    ids: ids as ItemId[],
    titles: (title != null && fields.get(title)) || Array<null>(counts.items).fill(null),
    roles: await loadRoles(dataset, database),
    described: Uint8Array.from(described),
    fields,
    shapes: fieldShapes(dataset.manifest, fields),
  };
}

/** Columns of text, each as an array in the order of the file. */
async function readTexts(
  dataset: Dataset,
  name: typeof ITEMS | typeof USERS,
  columns: readonly string[],
  options?: LoadOptions,
): Promise<(string | null)[][]> {
  const expected = name === ITEMS ? dataset.manifest.counts.items : dataset.manifest.counts.users;
  await using database = await openReader(options);
  const list = columns.map((column, k) => `${identifier(column)} AS c${k}`).join(", ");
  const texts = columns.map(() => Array<string | null>(expected));
  let row = 0;
  await reading(dataset, name, async () => {
    for await (const rows of database.stream(`SELECT ${list} FROM ${parquet(dataset.path(name))}`)) {
      for (const cells of rows) {
        for (let k = 0; k < columns.length; k++) texts[k][row] = cells[`c${k}`] as string | null;
        row++;
      }
    }
  });
  if (row !== expected) throw badDataset(dataset.folder, `${name} has ${row} rows instead of ${expected}`);
  return texts;
}

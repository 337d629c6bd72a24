// A server does not stand still while its catalogue is read.
import type { ItemId, ModelCatalogue } from "@nearkin/core";
import { openStore } from "@nearkin/serve/store";
import { expect, test } from "vitest";
import { itemColumns } from "./item-columns.ts";
import { itemTable, readChanges, type ServedFigures, servedItems } from "./served-items.ts";

const N = 2500; // more than two pages
const ids = Array.from({ length: N }, (_, i) => `i${i}` as ItemId);
const catalogue: ModelCatalogue = {
  ids,
  titles: ids.map((id) => `Title of ${id}`),
  described: new Uint8Array(N).fill(1),
  fields: new Map([["label", ids.map((id) => `Title of ${id}`)]]),
};

test("each id comes once, whatever is put or deleted meanwhile", async () => {
  await using store = await openStore(":memory:");
  const item = (id: string, title: string) => ({ id, title, channels: {}, fields: {} });
  await store.items.put(Array.from({ length: 2200 }, (_, i) => item(i % 2 === 0 ? `i${i}` : `new${i}`, "put before")));
  await store.items.remove(["i0", "i2", "i2499"]);
  const changes = await readChanges(store.items);
  expect(changes.ids.size).toBe(2201);
  const columns = itemColumns({ catalogue, channels: [] });
  const table = itemTable(columns, changes);
  expect(table).toEqual({ columns: ["item_id", "label"], homeless: [] });
  const figures: ServedFigures = { own: 0, put: 0, undescribed: 0, unwritten: new Map() };

  const rows: (readonly (string | number | null)[])[] = [];
  let page = 0;
  for await (const served of servedItems({ catalogue, items: store.items }, { columns, table, changes }, figures)) {
    rows.push(...served.rows);
    page++;
    if (page === 1) await store.items.put([item("i1", "put meanwhile"), item("brand-new", "put meanwhile")]); // i1 is written
    if (page === 2) await store.items.remove(["i3"]); // is written too
    if (page === 4) await store.items.put([item("i4", "put again"), item("new2199", "put again")]); // the one written, the other not yet
  }
  const written = rows.map(([id]) => id);
  expect(new Set(written).size).toBe(written.length);
  const own = ids.filter((id) => !changes.ids.has(id));
  const put = [...changes.ids].filter((id) => !["i0", "i2", "i2499"].includes(id));
  expect(new Set(written)).toEqual(new Set([...own, ...put, "brand-new"]));
  const titles = new Map(rows.map(([id, title]) => [id, title]));
  expect(titles.get("i1")).toBe("Title of i1");
  expect(titles.get("i4")).toBe("put before");
  expect(titles.get("new2199")).toBe("put again");
  expect(titles.get("i2498")).toBe("Title of i2498");
  expect(figures).toMatchObject({ own: own.length, put: put.length + 1, undescribed: 0 });
});

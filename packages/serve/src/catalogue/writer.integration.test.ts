// Two catalogues at their limit on one store: whatever is put, replaced and deleted, and however it is paged, both have the same items.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Served } from "../models/served.ts";
import type { Store } from "../store/store.ts";
import { describeOnBoth } from "../testing/on-both.ts";
import { openAt } from "../testing/places.ts";
import { toyEncoder, writeTinyModel } from "../testing/tiny-server.ts";
import { TextVectors } from "../texts/vectors.ts";
import { CatalogueFullError, ItemWriter } from "./writer.ts";

const SPARE_ITEMS = 3;
const IDS = ["p", "q", "r", "s", "f001"]; // the model has the last one

type Step = { side: 0 | 1 } & ({ put: string[]; remove: string[] } | { page: number });

const none = fc.constant<string[]>([]);
const ids = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 2 });
const side = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ side, put: ids, remove: none }) },
  { weight: 1, arbitrary: fc.record({ side, put: none, remove: ids }) },
  { weight: 4, arbitrary: fc.record({ side, put: ids, remove: ids }) }, // at the limit, an item comes for one that goes
  { weight: 1, arbitrary: fc.record({ side, page: fc.integer({ min: 1, max: 4 }) }) },
);

describeOnBoth("item writers on one store", (fresh) => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-writer-"));
  let store: Store;
  let vectors: TextVectors;
  beforeAll(async () => {
    await writeTinyModel(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    store = await openAt(fresh());
    vectors = new TextVectors({
      store: store.vectors,
      open: async () => toyEncoder(),
      onEncoded: () => {},
      onFailure: () => {},
    });
  });
  afterEach(async () => {
    await vectors[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const open = (rows: { spareItems: number; storedItems?: number }) =>
    Served.open(folder, {
      threads: 1,
      ...rows,
      queue: 10,
      encode: vectors.encode,
      graphFrom: null,
      onGraphProblem: () => {},
    });
  const writerOf = (served: Served, page = 1000) =>
    new ItemWriter({ store, vectors, withServed: (use) => use(served), page });
  const itemsOf = ({ catalogue }: Served) =>
    [...catalogue.rowsFrom(0)].map((row) => `${catalogue.idOf(row)}: ${catalogue.titleOf(row)}`).sort();

  /** The model's items, with the store's changes. */
  async function expected(start: readonly string[]): Promise<string[]> {
    const items = new Map(start.map((item) => [item.slice(0, item.indexOf(":")), item]));
    for (const { id, title, deleted } of await store.items.changedSince(0, { limit: 1000 })) {
      if (deleted) items.delete(id);
      else items.set(id, `${id}: ${title}`);
    }
    return [...items.values()].sort();
  }

  async function run(steps: readonly Step[], sides: readonly Served[], start: readonly string[]): Promise<void> {
    let titles = 0;
    const content = (id: string) => ({ id, title: `title ${titles++}`, channels: { year: 1950 }, fields: {} });
    for (const one of steps) {
      const served = sides[one.side];
      if ("page" in one) await writerOf(served, one.page).catchUp();
      else {
        await writerOf(served).delete(one.remove);
        if (one.put.length === 0) continue;
        const putting = writerOf(served).put(one.put.map(content));
        await putting.catch((error) => expect(error).toBeInstanceOf(CatalogueFullError));
      }
    }
    for (const served of sides) await writerOf(served, 1).catchUp();
    const wanted = await expected(start);
    for (const served of sides) {
      expect([...served.withoutRoom]).toEqual([]);
      expect(itemsOf(served)).toEqual(wanted);
    }
  }

  async function hold(steps: fc.Arbitrary<Step>, sides: readonly Served[]): Promise<void> {
    const start = itemsOf(sides[0]);
    try {
      const sequences = fc.array(steps, { minLength: 5, maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(sequences, (list) => run(list, sides, start)), // each goes on from where the last one ended
        { numRuns: 30, seed: 5, endOnFailure: true },
      );
    } finally {
      for (const served of sides) await served.close();
    }
  }

  test("leave both with the items of the store, also if both put to a full catalogue at once", async () => {
    await hold(step, [await open({ spareItems: SPARE_ITEMS }), await open({ spareItems: SPARE_ITEMS })]);
  });

  test("leave one that has not a row to spare with the items of the other", async () => {
    const elsewhere = step.map((one): Step => ({ ...one, side: "page" in one ? 1 : 0 }));
    const exact = await open({ spareItems: 0, storedItems: SPARE_ITEMS });
    await hold(elsewhere, [await open({ spareItems: SPARE_ITEMS }), exact]);
    expect(exact.catalogue.capacity).toBe(40 + SPARE_ITEMS);
  });

  test("take turns between callers; too many are refused, and those of callers who left are dropped", async () => {
    const served = await open({ spareItems: 20 });
    const writer = new ItemWriter({ store, vectors, withServed: (use) => use(served), queue: 8 });
    let letGo = () => {};
    const held = writer.exclusively(() => new Promise<void>((resolve) => (letGo = resolve)));
    const order: string[] = [];
    const put = async (caller: string, id: string, signal?: AbortSignal) => {
      await writer.put([{ id, title: id, channels: { year: 1950 }, fields: {} }], { caller, signal });
      order.push(id);
    };
    const gone = new AbortController();
    const bulk = ["b1", "b2", "b3", "b4", "b5"].map((id) => put("bulk", id));
    const left = put("shop", "left", gone.signal);
    await expect(bulk[4]).rejects.toMatchObject({ code: "BUSY" });
    const other = put("shop", "s1");
    gone.abort(new Error("hung up"));
    await expect(left).rejects.toThrow("hung up");
    letGo();
    await Promise.all([held, other, ...bulk.slice(0, 4)]);
    expect(order).toEqual(["b1", "s1", "b2", "b3", "b4"]);
    expect(["b1", "s1", "left", "b5"].map((id) => served.catalogue.find(id) !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await served.close();
  });
});

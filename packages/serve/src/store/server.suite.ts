// What the server must know of itself: models, keys, secrets, imports; and several programs on one store.
import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import type { NewEvent } from "./events.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const events = (from: number, to: number): NewEvent[] =>
  Array.from({ length: to - from }, (_, i) => ({
    user: `u${(from + i) % 9}`,
    item: `i${from + i}`,
    type: "rating",
    rating: 3,
    time: from + i,
  }));

export function describeServer(fresh: () => Place): void {
  describe("a store", () => {
    test("keeps what it has when it is closed and opened again", async () => {
      const place = fresh();
      {
        await using store = await openAt(place);
        await store.ping();
        await store.events.add(events(0, 10));
        await store.items.put([{ id: "x", title: "X", channels: {}, fields: {} }]);
      }
      await using again = await openAt(place);
      expect(await again.events.count()).toBe(10);
      expect(await again.items.get("x")).toMatchObject({ title: "X", version: 1 });
    });

    test("is made once by many who open it at once", async () => {
      const place = fresh();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openAt(place, { exclusive: false })));
      await Promise.all(stores.map((store, i) => store.events.add(events(i * 10, i * 10 + 10))));
      expect(await stores[0].events.count()).toBe(40);
      await Promise.all(stores.map((store) => store.close()));
    });

    test("says so when it is closed", async () => {
      const store = await openAt(fresh());
      const last = store.items.put([{ id: "x", title: "X", channels: {}, fields: {} }]);
      await store.close();
      await last;
      await store.close();
      await expect(store.events.count()).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        reason: "closed",
        uncertain: false,
      });
    });
  });

  describe("activations", () => {
    test("are a history, of which the last one counts", async () => {
      await using store = await openAt(fresh(), { now: () => 3 });
      expect(await store.activations.active()).toBeNull();
      expect(await store.activations.activate("m1", "/models/1", 0)).toEqual({
        sequence: 1,
        model: "m1",
        folder: "/models/1",
        time: 3,
      });
      expect(await store.activations.activate("m2", "/models/2", 0)).toBeNull();
      expect(await store.activations.activate("m2", "/models/2", 2)).toBeNull();
      await store.activations.activate("m2", "/models/2", 1);
      await store.activations.activate("m1", "/models/1", 2); // back again
      expect(await store.activations.active()).toMatchObject({ sequence: 3, model: "m1" });
      expect((await store.activations.list({ limit: 2 })).map(({ model }) => model)).toEqual(["m1", "m2"]);
    });

    test("at once: one wins", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      const tries = Array.from({ length: 8 }, (_, i) => [store, replica][i % 2].activations.activate(`m${i}`, "f", 0));
      const won = (await Promise.all(tries)).filter((activation) => activation !== null);
      expect(won).toEqual([await store.activations.active()]);
    });
  });

  describe("keys", () => {
    test("are found by id and by hash, revoked once, and remember their last use", async () => {
      let time = 100;
      await using store = await openAt(fresh(), { now: () => time });
      const key = { id: "k1", name: "Ada's “key”", scopes: ["read", "write"], hash: bytes(1, 0, 255), expires: 900 };
      const stored = { ...key, created: 100, revoked: null, lastUsed: null };
      expect(await store.keys.create(key)).toEqual(stored);
      expect(await store.keys.get("k1")).toEqual(stored);
      expect(await store.keys.findByHash(bytes(1, 0, 255))).toEqual(stored);
      expect(await store.keys.findByHash(bytes(1, 0, 254))).toBeNull();
      expect(await store.keys.getAll(["nobody", key.id, "none"])).toEqual([stored]);
      expect(await store.keys.get("k2")).toBeNull();
      await expect(store.keys.create({ ...key, hash: bytes(2) })).rejects.toMatchObject({ constraint: "unique" });
      await expect(store.keys.create({ ...key, id: "k2" })).rejects.toMatchObject({ constraint: "unique" });
      await store.keys.touch(
        new Map([
          ["k1", 50],
          ["unknown", 60],
        ]),
      );
      await store.keys.touch(new Map([["k1", 40]]));
      await store.keys.touch(new Map());
      time = 200;
      expect(await store.keys.revoke("k1")).toBe(true);
      time = 300;
      expect(await store.keys.revoke("k1")).toBe(false);
      expect(await store.keys.revoke("unknown")).toBe(false);
      await store.keys.create({ ...key, id: "k0", hash: bytes(3), expires: null, scopes: [] });
      expect(await store.keys.list()).toEqual([
        { ...stored, revoked: 200, lastUsed: 50 },
        { ...stored, id: "k0", hash: bytes(3), expires: null, scopes: [], created: 300 },
      ]);
    });

    test("and secrets: all who ask at once get the same one", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      const asked = Array.from({ length: 10 }, (_, i) =>
        [store, replica][i % 2].secrets.getOrCreate("signing", bytes(i, 7)),
      );
      const [first, ...others] = await Promise.all(asked);
      expect(others).toEqual(others.map(() => first));
      expect(await store.secrets.getOrCreate("signing", bytes(99))).toEqual(first);
      expect(await store.secrets.getOrCreate("another", bytes(99))).toEqual(bytes(99));
    });
  });

  describe("imports", () => {
    test("go on where they stopped, and are done once", async () => {
      await using store = await openAt(fresh(), { now: () => 8 });
      expect(await store.imports.get("sample")).toBeNull();
      await store.events.add(events(0, 5)); // known before
      expect(await store.imports.add("sample", { from: "", to: "600", events: events(0, 600) })).toMatchObject({
        accepted: 595,
        duplicates: 5,
      });
      const again = store.imports.add("sample", { from: "", to: "700", events: events(600, 700) });
      await expect(again).rejects.toMatchObject({ code: "BUSY" });
      expect(await store.events.count()).toBe(600);
      expect(await store.imports.get("sample")).toEqual({
        source: "sample",
        cursor: "600",
        accepted: 595,
        duplicates: 5,
        finished: null,
        counts: null,
      });
      await store.imports.add("sample", { from: "600", to: "620", events: events(600, 620) });
      await store.imports.add("sample", { from: "620", to: "end", events: [] });
      const done = { source: "sample", cursor: "end", accepted: 615, duplicates: 5, finished: 8, counts: { items: 2 } };
      expect(await store.imports.finish("sample", { items: 2 })).toEqual(done);
      expect(await store.imports.finish("sample", { items: 3 })).toEqual(done);
      await expect(store.imports.add("sample", { from: "end", to: "x", events: [] })).rejects.toMatchObject({
        code: "BUSY",
      });
      expect(await store.imports.finish("nothing in it", {})).toMatchObject({ accepted: 0, finished: 8 });
      expect((await store.imports.list()).map(({ source }) => source)).toEqual(["nothing in it", "sample"]);
    });

    test("by two at once: one of them goes on", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      const tries = [store, replica].map((one, i) =>
        one.imports.add("s", { from: "", to: `${i}`, events: events(i * 100, i * 100 + 100) }),
      );
      const settled = await Promise.allSettled(tries);
      expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await store.events.count()).toBe(100);
      expect(await store.imports.get("s")).toMatchObject({ accepted: 100 });
    });
  });
}

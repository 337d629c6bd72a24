import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import { ODD_IDS } from "./events.suite.ts";
import type { NewItem } from "./items.ts";
import type { Store } from "./store.ts";

const item = (id: string, title: string | null = id): NewItem => ({
  id,
  title,
  channels: { plot: title },
  fields: { year: 1999 },
});

async function changes(store: Store, version: number, limit = 1000) {
  const read = [];
  for (let page = await store.items.changedSince(version, { limit }); page.length > 0; ) {
    read.push(...page);
    page = await store.items.changedSince(page[page.length - 1].version, { limit });
  }
  return read;
}

export function describeItems(fresh: () => Place): void {
  describe("items", () => {
    test("come back as they were put", async () => {
      await using store = await openAt(fresh(), { now: () => 77 });
      const put: NewItem = {
        id: "x",
        title: "Été 😀",
        channels: { plot: "nul \0 in JSON", tags: ["a", null, { deep: [1.5, -0.1, true] }], ["__proto__"]: 1 },
        fields: {},
      };
      expect(await store.items.put([put])).toEqual({ version: 1 });
      const stored = await store.items.get("x");
      expect(stored).toEqual({ ...put, deleted: false, updated: 77, version: 1 });
      expect(Object.keys(stored?.channels ?? {})).toEqual(["plot", "tags", "__proto__"]);
      expect(await store.items.get("y")).toBeNull();
    });

    test("change in the order of versions, deleted ones included", async () => {
      await using store = await openAt(fresh());
      expect(await store.items.version()).toBe(0);
      await store.items.put([item("a"), item("b"), item("c")]);
      const { version } = await store.items.put([item("b", "B")]);
      await store.items.remove(["c", "only in the catalogue"]);
      expect((await changes(store, 0, 2)).map(({ id, title, deleted }) => [id, title, deleted])).toEqual([
        ["a", "a", false],
        ["b", "B", false],
        ["c", null, true],
        ["only in the catalogue", null, true],
      ]);
      expect((await changes(store, version)).map(({ id }) => id)).toEqual(["c", "only in the catalogue"]);
      expect(await store.items.count()).toBe(2);
      expect(await store.items.get("c")).toMatchObject({ deleted: true, title: null, channels: {}, fields: {} });
      await store.items.put([item("c", "back")]);
      expect(await store.items.get("c")).toMatchObject({
        deleted: false,
        title: "back",
        version: await store.items.version(),
      });
    });

    test("of one id in one batch: the later counts", async () => {
      await using store = await openAt(fresh());
      await store.items.put([item("a", "1"), item("b", "2"), item("a", "3")]);
      expect((await changes(store, 0)).map(({ id, title }) => [id, title])).toEqual([
        ["b", "2"],
        ["a", "3"],
      ]);
    });

    test("go in ten thousand at a time, all or none", async () => {
      await using store = await openAt(fresh());
      const many = Array.from({ length: 10_000 }, (_, i) => item(`i${i}`));
      const bad = [...many.slice(0, 9_999), item("bad", "nul \0")];
      await expect(store.items.put(bad)).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
      expect(await changes(store, 0)).toEqual([]);
      await store.items.put(many);
      expect((await changes(store, 0, 3000)).map(({ id }) => id)).toEqual(many.map(({ id }) => id));
    });

    test("that replicas put at once are all seen by whoever follows the versions", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      let writing = true;
      const seen = new Map<string, number>();
      const follow = async () => {
        for (let version = 0; ; ) {
          const last = !writing;
          const page = await replica.items.changedSince(version, { limit: 5 });
          for (const { id, title } of page) seen.set(id, Number(title));
          if (page.length > 0) version = page[page.length - 1].version;
          else if (last) return;
        }
      };
      const following = follow();
      const rounds = 25;
      await Promise.all(
        [store, replica].map(async (writer, w) => {
          for (let i = 1; i <= rounds; i++) {
            const own = Array.from({ length: 4 }, (_, k) => item(`${w}.${k}`, `${i}`));
            await Promise.all([
              writer.items.put([...own, item("shared", `${i}`)]),
              writer.items.put([item(`${w}.x`, `${i}`)]),
            ]);
          }
        }),
      );
      writing = false;
      await following;
      expect(seen.size).toBe(11);
      expect([...seen.values()]).toEqual(Array.from({ length: 11 }, () => rounds));
    });

    test("with odd ids and titles come back as they were", async () => {
      await using store = await openAt(fresh());
      await store.items.put(ODD_IDS.map((id) => item(id)));
      for (const id of ODD_IDS) expect(await store.items.get(id)).toMatchObject(item(id));
      await expect(store.items.put([item("")])).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    });
  });

  describe("text vectors", () => {
    test("are kept by encoder and text, to the last bit", async () => {
      await using store = await openAt(fresh());
      const matrix = Float32Array.from({ length: 3000 * 5 }, (_, i) => Math.sin(i) * 10 ** ((i % 70) - 35));
      const texts = Array.from({ length: 3000 }, (_, i) => `text ${i}`);
      const vectors = texts.map((_, i) => matrix.subarray(i * 5, i * 5 + 5));
      await store.vectors.put("lsa 1", texts, vectors);
      const read = await store.vectors.get("lsa 1", ["unknown", ...texts.slice(0, 2000), "text 0"]);
      expect(read[0]).toBeNull();
      expect(read.slice(1, 2001)).toEqual(vectors.slice(0, 2000).map((vector) => vector.slice()));
      expect(read[2001]).toEqual(vectors[0].slice());
      expect(await store.vectors.get("lsa 2", ["text 0"])).toEqual([null]);
      expect(await store.vectors.get("lsa 1", [])).toEqual([]);
    });

    test("stay as they were first put, also where many put them at once", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      const texts = ["a", "", "long ".repeat(10_000), "nul \0", "😀"];
      const vectors = texts.map((_, i) => Float32Array.of(i, Number.NaN, -0));
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          const order = i % 2 ? texts : texts.toReversed();
          return [store, replica][i % 2].vectors.put(
            "e",
            order,
            order.map((text) => vectors[texts.indexOf(text)]),
          );
        }),
      );
      await store.vectors.put("e", ["a", "a"], [Float32Array.of(9), Float32Array.of(8)]);
      expect(await store.vectors.get("e", texts)).toEqual(vectors);
      await expect(store.vectors.put("e", ["a"], [])).rejects.toMatchObject({ code: "SHAPE_MISMATCH" });
    });
  });
}

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { TinyServer, toyEncoder } from "../testing/tiny-server.ts";

describeOnBoth("items", (fresh) => {
  let tiny: TinyServer;
  let slow = 0;
  beforeAll(async () => {
    tiny = await TinyServer.open({ place: fresh(), openEncoder: async () => toyEncoder(() => slow) });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const film = {
    title: "Night Ferry",
    channels: { genres: ["Drama", "War"], year: 1961, plot: "a ferry keeps a secret" },
  };
  const encoded = () =>
    tiny.server.context.texts.idle().then(() => tiny.server.context.writer.exclusively(async () => {}));

  describe("items put at run time", () => {
    test("are found at once, before their text is encoded, and explanations say so until it is", async () => {
      slow = 150;
      const put = await tiny.answer("putItem", { params: { id: "ferry" }, body: film });
      expect(put).toMatchObject({ id: "ferry", created: true, pending: ["plot"] });
      expect(put.missing.map(({ channel }) => channel)).toEqual(["title", "poster", "released", "place", "identity"]);
      const near = await tiny.answer("similarToItem", { params: { id: "ferry" }, query: { k: "3", explain: "true" } });
      const plot = near.items[0].contributions?.find(({ channel }) => channel === "plot");
      expect([plot?.pending, plot?.unknown]).toEqual([true, expect.stringMatching(/query|both/)]);
      const list = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { k: "100" } });
      expect(list.items).toHaveLength(40);
      expect(list.items.find(({ id }) => id === "ferry")?.pending).toEqual(["plot"]);
      slow = 0;
      await encoded();
      const item = await tiny.answer("getItem", { params: { id: "ferry" } });
      expect(item.pending).toEqual([]);
      const after = await tiny.answer("similarToItem", { params: { id: "ferry" }, query: { k: "3", explain: "true" } });
      const known = after.items[0].contributions?.find(({ channel }) => channel === "plot");
      expect(known?.pending).toBe(false);
      expect(known?.unknown).not.toBe("query");
    });

    test("are ranked exactly as the same item given as a draft", async () => {
      await tiny.answer("putItem", { params: { id: "ferry" }, body: film });
      await encoded();
      const asItem = await tiny.answer("similarToItem", { params: { id: "ferry" }, query: { k: "10" } });
      const asDraft = await tiny.answer("similar", {
        body: { items: [{ draft: film.channels }], k: 10, exclude: ["ferry"] },
      });
      expect(asItem.items.map(({ id, score }) => [id, score])).toEqual(
        asDraft.items.map(({ id, score }) => [id, score]),
      );
    });

    test("may take the place of an item of the model, and be taken away; deleted ones stay known to nobody", async () => {
      const before = await tiny.answer("getItem", { params: { id: "f007" } });
      expect(before.added).toBe(false);
      const put = await tiny.answer("putItem", {
        params: { id: "f007" },
        body: { title: "New", channels: { year: 1999 } },
      });
      expect(put.created).toBe(false);
      expect((await tiny.answer("getItem", { params: { id: "f007" } })).title).toBe("New");
      expect(await tiny.answer("deleteItem", { params: { id: "f007" } })).toEqual({ deleted: 1, unknown: [] });
      expect((await tiny.ask("getItem", { params: { id: "f007" } })).status).toBe(404);
      expect(await tiny.answer("deleteItem", { params: { id: "f007" } })).toEqual({ deleted: 0, unknown: ["f007"] });
      const list = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { k: "100" } });
      expect(list.items.some(({ id }) => id === "f007")).toBe(false);
      const again = await tiny.answer("putItem", { params: { id: "f007" }, body: { channels: { year: 1998 } } });
      expect(again.created).toBe(true);
    });

    test("filters see them, also by channels that fields are read from; same and added", async () => {
      await tiny.answer("putItems", {
        body: {
          items: [
            {
              id: "a1",
              title: "A",
              channels: { year: 1970, genres: ["War"] },
              fields: { studio: "Ufa", length: 90, tags: ["x", "y"] },
            },
            {
              id: "a2",
              title: "B",
              channels: { year: 1980, genres: ["Comedy"] },
              fields: { studio: "Ufa", length: 120 },
            },
            { id: "a3", title: "C", channels: { year: 1980 }, fields: { studio: "Gaumont", tags: ["y"] } },
          ],
        },
      });
      const of = async (filter: string, id = "f000") =>
        (await tiny.answer("similarToItem", { params: { id }, query: { k: "100", filter } })).items
          .map((item) => item.id)
          .sort();
      expect(await of('studio is "Ufa"')).toEqual(["a1", "a2"]);
      expect(await of("length > 100")).toEqual(["a2"]);
      expect(await of('tags has "y"')).toEqual(["a1", "a3"]);
      expect(await of("same(studio)", "a1")).toEqual(["a2"]);
      expect(await of("same(studio)", "f000")).toEqual([]);
      expect(await of("added and studio exists")).toEqual(["a1", "a2", "a3"]);
      await tiny.answer("putItem", { params: { id: "a1" }, body: { channels: {}, fields: { studio: "Gaumont" } } });
      expect(await of('studio is "Ufa"')).toEqual(["a2"]);
      expect(await of('studio is "Gaumont" and not tags exists')).toEqual(["a1"]);
    });

    test("a batch is put whole or not at all, and what is wrong names its place", async () => {
      const { status, error } = await tiny.ask("putItems", {
        body: {
          items: [
            { id: "ok", channels: { year: 1990 } },
            { id: "bad", channels: { year: "long ago" } },
          ],
        },
      });
      expect([status, error.code, error.field]).toEqual([400, "BAD_REQUEST", "items[1].channels.year"]);
      expect((await tiny.ask("getItem", { params: { id: "ok" } })).status).toBe(404);
      const unknown = await tiny.ask("putItem", { params: { id: "x" }, body: { channels: { yeer: 1990 } } });
      expect([unknown.status, unknown.error.field]).toEqual([400, "channels.yeer"]);
      const odd = await tiny.ask("putItem", { params: { id: "x" }, body: { channels: { "odd key": 1990 } } });
      expect([odd.status, odd.error.field]).toEqual([400, 'channels["odd key"]']);
    });

    test("a field of one item is no field of the others, and takes the place of no name that filters know", async () => {
      const fields = { ratings: 99, id: "f000", "shelf mark": "A1" };
      await tiny.answer("putItem", { params: { id: "odd" }, body: { title: "Zebra Crossing", channels: {}, fields } });
      expect((await tiny.answer("getItem", { params: { id: "odd" } })).fields).toMatchObject(fields);
      expect(Object.keys((await tiny.answer("getItem", { params: { id: "f000" } })).fields)).toEqual(["title", "year"]);
      const of = async (filter: string) =>
        (await tiny.answer("similarToItem", { params: { id: "f003" }, query: { k: "100", filter } })).items.map(
          ({ id }) => id,
        );
      expect(await of('id is "f000"')).toEqual(["f000"]);
      expect(await of("ratings is 99")).toEqual([]);
      expect(await of('title matches "zebra"')).toEqual(["odd"]);
      expect(await of('`shelf mark` is "A1"')).toEqual(["odd"]);
      await tiny.answer("putItem", { params: { id: "odd" }, body: { channels: {} } });
      expect(await of("`shelf mark` exists")).toEqual([]);
      await tiny.answer("deleteItem", { params: { id: "odd" } });
    });

    test("beyond the room there is, nothing is put", async () => {
      const items = Array.from({ length: 600 }, (_, i) => ({ id: `many ${i}`, channels: { year: 1950 + (i % 50) } }));
      const { status, error } = await tiny.ask("putItems", { body: { items } });
      expect([status, error.code]).toEqual([409, "OVER_LIMIT"]);
      expect((await tiny.ask("getItem", { params: { id: "many 0" } })).status).toBe(404);
    });

    test("survive a restart, deleted ones stay deleted, and no text is encoded twice", async () => {
      const before = await tiny.answer("similarToItem", {
        params: { id: "ferry" },
        query: { k: "20", explain: "true" },
      });
      await tiny.answer("deleteItems", { body: { ids: ["a2", "f009", "nobody"] } });
      const rest = await tiny.answer("similarToItem", { params: { id: "ferry" }, query: { k: "20", explain: "true" } });
      await tiny.stop();
      await tiny.start();
      const after = await tiny.answer("similarToItem", {
        params: { id: "ferry" },
        query: { k: "20", explain: "true" },
      });
      expect(after.items).toEqual(rest.items);
      expect(before.items).not.toEqual(rest.items);
      expect((await tiny.ask("getItem", { params: { id: "f009" } })).status).toBe(404);
      expect(tiny.server.context.texts.waiting).toBe(0);
    });

    test("10,000 at once are found", async () => {
      await using big = await TinyServer.open({ place: fresh(), spareItems: 12_000 });
      const items = Array.from({ length: 10_000 }, (_, i) => ({
        id: `item ${i}`,
        title: `Number ${i}`,
        channels: { year: 1900 + (i % 120), genres: [["War", "Drama", "Comedy"][i % 3]] },
      }));
      const { items: put } = await big.answer("putItems", { body: { items } });
      expect(put).toHaveLength(10_000);
      expect((await big.answer("getIndex")).items).toBe(10_040);
      const found = await big.answer("similarToItem", { params: { id: "item 9999" }, query: { k: "5" } });
      expect(found.items.every(({ distance }) => distance >= 0)).toBe(true);
      const listed = await big.answer("listItems", { query: { search: "Number 123" } });
      expect(listed.items[0].id).toBe("item 123");
    });
  });

  describe("the catalogue", () => {
    test("is listed page by page, each item once", async () => {
      const seen: string[] = [];
      for await (const page of tiny.pages("listItems", { query: { limit: "13" } }, "after")) {
        seen.push(...page.items.map(({ id }) => id));
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBe((await tiny.answer("getIndex")).items);
    });

    test("is searched by words of titles and by ids", async () => {
      const byTitle = await tiny.answer("listItems", { query: { search: "quiet har" } });
      expect(byTitle.items[0].title).toBe("The Quiet Harbour");
      const byId = await tiny.answer("listItems", { query: { search: "f012" } });
      expect(byId.items.map(({ id }) => id)).toEqual(["f012"]);
    });
  });
});

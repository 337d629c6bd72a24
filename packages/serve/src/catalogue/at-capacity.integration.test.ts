// A catalogue at its limit: nothing that the store has is missing without a word.
import { expect, test } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { openAt } from "../testing/places.ts";
import { TinyServer } from "../testing/tiny-server.ts";

describeOnBoth("a full catalogue", (fresh) => {
  test("has all stored items after a start with a smaller limit, and takes no further ones", async () => {
    const place = fresh();
    const ids = Array.from({ length: 12 }, (_, i) => `item ${i}`);
    {
      await using tiny = await TinyServer.open({ place });
      await tiny.answer("putItems", { body: { items: ids.map((id) => ({ id, channels: { year: 1950 } })) } });
    }
    await using tiny = await TinyServer.open({ place, spareItems: 3 });
    for (const id of ids) expect((await tiny.ask("getItem", { params: { id } })).status).toBe(200);
    expect((await tiny.ask("ready")).status).toBe(200);
    const body = { title: "new", channels: { year: 1960 } };
    const { status, error } = await tiny.ask("putItem", { params: { id: "one more" }, body });
    expect([status, error.code]).toEqual([409, "OVER_LIMIT"]);
    expect((await tiny.answer("putItem", { params: { id: "item 7" }, body })).created).toBe(false);
    expect((await tiny.answer("getItem", { params: { id: "item 7" } })).title).toBe("new");
    await tiny.answer("deleteItems", { body: { ids: ids.slice(0, 10) } });
    expect((await tiny.answer("putItem", { params: { id: "one more" }, body })).created).toBe(true);
    expect((await tiny.ask("putItem", { params: { id: "and one" }, body })).status).toBe(409);
  });

  test("counts items whose values the model cannot read, and lets them be deleted or put again", async () => {
    const place = fresh();
    {
      await using store = await openAt(place);
      const item = { title: null, fields: {} };
      await store.items.put([
        { id: "good", channels: { year: 1990 }, ...item },
        { id: "odd", channels: { year: "long ago" }, ...item },
        { id: "strange", channels: { year: "never" }, ...item },
      ]);
    }
    await using tiny = await TinyServer.open({ place });
    const unreadable = async () => {
      const { text } = await tiny.ask("metrics");
      const counted = Number(/^nearkin_items_unreadable (\d+)$/m.exec(text)?.[1]);
      const { unreadable: answered } = await tiny.answer("getModel", { params: { id: "films" } });
      expect(answered).toBe(counted);
      return counted;
    };
    expect((await tiny.ask("getItem", { params: { id: "good" } })).status).toBe(200);
    expect((await tiny.ask("ready")).status).toBe(200);
    expect(await unreadable()).toBe(2);
    expect(await tiny.answer("deleteItem", { params: { id: "odd" } })).toEqual({ deleted: 1, unknown: [] });
    expect(await unreadable()).toBe(1);
    await tiny.answer("putItem", { params: { id: "strange" }, body: { channels: { year: 1961 } } });
    expect(await unreadable()).toBe(0);
  });
});

// A row of a deleted item is nobody else's for as long as a request knows it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askedItems, askedRows } from "../http/handlers/question.ts";
import { similarItems } from "../search/similar.ts";
import { TinyServer } from "../testing/tiny-server.ts";
import { FreedRows } from "./freed-rows.ts";

describe("freed rows", () => {
  test("are given out when the requests that began before have ended, and not for those that came after", () => {
    const freed = new FreedRows();
    const first = freed.enter();
    freed.add([7]);
    const second = freed.enter();
    freed.add([8, 9]);
    expect([freed.size, freed.resting]).toEqual([0, 3]);
    freed.leave(second);
    expect([freed.size, freed.resting]).toEqual([0, 3]); // the first request may know them too
    freed.enter();
    freed.leave(first);
    expect([freed.size, freed.resting]).toEqual([3, 0]);
    expect([freed.take(), freed.take(), freed.take(), freed.take()].sort()).toEqual([7, 8, 9, undefined]);
  });

  test("are given out at once if no request is under way", async () => {
    const freed = new FreedRows();
    freed.add([1]);
    expect([freed.size, freed.resting]).toEqual([1, 0]);
  });

  test("wake whoever waits for them", async () => {
    const freed = new FreedRows();
    const request = freed.enter();
    freed.add([1]);
    const released = freed.released();
    freed.leave(request);
    await released;
    expect(freed.take()).toBe(1);
  });
});

describe("a request under way while its item is deleted and another one is put", () => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({ spareItems: 1 });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const put = (id: string, shelf: string) =>
    tiny.answer("putItem", { params: { id }, body: { title: id, channels: { year: 1961 }, fields: { shelf } } });

  test("does not let the new item pass a filter that only the old one passed", async () => {
    const { context } = tiny.server;
    await put("old", "left");
    const found = await context.models.with(async (served) => {
      const items = await askedItems(context, served, { items: ["f000"], turn: {} });
      const allowed = await askedRows(context, served, {
        filter: { field: "shelf", is: "left" },
        user: undefined,
        items,
        turn: {},
      });
      await tiny.answer("deleteItem", { params: { id: "old" } });
      await put("new", "right");
      const { weights, offset } = served.shared;
      const page = await similarItems(served, {
        items: items.lifted,
        ...{ weights, offset, popularity: 0, k: 10, diversity: 0, order: "similar", allowed },
        ...{ exclude: [], explain: false, predict: false, exact: true },
      } as never);
      return page.rows.map(({ item }) => served.catalogue.idOf(item));
    });
    expect(found).not.toContain("new");
    expect((await tiny.answer("getItem", { params: { id: "new" } })).title).toBe("new");
  });

  test("is waited for by a put that has no other row", async () => {
    const { models } = tiny.server.context;
    let letGo = () => {};
    const request = models.with(() => new Promise<void>((resolve) => (letGo = resolve)));
    await tiny.answer("deleteItem", { params: { id: "new" } });
    await put("second", "left"); // the row that is kept in reserve
    await tiny.answer("deleteItem", { params: { id: "second" } });
    const putting = put("third", "left");
    const freed = models.current?.catalogue.freed;
    expect(await Promise.race([putting.then(() => "put"), tiny.answer("health").then(() => "waits")])).toBe("waits");
    expect(freed?.resting).toBe(2);
    letGo();
    await request;
    expect((await putting).created).toBe(true);
    expect(freed?.resting).toBe(0);
  });
});

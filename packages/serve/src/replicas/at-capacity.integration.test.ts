// Two servers on one PostgreSQL whose catalogues are full: what one acknowledges, the other has, or it says that it is not ready.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { TinyServer } from "../testing/tiny-server.ts";

const POLL = { interval: 20 };
const skip = noPostgres !== "" && !process.env.CI;

describe.skipIf(skip)(`two servers with full catalogues${skip ? noPostgres : ""}`, () => {
  let places: Places;
  let place: Place;
  let a: TinyServer;
  let b: TinyServer;
  beforeAll(async () => {
    places = await postgresPlaces();
    place = places.fresh();
    const polling = { place, listen: false, lookEvery: 0.05 };
    a = await TinyServer.open({ ...polling, spareItems: 6 });
    b = await TinyServer.open({ ...polling, spareItems: 2 });
  });
  afterAll(async () => {
    await a?.[Symbol.asyncDispose]();
    await b?.[Symbol.asyncDispose]();
    await places[Symbol.asyncDispose]();
  });

  const put = (tiny: TinyServer, id: string, title: string = id) =>
    tiny.answer("putItem", { params: { id }, body: { title, channels: { year: 1961 } } });
  const titleAt = async (tiny: TinyServer, id: string) => {
    const { status, answer } = await tiny.ask("getItem", { params: { id } });
    return status === 200 ? answer.title : status;
  };
  const gauge = async (tiny: TinyServer, name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, "m").exec((await tiny.ask("metrics")).text)?.[1]);

  test("take over a deletion, the item put in its place and a replacement that come in one page", async () => {
    await put(a, "x");
    await put(a, "y");
    await expect.poll(() => titleAt(b, "y"), POLL).toBe("y");
    await b.server.context.writer.exclusively(async () => {
      await a.answer("deleteItem", { params: { id: "x" } });
      await put(a, "z");
      await put(a, "y", "y anew");
    }); // until here, the second server applies nothing
    await expect
      .poll(() => Promise.all(["x", "y", "z"].map((id) => titleAt(b, id))), POLL)
      .toEqual([404, "y anew", "z"]);
    expect((await b.ask("ready")).status).toBe(200);
  });

  test("take what the other deleted a moment ago as room", async () => {
    await b.server.context.writer.exclusively(() => a.answer("deleteItem", { params: { id: "z" } }));
    expect((await put(b, "w")).created).toBe(true);
    const { status, error } = await b.ask("putItem", { params: { id: "more" }, body: { channels: {} } });
    expect([status, error.code]).toEqual([409, "OVER_LIMIT"]);
  });

  test("one that cannot hold an item is not ready, says how many, and is ready once there is room", async () => {
    for (const id of ["m1", "m2", "m3"]) await put(a, id);
    await expect.poll(async () => (await b.ask("ready")).error?.code, POLL).toBe("NOT_READY");
    expect((await b.ask("ready")).error.message).toContain("1 item of the store has no room");
    expect(await gauge(b, "nearkin_items_without_room")).toBe(1);
    expect((await a.ask("ready")).status).toBe(200);
    // an item without room can be replaced and deleted here too
    expect(await b.answer("deleteItem", { params: { id: "m3" } })).toEqual({ deleted: 1, unknown: [] });
    await expect.poll(() => titleAt(a, "m3"), POLL).toBe(404);
    expect((await b.ask("ready")).status).toBe(200);
    await put(a, "m4");
    await expect.poll(async () => (await b.ask("ready")).status, POLL).toBe(503);
    await a.answer("deleteItem", { params: { id: "m1" } });
    await expect.poll(() => titleAt(b, "m4"), POLL).toBe("m4");
    expect((await b.ask("ready")).status).toBe(200);
    expect(await gauge(b, "nearkin_items_without_room")).toBe(0);
  });

  test("one that opens its model again makes the room it needs", async () => {
    await put(a, "m5");
    await expect.poll(async () => (await b.ask("ready")).status, POLL).toBe(503);
    await b.answer("activateModel", { params: { id: "films" } });
    expect((await b.ask("ready")).status).toBe(200);
    expect(await titleAt(b, "m5")).toBe("m5");
  });
});

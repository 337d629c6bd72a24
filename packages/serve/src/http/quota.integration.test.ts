// A user's history has a bound, and what is asked about a user does not read all of it.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { TinyServer } from "../testing/tiny-server.ts";

describeOnBoth("events of a user", (fresh) => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({ place: fresh(), eventsPerUser: 20 });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const events = (user: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `e${i}`, user, item: `f0${10 + (i % 9)}`, rating: 1 + (i % 5) }));

  test("beyond eventsPerUser are refused, with the place and the bound, and none of the batch is stored", async () => {
    await tiny.answer("addEvents", { body: { events: events("ann", 20) } });
    const more = [
      { user: "bob", item: "f001" },
      { user: "ann", item: "f001" },
    ];
    const { status, error } = await tiny.ask("addEvents", { body: { events: more } });
    expect([status, error.code, error.field]).toEqual([409, "OVER_LIMIT", "events[1].user"]);
    expect(error.message).toContain("20");
    expect((await tiny.ask("getUser", { params: { id: "bob" } })).status).toBe(404);
    expect(await tiny.answer("addEvents", { body: { events: events("ann", 20) } })).toMatchObject({ duplicates: 20 });
    await tiny.answer("deleteUser", { params: { id: "ann" } });
    await tiny.answer("addEvents", { body: { events: events("ann", 20) } });
  });

  test("so is feedback", async () => {
    const { recommendation } = await tiny.answer("similarToItem", { params: { id: "f000" } });
    const feedback = (user: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ id: `${i}`, user, recommendation, item: "f001", action: "shown" }));
    await tiny.answer("addFeedback", { body: { feedback: feedback("dan", 20) } });
    const more = [...feedback("eve", 1), ...feedback("dan", 21)];
    const { status, error } = await tiny.ask("addFeedback", { body: { feedback: more } });
    expect([status, error.code, error.field]).toEqual([409, "OVER_LIMIT", "feedback[1].user"]);
    expect(error.message).toContain("20 entries of feedback");
    expect((await tiny.ask("getUser", { params: { id: "eve" } })).status).toBe(404);
    expect(await tiny.answer("getUser", { params: { id: "dan" } })).toMatchObject({ feedback: 20 });
    expect(await tiny.answer("addFeedback", { body: { feedback: feedback("dan", 20) } })).toMatchObject({
      duplicates: 20,
    });
  });

  test("are counted in the store when the user is asked for, not read", async () => {
    await tiny.answer("addEvents", { body: { events: events("cid", 20) } });
    await tiny.server.context.refresh.idle();
    const read = vi.spyOn(tiny.server.context.store.events, "ofUser");
    expect(await tiny.answer("getUser", { params: { id: "cid" } })).toMatchObject({ events: 20, items: 9, ratings: 9 });
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });
});

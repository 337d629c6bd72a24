// Keys in a whole server.
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { TinyServer } from "../testing/tiny-server.ts";

describe("keys", () => {
  test("when one was used is on disk before the store is closed", async () => {
    await using tiny = await TinyServer.open({ keys: "on" });
    const { key } = await tiny.server.context.keys.create({ name: "shop", scopes: ["admin"] });
    tiny.headers = { authorization: `Bearer ${key}` };
    const { keys } = tiny.server.context.store;
    const touch = keys.touch.bind(keys);
    keys.touch = (uses) => pause(100).then(() => touch(uses)); // a slow disk
    await tiny.answer("listItems");
    const before = Date.now();
    await tiny.stop();
    await tiny.start();
    const [{ used }] = (await tiny.answer("listKeys")).keys;
    expect(used).toBeLessThanOrEqual(before); // not by this question
  });

  test("a scope given twice is one, in the answer as in the list", async () => {
    await using tiny = await TinyServer.open({ keys: "on" });
    const { key } = await tiny.server.context.keys.create({ name: "first", scopes: ["admin"] });
    tiny.headers = { authorization: `Bearer ${key}` };
    const { id, scopes } = await tiny.answer("createKey", {
      body: { name: "twice", scopes: ["events", "read", "read"] },
    });
    const { keys } = await tiny.answer("listKeys");
    expect(scopes).toEqual(["read", "events"]);
    expect(keys.find((listed) => listed.id === id)?.scopes).toEqual(scopes);
  });
});

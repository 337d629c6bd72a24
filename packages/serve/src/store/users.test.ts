import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noPostgres, testPostgres } from "../testing/postgres.ts";
import type { UserMetric } from "./metrics.ts";
import { openStore, type Store } from "./store.ts";

const metric = (user: string): UserMetric => ({
  user,
  model: "m",
  weights: { plot: 1 },
  base: { plot: 1 },
  popularity: 0,
  offset: 0,
  source: "set",
  kept: null,
  items: 0,
  fit: null,
  events: 0,
});

function describeUsers(open: () => Promise<Store>): void {
  test("users with events and without a metric come once each, by id, page after page", async () => {
    await using store = await open();
    expect(await store.usersToFit({ limit: 10 })).toEqual([]);
    const users = ["ü", "b", "a", "B", "c", "d"];
    await store.events.add(
      [...users, ...users].map((user, i) => ({ user, item: `i${i}`, type: "rating", rating: 3, time: i })),
    );
    await store.metrics.set(metric("b"));
    await store.metrics.set(metric("z")); // set by hand, without an event
    await store.deleteUser("d");
    expect(await store.usersToFit({ limit: 10 })).toEqual(["B", "a", "c", "ü"]);
    expect(await store.usersToFit({ limit: 2 })).toEqual(["B", "a"]);
    expect(await store.usersToFit({ after: "a", limit: 2 })).toEqual(["c", "ü"]);
    expect(await store.usersToFit({ after: "ü", limit: 2 })).toEqual([]);
    await expect(store.usersToFit({ limit: 0 })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
  });

  test("users whose metric was fitted before their last event are to be fitted, unless it was set by hand", async () => {
    await using store = await open();
    const event = (user: string, time: number) => ({ user, item: `i${time}`, type: "rating", rating: 3, time });
    await store.events.add(["a", "b", "c"].map((user) => event(user, 1)));
    for (const user of ["a", "b"]) {
      const [{ arrival }] = await store.events.ofUser(user);
      await store.metrics.replace({ ...metric(user), source: "fitted", events: arrival }, null);
    }
    await store.metrics.set(metric("c"));
    expect(await store.usersToFit({ limit: 10 })).toEqual([]);
    await store.events.add([event("a", 2), event("c", 2)]);
    expect(await store.usersToFit({ limit: 10 })).toEqual(["a"]);
  });
}

describe("on libsql", () => {
  describeUsers(() => openStore(":memory:"));
});

describe.skipIf(noPostgres !== "")(`on PostgreSQL${noPostgres}`, () => {
  let server: Awaited<ReturnType<typeof testPostgres>>;
  beforeAll(async () => {
    server = await testPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());
  describeUsers(() => openStore(server.url, { schema: `users_${randomUUID().slice(0, 8)}` }));
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noPostgres, testPostgres } from "../testing/postgres.ts";
import type { UserMetric } from "./metrics.ts";
import { openStore, type Store } from "./store.ts";
import type { ListedUser } from "./users.ts";

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
    expect(await store.usersToFit({ limit: 10 })).toEqual({ users: [], next: null });
    const users = ["ü", "b", "a", "B", "c", "d"];
    await store.events.add(
      [...users, ...users].map((user, i) => ({ user, item: `i${i}`, type: "rating", rating: 3, time: i })),
    );
    await store.metrics.set(metric("b"));
    await store.metrics.set(metric("z")); // set by hand, without an event
    await store.deleteUser("d");
    expect(await store.usersToFit({ limit: 10 })).toEqual({ users: ["B", "a", "c", "ü"], next: null });
    expect(await store.usersToFit({ limit: 2 })).toEqual({ users: ["B", "a"], next: "a" });
    expect(await store.usersToFit({ after: "a", limit: 2 })).toEqual({ users: ["c"], next: "c" }); // b has a metric
    expect(await store.usersToFit({ after: "c", limit: 2 })).toEqual({ users: ["ü"], next: null });
    expect(await store.usersToFit({ after: "ü", limit: 2 })).toEqual({ users: [], next: null });
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
    expect(await store.usersToFit({ limit: 10 })).toEqual({ users: [], next: null });
    await store.events.add([event("a", 2), event("c", 2)]);
    expect(await store.usersToFit({ limit: 10 })).toEqual({ users: ["a"], next: null });
  });

  test("all users are listed, those with a metric of their own first, page after page", async () => {
    await using store = await open();
    expect(await store.listUsers({ limit: 10 })).toEqual([]);
    const events = Object.entries({ ü: 2, b: 1, a: 3, "own.1.x": 2, kept: 4, few: 1, many: 2 });
    await store.events.add(
      events.flatMap(([user, count]) =>
        Array.from({ length: count }, (_, i) => ({ user, item: `i${i}`, type: "view", time: i })),
      ),
    );
    const fitted = async (user: string, items: number, kept: string | null = null) => {
      const [{ arrival }] = await store.events.ofUser(user);
      await store.metrics.replace({ ...metric(user), source: "fitted", items, kept, events: arrival }, null);
    };
    await fitted("few", 2);
    await fitted("many", 40);
    await fitted("own.1.x", 2);
    await fitted("kept", 99, "too few ratings");
    await store.metrics.set(metric("z")); // set by hand, without an event
    const expected = [
      { user: "many", events: 2, source: "fitted", items: 40 },
      { user: "few", events: 1, source: "fitted", items: 2 },
      { user: "own.1.x", events: 2, source: "fitted", items: 2 },
      { user: "z", events: 0, source: "set", items: 0 },
      { user: "a", events: 3, source: null, items: 0 },
      { user: "b", events: 1, source: null, items: 0 },
      { user: "kept", events: 4, source: null, items: 0 },
      { user: "ü", events: 2, source: null, items: 0 },
    ];
    expect(await store.listUsers({ limit: 10 })).toEqual(expected);
    for (const limit of [1, 2, 3, 4, 5, 8]) {
      const found: ListedUser[] = [];
      for (;;) {
        const last = found[found.length - 1];
        const after = last && { user: last.user, items: last.source === null ? null : last.items };
        const page = await store.listUsers({ after, limit });
        found.push(...page);
        if (page.length < limit) break;
      }
      expect(found).toEqual(expected);
    }
    await expect(store.listUsers({ limit: 0 })).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
  });
}

describe("on libsql", () => {
  describeUsers(() => openStore(":memory:"));
});

describe.skipIf(noPostgres !== "")(`on PostgreSQL${noPostgres}`, () => {
  let server: Awaited<ReturnType<typeof testPostgres>>;
  beforeAll(async () => {
    server = await testPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  describeUsers(() => openStore(server.url, { schema: `users_${randomUUID().slice(0, 8)}` }));
});

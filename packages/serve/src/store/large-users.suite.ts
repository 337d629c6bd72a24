// Users with many events: how many they may have, and how they are deleted.
import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import type { SqlDatabase } from "./database.ts";
import { StoreError } from "./errors.ts";
import type { NewEvent } from "./events.ts";
import { openLibsql } from "./libsql.ts";
import { openPostgres } from "./postgres.ts";
import { EventQuotaError } from "./quota.ts";
import { type Store, storeOver } from "./store.ts";

const views = (user: string, from: number, to: number): NewEvent[] =>
  Array.from({ length: to - from }, (_, i) => ({ user, item: `i${(from + i) % 7}`, type: "view", time: from + i }));

const openDatabase = ({ location, options }: Place): Promise<SqlDatabase> =>
  location.startsWith("postgres") ? openPostgres(location, options) : openLibsql(location, { exclusive: false });

async function import25000(store: Store, user: string): Promise<void> {
  for (let from = 0; from < 25_000; from += 5000) {
    const batch = { from: from === 0 ? "" : `${from}`, to: `${from + 5000}`, events: views(user, from, from + 5000) };
    await store.imports.add(`of ${user}`, batch);
  }
}

export function describeLargeUsers(fresh: () => Place): void {
  describe("the quota of events", () => {
    test("bounds those of one user, and counts none that is sent again", async () => {
      await using store = await openAt(fresh(), { eventsPerUser: 5 });
      await store.events.add(views("ada", 0, 4));
      const refused = store.events.add([...views("bob", 0, 2), ...views("ada", 3, 6)]);
      await expect(refused).rejects.toMatchObject({ name: EventQuotaError.name, user: "ada" });
      expect(await store.events.count()).toBe(4); // all of a batch or nothing
      expect(await store.events.add(views("ada", 0, 5))).toMatchObject({ accepted: 1, duplicates: 4 });
      expect(await store.events.add(views("ada", 0, 5))).toMatchObject({ accepted: 0, duplicates: 5 });
      await expect(store.events.add(views("bob", 0, 6))).rejects.toBeInstanceOf(EventQuotaError);
      await store.imports.add("a file", { from: "", to: "end", events: views("ada", 5, 20) }); // the operator's own word
      await store.deleteUser("ada");
      expect(await store.events.add(views("ada", 5, 10))).toMatchObject({ accepted: 5 });
    });

    test("holds for those who write at once, and fails nobody else", async () => {
      await using store = await openAt(fresh(), { eventsPerUser: 5 });
      const settled = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => store.events.add(views(i % 2 ? "ada" : `user ${i}`, i, i + 1))),
      );
      expect(settled.filter(({ status }, i) => status === "rejected" && i % 2 === 0)).toEqual([]);
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(15);
      expect(await store.events.summaryOf("ada")).toMatchObject({ events: 5 });
    });
  });

  describe("a user with more events than one transaction deletes", () => {
    test("is gone at once for readers, and wholly when a deletion that broke off is continued", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await import25000(store, "ada");
      await store.events.add(views("bob", 0, 3));
      const last = await store.events.lastOf("ada");
      await using database = await openDatabase(place);
      let lists = 0;
      const dying = storeOver({
        ...database,
        kind: database.kind,
        changed: () => {},
        scrub: async () => {},
        run: async (list) => {
          if (++lists > 1) throw new StoreError("unreachable", "is away");
          return database.run(list);
        },
      });
      await expect(dying.deleteUser("ada")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
      const rows = async (table: string) =>
        (await database.run([{ sql: `SELECT COUNT(*) AS count FROM nearkin.${table} WHERE user_id = 'ada'` }]))[0][0]
          .count;
      expect(await rows("events")).toBe(15_000);

      expect(await store.events.ofUser("ada", { last: 9 })).toEqual([]);
      expect(await store.events.summaryOf("ada")).toMatchObject({ events: 0, first: null });
      expect(await store.events.lastOf("ada")).toBe(0);
      expect(await store.events.count()).toBe(3);
      expect((await store.events.page({ limit: 9 })).map(({ user }) => user)).toEqual(["bob", "bob", "bob"]);
      expect((await store.listUsers({ limit: 9 })).map(({ user }) => user)).toEqual(["bob"]);
      const fit = {
        model: "m",
        weights: {},
        base: {},
        popularity: 0,
        offset: 0,
        source: "fitted",
        kept: null,
      } as const;
      expect(await store.metrics.replace({ ...fit, user: "ada", items: 1, fit: null, events: last }, null)).toBeNull();

      await store.events.add(views("ada", 90_000, 90_002)); // comes back meanwhile
      expect(await store.events.summaryOf("ada")).toMatchObject({ events: 2, first: 90_000 });
      await store.finishErasures();
      expect([await rows("events"), await rows("erasures")]).toEqual([2, 0]);
      expect(await store.events.count()).toBe(5);
      expect(await store.usersToFit({ limit: 9 })).toEqual({ users: ["ada", "bob"], next: null });
    });

    test("is deleted by one call", async () => {
      await using store = await openAt(fresh());
      await import25000(store, "ada");
      expect(await store.deleteUser("ada")).toEqual({ events: 25_000, feedback: 0, metrics: 0 });
      expect([await store.events.count(), await store.events.page({ limit: 1 })]).toEqual([0, []]);
    });
  });
}

// Users with many events: how many they may have, what it costs to ask about them, and how they are deleted.
import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import type { SqlDatabase, SqlStatement } from "./database.ts";
import { StoreError } from "./errors.ts";
import type { NewEvent } from "./events.ts";
import type { NewFeedback } from "./feedback.ts";
import { openLibsql } from "./libsql.ts";
import { MIGRATIONS, migrate } from "./migrations.ts";
import { openPostgres } from "./postgres.ts";
import { UserQuotaError } from "./quota.ts";
import { type Store, storeOver } from "./store.ts";

const views = (user: string, from: number, to: number): NewEvent[] =>
  Array.from({ length: to - from }, (_, i) => ({ user, item: `i${(from + i) % 7}`, type: "view", time: from + i }));

const clicks = (user: string | null, from: number, to: number): NewFeedback[] =>
  Array.from({ length: to - from }, (_, i) => ({
    user,
    id: `${from + i}`,
    recommendation: "r",
    item: "i",
    action: "clicked",
    model: "m",
  }));

/** A store on a database, and every statement that it asks. */
function listening(database: SqlDatabase): { store: Store; asked: SqlStatement[] } {
  const asked: SqlStatement[] = [];
  const store = storeOver({
    ...database,
    kind: database.kind,
    changed: () => {},
    scrub: async () => {},
    run: (list) => {
      asked.push(...list);
      return database.run(list);
    },
  });
  return { store, asked };
}

/** How many rows PostgreSQL looks at for a statement, those it passes over included. */
async function rowsRead(database: SqlDatabase, { sql, values = [] }: SqlStatement): Promise<number> {
  const [[explained]] = await database.run([{ sql: `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values }]);
  const numbers = [
    ...JSON.stringify(explained).matchAll(/(?:Actual Rows|Rows Removed by [ \w]+|Heap Fetches)\W+([\d.]+)/g),
  ];
  return numbers.reduce((sum, [, rows]) => sum + Number(rows), 0);
}

const openDatabase = ({ location, options }: Place): Promise<SqlDatabase> =>
  location.startsWith("postgres") ? openPostgres(location, options) : openLibsql(location, { exclusive: false });

async function importViews(store: Store, user: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 5000) {
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
      await expect(refused).rejects.toMatchObject({ name: UserQuotaError.name, user: "ada" });
      expect(await store.events.count()).toBe(4); // all of a batch or nothing
      expect(await store.events.add(views("ada", 0, 5))).toMatchObject({ accepted: 1, duplicates: 4 });
      expect(await store.events.add(views("ada", 0, 5))).toMatchObject({ accepted: 0, duplicates: 5 });
      await expect(store.events.add(views("bob", 0, 6))).rejects.toBeInstanceOf(UserQuotaError);
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

  describe("the quota of feedback", () => {
    test("is as large, bounds that of one user, and counts none that is sent again", async () => {
      await using store = await openAt(fresh(), { eventsPerUser: 5 });
      await store.events.add(views("ada", 0, 5));
      await store.feedback.add(clicks("ada", 0, 4));
      const refused = store.feedback.add([...clicks("bob", 0, 2), ...clicks("ada", 3, 6)]);
      await expect(refused).rejects.toMatchObject({ name: UserQuotaError.name, user: "ada" });
      expect(await store.feedback.page({ limit: 9 })).toHaveLength(4); // all of a batch or nothing
      expect(await store.feedback.add(clicks("ada", 0, 5))).toMatchObject({ accepted: 1, duplicates: 4 });
      expect(await store.feedback.add(clicks("ada", 0, 5))).toMatchObject({ accepted: 0, duplicates: 5 });
      await expect(store.feedback.add(clicks("bob", 0, 6))).rejects.toBeInstanceOf(UserQuotaError);
      expect(await store.feedback.add(clicks(null, 0, 20))).toMatchObject({ accepted: 20 });
      expect(await store.feedback.countOf("ada")).toBe(5);
      expect(await store.deleteUser("ada")).toMatchObject({ feedback: 5 });
      expect(await store.feedback.countOf("ada")).toBe(0);
      expect(await store.feedback.add(clicks("ada", 5, 10))).toMatchObject({ accepted: 5 });
    });

    test("holds for those who write at once, and fails nobody else", async () => {
      await using store = await openAt(fresh(), { eventsPerUser: 5 });
      const settled = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => store.feedback.add(clicks(i % 2 ? "ada" : `user ${i}`, i, i + 1))),
      );
      expect(settled.filter(({ status }, i) => status === "rejected" && i % 2 === 0)).toEqual([]);
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(15);
      expect(await store.feedback.countOf("ada")).toBe(5);
    });
  });

  describe("what is asked about a user", () => {
    test("costs as much with 100,000 events as with three", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await importViews(store, "ada", 100_000);
      await store.events.add(views("bob", 0, 3));
      expect(await store.events.summaryOf("ada")).toEqual({
        events: 100_000,
        items: 7,
        ratings: 0,
        first: 0,
        last: 99_999,
      });
      await using database = await openDatabase(place);
      const { store: same, asked } = listening(database);
      for (const user of ["ada", "bob"]) {
        await same.events.summaryOf(user);
        await same.events.lastOf(user);
        await same.feedback.countOf(user);
      }
      expect(asked).toHaveLength(6);
      if (database.kind === "libsql") return; // it does not say: the plan below does
      const counting = { sql: "SELECT COUNT(*) FROM nearkin.events WHERE user_id = $1", values: ["ada"] };
      expect(await rowsRead(database, counting)).toBeGreaterThan(10_000); // what is measured would tell, also of several processes
      for (const statement of asked) expect(await rowsRead(database, statement), statement.sql).toBeLessThan(20);
    });

    test("and who is to be fitted, is read without the events and without sorting", async () => {
      await using database = await openDatabase(fresh());
      await migrate(database);
      const { store, asked } = listening(database);
      await store.events.summaryOf("ada");
      await store.events.lastOf("ada");
      await store.feedback.countOf("ada");
      await store.usersToFit({ limit: 9 });
      expect(asked).toHaveLength(4);
      for (const { sql, values = [] } of asked) {
        expect(sql).not.toMatch(/nearkin\.(events|feedback)\b/);
        if (database.kind !== "libsql") continue; // that of PostgreSQL depends on what it knows of the tables
        const [plan] = await database.run([{ sql: `EXPLAIN QUERY PLAN ${sql}`, values }]);
        expect(plan.map(({ detail }) => detail).join("\n")).not.toMatch(/SCAN|TEMP B-TREE/);
      }
    });

    test("is counted anew when the tables of an older version are brought up to date", async () => {
      const place = fresh();
      {
        await using database = await openDatabase(place);
        await migrate(database, MIGRATIONS.slice(0, 3));
        const event = (n: number, user: string, rating: string) =>
          `INSERT INTO nearkin.events VALUES (${n}, 'e${n}', '${user}', 'i${n % 2}', ${rating}, ${10 * n}, 'view')`;
        const feedback = (n: number, user: string) =>
          `INSERT INTO nearkin.feedback VALUES (${n}, 'f${n}', 'r', ${user}, 'i', 'clicked', NULL, 1, 'm')`;
        await database.run(
          [
            event(1, "ada", "3"),
            event(2, "ada", "NULL"),
            event(3, "ada", "4"),
            event(4, "bob", "5"), // a deletion of his broke off, and he came back
            event(5, "bob", "NULL"),
            feedback(1, "'bob'"),
            ...["'ada'", "'ada'", "NULL", "'bob'"].map((user, i) => feedback(i + 2, user)),
            "INSERT INTO nearkin.erasures VALUES ('bob', 4, 1)",
            "UPDATE nearkin.counters SET value = 5 WHERE name IN ('events', 'feedback')",
          ].map((sql) => ({ sql })),
        );
      }
      await using store = await openAt(place);
      expect(await store.events.summaryOf("ada")).toEqual({ events: 3, items: 2, ratings: 1, first: 10, last: 30 });
      expect(await store.events.summaryOf("bob")).toEqual({ events: 1, items: 1, ratings: 0, first: 50, last: 50 });
      expect([await store.feedback.countOf("ada"), await store.feedback.countOf("bob")]).toEqual([2, 1]);
      await store.events.add([{ user: "bob", item: "i0", type: "rating", rating: 1, time: 5 }]); // met before, and erased
      expect(await store.events.summaryOf("bob")).toEqual({ events: 2, items: 2, ratings: 1, first: 5, last: 50 });
      expect(await store.events.lastOf("bob")).toBe(6);
      await store.feedback.add(clicks("bob", 0, 1));
      expect(await store.feedback.countOf("bob")).toBe(2);
    });
  });

  describe("a user with more events than one transaction deletes", () => {
    test("is gone at once for readers, and wholly when a deletion that broke off is continued", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await importViews(store, "ada", 25_000);
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
      await importViews(store, "ada", 25_000);
      expect(await store.deleteUser("ada")).toEqual({ events: 25_000, feedback: 0, metrics: 0 });
      expect([await store.events.count(), await store.events.page({ limit: 1 })]).toEqual([0, []]);
    });
  });
}

import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import { ODD_IDS } from "./events.suite.ts";
import type { UserMetric } from "./metrics.ts";
import type { Store } from "./store.ts";

const fitted = (user: string, more: Partial<UserMetric> = {}): UserMetric => ({
  user,
  model: "m1",
  weights: { plot: 1.25, genres: 0 },
  base: { plot: 1, genres: 1 },
  popularity: 0.1,
  offset: -0.2,
  source: "fitted",
  kept: null,
  fit: { used: 3, iterations: 2, before: 1.5, after: 1.25 },
  items: 3,
  events: 1,
  ...more,
});
const set = (user: string, more: Partial<UserMetric> = {}): UserMetric =>
  fitted(user, { source: "set", events: 0, ...more });

async function addEvent(store: Store, user: string): Promise<number> {
  await store.events.add([{ user, item: "x", type: "view" }]);
  return Math.max(...(await store.events.ofUser(user)).map(({ arrival }) => arrival));
}

export function describeMetrics(fresh: () => Place): void {
  describe("metrics of users", () => {
    test("come back as they were set, and go", async () => {
      await using store = await openAt(fresh(), { now: () => 5 });
      const metric = set("ada", { kept: "too few ratings", weights: { "канал 😀": 1e-12 }, items: 0 });
      const revision = await store.metrics.set(metric);
      expect(await store.metrics.get("ada")).toEqual({ ...metric, revision, updated: 5 });
      const next = await store.metrics.set({ ...metric, popularity: 1 });
      expect(next).toBeGreaterThan(revision);
      expect(await store.metrics.get("ada")).toMatchObject({ popularity: 1, revision: next });
      expect(await store.metrics.remove("ada")).toBe(true);
      expect(await store.metrics.remove("ada")).toBe(false);
      expect(await store.metrics.get("ada")).toBeNull();
    });

    test("that were fitted never go over a newer setting", async () => {
      await using store = await openAt(fresh());
      const events = await addEvent(store, "ada");
      const first = await store.metrics.replace(fitted("ada", { events }), null);
      expect(first).not.toBeNull();
      const slider = await store.metrics.set(set("ada", { popularity: 0.9 }));
      expect(await store.metrics.replace(fitted("ada", { events }), first)).toBeNull();
      expect(await store.metrics.replace(fitted("ada", { events }), null)).toBeNull();
      expect(await store.metrics.get("ada")).toMatchObject({ source: "set", popularity: 0.9, revision: slider });
      const moved = await store.metrics.replace(set("ada", { model: "m2" }), slider);
      expect(await store.metrics.get("ada")).toMatchObject({ source: "set", model: "m2", revision: moved });
    });

    test("of a deleted user are not brought back by a fit that was under way", async () => {
      await using store = await openAt(fresh());
      const events = await addEvent(store, "ada");
      await store.deleteUser("ada");
      expect(await store.metrics.replace(fitted("ada", { events }), null)).toBeNull(); // first fit
      const later = await addEvent(store, "ada"); // the user comes back
      expect(later).toBeGreaterThan(events);
      expect(await store.metrics.replace(fitted("ada", { events }), null)).toBeNull();
      const revision = await store.metrics.replace(fitted("ada", { events: later }), null);
      await store.deleteUser("ada");
      expect(await store.metrics.replace(fitted("ada", { events: later }), revision)).toBeNull(); // a later one
      expect(await store.metrics.get("ada")).toBeNull();
    });

    test("do not survive a deletion that comes at the same moment", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      for (let i = 0; i < 30; i++) {
        const user = `u${i}`;
        const events = await addEvent(store, user);
        await Promise.all([replica.metrics.replace(fitted(user, { events }), null), store.deleteUser(user)]);
        expect(await store.metrics.get(user)).toBeNull();
      }
    });

    test("must count an event when first fitted", async () => {
      await using store = await openAt(fresh());
      await expect(store.metrics.replace(fitted("ada", { events: 0 }), null)).rejects.toMatchObject({
        code: "BAD_ARGUMENT",
      });
      await expect(store.metrics.set(set("ada", { offset: Number.NaN }))).rejects.toMatchObject({
        code: "BAD_ARGUMENT",
      });
    });

    test("are set first by one of many", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      const all = Array.from({ length: 10 }, (_, i) =>
        [store, replica][i % 2].metrics.replace(set("ada", { items: i }), null),
      );
      expect((await Promise.all(all)).filter((revision) => revision !== null).length).toBe(1);
    });

    test("are found by the model that they are not of, user by user in the order of bytes", async () => {
      await using store = await openAt(fresh());
      const users = [...ODD_IDS, "Z", "a", "ä", "z", "\u{1f600}", "\uffee"];
      await Promise.all(
        users.map((user, i) =>
          store.metrics.set(fitted(user, { model: `m${i % 3}`, source: i % 5 ? "fitted" : "set" })),
        ),
      );
      const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      const read: string[] = [];
      for (let page = await store.metrics.staleUsers("m1", { limit: 3 }); page.length > 0; ) {
        read.push(...page);
        page = await store.metrics.staleUsers("m1", { after: page[page.length - 1], limit: 3 });
      }
      expect(read).toEqual(users.filter((_, i) => i % 3 !== 1 && i % 5).sort(inBytes));
      const pages = [];
      for (let page = await store.metrics.page({ limit: 4 }); page.length > 0; ) {
        pages.push(...page.map(({ user }) => user));
        page = await store.metrics.page({ after: page[page.length - 1].user, limit: 4 });
      }
      expect(pages).toEqual(users.toSorted(inBytes));
    });
  });

  describe("deleting a user", () => {
    test("takes everything of theirs and nothing of others", async () => {
      await using store = await openAt(fresh());
      for (const user of ["ada", "bob"]) {
        await store.events.add([1, 2, 3].map((time) => ({ user, item: "x", type: "view", time })));
        await store.metrics.set(set(user));
        await store.feedback.add(
          ["shown", "clicked"].map((action) => ({ recommendation: `r ${user}`, user, item: "x", action, model: "m" })),
        );
      }
      expect(await store.deleteUser("ada")).toEqual({ events: 3, feedback: 2, metrics: 1 });
      expect(await store.deleteUser("ada")).toEqual({ events: 0, feedback: 0, metrics: 0 });
      expect(await store.events.ofUser("ada")).toEqual([]);
      expect(await store.metrics.get("ada")).toBeNull();
      expect((await store.events.page({ limit: 9 })).map(({ user }) => user)).toEqual(["bob", "bob", "bob"]);
      expect((await store.feedback.page({ limit: 9 })).map(({ user }) => user)).toEqual(["bob", "bob"]);
      expect(await store.events.count()).toBe(3);
      expect(await store.metrics.get("bob")).not.toBeNull();
    });
  });
}

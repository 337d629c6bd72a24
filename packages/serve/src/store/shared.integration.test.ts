// What servers on one PostgreSQL tell each other, at the store.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAt, type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import type { UserMetric } from "./metrics.ts";
import type { SharedStore, Store } from "./store.ts";

const skip = noPostgres !== "" && !process.env.CI;
const metric = (user: string): UserMetric => ({
  user,
  model: "m",
  weights: { a: 1 },
  base: { a: 1 },
  popularity: 0,
  offset: 0,
  source: "set",
  kept: null,
  items: 0,
  events: 0,
  fit: null,
});
const event = (user: string) => ({ user, item: "i", type: "view" });

describe.skipIf(skip)(`servers on one store${skip ? noPostgres : ""}`, () => {
  let places: Places;
  beforeAll(async () => {
    places = await postgresPlaces();
  });
  afterAll(() => places[Symbol.asyncDispose]());

  async function open(): Promise<{ store: Store; shared: SharedStore } & AsyncDisposable> {
    const store = await openAt(places.fresh());
    return { store, shared: store.shared as SharedStore, [Symbol.asyncDispose]: () => store.close() };
  }

  test("see whose events, metrics and departures came between two looks, and no others", async () => {
    await using both = await open();
    const { store, shared } = both;
    await store.events.add([event("before"), event("gone")]);
    await store.metrics.set(metric("plain"));
    const first = await shared.replicas.look("a", null);
    await store.events.add([event("ann"), event("bob")]);
    await store.metrics.set(metric("cat"));
    await store.deleteUser("gone");
    await store.metrics.remove("plain");
    await store.items.put([{ id: "x", title: null, channels: {}, fields: {} }]);
    const second = await shared.replicas.look("a", "m");
    const users = await shared.changes.usersBetween(first.positions, second.positions);
    expect(users?.sort()).toEqual(["ann", "bob", "cat", "gone", "plain"]);
    expect(second.positions).toMatchObject({ items: 1, events: 4, keys: 0, imported: 0 });
    expect(await shared.changes.usersBetween(second.positions, second.positions)).toEqual([]);
    await shared.changes.prune();
    expect(await shared.changes.usersBetween(first.positions, second.positions)).toContain("gone"); // a minute is not over
  });

  test("need not agree on the time: what comes later to any of them is later", async () => {
    const place = places.fresh();
    const [fast, slow] = [await openWithClock(place, 3_600_000), await openWithClock(place, -3_600_000)]; // by an hour
    for (const [rating, store] of [fast, slow, fast, slow].entries()) {
      const rated = { item: "i", type: "rating", rating };
      await store.events.add([{ user: "ann", ...rated }]);
      await store.imports.add(`files ${rating}`, { from: "", to: "1", events: [{ user: "bob", ...rated }] });
    }
    for (const user of ["ann", "bob"]) {
      const events = await slow.events.ofUser(user);
      expect(events.map(({ rating }) => rating)).toEqual([0, 1, 2, 3]);
      for (const { time } of events) expect(Math.abs(time - Date.now())).toBeLessThan(600_000);
    }
    await fast.close();
    await slow.close();
  });

  /** A store of a server whose clock is wrong by so many ms. */
  async function openWithClock(place: Place, wrongBy: number): Promise<Store> {
    const { now } = Date;
    Date.now = () => now() + wrongBy;
    try {
      return await openAt(place);
    } finally {
      Date.now = now;
    }
  }

  test("cannot be named where they are too many", async () => {
    await using both = await open();
    const { positions } = await both.shared.replicas.look("a", null);
    const later = { ...positions, events: positions.events + 200_000 };
    expect(await both.shared.changes.usersBetween(positions, later)).toBeNull();
  });

  test("know who else is alive, and bury who has left with something undone, once", async () => {
    await using both = await open();
    const { replicas } = both.shared;
    await replicas.look("a", "m");
    await replicas.look("b", null);
    const { alive, dead } = await replicas.look("c", "m");
    expect(alive).toEqual(
      expect.arrayContaining([
        { id: "a", model: "m" },
        { id: "b", model: null },
        { id: "c", model: "m" },
      ]),
    );
    expect([alive.length, dead]).toEqual([3, false]);
    await replicas.leave("a", { unfinished: false });
    await replicas.leave("b", { unfinished: true });
    expect(await replicas.look("c", "m")).toMatchObject({ alive: [{ id: "c", model: "m" }], dead: true });
    expect((await Promise.all([replicas.bury(), replicas.bury(), replicas.bury()])).sort()).toEqual([0, 0, 1]);
    expect(await replicas.look("c", "m")).toMatchObject({ dead: false });
  });

  test("take turns; who is gone holds none", async () => {
    await using both = await open();
    const { replicas } = both.shared;
    for (const id of ["a", "b"]) await replicas.look(id, null);
    expect(await replicas.takeTurn("model", "a")).toBe(true);
    expect(await replicas.takeTurn("model", "a")).toBe(true);
    expect(await replicas.takeTurn("model", "b")).toBe(false);
    await replicas.giveTurn("model", "b");
    expect(await replicas.takeTurn("model", "b")).toBe(false);
    await replicas.leave("a", { unfinished: true });
    expect(await replicas.takeTurn("model", "b")).toBe(true);
    await replicas.giveTurn("model", "b");
    const taken = await Promise.all(
      ["b", "b2"].map((id) => replicas.look(id, null).then(() => replicas.takeTurn("model", id))),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test("lease from one bucket, never more than it has", async () => {
    await using both = await open();
    const { allowances } = both.shared;
    const ask = (name: string, wanted: number) => ({ name, wanted, perSecond: 0.001, capacity: 50 });
    const leases = await Promise.all(Array.from({ length: 30 }, () => allowances.lease([ask("b", 3), ask("a", 2)])));
    const sum = (i: number) => leases.reduce((total, list) => total + list[i].granted, 0);
    expect([sum(0), sum(1)]).toEqual([50, 50]);
    expect(await allowances.lease([ask("a", 5), ask("c", 60)])).toMatchObject([{ granted: 0 }, { granted: 50 }]);
    await allowances.prune();
    expect(await allowances.lease([ask("a", 5)])).toMatchObject([{ granted: 0 }]); // only full ones are forgotten
  });

  test("fill their bucket with time", async () => {
    await using both = await open();
    const { allowances } = both.shared;
    const ask = { name: "a", wanted: 100, perSecond: 100, capacity: 100 };
    const started = performance.now(); // before the bucket is made: it holds no more than this time fills
    await allowances.lease([ask]);
    await new Promise((resolve) => setTimeout(resolve, 200)); // fills 20 at least: a slow machine only adds to both sides
    const [{ granted }] = await allowances.lease([ask]);
    expect(granted).toBeGreaterThanOrEqual(19);
    expect(granted).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 10) + 1);
  });
});

import type { UserMetric } from "@nearkin/core";
import { expect, test } from "vitest";
import type { Served } from "../models/served.ts";
import { openStore, type Store } from "../store/store.ts";
import { UsersThread } from "./thread.ts";
import { Users } from "./users.ts";

/** A store whose answers about events are held back until they are let go, one after the other. */
function slowly(store: Store): { store: Store; letGo: (() => void)[] } {
  const letGo: (() => void)[] = [];
  const ofUser: Store["events"]["ofUser"] = async (...asked) => {
    const events = await store.events.ofUser(...asked);
    await new Promise<void>((resolve) => letGo.push(resolve));
    return events;
  };
  return { store: { ...store, events: { ...store.events, ofUser } }, letGo };
}

const rated = (item: string) => [{ user: "ann", item, type: "rating", rating: 3 }];

test("what was read before a change, and comes after it, is not remembered", async () => {
  await using real = await openStore(":memory:");
  await using thread = new UsersThread();
  const { store, letGo } = slowly(real);
  const users = new Users({ store, thread, cacheFor: Number.POSITIVE_INFINITY });
  await real.events.add(rated("a"));
  const before = users.known("ann");
  await expect.poll(() => letGo.length).toBe(1);
  await real.events.add(rated("b"));
  users.forget("ann");
  const after = users.known("ann"); // while the first is still on its way
  await expect.poll(() => letGo.length).toBe(2);
  letGo[0]();
  expect((await before).history.map(({ item }) => item)).toEqual(["a"]);
  expect(users.known("ann")).toBe(after); // nobody asks the store a third time
  letGo[1]();
  expect((await after).history.map(({ item }) => item)).toEqual(["a", "b"]);
  expect(await users.known("ann")).toBe(await after);
  expect(letGo).toHaveLength(2);
});

test("a read that fails is asked for again", async () => {
  await using real = await openStore(":memory:");
  await using thread = new UsersThread();
  let fails = true;
  const get: Store["metrics"]["get"] = (user) => (fails ? Promise.reject(new Error("away")) : real.metrics.get(user));
  const users = new Users({ store: { ...real, metrics: { ...real.metrics, get } }, thread, cacheFor: 1000 });
  await expect(users.known("ann")).rejects.toThrow("away");
  fails = false;
  expect((await users.known("ann")).metric).toBeNull();
});

/** A model that knows every item, and fits that end when they are let go: a user's weight is the number of items it has seen. */
function fitting(store: Store): { users: Users; served: Served; letGo: (() => void)[] } {
  const letGo: (() => void)[] = [];
  const metric: UsersThread["metric"] = async (_, { rows }) => {
    await new Promise<void>((resolve) => letGo.push(resolve));
    const fit = { popularity: 0, offset: 0, used: 1, iterations: 1, before: null, after: null, kept: null };
    return { ...fit, weights: Float64Array.of(rows.length), items: rows.length } as unknown as UserMetric;
  };
  const served = {
    key: 1,
    model: { id: "m", personalizes: true, weights: { plot: 1 } },
    catalogue: { known: () => 0 },
  } as unknown as Served;
  const users = new Users({ store, thread: { metric } as UsersThread, cacheFor: 1000 });
  return { users, served, letGo };
}

test("an event that comes to one server while another fits its user is counted, whichever fit ends first", async () => {
  await using store = await openStore(":memory:");
  const [one, other] = [fitting(store), fitting(store)];
  await store.events.add(rated("a"));
  const first = one.users.refresh(one.served, "ann");
  await expect.poll(() => one.letGo.length).toBe(1);
  await store.events.add(rated("b"));
  const second = other.users.refresh(other.served, "ann");
  await expect.poll(() => other.letGo.length).toBe(1);
  one.letGo[0]();
  await first;
  other.letGo[0](); // has seen both, and finds a metric that it did not know
  await Promise.race([second, expect.poll(() => other.letGo.length).toBe(2)]);
  other.letGo[1]?.();
  await second;
  expect(await store.metrics.get("ann")).toMatchObject({
    weights: { plot: 2 },
    events: await store.events.lastOf("ann"),
  });
});

test("a fit whose events another server has counted meanwhile is not done again, nor one of a metric that was deleted", async () => {
  await using store = await openStore(":memory:");
  const [one, other] = [fitting(store), fitting(store)];
  await store.events.add(rated("a"));
  const fits = [one, other].map(({ users, served }) => users.refresh(served, "ann"));
  await expect.poll(() => [one.letGo.length, other.letGo.length]).toEqual([1, 1]);
  one.letGo[0]();
  await fits[0];
  other.letGo[0]();
  await fits[1];
  expect(other.letGo).toHaveLength(1);
  const third = one.users.refresh(one.served, "ann");
  await expect.poll(() => one.letGo.length).toBe(2);
  await store.metrics.remove("ann");
  one.letGo[1]();
  await third;
  expect(await store.metrics.get("ann")).toBeNull();
});

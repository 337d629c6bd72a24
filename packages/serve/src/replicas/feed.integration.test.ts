// One server's feed, on a real PostgreSQL that another writes to.
import { patience as factor } from "@nearkin/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreError } from "../store/errors.ts";
import type { Look } from "../store/replicas.ts";
import type { SharedStore, Store } from "../store/store.ts";
import { openAt, type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { ChangeFeed } from "./feed.ts";

const skip = noPostgres !== "" && !process.env.CI;
const POLL = { interval: 5 };
const event = (user: string) => ({ user, item: "i", type: "view" });

describe.skipIf(skip)(`what a server hears of others${skip ? noPostgres : ""}`, () => {
  let places: Places;
  let place: Place;
  let own: Store;
  let other: Store;
  beforeAll(async () => {
    places = await postgresPlaces();
    place = places.fresh();
    [own, other] = [await openAt(place), await openAt(place)];
  });
  afterAll(async () => {
    await own.close();
    await other.close();
    await places[Symbol.asyncDispose]();
  });

  /** A feed that notes what it is told; `change` may come between it and the store. */
  async function follow({ change = (look) => look, every = 50, listen = false, patience = 5000 }: Following = {}) {
    const users: (string | null)[] = [];
    const counts = { looks: 0, revoked: 0, imported: 0, inherited: 0 };
    const shared = own.shared as SharedStore;
    const look: SharedStore["replicas"]["look"] = async (...args) => change(await shared.replicas.look(...args));
    const feed = await ChangeFeed.start({
      id: "own",
      shared: { ...shared, replicas: { ...shared.replicas, look } },
      model: () => "m",
      every,
      listen,
      patience,
      onUsers: (changed) => users.push(...(changed ?? [null])),
      onDeleted: () => {},
      onKeysChanged: async () => void counts.revoked++,
      onImported: () => counts.imported++,
      onInherited: () => counts.inherited++,
      onLook: () => counts.looks++,
      onListening: () => {},
      onError: (error) => {
        throw error;
      },
    });
    return { feed, users, counts, [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose]() };
  }

  interface Following {
    change?: (look: Look) => Look | Promise<Look>;
    every?: number;
    listen?: boolean;
    patience?: number;
  }

  test("looks that fail lose nothing: the next begins where the last good one was", async () => {
    let failing = false;
    let failures = 0;
    const change = (look: Look) => {
      if (failing && ++failures > 0) throw new StoreError("unreachable", "is away");
      return look;
    };
    await using told = await follow({ change });
    failing = true;
    await other.events.add([event("ann")]);
    const { synced } = told.feed;
    await expect.poll(() => failures, POLL).toBeGreaterThan(2);
    expect(told.users).toEqual([]);
    expect(told.feed.synced).toBe(synced);
    failing = false;
    await expect.poll(() => new Set(told.users), POLL).toEqual(new Set(["ann"]));
    expect(told.feed.synced).toBeGreaterThan(synced);
  });

  test("looks that hang are few, since each keeps a connection, and it goes on when they end", async () => {
    const letGo: (() => void)[] = [];
    let hanging = false;
    const change = async (look: Look) => {
      if (hanging) await new Promise<void>((resolve) => letGo.push(resolve));
      return look;
    };
    const hold = 200 * factor;
    await using told = await follow({ change, every: 10, patience: hold });
    hanging = true;
    await expect.poll(() => letGo.length, POLL).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2 * hold)); // the second is given up meanwhile, and no third begins
    expect(letGo).toHaveLength(2);
    hanging = false;
    for (const go of letGo) go();
    const { looks } = told.counts;
    await expect.poll(() => told.counts.looks, POLL).toBeGreaterThan(looks);
  });

  test("after a long time without a look, anybody may have changed", async () => {
    let later = 0;
    await using told = await follow({ change: (look) => ({ ...look, time: look.time + later }) });
    later = 40_000;
    await expect.poll(() => told.users, POLL).toEqual([null]);
  });

  test("announcements are heard at once, and many of them are few looks", async () => {
    await using told = await follow({ every: 60_000, listen: true });
    await expect.poll(() => told.counts.looks, POLL).toBe(2); // at the start, and when it listens
    const started = performance.now();
    for (let i = 0; i < 100; i++) await other.metrics.remove(`user ${i}`);
    await expect.poll(() => new Set(told.users).size, POLL).toBe(100);
    expect(told.counts.looks).toBeLessThanOrEqual(4 + (performance.now() - started) / 50);
  });

  test("of keys that were revoked, imports, and servers that are gone", async () => {
    await using told = await follow();
    const hash = Uint8Array.from([1]);
    await other.keys.create({ id: "k", name: "k", scopes: [], hash, expires: null });
    await other.keys.revoke("k");
    await other.imports.add("films", { from: "", to: "1", events: [event("bob")] });
    await other.shared?.replicas.look("another", null);
    await expect.poll(() => told.feed.alive.length, POLL).toBe(2);
    await other.shared?.replicas.leave("another", { unfinished: true });
    await expect.poll(() => told.counts, POLL).toMatchObject({ revoked: 1, imported: 1, inherited: 1 });
    await expect.poll(() => told.feed.alive.length, POLL).toBe(1);
    expect(new Set(told.users)).toEqual(new Set(["bob"]));
  });
});

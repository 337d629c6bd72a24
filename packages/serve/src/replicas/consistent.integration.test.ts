// Two servers that are written to at random at the same time, and read from all the while, so that their memories are full of what the other changes: in
// the end both answer what the store has. NEARKIN_SEED changes what is written.
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { TinyServer } from "../testing/tiny-server.ts";
import type { Replicas } from "./join.ts";

const seed = Number(process.env.NEARKIN_SEED ?? 31);
const USERS = Array.from({ length: 12 }, (_, i) => `user ${i}`);
const ITEMS = Array.from({ length: 30 }, (_, i) => `item ${i}`);
const FILMS = Array.from({ length: 20 }, (_, i) => `f0${String(i).padStart(2, "0")}`);
const LOAD_MS = 3000;
const LEAST_COUNT = 10; // of every client, however slow the machine
const skip = noPostgres !== "" && !process.env.CI;

describe.skipIf(skip)(`two servers written to at once (NEARKIN_SEED=${seed})${skip ? noPostgres : ""}`, () => {
  let places: Places;
  let servers: TinyServer[];
  beforeAll(async () => {
    places = await postgresPlaces();
    const place = places.fresh();
    servers = [await TinyServer.open({ place }), await TinyServer.open({ place, listen: false })];
  });
  afterAll(async () => {
    for (const tiny of servers) await tiny[Symbol.asyncDispose]();
    await places[Symbol.asyncDispose]();
  });

  test("have what the store has, once each has looked", async () => {
    const end = performance.now() + LOAD_MS;
    const counts = await Promise.all(
      servers.flatMap((tiny, s) => [
        ...[0, 1].map((n) => write(tiny, new Random(seed).split("users", s, n), end)),
        putItems(tiny, new Random(seed).split("items", s), end),
        read(tiny, new Random(seed).split("reads", s), end),
      ]),
    );
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(LEAST_COUNT);
    for (const { server } of servers) await server.context.refresh.idle();
    await Promise.all(servers.map(usersOf)); // all are remembered now
    for (const [s, tiny] of servers.entries()) {
      await tiny.answer("deleteUser", { params: { id: USERS[2 * s] } });
      await tiny.answer("deleteMetric", { params: { id: USERS[2 * s + 1] } });
    }
    const now = performance.now();
    const isBehind = ({ server }: TinyServer) => (server.context.replicas as Replicas).synced <= now;
    await expect.poll(() => servers.filter(isBehind).length).toBe(0);
    const cached = await Promise.all(servers.map(usersOf));
    for (const { server } of servers) server.context.users.forgetAll();
    const stored = await Promise.all(servers.map(usersOf));
    expect(stored[1]).toEqual(stored[0]);
    expect(cached[0]).toEqual(stored[0]);
    expect(cached[1]).toEqual(stored[0]);
    const items = await servers[0].server.context.store.items.changedSince(0, { limit: 1000 });
    const alive = items.filter(({ deleted }) => !deleted).map(({ id, title }) => [id, title] as const);
    for (const tiny of servers) await expect.poll(async () => new Map(await titlesOf(tiny))).toEqual(new Map(alive));
  });

  test("delete what the other has put a moment ago", async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `brief ${i}`);
    const deleted: number[] = [];
    for (const [i, id] of ids.entries()) {
      await servers[i % 2].answer("putItem", { params: { id }, body: { channels: { year: 1970 } } });
      const answer = await servers[1 - (i % 2)].answer("deleteItem", { params: { id } });
      deleted.push(answer.deleted);
    }
    expect(deleted).toEqual(ids.map(() => 1));
    const { store } = servers[0].server.context;
    expect(await Promise.all(ids.map(async (id) => (await store.items.get(id))?.deleted))).toEqual(ids.map(() => true));
  });

  const oneOf = <T>(list: readonly T[], random: Random): T => list[random.below(list.length)];

  async function write(tiny: TinyServer, random: Random, end: number): Promise<number> {
    let count = 0;
    for (; performance.now() < end || count < LEAST_COUNT; count++) {
      const id = oneOf(USERS, random);
      const kind = random.below(10);
      if (kind < 6) {
        const events = Array.from({ length: 3 }, () => ({
          user: id,
          item: oneOf(FILMS, random),
          rating: random.below(5),
        }));
        await tiny.answer("addEvents", { body: { events } });
      } else if (kind < 8) {
        await tiny.answer("putMetric", { params: { id }, body: { weights: { genres: 1 + random.below(9) } } });
      } else if (kind < 9) await tiny.answer("deleteMetric", { params: { id } });
      else await tiny.answer("deleteUser", { params: { id } });
      await delay(random.below(20));
    }
    return count;
  }

  async function putItems(tiny: TinyServer, random: Random, end: number): Promise<number> {
    let count = 0;
    for (; performance.now() < end || count < LEAST_COUNT; count++) {
      const id = oneOf(ITEMS, random);
      if (random.below(4) === 0) await tiny.ask("deleteItem", { params: { id } });
      else
        await tiny.answer("putItem", {
          params: { id },
          body: { title: `title ${random.below(1e6)}`, channels: { year: 1970 } },
        });
      await delay(random.below(30));
    }
    return count;
  }

  async function read(tiny: TinyServer, random: Random, end: number): Promise<number> {
    let count = 0;
    for (; performance.now() < end || count < LEAST_COUNT; count++) {
      await tiny.answer("getMetric", { params: { id: oneOf(USERS, random) } });
      await delay(3);
    }
    return count;
  }

  async function usersOf(tiny: TinyServer): Promise<unknown[]> {
    return Promise.all(
      USERS.map(async (id) => {
        const { metric, history } = await tiny.server.context.users.known(id);
        return { id, metric, history };
      }),
    );
  }

  async function titlesOf(tiny: TinyServer): Promise<(readonly [string, string | null])[]> {
    const titles: (readonly [string, string | null])[] = [];
    for await (const { items } of tiny.pages("listItems", { query: { limit: "200" } }, "after")) {
      for (const { id, title, added } of items) if (added) titles.push([id, title]);
    }
    return titles.sort(([a], [b]) => (a < b ? -1 : 1));
  }
});

// Models of several servers on one PostgreSQL, in one process.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReplicaStore } from "../store/replicas.ts";
import type { SharedStore } from "../store/store.ts";
import { type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { TinyServer } from "../testing/tiny-server.ts";
import { ModelFollower } from "./model-follower.ts";

const skip = noPostgres !== "" && !process.env.CI;
const POLL = { interval: 20 };

describe.skipIf(skip)(`models of several servers${skip ? noPostgres : ""}`, () => {
  let places: Places;
  beforeAll(async () => {
    places = await postgresPlaces();
  });
  afterAll(() => places[Symbol.asyncDispose]());

  test("started together on an empty store agree on one", async () => {
    const place = places.fresh();
    const servers = await Promise.all(
      [7, 8, 7].map((seed) => TinyServer.open({ place, folders: { a: { seed: 7 }, b: { seed } } })),
    );
    const ids = servers.map(({ server }) => server.context.models.current?.model.id);
    expect(new Set(ids).size).toBe(1);
    for (const tiny of servers) await tiny[Symbol.asyncDispose]();
  });

  test("change one server after the other, and a rollback asked of any goes back to the one before", async () => {
    const place = places.fresh();
    const folders = { a: { seed: 7 }, b: { seed: 8 }, c: { seed: 9 } };
    const servers: TinyServer[] = [];
    for (let i = 0; i < 3; i++) servers.push(await TinyServer.open({ place, folders }));
    let open = 0;
    let most = 0;
    for (const { server } of servers.slice(1)) {
      const { models } = server.context;
      const follow = models.follow.bind(models);
      models.follow = async (activation) => {
        most = Math.max(most, ++open);
        return follow(activation).finally(() => open--);
      };
    }
    const ids = () => servers.map(({ server }) => server.context.models.current?.model.id);
    const first = ids()[0];
    const { model } = await servers[0].answer("activateModel", { params: { id: "b" } });
    await expect.poll(ids, POLL).toEqual([model.id, model.id, model.id]);
    expect(most).toBe(1);
    const { model: before } = await servers[2].answer("rollbackModel");
    expect(before.id).toBe(first);
    await expect.poll(ids, POLL).toEqual([first, first, first]);
    for (const tiny of servers) await tiny[Symbol.asyncDispose]();
  });

  test("a fleet that is replaced by one with another model changes to it when the last of the old is gone for good", async () => {
    const place = places.fresh();
    const old = await TinyServer.open({ place, folders: { old: { seed: 7 } } });
    await using fresh = await TinyServer.open({ place, folders: { fresh: { seed: 8 } } });
    const { models, store, replicas } = fresh.server.context;
    const own = models.current?.model.id as string;
    await expect.poll(() => replicas?.problem, POLL).toContain("no folder of this server has it");
    await using follower = new ModelFollower({
      id: "test",
      models,
      replicas: store.shared?.replicas as ReplicaStore,
      onProblem: () => {},
      onFollowed: () => {},
      orphanAfter: 300,
    });
    const look = async () => {
      const found = await (store.shared as SharedStore).replicas.look("test", own);
      follower.look(found);
      return found.activation?.model;
    };
    const active = await look();
    expect(active).not.toBe(own);
    await delay(500); // longer than orphanAfter, and nothing changes
    expect(await look()).toBe(active); // the old one is still there
    await old[Symbol.asyncDispose]();
    const gone = performance.now();
    await expect.poll(look, POLL).toBe(own);
    expect(performance.now() - gone).toBeGreaterThan(290);
    await expect.poll(() => replicas?.problem, POLL).toBeNull();
    await (store.shared as SharedStore).replicas.leave("test", { unfinished: false });
  });
});

// Models of several servers on one PostgreSQL, in one process.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { TinyServer } from "../testing/tiny-server.ts";

const skip = noPostgres !== "" && !process.env.CI;
const POLL = { timeout: 20_000, interval: 20 };

describe.skipIf(skip)(`models of several servers${skip ? noPostgres : ""}`, () => {
  let places: Places;
  beforeAll(async () => {
    places = await postgresPlaces();
  });
  afterAll(() => places[Symbol.asyncDispose]());

  const modelOf = (tiny: TinyServer) => tiny.server.context.models.current?.model.name;
  const problemOf = async (tiny: TinyServer) => (await tiny.answer("ready")).replicas?.problem;

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

  test("a fleet that is replaced by one with another model changes to it when the last of the old is gone", async () => {
    const place = places.fresh();
    const old = await TinyServer.open({ place, folders: { old: { seed: 7 } } });
    await using first = await TinyServer.open({ place, folders: { fresh: { seed: 8 } } });
    await using second = await TinyServer.open({ place, folders: { fresh: { seed: 8 } } });
    for (const tiny of [first, second]) {
      await expect.poll(() => problemOf(tiny), POLL).toContain("no folder of this server has it");
    }
    const { active } = await first.answer("listModels");
    expect(modelOf(old)).toBeDefined();
    await old[Symbol.asyncDispose]();
    for (const tiny of [first, second]) await expect.poll(() => problemOf(tiny), POLL).toBeNull();
    expect((await first.server.context.store.activations.active())?.model).toBe(active);
  });
});

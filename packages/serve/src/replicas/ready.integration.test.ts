// Whether a server says that it is ready, where it hears nothing of the others: the database answers, and cannot be written to.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveConfigSchema } from "../config.ts";
import { type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { TinyServer } from "../testing/tiny-server.ts";

const skip = noPostgres !== "" && !process.env.CI;

describe.skipIf(skip)(`a server among others${skip ? noPostgres : ""}`, () => {
  let places: Places;
  let place: Place;
  let tiny: TinyServer;
  beforeAll(async () => {
    places = await postgresPlaces();
    place = places.fresh();
    tiny = await TinyServer.open({ place });
  });
  afterAll(async () => {
    await tiny[Symbol.asyncDispose]();
    await places[Symbol.asyncDispose]();
  });

  test("is not ready while it cannot look at what they change, and is when it can again", async () => {
    expect((await tiny.ask("ready")).status).toBe(200);
    const locker = new pg.Client(place.location);
    await locker.connect();
    try {
      await locker.query("BEGIN");
      await locker.query(`LOCK TABLE ${place.options.schema}.replicas`);
      const answer = async () => {
        const { status, error } = await tiny.ask("ready");
        return `${status} ${error?.code} ${error?.message.replace(/\d+/, "n")}`;
      };
      const said = "503 NOT_READY what other servers have changed was last seen n s ago";
      await expect.poll(answer, { interval: 200 }).toBe(said);
    } finally {
      await locker.end(); // and with it the lock
    }
    await expect.poll(async () => (await tiny.ask("ready")).status).toBe(200);
  });

  test("may not be told to look so seldom that the others take it for dead", () => {
    expect(serveConfigSchema.safeParse({ lookEvery: 3 }).success).toBe(true);
    expect(serveConfigSchema.safeParse({ lookEvery: 10 }).success).toBe(false);
  });
});

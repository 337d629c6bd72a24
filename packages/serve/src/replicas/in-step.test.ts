// Three servers on one PostgreSQL, each a process: what one is told, the others know within two seconds, with announcements and without.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KeyRing } from "../access/key-ring.ts";
import { answerAt, askAt } from "../testing/over-http.ts";
import { openAt, type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { type ReplicaSet, STALENESS, startReplicas, timeUntil } from "../testing/replicas.ts";
import { writeTinyModel } from "../testing/tiny-server.ts";

const skip = noPostgres !== "" && !process.env.CI;

describe.skipIf(skip)(`three servers on one PostgreSQL${skip ? noPostgres : ""}`, () => {
  let places: Places;
  let models: string;
  beforeAll(async () => {
    places = await postgresPlaces();
    models = mkdtempSync(join(tmpdir(), "nearkin-replicas-"));
    await writeTinyModel(join(models, "a"), {});
  });
  afterAll(async () => {
    rmSync(models, { recursive: true, force: true });
    await places[Symbol.asyncDispose]();
  });

  describe.each([
    { way: "told by announcements", config: {}, listening: true },
    { way: "looking by the clock alone", config: { listen: false }, listening: false },
  ])("$way", ({ way, config, listening }) => {
    let place: Place;
    let set: ReplicaSet;
    let headers: Record<string, string>;
    const seen: [what: string, ms: number][] = [];

    beforeAll(async () => {
      place = places.fresh();
      set = await startReplicas(
        models,
        place,
        [0, 1, 2].map(() => ({ ...config, keys: "on" as const })),
      );
      await using store = await openAt(place);
      const { key } = await new KeyRing(store.keys).create({ name: "test", scopes: ["admin"] });
      headers = { authorization: `Bearer ${key}` };
    });
    afterAll(async () => {
      const worst = new Map<string, number>();
      for (const [what, ms] of seen) worst.set(what, Math.max(ms, worst.get(what) ?? 0));
      const list = [...worst].map(([what, ms]) => `${what} ${Math.round(ms)} ms`).join(", ");
      process.stdout.write(`${way}, the slowest of the others: ${list}\n`);
      await set?.[Symbol.asyncDispose]();
    });

    /** The first server was told; all others must know, soon. */
    async function reaches(what: string, isSo: (url: string) => Promise<boolean>): Promise<void> {
      const times = await Promise.all(set.urls.slice(1).map((url) => timeUntil(() => isSo(url))));
      for (const ms of times) {
        seen.push([what, ms]);
        expect(ms).toBeLessThanOrEqual(STALENESS);
      }
    }
    const reasonAt = async (url: string, id: string) =>
      (await answerAt(url, "getMetric", { params: { id }, headers })).reason;
    /** What all have of a user lies in their caches then. */
    const know = (id: string) => Promise.all(set.urls.map((url) => reasonAt(url, id)));

    test("each knows of the others", async () => {
      const isSo = async (url: string) => {
        const { replicas } = await answerAt(url, "ready", { headers });
        return replicas?.alive === 3 && replicas.listening === listening && replicas.problem === null;
      };
      await Promise.all(set.urls.map((url) => timeUntil(() => isSo(url))));
    });

    test("an item that is put, replaced and deleted", async () => {
      const titleAt = async (url: string) => {
        const { status, answer } = await askAt(url, "getItem", { params: { id: "ferry" }, headers });
        return status === 200 ? answer.title : status;
      };
      for (const title of ["Night Ferry", "Day Ferry"]) {
        const body = { title, channels: { year: 1961, plot: "a ferry in the night" } };
        await answerAt(set.urls[0], "putItem", { params: { id: "ferry" }, body, headers });
        await reaches("item put", async (url) => (await titleAt(url)) === title);
      }
      const similar = await Promise.all(
        set.urls.map((url) => answerAt(url, "similarToItem", { params: { id: "ferry" }, headers })),
      );
      expect(similar[1].items.length).toBe(similar[0].items.length);
      await answerAt(set.urls[0], "deleteItem", { params: { id: "ferry" }, headers });
      await reaches("item deleted", async (url) => (await titleAt(url)) === 404);
    });

    test("a key that is made and revoked", async () => {
      const body = { name: "short", scopes: ["read" as const] };
      const { key, id } = await answerAt(set.urls[0], "createKey", { body, headers });
      const statusAt = async (url: string) =>
        (await askAt(url, "similarToItem", { params: { id: "f000" }, headers: { "x-api-key": key } })).status;
      await reaches("key made", async (url) => (await statusAt(url)) === 200);
      await answerAt(set.urls[0], "deleteKey", { params: { id }, headers });
      await reaches("key revoked", async (url) => (await statusAt(url)) === 401);
    });

    test("events, and the metric that is fitted to them", async () => {
      await know("ann");
      const events = ["f001", "f008", "f015"].map((item, i) => ({ user: "ann", item, rating: i, time: i }));
      await answerAt(set.urls[0], "addEvents", { body: { events }, headers });
      await reaches("event", async (url) => !(await reasonAt(url, "ann")).startsWith("no such user"));
      await timeUntil(async () => (await reasonAt(set.urls[0], "ann")).includes("fitted to 3 items"));
      await reaches("fit", async (url) => (await reasonAt(url, "ann")).includes("fitted to 3 items"));
    });

    test("a metric that is set and deleted", async () => {
      const sourceAt = async (url: string) =>
        (await answerAt(url, "getMetric", { params: { id: "bob" }, headers })).source;
      await know("bob");
      await answerAt(set.urls[0], "putMetric", { params: { id: "bob" }, body: { weights: { genres: 5 } }, headers });
      await reaches("metric set", async (url) => (await sourceAt(url)) === "sliders");
      await answerAt(set.urls[0], "deleteMetric", { params: { id: "bob" }, headers });
      await reaches("metric deleted", async (url) => (await sourceAt(url)) === "base");
    });

    test("a user who is deleted", async () => {
      await know("ann");
      await answerAt(set.urls[0], "deleteUser", { params: { id: "ann" }, headers });
      await reaches("user deleted", async (url) => (await reasonAt(url, "ann")).startsWith("no such user"));
    });

    if (!listening) return;
    test("also while connections that listen are lost; they are opened again", async () => {
      const client = new pg.Client(place.location);
      await client.connect();
      const { rowCount } = await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1",
        [`LISTEN "${place.options.schema}"`],
      );
      await client.end();
      expect(rowCount).toBe(3);
      await answerAt(set.urls[0], "putItem", { params: { id: "lost" }, body: { channels: { year: 1970 } }, headers });
      await reaches("item put, nobody listening", async (url) => {
        return (await askAt(url, "getItem", { params: { id: "lost" }, headers })).status === 200;
      });
      await Promise.all(
        set.urls.map((url) =>
          timeUntil(async () => (await answerAt(url, "ready", { headers })).replicas?.listening === true),
        ),
      );
    });
  });
});

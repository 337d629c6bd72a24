// Three servers on one PostgreSQL, each a process: what one is told, the others know within two seconds, the one that listens and the one that only
// looks by the clock; and a caller's limit is one for all of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KeyRing } from "../access/key-ring.ts";
import { answerAt, askAt } from "../testing/over-http.ts";
import { openAt, type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { type ReplicaSet, STALENESS, startReplicas, timeUntil } from "../testing/replicas.ts";
import { writeTinyModel } from "../testing/tiny-server.ts";

const skip = noPostgres !== "" && !process.env.CI;
const LEASES = 'nearkin_store_call_duration_seconds_count{call="allowances.lease"}';
const ALONE = "nearkin_rate_alone_total";
const LISTENS = [true, true, false]; // by server; the first is told

describe.skipIf(skip)(`three servers on one PostgreSQL${skip ? noPostgres : ""}`, () => {
  let places: Places;
  let place: Place;
  let models: string;
  let set: ReplicaSet;
  let headers: Record<string, string>;

  beforeAll(async () => {
    places = await postgresPlaces();
    place = places.fresh();
    models = mkdtempSync(join(tmpdir(), "nearkin-replicas-"));
    await writeTinyModel(join(models, "a"), {});
    set = await startReplicas(
      models,
      place,
      LISTENS.map((listen) => ({ listen, keys: "on" as const })),
    );
    await using store = await openAt(place);
    const { key } = await new KeyRing(store.keys).create({ name: "test", scopes: ["admin"] });
    headers = { authorization: `Bearer ${key}` };
  });
  afterAll(async () => {
    await set?.[Symbol.asyncDispose]();
    rmSync(models, { recursive: true, force: true });
    await places?.[Symbol.asyncDispose]();
  });

  /** The first server was told; all others must know, soon. */
  async function reaches(what: string, isSo: (url: string) => Promise<boolean>): Promise<void> {
    const ms = await Promise.all(set.urls.slice(1).map((url) => timeUntil(() => isSo(url))));
    expect(Math.max(...ms), what).toBeLessThanOrEqual(STALENESS);
  }
  const reasonAt = async (url: string, id: string) =>
    (await answerAt(url, "getMetric", { params: { id }, headers })).reason;
  /** What all have of a user lies in their caches then. */
  const know = (id: string) => Promise.all(set.urls.map((url) => reasonAt(url, id)));

  test("each knows of the others", async () => {
    const isSo = async (url: string, i: number) => {
      const { replicas } = await answerAt(url, "ready", { headers });
      return replicas?.alive === 3 && replicas.listening === LISTENS[i] && replicas.problem === null;
    };
    await Promise.all(set.urls.map((url, i) => timeUntil(() => isSo(url, i))));
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
    const pendingAt = async (url: string) =>
      (await answerAt(url, "getItem", { params: { id: "ferry" }, headers })).pending;
    await Promise.all(set.urls.map((url) => timeUntil(async () => (await pendingAt(url)).length === 0)));
    const lists = set.urls.map((url) => answerAt(url, "similarToItem", { params: { id: "ferry" }, headers }));
    const [first, ...others] = (await Promise.all(lists)).map(({ items }) => items);
    for (const items of others) expect(items).toEqual(first);
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

  test("what comes while connections that listen are lost; they are opened again", async () => {
    const client = new pg.Client(place.location);
    await client.connect();
    const listening = `LISTEN "${place.options.schema}"`;
    const sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1";
    const { rowCount } = await client.query(sql, [listening]);
    await client.end();
    expect(rowCount).toBe(LISTENS.filter(Boolean).length);
    await answerAt(set.urls[0], "putItem", { params: { id: "lost" }, body: { channels: { year: 1970 } }, headers });
    const statusAt = async (url: string) => (await askAt(url, "getItem", { params: { id: "lost" }, headers })).status;
    await reaches("item put while nobody listens", async (url) => (await statusAt(url)) === 200);
    const listensAt = async (url: string) => (await answerAt(url, "ready", { headers })).replicas?.listening === true;
    await Promise.all(set.urls.slice(0, 2).map((url) => timeUntil(() => listensAt(url))));
  });

  test("a caller's limit holds for all of them together: in no stretch of time does more pass", async () => {
    const rate = { perSecond: 10, burst: 50 }; // of a user with a token
    const { token } = await answerAt(set.urls[0], "createToken", { body: { user: "cat", seconds: 600 }, headers });
    const before = await counted(LEASES);
    const passed: { sent: number; answered: number }[] = [];
    let refused = 0;
    const started = performance.now();
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (client) => {
        for (let n = client; refused === 0 || performance.now() < started + 4000; n++, await delay(10)) {
          const sent = performance.now();
          const own = { authorization: `Bearer ${token}` };
          const { status } = await fetch(new URL("/v1/items/f000/similar?k=3", set.urls[n % 3]), { headers: own });
          expect([200, 429]).toContain(status);
          if (status === 200) passed.push({ sent, answered: performance.now() });
          else refused++;
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    // a server that got no answer from PostgreSQL in time goes by its own part: across that, one burst more may pass
    const alone = await counted(ALONE);
    const burst = alone === 0 ? rate.burst : 2 * rate.burst;
    // a request that passed did so between being sent and being answered: those of a stretch are the ones that lie in it whole
    for (const { sent: from } of passed) {
      const within = passed.filter(({ sent }) => sent >= from).sort((a, b) => a.answered - b.answered);
      for (const [i, { answered }] of within.entries()) {
        expect(i + 1).toBeLessThanOrEqual(burst + ((answered - from) / 1000) * rate.perSecond);
      }
    }
    const most = rate.burst + seconds * rate.perSecond;
    const statements = (await counted(LEASES)) - before;
    expect(refused).toBeGreaterThan(0);
    expect(passed.length).toBeGreaterThan(most / 3);
    expect(statements).toBeLessThan(passed.length + refused);
  });

  /** A counter's sum over all servers. */
  async function counted(name: string): Promise<number> {
    const texts = await Promise.all(set.urls.map((url) => answerAt(url, "metrics", { headers })));
    const lines = texts.flatMap((text) => String(text).split("\n")).filter((line) => line.startsWith(`${name} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(name.length)), 0);
  }
});

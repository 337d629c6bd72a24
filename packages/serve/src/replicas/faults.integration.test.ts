// Three servers on one PostgreSQL under load, while one of them is killed, PostgreSQL crashes and comes back, and the model is changed: nothing that was
// acknowledged is lost, and nobody but the dead fails a request that needs no store.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerAt, askAt } from "../testing/over-http.ts";
import { openAt, type Place } from "../testing/places.ts";
import { hasPostgres, type PrivatePostgres, startPostgres } from "../testing/postgres.ts";
import { type ReplicaSet, STALENESS, startReplicas, timeUntil } from "../testing/replicas.ts";
import { writeTinyModel } from "../testing/tiny-server.ts";

const BATCH = 5; // events
const skip = !hasPostgres() && !process.env.CI;

/** Clients that search on every server, and send events to one after the other. */
class Load {
  readonly acknowledged: string[] = [];
  /** Answers other than success, by what was asked, of servers that should live. */
  readonly failures: string[] = [];
  /** What a server that is killed did not answer. */
  readonly lost: string[] = [];
  readonly counts = { search: 0, events: 0 };
  readonly #urls: string[];
  readonly #clients: Promise<unknown>;
  #dying: string | undefined;
  #stopped = false;

  constructor(urls: readonly string[]) {
    this.#urls = [...urls];
    this.#clients = Promise.all([...urls.map((url) => this.#search(url)), ...[0, 1].map((n) => this.#write(n))]);
    this.#clients.catch(() => {}); // heard of in `stop`
  }

  /** It is asked as before, until it is turned away from. */
  expectDeathOf(url: string): void {
    this.#dying = url;
  }

  /** The balancer has noticed. */
  turnAwayFrom(url: string): void {
    this.#urls.splice(this.#urls.indexOf(url), 1);
  }

  /** Resolves when so many more have been answered with success. */
  async more(kind: keyof Load["counts"], times: number): Promise<void> {
    const wanted = this.counts[kind] + times;
    await Promise.race([timeUntil(async () => this.counts[kind] >= wanted), this.#clients]);
  }

  /** What failed since this was last asked. */
  failed(): string[] {
    return this.failures.splice(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
  }

  async #search(url: string): Promise<void> {
    for (; !this.#stopped && this.#urls.includes(url); await delay(15)) {
      try {
        const { status, text } = await askAt(url, "similarToItem", { params: { id: "f000" }, query: { k: "5" } });
        if (status === 200) this.counts.search++;
        else this.#failed(url, `search ${status} ${text}`);
      } catch (error) {
        this.#failed(url, `search ${error}`);
      }
    }
  }

  #failed(url: string, what: string): void {
    (url === this.#dying ? this.lost : this.failures).push(what);
  }

  /** As clients should: what was refused or not answered is sent again, as it was, to another server. */
  async #write(writer: number): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const name = `${writer}.${n}`;
      const events = Array.from({ length: BATCH }, (_, i) => ({ id: `${i}`, user: name, item: `f00${i}`, rating: i }));
      for (let attempt = n, done = false; !done && !this.#stopped; attempt++, await delay(15)) {
        const url = this.#urls[attempt % this.#urls.length];
        try {
          const { status, text } = await askAt(url, "addEvents", { body: { events } });
          done = status === 200;
          if (!done) this.#failed(url, `events ${status} ${JSON.parse(text).error.code}`);
        } catch (error) {
          this.#failed(url, `events ${error}`);
        }
        if (!done) continue;
        this.acknowledged.push(name);
        this.counts.events++;
      }
    }
  }
}

describe.skipIf(skip)(
  `faults of three servers on one PostgreSQL${skip ? " (skipped: no installed server)" : ""}`,
  () => {
    let postgres: PrivatePostgres;
    let folder: string;
    let place: Place;
    let set: ReplicaSet;
    let ids: { a: string; b: string };
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "nearkin-faults-"));
      await writeTinyModel(join(folder, "both", "a"), {});
      await writeTinyModel(join(folder, "both", "b"), { seed: 8 });
      cpSync(join(folder, "both", "a"), join(folder, "one", "a"), { recursive: true });
      postgres = await startPostgres();
      place = { location: postgres.url, options: { schema: "faults", connections: 4 } };
      // the last fits nobody by itself: whoever sends it events leaves users behind when it dies
      set = await startReplicas(join(folder, "both"), place, [{}, {}, { refreshDelay: 60_000 }]);
      const { models } = await answerAt(set.urls[0], "listModels");
      const idOf = (name: string) => models.find((model) => model.folder === name)?.id as string;
      ids = { a: idOf("a"), b: idOf("b") };
    });
    afterAll(async () => {
      await set?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    const modelAt = async (url: string) => (await answerAt(url, "similarToItem", { params: { id: "f000" } })).model;
    const follows = (url: string, model: string) => timeUntil(async () => (await modelAt(url)) === model);

    /** How long an item takes from one to the other. */
    async function staleness(from: string, to: string, id: string): Promise<number> {
      await answerAt(from, "putItem", { params: { id }, body: { channels: { year: 1961 } } });
      return timeUntil(async () => (await askAt(to, "getItem", { params: { id } })).status === 200);
    }

    test("nothing acknowledged is lost, and those that live go on", async () => {
      const [first, second, third] = set.urls;
      const load = new Load(set.urls);
      await load.more("events", 20);
      expect(load.failed()).toEqual([]);

      // the model, from one to all
      await answerAt(first, "activateModel", { params: { id: "b" } });
      expect(await modelAt(first)).toBe(ids.b);
      await Promise.all([second, third].map((url) => follows(url, ids.b)));
      expect(load.failed()).toEqual([]);

      // kill −9
      const left = Array.from({ length: 20 }, (_, i) => `left ${i}`); // whoever would be whose
      await answerAt(third, "addEvents", { body: { events: left.map((user) => ({ user, item: "f001", rating: 5 })) } });
      load.expectDeathOf(third);
      await set.servers[2].kill();
      await timeUntil(async () => ["search", "events"].every((kind) => load.lost.some((one) => one.startsWith(kind))));
      load.turnAwayFrom(third);
      await load.more("events", 20);
      await load.more("search", 20);
      expect(load.failed()).toEqual([]);
      expect(await staleness(first, second, "after the kill")).toBeLessThanOrEqual(STALENESS);

      // what the dead one had left to fit
      await using store = await openAt(place);
      for (const user of left) await timeUntil(async () => (await store.metrics.get(user)) !== null);
      const alive = async () => (await answerAt(first, "ready")).replicas?.alive === 2;
      await timeUntil(alive);
      expect(load.failed()).toEqual([]);

      // back to the model before, asked of another server
      await answerAt(second, "rollbackModel");
      await follows(first, ids.a);
      expect(load.failed()).toEqual([]);

      // PostgreSQL crashes, and is started again
      await postgres.crash();
      await load.more("search", 40);
      await postgres.start();
      await load.more("events", 20);
      const failed = load.failed();
      expect(failed.filter((one) => one.startsWith("search"))).toEqual([]);
      expect([...new Set(failed)]).toEqual(["events 503 STORE_UNAVAILABLE"]);
      for (const [i, [from, to]] of [
        [first, second],
        [second, first],
      ].entries()) {
        expect(await staleness(from, to, `after the restart ${i}`)).toBeLessThanOrEqual(STALENESS);
      }
      expect(load.failed()).toEqual([]);

      await load.stop();
      const sizes = new Map<string, number>();
      for (let page = await store.events.page({ limit: 5000 }); page.length > 0; ) {
        for (const { user } of page) sizes.set(user, (sizes.get(user) ?? 0) + 1);
        page = await store.events.page({ after: page[page.length - 1].arrival, limit: 5000 });
      }
      expect(load.acknowledged.filter((name) => sizes.get(name) !== BATCH)).toEqual([]);
      await timeUntil(async () => (await store.usersToFit({ limit: 100_000 })).users.length === 0);
    });

    test("a server without the active model says so, serves what it has, changes nothing for others, and follows when the folder comes", async () => {
      const [first] = set.urls;
      await answerAt(first, "activateModel", { params: { id: "b" } });
      await using lone = await startReplicas(join(folder, "one"), place, [{}]);
      const [url] = lone.urls;
      const problemAt = async () => (await answerAt(url, "ready")).replicas?.problem ?? null;
      await timeUntil(async () => (await problemAt()) !== null);
      expect(await problemAt()).toBe(
        `the model ${ids.b.slice(0, 12)} is active, and no folder of this server has it; copy it there, or activate another`,
      );
      expect(String(await answerAt(url, "metrics"))).toContain("nearkin_model_behind 1");
      expect(await modelAt(url)).toBe(ids.a);
      expect((await answerAt(first, "listModels")).active).toBe(ids.b);
      cpSync(join(folder, "both", "b"), join(folder, "one", "b"), { recursive: true });
      await follows(url, ids.b);
      await timeUntil(async () => (await problemAt()) === null);
      expect(String(await answerAt(url, "metrics"))).toContain("nearkin_model_behind 0");
    });
  },
);

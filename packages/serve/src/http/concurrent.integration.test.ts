// Everything at once: whatever order requests come in, what was acknowledged holds for all who ask afterwards.
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { RouteName } from "@nearkin/client/contract";
import { Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { type Answered, TinyServer } from "../testing/tiny-server.ts";

const seed = Number(process.env.NEARKIN_SEED ?? 20);
const LOAD_MS = 5000;
const CLIENTS = 200;

describeOnBoth("at the same time", (fresh) => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({ place: fresh(), folders: { a: {}, b: { seed: 8 } }, spareItems: 20_000 });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const isThere = async (id: string) => (await tiny.ask("getItem", { params: { id } })).status === 200;
  const activate = (id: string) => tiny.answer("activateModel", { params: { id } });

  test("items that are put and deleted while the model changes are so in the model that answers then", async () => {
    const put: string[] = [];
    const deleted: string[] = [];
    for (const model of ["b", "a", "b", "a"]) {
      let changed = false;
      const change = activate(model).then(() => {
        changed = true;
      });
      for (let n = 0; !changed; n++) {
        const id = `${put.length + deleted.length} while ${model} comes`;
        await tiny.answer("putItem", { params: { id }, body: { channels: { year: 1950 + (n % 50) } } });
        if (n % 3 > 0) put.push(id);
        else {
          await tiny.answer("deleteItem", { params: { id } });
          deleted.push(id);
        }
      }
      await change;
      expect(await filterAsync(put, async (id) => !(await isThere(id)))).toEqual([]);
      expect(await filterAsync(deleted, isThere)).toEqual([]);
    }
  });

  test("threads and memory of a model go with it", async () => {
    const threads = () => readdirSync("/proc/self/task").length;
    await activate("b");
    await activate("a");
    const before = threads(); // those of the models before may still be ending: were threads to stay, six changes would leave more
    for (const model of ["b", "a", "b", "a", "b", "a"]) await activate(model);
    await expect.poll(threads).toBeLessThanOrEqual(before);
  });

  test(`${CLIENTS} callers who put, delete, search, rate, set and forget, while models change (NEARKIN_SEED=${seed})`, async () => {
    const world = new World(tiny);
    const end = performance.now() + LOAD_MS;
    const root = new Random(seed);
    let swaps = 0;
    const swapping = (async () => {
      while (performance.now() < end) {
        await activate(swaps++ % 2 === 0 ? "b" : "a");
        await delay(150);
      }
    })();
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const random = root.split(client);
        while (performance.now() < end) {
          await world.act(client, random);
          await delay(300 + random.below(1500)); // requests without sockets leave no turn to anything else
        }
      }),
    );
    await swapping;
    await tiny.server.context.refresh.idle();
    await world.checkAtTheEnd();
    expect(swaps).toBeGreaterThan(0);
    expect(world.acts).toBeGreaterThan(CLIENTS);
  });
});

/** What callers know to be true, and what they do about it. */
class World {
  acts = 0;
  readonly #tiny: TinyServer;
  #count = 0;
  /** Acknowledged as put, and nobody has begun to delete them. */
  readonly #there = new Set<string>();
  /** Acknowledged as deleted; ids are never used again. */
  readonly #gone = new Set<string>();
  readonly #events = new Map<string, Set<string>>();
  readonly #forgotten = new Set<string>();

  constructor(tiny: TinyServer) {
    this.#tiny = tiny;
  }

  async act(client: number, random: Random): Promise<void> {
    this.acts++;
    const user = `user ${client % 40}`;
    const deeds = [
      () => this.#put(random),
      () => this.#put(random),
      () => this.#delete(random),
      () => this.#search(random, user),
      () => this.#search(random, undefined),
      () => this.#rate(random, user),
      () => this.#set(random, user),
      () => this.#forget(random),
    ];
    await deeds[random.below(deeds.length)]();
  }

  async #put(random: Random): Promise<void> {
    const ids = Array.from({ length: 1 + random.below(3) }, () => `put ${this.#count++}`);
    const items = ids.map((id) => ({ id, title: id, channels: { year: 1950 + random.below(60), plot: "a ferry" } }));
    this.#good(await this.#tiny.ask("putItems", { body: { items } }));
    for (const id of ids) this.#there.add(id);
    const { answer } = this.#good(await this.#tiny.ask("getItem", { params: { id: ids[0] } }), [200, 404]);
    if (this.#there.has(ids[0])) expect(answer.title).toBe(ids[0]);
  }

  async #delete(random: Random): Promise<void> {
    const ids = this.#some(random, 2);
    if (ids.length === 0) return;
    for (const id of ids) this.#there.delete(id);
    const { answer } = this.#good(await this.#tiny.ask("deleteItems", { body: { ids } }));
    expect(answer).toEqual({ deleted: ids.length, unknown: [] });
    for (const id of ids) this.#gone.add(id);
    expect((await this.#tiny.ask("getItem", { params: { id: ids[0] } })).status).toBe(404);
  }

  async #search(random: Random, user: string | undefined): Promise<void> {
    const [gone, wanted] = [new Set(this.#gone), this.#some(random, 20)];
    const filter = wanted.length > 0 && random.below(2) === 0 ? { field: "id", in: wanted } : undefined;
    const { answer } = this.#good(
      await this.#tiny.ask("similar", {
        body: {
          items: [`f0${10 + random.below(30)}`],
          k: filter ? 200 : 50,
          ...(user === undefined ? {} : { user }),
          ...(filter ? { filter } : {}),
        },
      }),
    );
    const found = new Set(answer.items.map(({ id }) => id));
    expect(found.size).toBe(answer.items.length);
    expect([...found].filter((id) => gone.has(id))).toEqual([]);
    if (filter) expect(wanted.filter((id) => this.#there.has(id) && !found.has(id))).toEqual([]);
  }

  async #rate(random: Random, user: string): Promise<void> {
    const known = this.#events.get(user) ?? new Set<string>();
    this.#events.set(user, known);
    const ids = Array.from({ length: 1 + random.below(3) }, () => `e${this.#count++}`);
    const events = ids.map((id) => ({ id, user, item: `f0${10 + random.below(30)}`, rating: 1 + random.below(5) }));
    const { answer } = this.#good(await this.#tiny.ask("addEvents", { body: { events } }));
    expect(answer.accepted).toBe(ids.length);
    for (const id of ids) known.add(id);
    const least = known.size;
    const now = this.#good(await this.#tiny.ask("getUser", { params: { id: user } }));
    expect(now.answer.events).toBeGreaterThanOrEqual(least);
  }

  async #set(random: Random, user: string): Promise<void> {
    const params = { id: user };
    const what = random.below(4);
    if (what === 0) this.#good(await this.#tiny.ask("deleteMetric", { params }));
    else if (what === 1) this.#good(await this.#tiny.ask("personalize", { params, body: {} }));
    else this.#good(await this.#tiny.ask("putMetric", { params, body: { weights: { genres: random.below(9) + 1 } } }));
    this.#good(await this.#tiny.ask("getMetric", { params }));
  }

  /** Somebody comes, is fitted, and is deleted meanwhile: nothing is left. */
  async #forget(random: Random): Promise<void> {
    const user = `guest ${this.#count++}`;
    const events = [10, 11, 12].map((n) => ({ user, item: `f0${n + random.below(20)}`, rating: n % 5, time: n }));
    this.#good(await this.#tiny.ask("addEvents", { body: { events } }));
    await delay(random.below(60));
    const asking = this.#tiny.ask("similarToItem", { params: { id: "f010" }, query: { user } });
    const { answer } = this.#good(await this.#tiny.ask("deleteUser", { params: { id: user } }));
    expect(answer.events).toBeGreaterThan(0);
    this.#forgotten.add(user);
    this.#good(await asking);
    const list = this.#good(await this.#tiny.ask("similarToItem", { params: { id: "f010" }, query: { user } }));
    expect(list.answer.metric.reason).toBe("no such user yet: the metric that all share");
    expect((await this.#tiny.ask("getUser", { params: { id: user } })).status).toBe(404);
  }

  async checkAtTheEnd(): Promise<void> {
    const { store } = this.#tiny.server.context;
    for (const user of this.#forgotten) {
      expect([user, await store.metrics.get(user), await store.events.ofUser(user)]).toEqual([user, null, []]);
    }
    for (const [user, ids] of this.#events) expect((await store.events.ofUser(user)).length).toBe(ids.size);
    const { answer } = this.#good(
      await this.#tiny.ask("similarToItem", { params: { id: "f010" }, query: { k: "200" } }),
    );
    expect(answer.items.filter(({ id }) => this.#gone.has(id))).toEqual([]);
    const lost: string[] = [];
    for (const id of this.#there)
      if ((await this.#tiny.ask("getItem", { params: { id } })).status !== 200) lost.push(id);
    expect(lost).toEqual([]);
  }

  #good<Name extends RouteName>(answered: Answered<Name>, statuses: readonly number[] = [200]): Answered<Name> {
    expect(statuses, answered.text).toContain(answered.status);
    return answered;
  }

  /** Some items that are there. */
  #some(random: Random, most: number): string[] {
    const all = [...this.#there];
    const from = random.below(Math.max(1, all.length));
    return all.slice(from, from + 1 + random.below(most));
  }
}

async function filterAsync<T>(list: readonly T[], keep: (one: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(list.map(keep));
  return list.filter((_, i) => kept[i]);
}

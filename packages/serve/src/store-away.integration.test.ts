// The store goes away under a running server, and comes back: searches go on, what cannot be stored is refused, nothing is acknowledged
// falsely, and nobody has to start the server again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreError } from "./store/errors.ts";
import { describeOnBoth } from "./testing/on-both.ts";
import { answerAt, askAt } from "./testing/over-http.ts";
import { openAt, type Place } from "./testing/places.ts";
import { hasPostgres, type PrivatePostgres, startPostgres } from "./testing/postgres.ts";
import { mountSmallDisk, noSmallDisk } from "./testing/small-disk.ts";
import { TinyServer } from "./testing/tiny-server.ts";

const POLL = { interval: 50 };
const WRITERS = [0, 1, 2];
const SIZE = 20; // events of a batch, items of a shelf

/** Clients that write and search until they are told to stop. */
class Load {
  readonly acknowledged: string[] = [];
  /** Editions of each shelf: the last one sent, and the last one acknowledged. */
  readonly shelves = WRITERS.map((n) => ({ name: `shelf${n}`, sent: 0, acknowledged: 0 }));
  /** How often each kind of request was answered how. */
  readonly counts = new Map<string, number>();
  readonly #url: string;
  readonly #clients: Promise<unknown>;
  #stopped = false;

  constructor(url: string) {
    this.#url = url;
    this.#clients = Promise.all([
      ...WRITERS.map((writer) => this.#writeEvents(writer)),
      ...this.shelves.map((shelf) => this.#writeShelf(shelf)),
      this.#search("search", {}),
      this.#search("search of a known user", { user: "ann" }),
    ]);
    this.#clients.catch(() => {}); // heard of in `stop`
  }

  count(kind: string, status: number): number {
    return this.counts.get(`${kind} ${status}`) ?? 0;
  }

  /** Resolves when each of these has happened `times` times more. */
  async more(times: number, ...wanted: readonly (readonly [kind: string, status: number])[]): Promise<void> {
    const before = wanted.map(([kind, status]) => this.count(kind, status));
    const poll = () => wanted.every(([kind, status], i) => this.count(kind, status) >= before[i] + times);
    await Promise.race([expect.poll(poll, POLL).toBe(true), this.#clients]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
  }

  /** Only success, and the one refusal that is meant for this, are answers. */
  #counted(kind: string, { status, text, headers }: Awaited<ReturnType<typeof askAt>>): boolean {
    const ok = status === 200;
    if (!ok && !(status === 503 && JSON.parse(text).error.code === "STORE_UNAVAILABLE" && headers["retry-after"])) {
      throw new Error(`${kind} was answered ${status}: ${text}`);
    }
    this.counts.set(`${kind} ${status}`, this.count(kind, status) + 1);
    return ok;
  }

  /** As clients should: what was refused is sent again, as it was. */
  async #writeEvents(writer: number): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const name = `${writer}.${n}`;
      const events = Array.from({ length: SIZE }, (_, i) => ({
        id: `${i}`,
        user: name,
        item: `f00${i % 10}`,
        rating: i,
      }));
      for (let done = false; !done && !this.#stopped; await delay(10)) {
        done = this.#counted("events", await askAt(this.#url, "addEvents", { body: { events } }));
        if (done) this.acknowledged.push(name);
      }
    }
  }

  async #writeShelf(shelf: Load["shelves"][number]): Promise<void> {
    for (; !this.#stopped; await delay(10)) {
      const edition = ++shelf.sent;
      const done = this.#counted(
        "items",
        await askAt(this.#url, "putItems", { body: { items: shelfItems(shelf.name, edition) } }),
      );
      if (done) shelf.acknowledged = edition;
    }
  }

  async #search(kind: string, query: Record<string, string>): Promise<void> {
    for (; !this.#stopped; await delay(5)) {
      this.#counted(kind, await askAt(this.#url, "similarToItem", { params: { id: "f000" }, query }));
    }
  }
}

const shelfItems = (name: string, edition: number) =>
  Array.from({ length: SIZE }, (_, i) => ({
    id: `${name}.${i}`,
    title: `edition ${edition}`,
    channels: { year: 1950 + (edition % 50), plot: `plot ${i % 4} of ${name}, edition ${edition}` },
  }));

/** Two models, and a user whose metric was fitted. */
async function openServer(place: Place): Promise<{ tiny: TinyServer; url: string }> {
  const tiny = await TinyServer.open({ place, port: 0, folders: { a: {}, b: { seed: 8 } }, userCache: 0.2 });
  const url = await tiny.server.listen();
  const events = ["f001", "f008", "f015"].map((item, i) => ({ user: "ann", item, rating: i, time: i }));
  await answerAt(url, "addEvents", { body: { events } });
  await tiny.server.context.refresh.idle();
  return { tiny, url };
}

/** What the server answers is what the store has, and that is all that was acknowledged, whole. */
async function checkAll({ tiny, url, place, load }: { tiny: TinyServer; url: string; place: Place; load: Load }) {
  await using store = await openAt(place, { exclusive: false });
  const sizes = new Map<string, number>();
  for (let after = 0; ; ) {
    const page = await store.events.page({ after, limit: 5000 });
    if (page.length === 0) break;
    for (const { user } of page) if (user !== "ann") sizes.set(user, (sizes.get(user) ?? 0) + 1);
    after = page[page.length - 1].arrival;
  }
  expect(load.acknowledged.filter((name) => !sizes.has(name))).toEqual([]);
  expect([...sizes].filter(([, size]) => size !== SIZE)).toEqual([]);
  const stored = new Map((await store.items.changedSince(0, { limit: 5000 })).map(({ id, title }) => [id, title]));
  for (const { name, sent, acknowledged } of load.shelves) {
    const titles = [...stored].filter(([id]) => id.startsWith(name)).map(([, title]) => title);
    const edition = Number(titles[0]?.replace("edition ", ""));
    expect(titles).toEqual(Array.from({ length: SIZE }, () => `edition ${edition}`));
    expect(edition).toBeGreaterThanOrEqual(acknowledged);
    expect(edition).toBeLessThanOrEqual(sent);
  }
  await expect.poll(() => titlesOf(tiny), POLL).toEqual(stored);
  await expect.poll(async () => (await answerAt(url, "getIndex")).pending, POLL).toBe(0);
  await expect.poll(async () => (await store.usersToFit({ limit: 100_000 })).users, POLL).toEqual([]);
}

/** Of the items that were put, as the server has them. */
async function titlesOf(tiny: TinyServer): Promise<Map<string, string | null>> {
  const titles = new Map<string, string | null>();
  for await (const { items } of tiny.pages("listItems", { query: { limit: "200" } }, "after")) {
    for (const { id, title, added } of items) if (added) titles.set(id, title);
  }
  return titles;
}

const written = [
  ["events", 200],
  ["items", 200],
  ["search", 200],
  ["search of a known user", 200],
] as const;
const refused = [
  ["events", 503],
  ["items", 503],
  ["search", 200],
] as const;

const skip = !hasPostgres() && !process.env.CI;
describe.skipIf(skip)(`PostgreSQL that goes away${skip ? " (skipped: no installed server)" : ""}`, () => {
  let postgres: PrivatePostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test.each(["stop", "crash"] as const)("by a %s, in the middle of load", async (how) => {
    const place = { location: postgres.url, options: { schema: how, connections: 4 } };
    const { tiny, url } = await openServer(place);
    await using _ = tiny;
    const load = new Load(url);
    await load.more(5, ...written);
    await postgres[how]();
    await load.more(3, ...refused, ["search of a known user", 503]);
    const active = tiny.server.context.models.current?.model.id;
    for (const [name, request] of [
      ["activateModel", { params: { id: "b" } }],
      ["deleteItem", { params: { id: "f001" } }],
      ["putMetric", { params: { id: "ann" }, body: { weights: { year: 2 } } }],
      ["deleteUser", { params: { id: "ann" } }],
      ["getUser", { params: { id: "ann" } }],
      ["ready", {}],
    ] as const) {
      const { status, error } = await askAt(url, name, request);
      expect([name, status, error?.code]).toEqual([name, 503, "STORE_UNAVAILABLE"]);
    }
    expect((await askAt(url, "health")).status).toBe(200);
    expect((await answerAt(url, "similarToItem", { params: { id: "f001" } })).model).toBe(active); // neither gone nor of another model
    await postgres.start();
    await load.more(5, ...written);
    expect((await answerAt(url, "ready")).status).toBe("ready");
    await answerAt(url, "activateModel", { params: { id: "b" } });
    await load.stop();
    expect(load.count("search", 503)).toBe(0);
    await checkAll({ tiny, url, place, load });
    expect((await answerAt(url, "getMetric", { params: { id: "ann" } })).source).toBe("ratings");
  });
});

describe("a file", () => {
  test("that another process writes to for long: refused, and then written", async () => {
    const disk = await TinyServer.open(); // its folder alone is of use here
    await using _ = disk;
    const place = { location: join(disk.folder, "locked.db"), options: { busyTimeout: 100 } };
    const { tiny, url } = await openServer(place);
    await using __ = tiny;
    const load = new Load(url);
    await load.more(5, ...written);
    const release = await lock(place.location);
    await load.more(3, ...refused, ["search of a known user", 200]);
    await release();
    await load.more(5, ...written);
    await load.stop();
    expect(load.count("search", 503) + load.count("search of a known user", 503)).toBe(0);
    await checkAll({ tiny, url, place, load });
  });

  test(`on a disk that is full: refused, and written when there is room${noSmallDisk}`, async ({ skip }) => {
    if (noSmallDisk) skip();
    using disk = mountSmallDisk(4000);
    const place = { location: join(disk.folder, "full.db"), options: {} };
    const { tiny, url } = await openServer(place);
    await using _ = tiny;
    const load = new Load(url);
    await load.more(3, ...refused, ["search of a known user", 200]);
    disk.resize(200_000);
    await load.more(5, ...written);
    await load.stop();
    expect(load.count("search", 503) + load.count("search of a known user", 503)).toBe(0);
    await checkAll({ tiny, url, place, load });
  });
});

/** Another process begins to write, and goes on until it is released. */
async function lock(path: string): Promise<() => Promise<void>> {
  const program = `
    import Database from ${JSON.stringify(import.meta.resolve("libsql"))};
    const database = new Database(${JSON.stringify(path)});
    database.exec("PRAGMA busy_timeout = 30000");
    database.exec("BEGIN IMMEDIATE");
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  await Promise.race([
    once(child.stdout, "data"),
    exit.then(([code]) => {
      throw new Error(`could not lock ${path}: exit code ${code}`);
    }),
  ]);
  return async () => {
    child.kill("SIGKILL");
    await exit;
  };
}

describeOnBoth("an answer of the store that is lost", (fresh) => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({ place: fresh() });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  /** The next change of items is done, and said not to be known. */
  function loseNext(name: "put" | "remove"): void {
    const { items } = tiny.server.context.store;
    const real = items[name] as (list: never) => Promise<never>;
    Object.assign(items, {
      [name]: async (list: never) => {
        Object.assign(items, { [name]: real });
        await real(list);
        throw new StoreError("unreachable", "hung up", { uncertain: true });
      },
    });
  }

  test("to a write: it is refused, and found out about; the server has what the store has", async () => {
    const item = { title: "Night Ferry", channels: { year: 1961 } };
    loseNext("put");
    expect((await tiny.ask("putItem", { params: { id: "ferry" }, body: item })).error.code).toBe("STORE_UNAVAILABLE");
    await expect.poll(async () => (await tiny.ask("getItem", { params: { id: "ferry" } })).status, POLL).toBe(200);
    loseNext("remove");
    expect((await tiny.ask("deleteItem", { params: { id: "ferry" } })).error.code).toBe("STORE_UNAVAILABLE");
    await expect.poll(async () => (await tiny.ask("getItem", { params: { id: "ferry" } })).status, POLL).toBe(404);
  });

  test("to a write: found out about by the next change at the latest", async () => {
    const item = { title: "Night Ferry", channels: { year: 1961 } };
    loseNext("put");
    await tiny.ask("putItem", { params: { id: "one" }, body: item });
    await tiny.answer("putItem", { params: { id: "two" }, body: item });
    expect((await tiny.ask("getItem", { params: { id: "one" } })).status).toBe(200);
    expect((await tiny.ask("getItem", { params: { id: "two" } })).status).toBe(200);
  });

  test("of the encoder's too: an item gets its text when the store is back", async () => {
    const { items } = tiny.server.context.store;
    const { get } = items;
    let asked = 0;
    Object.assign(items, {
      get: async (id: string) => {
        if (++asked === 1) throw new StoreError("unreachable", "is away");
        return get(id);
      },
    });
    const body = { channels: { plot: "a lighthouse that nobody has encoded" } };
    expect((await tiny.answer("putItem", { params: { id: "lamp" }, body })).pending).toEqual(["plot"]);
    await expect.poll(async () => (await tiny.answer("getIndex")).pending, POLL).toBe(0);
    expect(asked).toBeGreaterThan(1);
    expect(await tiny.answer("getItem", { params: { id: "lamp" } })).toMatchObject({ pending: [] });
  });
});

// A server that is killed (kill −9) while clients write, again and again, and started anew on the same store: what it answered with success is
// there, once; what it did not answer is there whole or not at all. NEARKIN_SEED changes what is written and when it is killed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "./store/store.ts";
import { startChild } from "./testing/child-server.ts";
import { describeOnBoth } from "./testing/on-both.ts";
import { answerAt, askAt } from "./testing/over-http.ts";
import { openAt, type Place } from "./testing/places.ts";
import { writeTinyModel } from "./testing/tiny-server.ts";

const seed = Number(process.env.NEARKIN_SEED ?? 20);
const KILLS = 3;
const SHELVES = ["shelf0", "shelf1", "shelf2"];
const MODELS = ["a", "b", "c"];

interface Batch {
  readonly name: string;
  readonly size: number;
  acknowledged: boolean;
}

/** All items of a shelf are put together, each time with the next edition as their title. */
interface Shelf {
  readonly name: string;
  readonly size: number;
  sent: number;
  acknowledged: number;
}

/** What was sent, and what was answered. */
class Ledger {
  readonly batches: Batch[] = [];
  readonly shelves: Shelf[];
  /** Models that may be active: the one acknowledged last, and one that was asked for after it. */
  active = new Set(["a"]);

  constructor(random: Random) {
    this.shelves = SHELVES.map((name) => ({ name, size: 2 + random.below(30), sent: 0, acknowledged: 0 }));
  }
}

describeOnBoth(`a server that is killed (NEARKIN_SEED=${seed})`, (fresh) => {
  let models: string;
  beforeAll(async () => {
    models = mkdtempSync(join(tmpdir(), "nearkin-killed-"));
    for (const [i, name] of MODELS.entries()) await writeTinyModel(join(models, name), { seed: 7 + i });
  });
  afterAll(() => rmSync(models, { recursive: true, force: true }));

  test("has all that it acknowledged, once, and nothing by half", async () => {
    const place = fresh();
    const random = new Random(seed);
    const ledger = new Ledger(random);
    for (let kill = 0; kill < KILLS; kill++) {
      await using server = await startChild(models, place);
      await checkAll(server.url, place, ledger);
      const before = ledger.batches.length;
      await writeUntilKilled(server, ledger, random.split(kill));
      expect(ledger.batches.length).toBeGreaterThan(before);
    }
    await using server = await startChild(models, place);
    await checkAll(server.url, place, ledger);
  });
});

/** Clients of every kind, until the server is killed, after some of what they sent was acknowledged. */
async function writeUntilKilled(
  server: { readonly url: string; kill(): Promise<void> },
  ledger: Ledger,
  random: Random,
): Promise<void> {
  const { url } = server;
  const needed = 20 + random.below(60);
  const later = random.below(25); // ms: not always right behind an answer
  let answered = 0;
  let killed: Promise<void> | undefined;
  /** Whether it was answered, with success. Only a server that was killed may leave it open. */
  const send = async (write: () => Promise<{ status: number; text: string }>): Promise<boolean> => {
    try {
      const { status, text } = await write();
      if (status >= 300) throw new Error(`answered ${status}: ${text}`);
    } catch (error) {
      if (!killed) throw error;
      return false;
    }
    if (++answered === needed) killed = delay(later).then(() => server.kill());
    return true;
  };
  await Promise.all([
    ...[0, 1, 2].map((writer) => writeEvents(url, ledger, { send, writer, random: random.split("events", writer) })),
    ...ledger.shelves.map((shelf) => writeShelf(url, shelf, send)),
    activate(url, ledger, { send, random: random.split("models") }),
  ]);
  await killed;
}

type Send = (write: () => Promise<{ status: number; text: string }>) => Promise<boolean>;

/** New batches, and now and then an old one again, whether it was acknowledged or not. */
async function writeEvents(
  url: string,
  { batches }: Ledger,
  { send, writer, random }: { send: Send; writer: number; random: Random },
): Promise<void> {
  const own: Batch[] = [];
  for (;;) {
    let batch = batches[random.below(batches.length + 1)];
    if (!batch || random.below(4) > 0 || (!batch.acknowledged && own.includes(batch))) {
      batch = { name: `batch ${batches.length} of ${writer}`, size: 2 + random.below(300), acknowledged: false };
      batches.push(batch);
      own.push(batch);
    }
    const { name, size } = batch;
    // half of it is of a user of its own, half of one whom all batches share
    const events = Array.from({ length: size }, (_, i) => ({
      id: `${name}/${i}`,
      user: i % 2 ? "shared" : name,
      item: `f${String(i % 40).padStart(3, "0")}`,
      type: name,
      rating: i % 5,
      time: i,
    }));
    if (!(await send(() => askAt(url, "addEvents", { body: { events } })))) return;
    batch.acknowledged = true;
  }
}

async function writeShelf(url: string, shelf: Shelf, send: Send): Promise<void> {
  for (;;) {
    const edition = ++shelf.sent;
    const items = Array.from({ length: shelf.size }, (_, i) => ({
      id: `${shelf.name}/${i}`,
      title: `edition ${edition}`,
      channels: { year: 1950 + (edition % 50), plot: `plot ${i % 3} of edition ${edition % 7}` },
    }));
    if (!(await send(() => askAt(url, "putItems", { body: { items } })))) return;
    shelf.acknowledged = edition;
  }
}

async function activate(url: string, ledger: Ledger, { send, random }: { send: Send; random: Random }): Promise<void> {
  for (;;) {
    const id = MODELS[random.below(MODELS.length)];
    ledger.active.add(id);
    if (!(await send(() => askAt(url, "activateModel", { params: { id } })))) return;
    ledger.active = new Set([id]);
  }
}

async function checkAll(url: string, place: Place, ledger: Ledger): Promise<void> {
  await checkModel(url, ledger);
  const events = await checkEvents(url, ledger);
  const titles = await checkShelves(url, ledger);
  await using store = await openAt(place, { exclusive: false });
  expect(await store.events.count()).toBe(events);
  const stored = await store.items.changedSince(0, { limit: 5000 });
  expect(new Map(stored.map(({ id, title }) => [id, title]))).toEqual(titles);
  await expect.poll(async () => (await answerAt(url, "getIndex")).pending).toBe(0);
  await expect.poll(() => unfitted(store, ledger)).toEqual([]);
  await checkSearches(url, [...titles.keys()].slice(0, 5), ledger);
}

/** Users with events that their metric was not fitted to. */
async function unfitted(store: Store, { batches }: Ledger): Promise<string[]> {
  const late: string[] = [];
  for (const user of ["shared", ...batches.map(({ name }) => name)]) {
    const arrivals = (await store.events.ofUser(user)).map(({ arrival }) => arrival);
    const fitted = (await store.metrics.get(user))?.events ?? 0;
    if (Math.max(0, ...arrivals) > fitted) late.push(user);
  }
  return late;
}

async function checkModel(url: string, ledger: Ledger): Promise<void> {
  const { models } = await answerAt(url, "listModels");
  const active = models.filter((model) => model.active).map(({ folder }) => folder);
  expect(active).toHaveLength(1);
  expect([...ledger.active]).toContain(active[0]);
  ledger.active = new Set(active);
}

/** How many there are. */
async function checkEvents(url: string, { batches }: Ledger): Promise<number> {
  const shared = new Map<string | null, number[]>();
  for (const { type, time } of await eventsOf(url, "shared")) {
    const times = shared.get(type);
    if (times) times.push(time);
    else shared.set(type, [time]);
  }
  let count = 0;
  for (const { name, size, acknowledged } of batches) {
    const found = [...(await eventsOf(url, name)).map(({ time }) => time), ...(shared.get(name) ?? [])];
    shared.delete(name);
    if (found.length > 0 || acknowledged) {
      expect([name, found.sort((a, b) => a - b)]).toEqual([name, Array.from({ length: size }, (_, i) => i)]);
    }
    count += found.length;
  }
  expect([...shared.keys()]).toEqual([]);
  return count;
}

async function eventsOf(url: string, user: string): Promise<{ type: string | null; time: number }[]> {
  const events: { type: string | null; time: number }[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page: { events: typeof events; next: string | null } = await answerAt(url, "getUserEvents", {
      params: { id: user },
      query: { limit: "1000", ...(after === "" ? {} : { after }) },
    });
    events.push(...page.events);
    after = page.next;
  }
  return events;
}

/** The titles of what was put, by id. */
async function checkShelves(url: string, { shelves }: Ledger): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (let after: string | null = ""; after !== null; ) {
    const query = { limit: "200", ...(after === "" ? {} : { after }) };
    const page: { items: { id: string; title: string | null; added: boolean }[]; next: string | null } = await answerAt(
      url,
      "listItems",
      { query },
    );
    for (const { id, title, added } of page.items) if (added) titles.set(id, title ?? "");
    after = page.next;
  }
  for (const { name, size, sent, acknowledged } of shelves) {
    const found = [...titles].filter(([id]) => id.startsWith(`${name}/`)).map(([, title]) => title);
    if (found.length === 0 && acknowledged === 0) continue;
    const edition = Number(found[0]?.replace("edition ", ""));
    expect([name, found]).toEqual([name, Array.from({ length: size }, () => `edition ${edition}`)]);
    expect(edition).toBeGreaterThanOrEqual(acknowledged);
    expect(edition).toBeLessThanOrEqual(sent);
  }
  return titles;
}

async function checkSearches(url: string, put: readonly string[], { batches }: Ledger): Promise<void> {
  const users = batches.filter(({ acknowledged }) => acknowledged).map(({ name }) => name);
  for (const [i, id] of ["f000", ...put].entries()) {
    const user = users[i % Math.max(1, users.length)];
    const { items } = await answerAt(url, "similarToItem", {
      params: { id },
      query: { k: "10", explain: "true", ...(user ? { user } : {}) },
    });
    expect(items).toHaveLength(10);
  }
}

// Histories into a store, exactly once: whatever stops it, however often it is run, on both databases.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ConfigInput, type Dataset, openDataset, parseConfig, prepare, writeParquet } from "@nearkin/data";
import { openStore, type Store, type StoredEvent } from "@nearkin/serve/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importDataset, importSource } from "./import-dataset.ts";
import { run } from "./testing/run.ts";
import { sampleDataset } from "./testing/shared.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-import-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Interactions = Partial<ConfigInput["interactions"]>;

async function datasetOf(name: string, csv: string, more: Interactions = {}): Promise<Dataset> {
  writeFileSync(at(`${name}.csv`), csv);
  const interactions = { files: `${name}.csv`, ...more };
  const config = parseConfig({ interactions, split: { by: "none" }, factors: { count: 0 } });
  await prepare(config, { out: at(name), folder: root, threads: 1 });
  return openDataset(at(name));
}

async function stored(store: Store): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await store.events.page({ after: all.at(-1)?.arrival ?? 0, limit: 1000 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

const plain = (events: readonly StoredEvent[]) =>
  events.map(({ user, item, rating, time, type }) => [user, item, rating, time, type]);

test("ids, ratings in full precision and times come in as they are, by user and time", async () => {
  const dataset = await datasetOf("full", "user,item,rating,time\nbö,x,4.3,1700000001\nann,y,1,100\nann,x,0.1,-5\n");
  await using store = await openStore(":memory:");
  const users: string[] = [];
  const progress: unknown[] = [];
  const imported = await importDataset(store, dataset, {
    onUsers: (some) => void users.push(...some),
    onProgress: (one) => progress.push(one),
  });
  const source = `dataset:${dataset.manifest.id}`;
  const figures = { source, events: 3, accepted: 3, duplicates: 0, leftOut: 0, heldOut: 0 };
  expect(imported).toEqual({ ...figures, before: false });
  expect(users).toEqual(["ann", "bö"]);
  expect(progress).toEqual([{ done: 3, total: 3, accepted: 3, duplicates: 0 }]);
  expect(plain(await stored(store))).toEqual([
    ["ann", "x", 0.1, -5000, "rating"],
    ["ann", "y", 1, 100_000, "rating"],
    ["bö", "x", 4.3, 1_700_000_001_000, "rating"],
  ]);

  expect(await importDataset(store, dataset)).toEqual({ ...figures, before: true });
  expect(await store.events.count()).toBe(3);
  expect(await store.usersToFit({ limit: 9 })).toEqual({ users: ["ann", "bö"], next: null });
});

test("without ratings an event has none; without times the order of the rows is kept", async () => {
  const dataset = await datasetOf("bare", "user,item\nann,z\nbob,y\nann,a\nann,m\n");
  await using store = await openStore(":memory:");
  await importDataset(store, dataset);
  expect(plain(await store.events.ofUser("ann"))).toEqual([
    ["ann", "z", null, 0, "interaction"],
    ["ann", "a", null, 2000, "interaction"],
    ["ann", "m", null, 3000, "interaction"],
  ]);
});

test("events that are there already are not stored again, and their users not named", async () => {
  const dataset = await datasetOf("known", "user,item,rating,time\nann,x,4,100\nbob,x,2,100\n");
  await using store = await openStore(":memory:");
  await store.events.add([{ user: "ann", item: "x", rating: 4, time: 100_000, type: "rating" }]);
  const users: string[] = [];
  const imported = await importDataset(store, dataset, { onUsers: (some) => void users.push(...some) });
  expect(imported).toMatchObject({ accepted: 1, duplicates: 1, leftOut: 0 });
  expect(users).toEqual(["bob"]);
});

test("what no store can keep is left out and counted", async () => {
  const table = { user: ["a\0b", "ann", "bob"], item: ["x", "x", "y"], time: ["1", "1", "100000000000000000"] };
  const columns = Object.entries(table).map(([name, values]) => ({ name, type: "text" as const, values }));
  await writeParquet(at("odd.parquet"), columns);
  const interactions: Interactions = { files: "odd.parquet", timeUnit: "s" };
  const dataset = await datasetOf("odd", "", interactions);
  await using store = await openStore(":memory:");
  expect(await importDataset(store, dataset)).toMatchObject({ events: 3, accepted: 1, duplicates: 0, leftOut: 2 });
  expect(await importDataset(store, dataset)).toMatchObject({ accepted: 1, leftOut: 2, before: true });
});

describe("stopped", () => {
  const EVENTS = 1000;
  let dataset: Dataset;
  beforeAll(async () => {
    const rows = Array.from(
      { length: EVENTS },
      (_, i) => `u${i % 13},i${Math.floor(i / 13)},${i % 5},${1000 + ((i * 31) % 997)}`,
    );
    dataset = await datasetOf("many", `user,item,rating,time\n${rows.join("\n")}\n`);
  });

  test("behind any batch, it goes on from there, and all is there once", async () => {
    await using whole = await openStore(":memory:");
    await importDataset(whole, dataset);
    await using store = await openStore(":memory:");
    const stop = new Error("stopped");
    let runs = 0;
    for (let before = false; !before; runs++) {
      const controller = new AbortController();
      let batches = 0;
      const onProgress = () => {
        if (++batches === 2) controller.abort(stop);
      };
      try {
        await importDataset(store, dataset, { batch: 70, onProgress, signal: controller.signal });
        before = true;
      } catch (error) {
        expect(error).toBe(stop);
      }
    }
    expect(runs).toBe(8); // two batches of 70 a run: 7 · 140 < 1000
    expect(plain(await stored(store))).toEqual(plain(await stored(whole)));
    expect(await importDataset(store, dataset)).toMatchObject({ accepted: EVENTS, duplicates: 0, before: true });
  });

  test("by a failure of whoever listens, nothing is lost or doubled", async () => {
    await using store = await openStore(":memory:");
    const onUsers = () => {
      throw new Error("no");
    };
    await expect(importDataset(store, dataset, { batch: 300, onUsers })).rejects.toThrow("no");
    expect(await store.events.count()).toBe(300);
    expect(await importDataset(store, dataset, { batch: 300 })).toMatchObject({ accepted: EVENTS, duplicates: 0 });
    expect(await store.events.count()).toBe(EVENTS);
  });

  test("two at once: one of them is told, and all is there once", async () => {
    const path = at("two.db");
    await using first = await openStore(path);
    await using second = await openStore(path, { exclusive: false });
    const done = await Promise.allSettled([first, second].map((store) => importDataset(store, dataset, { batch: 90 })));
    const refused = done.filter((one) => one.status === "rejected");
    expect(refused.length).toBeLessThanOrEqual(1);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "BUSY" });
    expect(await importDataset(first, dataset)).toMatchObject({ accepted: EVENTS, duplicates: 0 });
    expect(await first.events.count()).toBe(EVENTS);
  });

  test("a cursor that is none of ours is refused", async () => {
    await using store = await openStore(":memory:");
    await store.imports.add(importSource(dataset), { from: "", to: "page 7", events: [] });
    await expect(importDataset(store, dataset)).rejects.toMatchObject({
      code: "BAD_STORE",
      message: 'store: an import of 1000 events stands at "page 7"; another program has written there',
    });
  });
});

const skip = !process.env.NEARKIN_POSTGRES;

describe.skipIf(skip)(`on PostgreSQL${skip ? " (skipped: no NEARKIN_POSTGRES)" : ""}`, () => {
  test("stopped and gone on with, all is there once", async () => {
    const dataset = await openDataset(at("many"));
    const schema = `import_${randomUUID().slice(0, 8)}`;
    await using store = await openStore(process.env.NEARKIN_POSTGRES as string, { schema });
    const stop = new AbortController();
    await importDataset(store, dataset, { batch: 100, onProgress: () => stop.abort(), signal: stop.signal }).catch(
      () => {},
    );
    expect(await store.events.count()).toBe(100);
    expect(await importDataset(store, dataset, { batch: 100 })).toMatchObject({ accepted: 1000, duplicates: 0 });
  });
});

test("the command: killed in the middle, and run again beside a server that has the store open", async () => {
  await sampleDataset("time", at("films"));
  const dataset = await openDataset(at("films"));
  const { interactions } = dataset.manifest.counts.training;
  const path = at("films.db");
  await using store = await openStore(path); // the server
  const bin = fileURLToPath(new URL("../bin/nearkin.js", import.meta.url));
  /** Starts the command, and sends it a signal once it has written something. */
  const interrupted = async (signal: "SIGKILL" | "SIGINT") => {
    const before = await store.events.count();
    const child = spawn(process.execPath, [bin, "import", at("films"), "--store", path], { stdio: "pipe" });
    const err = text(child.stderr);
    const ended = once(child, "exit");
    while ((await store.events.count()) === before) await delay(5);
    child.kill(signal);
    const [code, by] = await ended;
    const after = await store.events.count();
    expect(after).toBeGreaterThan(before);
    expect(after).toBeLessThan(interactions);
    return { code, by, err: (await err).replaceAll(root, "TMP") };
  };
  expect(await interrupted("SIGKILL")).toMatchObject({ code: null, by: "SIGKILL" });
  const { code, err } = await interrupted("SIGINT");
  expect(code).toBe(130);
  expect(err).toMatch(
    /INTERRUPTED: stopped; [\d,]+ of 41,055 events are dealt with; go on with: nearkin import TMP\/films --store TMP\/films\.db\n$/,
  );

  const again = await run("import", at("films"), "--store", path, "--json");
  expect(again.code).toBe(0);
  expect(JSON.parse(again.out)).toMatchObject({ accepted: interactions, duplicates: 0, before: false, store: path });
  expect(again.err).toMatch(
    /^41,055 events: 41,055 stored in .*films\.db, in [\d.]+ s\nnote: 10,372 events that the dataset holds out .*\nThe events of marquee are SIMULATED\.\n$/m,
  );
  expect(await store.events.count()).toBe(interactions);
  const third = await run("import", at("films"), "--store", path);
  expect(third.err).toContain("films.db has this dataset already: 41,055 events of it; nothing to do\n");
  expect(await store.events.count()).toBe(interactions);
});

test("the command says what is wrong", async () => {
  const errors = [];
  for (const args of [
    [at("nowhere"), "--store", at("x.db")],
    [at("films")],
    [at("films"), "--store", ""],
    [at("films"), "--store", join(at("no-folder"), "x.db")],
    [at("films"), "--store", "mysql://db"],
  ]) {
    const { code, err } = await run("import", ...args);
    errors.push(`${code} ${err.split("\n")[0].replaceAll(root, "TMP")}`);
  }
  expect(errors).toMatchInlineSnapshot(`
    [
      "1 BAD_DATASET: TMP/nowhere: there is no such folder",
      "2 USAGE: required option '--store <place>' not specified",
      "2 USAGE: option '--store <place>' argument '' is invalid. Expected a file or postgres://…, got nothing.",
      "1 STORE_UNAVAILABLE: store: there is no folder TMP/no-folder; make it, or name another file",
      "1 BAD_ARGUMENT: store: a store is a path, file:… or postgres://…, got mysql:…",
    ]
  `);
});

// Events after training in the rows of a catalogue, over HTTP: what they change, what they must not, and that every server comes to the same rows.
import { FoldIn, liftedItem, logPopularity } from "@nearkin/core";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { TinyServer } from "../testing/tiny-server.ts";
import type { Catalogue } from "./catalogue.ts";

const BEHAVIOR = { films: { behavior: true, updates: true } } as const;
const DAY = 86_400_000;
const TRAINED = Date.UTC(2020, 0, 1);
const NEW = { id: "new", title: "New", channels: { genres: ["Drama"], year: 1999 } };

const open: TinyServer[] = [];
async function tinyServer(options: Parameters<typeof TinyServer.open>[0] = { folders: BEHAVIOR }): Promise<TinyServer> {
  const tiny = await TinyServer.open(options);
  open.push(tiny);
  return tiny;
}
afterEach(async () => {
  for (const tiny of open.splice(0)) await tiny[Symbol.asyncDispose]();
});

const catalogueOf = ({ server }: TinyServer): Catalogue => server.context.models.current?.catalogue as Catalogue;

/** Columns, mark of the channel behavior, and log q. */
function rowOf(tiny: TinyServer, id: string) {
  const catalogue = catalogueOf(tiny);
  const { rows, model } = catalogue;
  const row = catalogue.indexOf(id);
  const { embedding, masked } = liftedItem(rows, row);
  const c = model.parts.channels.findIndex(({ name }) => name === "behavior");
  const start = rows.layout.starts[c];
  return {
    columns: Array.from(embedding),
    factors: Array.from(embedding.subarray(start, start + rows.layout.sizes[c])),
    isForeseen: masked[c] === 1,
    log: logPopularity(rows, row),
  };
}

interface Met {
  user: string;
  item: string;
  /** ms since 1970 */
  time?: number;
}

const days = (count: number) => TRAINED + count * DAY;

async function meet(tiny: TinyServer, events: readonly Met[]): Promise<void> {
  await tiny.answer("addEvents", { body: { events: events.map((event, i) => ({ time: days(1) + i, ...event })) } });
}

/** Until events have been counted in rows so often since the start. */
async function counted(tiny: TinyServer, count: number): Promise<void> {
  await expect
    .poll(async () => /^nearkin_events_folded_in_total (\d+)$/m.exec(await tiny.server.context.metrics.text())?.[1])
    .toBe(String(count));
}

test("a new item is moved from what its content foresees to what its users met", async () => {
  const tiny = await tinyServer();
  await tiny.answer("putItems", { body: { items: [NEW] } });
  const before = rowOf(tiny, "new");
  const known = (id: string) => Float32Array.from(rowOf(tiny, id).factors);
  const trained = ["f000", "f001", "f002"].map(known);
  expect(before.isForeseen).toBe(true);
  await meet(tiny, [
    { user: "ann", item: "f000" },
    { user: "ann", item: "f001" },
    { user: "ann", item: "new" },
    { user: "bob", item: "new" },
    { user: "bob", item: "f002" },
  ]);
  await counted(tiny, 5);
  const after = rowOf(tiny, "new");
  expect(after.isForeseen).toBe(false);
  const settings = catalogueOf(tiny).model.parts.updates?.foldIn;
  if (!settings) throw new Error("the model has settings for later events");
  const names = ["f000", "f001", "f002"];
  const expected = new FoldIn<string>(settings, {
    rowOf: (id) => (id === "new" ? undefined : catalogueOf(tiny).indexOf(id)),
    vectors: (row) => trained[names.findIndex((id) => catalogueOf(tiny).indexOf(id) === row)],
  });
  expected.add("f001", ["f000"]);
  expected.add("new", ["f000", "f001"]);
  expected.add("new", []);
  expected.add("f002", ["new"]);
  expect(after.factors).toEqual(Array.from(expected.factors("new", before.factors)));
  expect(after.columns.length).toBe(before.columns.length);
  expect(after.log).toBeGreaterThan(before.log);
});

test("lists and reasons follow: what one user met together ranks nearer", async () => {
  const tiny = await tinyServer();
  await tiny.answer("putItems", { body: { items: [NEW] } });
  const rankOf = async (id: string) => {
    const { items } = await tiny.answer("similarToItem", { params: { id: "f003" }, query: { k: "40" } });
    return items.findIndex((item) => item.id === id);
  };
  const before = await rankOf("new");
  const users = Array.from({ length: 40 }, (_, i) => `u${i}`);
  await meet(
    tiny,
    users.flatMap((user) => [
      { user, item: "f003" },
      { user, item: "new" },
    ]),
  );
  await counted(tiny, 80);
  expect(await rankOf("new")).toBeLessThan(before);
});

test("what training had, what is not new to a user, and other models change nothing", async () => {
  const tiny = await tinyServer();
  const before = rowOf(tiny, "f000");
  await meet(tiny, [
    { user: "ann", item: "f000", time: days(-3) },
    { user: "ann", item: "f000", time: days(2) },
    { user: "bob", item: "f001", time: days(2) },
  ]);
  await counted(tiny, 1);
  expect(rowOf(tiny, "f000")).toEqual(before);
  const older = await tinyServer({ folders: { films: { behavior: true } } });
  const rows = rowOf(older, "f000");
  await meet(older, [
    { user: "ann", item: "f001" },
    { user: "ann", item: "f000" },
  ]);
  await older.server.context.refresh.idle();
  expect(rowOf(older, "f000")).toEqual(rows);
});

test("a user counts once for an item, whatever times and ids they give, and for no more than an event of training", async () => {
  const tiny = await tinyServer();
  const before = rowOf(tiny, "f000").log;
  const times = [days(1), Date.UTC(2200, 0, 1), 8.64e15, days(1) + 5];
  const others = Array.from({ length: 400 }, (_, i) => ({ user: "ann", item: "f001", time: 8.63e15 + i }));
  await meet(tiny, [...times.map((time) => ({ user: "ann", item: "f000", time })), ...others]);
  await meet(tiny, [{ user: "ann", item: "f000", time: days(3) }]);
  await counted(tiny, 2);
  const once = Math.exp(catalogueOf(tiny).model.coldLogPopularity) / 0.5;
  expect(rowOf(tiny, "f000").log).toBeCloseTo(Math.log(Math.exp(before) + once), 5);
});

test("what a deleted user did is taken back, and what others did stays", async () => {
  const tiny = await tinyServer({ folders: BEHAVIOR, readAnewAfter: 0 });
  await tiny.answer("putItems", { body: { items: [NEW] } });
  const ids = ["new", "f000", "f001"];
  const none = ids.map((id) => rowOf(tiny, id));
  const byAnn = ids.map((item) => ({ user: "ann", item }));
  await meet(tiny, byAnn);
  await counted(tiny, 3);
  const one = ids.map((id) => rowOf(tiny, id));
  await meet(
    tiny,
    ids.toReversed().map((item) => ({ user: "bob", item })),
  );
  await counted(tiny, 6);
  await tiny.answer("deleteUser", { params: { id: "bob" } });
  await expect.poll(() => ids.map((id) => rowOf(tiny, id))).toEqual(one);
  await tiny.answer("deleteUser", { params: { id: "ann" } });
  await expect.poll(() => ids.map((id) => rowOf(tiny, id))).toEqual(none);
});

test("events that come while a deletion waits to be taken back are added with it", async () => {
  const tiny = await tinyServer({ folders: BEHAVIOR, readAnewAfter: 1500 });
  const before = rowOf(tiny, "f000").log;
  await meet(tiny, [
    { user: "ann", item: "f000" },
    { user: "bob", item: "f000" },
  ]);
  await counted(tiny, 2);
  const known = rowOf(tiny, "f000").log;
  for (let round = 0; round < 3; round++) {
    await tiny.answer("deleteUser", { params: { id: "bob" } });
    await meet(tiny, [{ user: "bob", item: "f000" }]);
  }
  await tiny.answer("deleteUser", { params: { id: "bob" } });
  await meet(tiny, [{ user: "carl", item: "f000" }]);
  const once = Math.exp(catalogueOf(tiny).model.coldLogPopularity) / 0.5;
  expect(known).toBeCloseTo(Math.log(Math.exp(before) + 2 * once), 5);
  await counted(tiny, 4); // two, and two of the new reading
  expect(rowOf(tiny, "f000").log).toBe(known);
});

test("items that are put later know who met them before; unknown ids are not kept without end", async () => {
  const tiny = await tinyServer({ folders: BEHAVIOR, readAnewAfter: 0 });
  await meet(tiny, [
    { user: "ann", item: "f000" },
    { user: "ann", item: "new" },
    { user: "bob", item: "f001" },
  ]);
  await counted(tiny, 2);
  await tiny.answer("putItems", { body: { items: [NEW] } });
  await expect.poll(() => rowOf(tiny, "new").isForeseen).toBe(false);
  const known = rowOf(tiny, "new");
  const nothing = Array.from({ length: 1500 }, (_, i) => ({ user: `u${i % 30}`, item: `nothing ${i}` }));
  await meet(tiny, nothing.slice(0, 750));
  await meet(tiny, nothing.slice(750));
  await tiny.answer("deleteItem", { params: { id: "new" } });
  await tiny.answer("putItems", { body: { items: [NEW] } });
  await expect.poll(() => rowOf(tiny, "new")).toEqual(known);
});

test("another description of an item leaves who met it as it was, and what is foreseen of a new one is replaced", async () => {
  const tiny = await tinyServer();
  const [known, next] = [rowOf(tiny, "f000"), rowOf(tiny, "f001")];
  await tiny.answer("putItems", { body: { items: [{ ...NEW, id: "f000" }, NEW] } });
  expect(rowOf(tiny, "f000").factors).toEqual(known.factors);
  expect(rowOf(tiny, "f000").isForeseen).toBe(false);
  expect(rowOf(tiny, "f000").columns).not.toEqual(known.columns);
  const pair = ["f000", "new"].flatMap((item) => [
    { user: "ann", item },
    { user: "bob", item },
  ]);
  await meet(tiny, pair);
  await counted(tiny, 4);
  const moved = rowOf(tiny, "f000");
  expect(moved.factors).not.toEqual(known.factors);
  await tiny.answer("putItems", { body: { items: [{ ...NEW, id: "f000", title: "Once more" }] } });
  expect(rowOf(tiny, "f000")).toEqual(moved);
  const first = rowOf(tiny, "new");
  await tiny.answer("putItems", { body: { items: [{ ...NEW, channels: { genres: ["Comedy"], year: 1950 } }] } });
  expect(rowOf(tiny, "new").factors).not.toEqual(first.factors);
  expect(rowOf(tiny, "new").isForeseen).toBe(false);
  await tiny.answer("deleteItem", { params: { id: "new" } });
  await tiny.answer("putItems", { body: { items: [NEW] } });
  expect(rowOf(tiny, "new")).toEqual(first);
  expect(rowOf(tiny, "f001")).toEqual(next);
});

test("a server that starts anew, or comes to a model later, reads the same events to the same bits", async () => {
  const tiny = await tinyServer();
  await tiny.answer("putItems", { body: { items: [NEW] } });
  const ids = ["new", ...Array.from({ length: 12 }, (_, i) => `f0${String(i).padStart(2, "0")}`)];
  const events = Array.from({ length: 300 }, (_, i) => ({
    user: `u${(i * 7) % 23}`,
    item: ids[(i * i + 3 * i) % ids.length],
  }));
  for (let from = 0; from < events.length; from += 60) await meet(tiny, events.slice(from, from + 60));
  // more than is looked at of a user, in another order of times
  const many = Array.from({ length: 700 }, (_, i) => ({
    user: "ann",
    item: ids[(i * 5) % 13],
    time: days(40) - i * 1000,
  }));
  for (const event of [many.slice(0, 300), many.slice(300)]) await meet(tiny, event);
  const distinct = new Set([...events, ...many].map(({ user, item }) => `${user} ${item}`)).size;
  await counted(tiny, distinct);
  const before = ids.map((id) => rowOf(tiny, id));
  await tiny.stop();
  await tiny.start();
  await counted(tiny, distinct);
  expect(ids.map((id) => rowOf(tiny, id))).toEqual(before);
  await tiny.answer("activateModel", { params: { id: "films" } });
  await counted(tiny, 2 * distinct);
  expect(ids.map((id) => rowOf(tiny, id))).toEqual(before);
});

const skip = noPostgres !== "" && !process.env.CI;
describe.skipIf(skip)(`servers on one PostgreSQL${skip ? noPostgres : ""}`, () => {
  let places: Places | undefined;
  afterAll(() => places?.[Symbol.asyncDispose]());

  test("have the same rows, whoever the events came to", async () => {
    places = await postgresPlaces();
    const place = places.fresh();
    const servers = [await tinyServer({ folders: BEHAVIOR, place }), await tinyServer({ folders: BEHAVIOR, place })];
    await servers[0].answer("putItems", { body: { items: [NEW] } });
    const ids = ["new", "f000", "f001", "f002", "f003", "f004"];
    const users = Array.from({ length: 20 }, (_, i) => `u${i}`);
    const some = (first: number) =>
      users.flatMap((user, i) => [0, 1].map((j) => ({ user, item: ids[(i + first + j) % ids.length] })));
    await Promise.all([meet(servers[0], some(0)), meet(servers[1], some(3))]);
    for (const tiny of servers) await counted(tiny, 80);
    for (const tiny of servers) await expect.poll(() => catalogueOf(tiny).find("new")).toBeDefined();
    const [one, other] = servers.map((tiny) => ids.map((id) => rowOf(tiny, id)));
    expect(other).toEqual(one);
  });
});

// Work that piles up: what one caller has waiting does not hold up the others, and nothing is done for who has gone.
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { similarItems } from "../search/similar.ts";
import { TinyServer, toyEncoder } from "../testing/tiny-server.ts";

let tiny: TinyServer;
afterEach(() => tiny[Symbol.asyncDispose]());

test("another user's fit does not wait behind all the questions of one, of which too many are turned away", async () => {
  tiny = await TinyServer.open();
  const ratings = [10, 11, 12, 13, 14].map((n) => ({ item: `f0${n}`, rating: (n % 5) + 1 }));
  const fit = (id: string) => tiny.ask("personalize", { params: { id }, body: { ratings } });
  await fit("somebody"); // the thread has started
  const ended: string[] = [];
  const filter = JSON.stringify({ field: "id", in: [10, 11].map((n) => `f0${n}`) }); // a question of few takes less
  const questions = Array.from({ length: 60 }, () =>
    tiny.ask("nextQuestion", { params: { id: "ann" }, query: { filter } }).then((answered) => {
      if (answered.status === 200) ended.push("question");
      return answered;
    }),
  );
  const { usersThread } = tiny.server.context;
  await expect.poll(() => usersThread.pending, { interval: 1 }).toBeGreaterThan(20);
  const before = ended.length;
  const other = await fit("bob");
  expect(other.status).toBe(200);
  expect(ended.length - before).toBeLessThan(10);
  const answers = await Promise.all(questions);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(
    new Set(refused.map(({ status, error, headers }) => `${status} ${error.code} ${headers["retry-after"]}`)),
  ).toEqual(new Set(["503 BUSY 1"]));
  expect(refused.length).toBeLessThan(60);
});

test("drafts of clients that have gone are not encoded, and items do not wait for them", async () => {
  const encoded: string[] = [];
  let calls = 0;
  const toy = toyEncoder();
  let open = () => {};
  let last: Promise<unknown> = new Promise<void>((resolve) => {
    open = resolve;
  });
  const openEncoder = async () => ({
    ...toy,
    // one call after the other, as the thread of an encoder answers them; the first ends when the gate opens
    encode(texts: readonly string[]): ReturnType<typeof toy.encode> {
      calls++;
      const made = last.then(() => {
        encoded.push(...texts);
        return toy.encode(texts);
      });
      last = made;
      return made;
    },
  });
  tiny = await TinyServer.open({ port: 0, openEncoder });
  const { hostname, port } = new URL(await tiny.server.listen());
  const { server } = tiny.server.app;
  let requests = 0;
  server.on("request", () => requests++);
  const sockets = Array.from({ length: 12 }, (_, n) => {
    const items = Array.from({ length: 50 }, (__, i) => ({ draft: { plot: `plot ${n} ${i}` } }));
    const body = JSON.stringify({ items });
    const socket = connect(Number(port), hostname);
    const head = `POST /v1/similar HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
    return socket;
  });
  await expect.poll(() => [requests, calls > 0]).toEqual([12, true]);
  for (const socket of sockets) socket.destroy();
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  await expect.poll(connections).toBe(0);
  await tiny.answer("putItem", { params: { id: "new" }, body: { channels: { plot: "a ferry that waits" } } });
  open();
  await expect.poll(() => encoded).toContain("a ferry that waits");
  expect(encoded.indexOf("a ferry that waits")).toBeLessThan(200); // of 600
  await expect.poll(async () => (await tiny.answer("getItem", { params: { id: "new" } })).pending).toEqual([]);
});

const met = ["f001", "f008", "f015", "f022"].map((item, i) => ({ item, rating: 1 + i, time: 1000 + i }));

test("explanations that read the whole catalogue wait in one queue, whichever route asks for them; above 32 the answer is BUSY", async () => {
  tiny = await TinyServer.open();
  await tiny.answer("addEvents", { body: { events: met.map((event) => ({ user: "ann", ...event })) } });
  const { weights: base } = await tiny.answer("getMetric", { params: { id: "ann" } });
  const weights = Object.fromEntries(Object.keys(base).map((channel) => [channel, -1]));
  await tiny.answer("putMetric", { params: { id: "ann" }, body: { weights } });
  const { explainQueue } = tiny.server.context;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held = explainQueue.run(() => gate, { caller: "somebody" });
  const because = () => tiny.ask("because", { params: { id: "ann" }, query: { explain: "true", rows: "4" } });
  const lists = Array.from({ length: 16 }, because); // half of the places
  await expect.poll(() => explainQueue.size).toBe(17);
  const others = Array.from({ length: 16 }, (_, i) => explainQueue.run(() => {}, { caller: `caller ${i}` }));
  for (const { status, error, headers } of [
    await because(),
    await tiny.ask("explain", { params: { id: "f001", other: "f002" } }),
    await tiny.ask("similarToItem", { params: { id: "f001" }, query: { user: "ann", explain: "true" } }),
  ]) {
    expect([status, error.code, headers["retry-after"]]).toEqual([503, "BUSY", "1"]);
  }
  await expect(explainQueue.run(() => {}, { caller: "a further one" })).rejects.toMatchObject({ code: "BUSY" });
  open();
  await Promise.all([held, ...others]);
  for (const { status, answer } of await Promise.all(lists)) {
    expect(status).toBe(200);
    expect(answer.rows[0].items[0].contributions).toBeDefined();
  }
});

test("a key has one turn for the filters and scans of all users that it asks about; each of them has one at the users thread", async () => {
  tiny = await TinyServer.open({ keys: "on" });
  const { keys, filterQueue, usersThread, models } = tiny.server.context;
  const { key, record } = await keys.create({ name: "test", scopes: ["admin"] });
  tiny.headers = { authorization: `Bearer ${key}` };
  const users = ["ann", "bob"];
  await tiny.answer("addEvents", {
    body: { events: users.flatMap((user) => met.map((event) => ({ user, ...event }))) },
  });
  const filters = vi.spyOn(filterQueue, "run");
  const scans = vi.spyOn(models.current as NonNullable<typeof models.current>, "rank");
  const questions = vi.spyOn(usersThread, "questions");
  for (const id of users) {
    await tiny.answer("because", { params: { id }, query: { filter: `title matches "${id}"` } });
    await tiny.answer("nextQuestion", { params: { id }, query: { filter: `not title matches "not ${id}"` } });
  }
  expect(filters.mock.calls.map(([, turn]) => turn?.caller)).toEqual(Array(4).fill(record.id));
  expect(new Set(scans.mock.calls.map(([, { caller }]) => caller))).toEqual(new Set([record.id]));
  expect(questions.mock.calls.map(([, , { turn }]) => turn?.caller)).toEqual(["user ann", "user bob"]);
});

test("searches of titles wait with the filters, and are answered BUSY when too many wait already", async () => {
  tiny = await TinyServer.open({ queue: 2 });
  const { filterQueue } = tiny.server.context;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held = Array.from({ length: 4 }, (_, i) => filterQueue.run(() => gate, { caller: `caller ${i}` }));
  const ask = () => tiny.ask("listItems", { query: { search: "harbour" } });
  const waiting = ask();
  await expect.poll(() => filterQueue.size).toBe(5);
  const { status, error, headers } = await ask();
  expect([status, error.code, headers["retry-after"]]).toEqual([503, "BUSY", "1"]);
  open();
  await Promise.all(held);
  expect((await waiting).answer.items).not.toHaveLength(0);
});

test("a user whose event comes when no further one can wait for a fit is fitted later", async () => {
  tiny = await TinyServer.open();
  const { refresh, users } = tiny.server.context;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const fit = vi.spyOn(users, "refresh").mockImplementation(() => gate);
  const others = Array.from({ length: 100_002 }, (_, i) => `user ${i}`);
  for (const user of others.slice(0, 2)) refresh.add(user);
  await expect.poll(() => fit.mock.calls.length).toBe(2); // as many as run at a time
  for (const user of others.slice(2)) refresh.add(user);
  await tiny.answer("addEvents", { body: { events: met.map((event) => ({ user: "ann", ...event })) } });
  expect(refresh.size).toBe(100_002);
  expect(refresh.has("ann")).toBe(false);
  for (const user of others) refresh.drop(user);
  fit.mockRestore();
  open();
  await refresh.idle();
  expect(await tiny.answer("getMetric", { params: { id: "ann" } })).toMatchObject({ fit: { items: met.length } });
});

test("an explanation pauses for others, and ends there if its caller has gone", async () => {
  tiny = await TinyServer.open();
  await tiny.server.context.models.with(async (served) => {
    const gone = new AbortController();
    const { rank } = served;
    let now = 0;
    served.rank = async (...asked) => {
      const found = await rank.apply(served, asked);
      vi.spyOn(performance, "now").mockImplementation(() => (now += 10)); // every slice takes long
      setImmediate(() => gone.abort(new Error("hung up")));
      return found;
    };
    const { catalogue, model } = served;
    const request = {
      items: [catalogue.lifted(0)],
      weights: Float64Array.from(Object.keys(model.weights), () => -1),
      popularity: 0,
      k: 5,
      history: undefined,
      offset: 0,
      diversity: 0,
      order: "similar",
      allowed: undefined,
      exclude: [],
      explain: true,
      predict: false,
      exact: false,
      signal: gone.signal,
    } as const;
    try {
      await expect(similarItems(served, request)).rejects.toThrow("hung up");
    } finally {
      vi.restoreAllMocks();
    }
  });
});

test("others are answered between two lists that are made diverse", async () => {
  tiny = await TinyServer.open();
  const ended: number[] = [];
  let turn = 0;
  const count = () => {
    turn++;
    handle = setImmediate(count);
  };
  let handle = setImmediate(count);
  await tiny.server.context.models.with((served) => {
    const request = {
      items: [served.catalogue.lifted(0)],
      weights: served.shared.weights,
      ...{ popularity: 0, history: undefined, k: 10, offset: 0, diversity: 0.5, order: "similar" as const },
      ...{ allowed: undefined, exclude: [0], explain: false, predict: false, exact: true, caller: "ann" },
    };
    return Promise.all(Array.from({ length: 12 }, () => similarItems(served, request).then(() => ended.push(turn))));
  });
  clearImmediate(handle);
  expect(new Set(ended).size).toBe(12);
});

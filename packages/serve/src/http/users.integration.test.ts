import { join } from "node:path";
import { openModel } from "@nearkin/core";
import { patience } from "@nearkin/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFolder } from "../models/model-folder.ts";
import { describeOnBoth } from "../testing/on-both.ts";
import { TinyServer } from "../testing/tiny-server.ts";

describeOnBoth("users", (fresh) => {
  let tiny: TinyServer;
  beforeAll(async () => {
    tiny = await TinyServer.open({ place: fresh() });
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const openTiny = () => openModel(readFolder(join(tiny.folder, "models", "films")));
  const met = ["f001", "f008", "f015", "f022", "f029", "f036"];
  const events = (user: string, items = met) =>
    items.map((item, i) => ({ user, item, rating: 1 + (i % 5), time: 1000 + i }));
  const fitted = () => tiny.server.context.refresh.idle();

  test("of whom nothing is known get the metric that all share, and it is said", async () => {
    const list = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { user: "stranger" } });
    const base = await tiny.answer("similarToItem", { params: { id: "f000" } });
    expect(list.items).toEqual(base.items);
    expect(list.metric.source).toBe("base");
    expect(list.metric.reason).toBe("no such user yet: the metric that all share");
    expect((await tiny.ask("getUser", { params: { id: "stranger" } })).error.code).toBe("UNKNOWN_USER");
  });

  test("are fitted in the background to what they met, exactly as the library does, within a second", async () => {
    await using model = await openTiny();
    const sent = performance.now();
    expect(await tiny.answer("addEvents", { body: { events: events("ann") } })).toEqual({
      accepted: 6,
      duplicates: 0,
      unknownItems: [],
    });
    await fitted();
    expect(performance.now() - sent).toBeLessThan(5000 * patience); // the first fit starts the thread
    const expected = model.personalize(met.map((item, i) => ({ item, rating: 1 + (i % 5) })));
    const metric = await tiny.answer("getMetric", { params: { id: "ann" } });
    expect(metric.source).toBe("ratings");
    expect(metric.weights).toEqual(expected.weights);
    expect(metric.popularity).toBe(expected.popularity);
    expect(metric.fit).toMatchObject({
      items: 6,
      used: expected.used,
      iterations: expected.iterations,
      after: expected.after,
    });
    expect(metric.base).toEqual(model.weights);
    const list = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { user: "ann", k: "8" } });
    const own = await model.similar("f000", { k: 8, weights: expected.weights, popularity: expected.popularity });
    expect(list.items.map(({ id, score }) => [id, score])).toEqual(own.items.map(({ id, score }) => [id, score]));
    expect(list.metric).toMatchObject({ source: "user", reason: "fitted to 6 items" });
  });

  test("a batch that is sent again changes nothing", async () => {
    const again = await tiny.answer("addEvents", { body: { events: events("ann") } });
    expect(again).toMatchObject({ accepted: 0, duplicates: 6 });
    const withIds = [{ id: "e1", user: "bob", item: "f003" }];
    expect(await tiny.answer("addEvents", { body: { events: withIds } })).toMatchObject({ accepted: 1 });
    expect(await tiny.answer("addEvents", { body: { events: withIds } })).toMatchObject({ accepted: 0, duplicates: 1 });
  });

  test("events of items that nobody knows are stored, and told", async () => {
    const { unknownItems, accepted } = await tiny.answer("addEvents", {
      body: { events: [{ user: "cid", item: "not there", rating: 3 }] },
    });
    expect({ unknownItems, accepted }).toEqual({ unknownItems: ["not there"], accepted: 1 });
    await fitted();
    await tiny.answer("putItem", { params: { id: "not there" }, body: { channels: { year: 1950 } } });
    const filtered = await tiny.answer("similarToItem", {
      params: { id: "f000" },
      query: { user: "cid", filter: "seen", k: "50" },
    });
    expect(filtered.items.map(({ id }) => id)).toEqual(["not there"]);
    await tiny.answer("deleteItem", { params: { id: "not there" } });
  });

  test("are listed, those with a metric of their own first, page by page", async () => {
    await fitted();
    const whole = await tiny.answer("listUsers");
    expect(whole.next).toBeNull();
    expect(whole.users[0]).toMatchObject({ id: "ann", metric: "ratings" });
    const rest = whole.users.filter(({ metric }) => metric === "base").map(({ id }) => id);
    expect(rest).toEqual([...rest].sort());
    const found = [];
    for await (const { users } of tiny.pages("listUsers", { query: { limit: "1" } }, "after")) found.push(...users);
    expect(found).toEqual(whole.users);
    for (const { id, events, metric } of whole.users) {
      expect(await tiny.answer("getUser", { params: { id } })).toMatchObject({ events, metric });
    }
    for (const after of ["own.ann", "own.-1.ann", "ann", "rest."]) {
      const { status, error } = await tiny.ask("listUsers", { query: { after } });
      expect([after, status, error.code, error.field]).toEqual([after, 410, "STALE_CURSOR", "after"]);
    }
  });

  test("what they have seen can be left out", async () => {
    const rest = await tiny.answer("similarToItem", {
      params: { id: "f000" },
      query: { user: "ann", filter: "not seen", k: "50" },
    });
    expect(rest.items).toHaveLength(39 - met.length);
    expect(rest.items.some(({ id }) => met.includes(id))).toBe(false);
  });

  test("set sliders, which stand whatever they rate, until they delete them", async () => {
    const set = await tiny.answer("putMetric", {
      params: { id: "ann" },
      body: { weights: { genres: 9 }, popularity: 0.5 },
    });
    expect(set).toMatchObject({ source: "sliders", popularity: 0.5, weights: { genres: 9 }, reason: "set by hand" });
    await tiny.answer("addEvents", { body: { events: [{ user: "ann", item: "f033", rating: 5 }] } });
    await fitted();
    expect((await tiny.answer("getMetric", { params: { id: "ann" } })).weights.genres).toBe(9);
    const deleted = await tiny.answer("deleteMetric", { params: { id: "ann" } });
    expect(deleted.source).toBe("base");
    const refit = await tiny.answer("personalize", { params: { id: "ann" }, body: {} });
    expect(refit).toMatchObject({ source: "ratings", stored: true, fit: { items: 7 } });
  });

  test("a metric for ratings of the request stores nothing", async () => {
    await using model = await openTiny();
    const ratings = [{ item: "f002", rating: 5 }, { item: "f012", rating: 1 }, { item: "f019" }];
    const answer = await tiny.answer("personalize", { params: { id: "nobody" }, body: { ratings } });
    expect(answer.weights).toEqual(model.personalize(ratings).weights);
    expect(answer.stored).toBe(false);
    expect((await tiny.ask("getUser", { params: { id: "nobody" } })).status).toBe(404);
    const twice = await tiny.ask("personalize", { params: { id: "x" }, body: { ratings: [ratings[0], ratings[0]] } });
    expect([twice.status, twice.error.code, twice.error.field]).toEqual([400, "BAD_REQUEST", "ratings[1].item"]);
  });

  test("what they rated still counts when an item of the model is taken away", async () => {
    await tiny.answer("addEvents", { body: { events: events("dan", ["f030", "f032", "f034"]) } });
    const before = await tiny.answer("personalize", { params: { id: "dan" }, body: {} });
    await tiny.answer("deleteItem", { params: { id: "f032" } });
    const after = await tiny.answer("personalize", { params: { id: "dan" }, body: {} });
    expect([after.reason, after.weights]).toEqual(["fitted to 3 items", before.weights]);
    await tiny.answer("deleteMetric", { params: { id: "dan" } });
    await tiny.answer("putItem", { params: { id: "f032" }, body: { channels: {} } });
  });

  test("are predicted ratings with the evidence of the library, adding up", async () => {
    await using model = await openTiny();
    const { metric, history } = await tiny.server.context.users.known("ann");
    const ratings = history.map(({ item, rating }) => ({ item, rating }));
    const own = { weights: metric?.weights ?? {}, offset: metric?.offset ?? 0 };
    const expected = await model.predictFor(ratings, "f030", own);
    const { personal, catalogue } = await tiny.answer("predict", { body: { item: "f030", user: "ann", evidence: 3 } });
    expect(personal?.mean).toBeCloseTo(expected.mean, 10);
    expect(personal?.deviation).toBeCloseTo(expected.deviation, 10);
    expect(personal?.evidence).toHaveLength(3);
    const sum = (personal?.evidence ?? []).reduce(
      (total, { contribution }) => total + contribution,
      personal?.centre ?? 0,
    );
    expect(sum + (personal?.rest.contribution ?? 0)).toBeCloseTo(expected.mean, 10);
    expect(catalogue?.mean).toBeCloseTo((await model.predict("f030")).mean, 10);
    const draft = await tiny.answer("predict", { body: { item: { draft: { year: 1970 } } } });
    expect(draft).toMatchObject({ id: null, personal: null });
    expect(draft.catalogue?.mean).toBeCloseTo((await model.predict({ year: 1970 })).mean, 10);
  });

  test("are asked what tells most, as the library would, also when they are new", async () => {
    await using model = await openTiny();
    const fresh = await tiny.answer("nextQuestion", { params: { id: "new" }, query: { k: "4" } });
    const expected = model.nextQuestions([], { k: 4 });
    expect(fresh.questions).toEqual(expected);
    const { questions } = await tiny.answer("nextQuestion", { params: { id: "ann" }, query: { k: "3" } });
    expect(questions.some(({ id }) => met.includes(id))).toBe(false);
  });

  test("get rows because of what they liked, each item in one row, none that they met", async () => {
    const { rows, metric } = await tiny.answer("because", {
      params: { id: "ann" },
      query: { rows: "3", k: "4", explain: "true" },
    });
    expect(rows).toHaveLength(3);
    expect(metric.source).toBe("user");
    const ids = rows.flatMap(({ items }) => items.map(({ id }) => id));
    expect(new Set(ids).size).toBe(12);
    const seen = new Set([...met, "f033"]);
    expect(ids.some((id) => seen.has(id))).toBe(false);
    for (const { seed, reason, items } of rows) {
      expect(seen.has(seed.id)).toBe(true);
      expect(reason).toContain(seed.title);
      expect(items[0].contributions).toBeDefined();
    }
    expect((await tiny.answer("because", { params: { id: "stranger" } })).rows).toEqual([]);
  });

  test("with more events than are fitted are done with, also where the last to come are not the last in time", async () => {
    const { store, refresh } = tiny.server.context;
    for (let batch = 0; batch < 6; batch++) {
      const events = Array.from({ length: 1000 }, (_, i) => {
        const time = 1e9 - 1000 * batch - i;
        return { user: "collector", item: `f0${10 + (i % 30)}`, rating: 1 + (i % 5), type: "rating", time };
      });
      await store.events.add(events);
    }
    refresh.add("collector");
    await fitted();
    expect((await store.metrics.get("collector"))?.items).toBe(30);
    expect(await store.usersToFit({ after: "collecto", limit: 1 })).toEqual({ users: [], next: "collector" });
    await store.deleteUser("collector");
  });

  test("feedback on a list is stored once, and only for lists of this server", async () => {
    const { recommendation, items } = await tiny.answer("similarToItem", {
      params: { id: "f000" },
      query: { user: "ann" },
    });
    const feedback = [{ recommendation, item: items[0].id, action: "clicked", position: 1, user: "ann" }];
    expect(await tiny.answer("addFeedback", { body: { feedback } })).toEqual({ accepted: 1, duplicates: 0 });
    expect(await tiny.answer("addFeedback", { body: { feedback } })).toEqual({ accepted: 0, duplicates: 1 });
    const forged = [{ ...feedback[0], recommendation: `x${recommendation}` }];
    const { status, error } = await tiny.ask("addFeedback", { body: { feedback: forged } });
    expect([status, error.code, error.field]).toEqual([400, "BAD_REQUEST", "feedback[0].recommendation"]);
  });

  test("can read all that is stored of them, the newest first", async () => {
    const user = await tiny.answer("getUser", { params: { id: "ann" } });
    expect(user).toMatchObject({ events: 7, items: 7, ratings: 7, feedback: 1, metric: "ratings" });
    const seen: string[] = [];
    for await (const page of tiny.pages("getUserEvents", { params: { id: "ann" }, query: { limit: "3" } }, "after")) {
      seen.push(...page.events.map(({ item }) => item));
    }
    expect(seen).toEqual(["f033", ...[...met].reverse()]);
  });

  test("are gone when they are deleted: events, metric, feedback, and what was cached", async () => {
    await tiny.answer("addEvents", { body: { events: [{ user: "ann", item: "f005", rating: 2 }] } }); // a fit is on its way
    const gone = await tiny.answer("deleteUser", { params: { id: "ann" } });
    expect(gone).toEqual({ events: 8, feedback: 1, metric: true });
    await fitted();
    const list = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { user: "ann" } });
    expect(list.metric.reason).toBe("no such user yet: the metric that all share");
    expect((await tiny.ask("getUser", { params: { id: "ann" } })).status).toBe(404);
    expect(await tiny.answer("deleteUser", { params: { id: "ann" } })).toEqual({
      events: 0,
      feedback: 0,
      metric: false,
    });
  });

  test("survive a restart", async () => {
    await tiny.answer("addEvents", { body: { events: events("eve") } });
    await fitted();
    const before = await tiny.answer("getMetric", { params: { id: "eve" } });
    await tiny.stop();
    await tiny.start();
    expect(await tiny.answer("getMetric", { params: { id: "eve" } })).toEqual(before);
  });

  test("who are deleted while they set sliders are gone, or have the sliders, and nobody is told of a mistake", async () => {
    const { store, users } = tiny.server.context;
    const params = { id: "racer" };
    const put = () => tiny.ask("putMetric", { params, body: { weights: { genres: 9 } } });
    const remove = () => tiny.answer("deleteUser", { params });
    const prepare = async () => {
      await tiny.answer("addEvents", { body: { events: events("racer") } });
      await fitted();
    };
    const check = async ({ status, text }: { status: number; text: string }) => {
      expect(status, text).toBe(200);
      await fitted();
      users.forget("racer");
      const { source, weights } = await tiny.answer("getMetric", { params });
      expect(["sliders", "base"]).toContain(source);
      if (source === "sliders") expect(weights.genres).toBe(9);
    };
    // the deletion falls before, between and behind the steps of the request: reading the user, writing, and reading again
    for (const call of ["get", "set"] as const) {
      for (const place of ["before", "behind"]) {
        await prepare();
        const method = store.metrics[call] as (argument: unknown) => Promise<never>;
        store.metrics[call] = async (argument: unknown) => {
          store.metrics[call] = method;
          if (place === "before") await remove();
          const result = await method(argument);
          if (place === "behind") await remove();
          return result;
        };
        users.forget("racer");
        await check(await put());
      }
    }
    for (let round = 0; round < 20; round++) {
      await prepare();
      const [answer] = await Promise.all([put(), remove()]);
      await check(answer);
    }
    await remove();
  });

  test("whose first event comes while their history is read for a fit are answered, and fitted to it later", async () => {
    const { store } = tiny.server.context;
    const { lastOf } = store.events;
    store.events.lastOf = async (user) => {
      const last = await lastOf(user);
      if (user !== "first") return last;
      store.events.lastOf = lastOf;
      await tiny.answer("addEvents", { body: { events: events(user) } });
      return last;
    };
    const { status, text } = await tiny.ask("personalize", { params: { id: "first" }, body: {} });
    expect(status, text).toBe(200);
    await fitted();
    expect(await tiny.answer("getMetric", { params: { id: "first" } })).toMatchObject({ fit: { items: 6 } });
  });
});

import { join } from "node:path";
import { openModel } from "@nearkin/core";
import { toyEncode } from "@nearkin/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFolder } from "../models/model-folder.ts";
import { TinyServer } from "../testing/tiny-server.ts";

let tiny: TinyServer;
beforeAll(async () => {
  tiny = await TinyServer.open();
});
afterAll(() => tiny[Symbol.asyncDispose]());

const openTiny = () => openModel(readFolder(join(tiny.folder, "models", "films")), { encode: toyEncode });

describe("similar items", () => {
  test("are those of the library, to the last bit, with the same reasons", async () => {
    await using model = await openTiny();
    for (const id of ["f000", "f017", "f039"]) {
      const expected = await model.similar(id, { k: 12, explain: true });
      const { items, metric, exact, next } = await tiny.answer("similarToItem", {
        params: { id },
        query: { k: "12", explain: "true" },
      });
      expect(
        items.map(({ contributions, ...item }) => ({
          ...item,
          contributions: contributions?.map(({ pending, ...c }) => c),
        })),
      ).toEqual(expected.items);
      expect(metric).toEqual({
        source: "base",
        weights: expected.weights,
        popularity: 0,
        reason: "no user was named: the metric that all share",
      });
      expect(exact).toBe(true);
      expect(next).not.toBeNull();
    }
  });

  test("to a draft and an item together are those of the library, and say what the draft lacks", async () => {
    await using model = await openTiny();
    const draft = { genres: ["Drama"], year: 1960, plot: "two sisters inherit a cinema" };
    const expected = await model.similar(["f003", draft], { k: 5 });
    const { items, missing } = await tiny.answer("similar", { body: { items: ["f003", { draft }], k: 5 } });
    expect(items).toEqual(expected.items);
    expect(missing).toEqual(expected.missing);
  });

  test("go on from page to page, each item once, in the order of one long list", async () => {
    const all = await tiny.answer("similarToItem", { params: { id: "f001" }, query: { k: "39" } });
    const seen: string[] = [];
    for await (const page of tiny.pages("similarToItem", { params: { id: "f001" }, query: { k: "7" } }, "cursor")) {
      expect(page.items[0].rank).toBe(seen.length + 1);
      seen.push(...page.items.map(({ id }) => id));
    }
    expect(seen).toEqual(all.items.map(({ id }) => id));
    expect(all.next).toBeNull();
  });

  test("a cursor of another question is refused", async () => {
    const { next } = await tiny.answer("similarToItem", { params: { id: "f001" }, query: { k: "3" } });
    const other = await tiny.ask("similarToItem", {
      params: { id: "f002" },
      query: { k: "3", cursor: next as string },
    });
    expect([other.status, other.error.code, other.error.field]).toEqual([410, "STALE_CURSOR", "cursor"]);
  });

  test("with weights of the request, popularity, diversity and exclusions are those of the library", async () => {
    await using model = await openTiny();
    const weights = { genres: 3, year: 0 };
    const expected = await model.similar("f005", {
      k: 6,
      weights,
      popularity: 0.5,
      diversity: 0.4,
      exclude: ["f001", "f002"],
    });
    const { items, metric } = await tiny.answer("similarToItem", {
      params: { id: "f005" },
      query: { k: "6", weights: "genres:3,year:0", popularity: "0.5", diversity: "0.4", exclude: ["f001", "f002"] },
    });
    expect(items.map(({ id, score }) => [id, score])).toEqual(expected.items.map(({ id, score }) => [id, score]));
    expect(metric.source).toBe("given");
    expect(metric.weights).toEqual(expected.weights);
  });

  test("an unknown item is a 404 with those that may have been meant", async () => {
    const { status, error } = await tiny.ask("similarToItem", { params: { id: "f0O1" } });
    expect([status, error.code]).toEqual([404, "UNKNOWN_ITEM"]);
    expect(error.nearest?.map(({ id }) => id)).toContain("f001");
  });

  test("order safe and explore sort the most similar by their bounds; predictions are the library's", async () => {
    await using model = await openTiny();
    for (const [order, sign] of [
      ["safe", -1],
      ["explore", 1],
    ] as const) {
      const { items } = await tiny.answer("similarToItem", {
        params: { id: "f004" },
        query: { k: "39", order, predict: "true" },
      });
      const bounds = items.map(({ predicted }) =>
        predicted ? predicted.mean + sign * predicted.deviation : Number.NaN,
      );
      expect(bounds).toEqual([...bounds].sort((a, b) => b - a));
      const one = await model.predict(items[0].id);
      expect(items[0].predicted?.mean).toBeCloseTo(one.mean, 10);
      expect(items[0].predicted?.deviation).toBeCloseTo(one.deviation, 10);
    }
  });

  test("an explanation of a pair is the library's", async () => {
    await using model = await openTiny();
    const expected = await model.explain("f010", "f020");
    const answer = await tiny.answer("explain", { params: { id: "f010", other: "f020" } });
    expect(answer.rank).toBe(expected.rank);
    expect(answer.contributions.map(({ pending, ...rest }) => rest)).toEqual(expected.contributions);
  });

  test("filters leave only what passes, exactly as many as there are", async () => {
    const of = async (filter: string) =>
      (await tiny.answer("similarToItem", { params: { id: "f000" }, query: { k: "50", filter } })).items.map(
        ({ id }) => id,
      );
    const all = await of("");
    const some = await of('id in ("f001", "f002", "nobody")');
    expect(some).toEqual(all.filter((id) => id === "f001" || id === "f002"));
    expect(await of('title matches "harbour"')).not.toHaveLength(0);
    const rest = await of('not id in ("f001", "f002")');
    expect(rest).toEqual(all.filter((id) => id !== "f001" && id !== "f002"));
    expect(await of("ratings >= 0")).toEqual(all);
    expect(await of("ratings < 0")).toEqual([]);
  });

  test("diversity without a weight above 0 is refused, with the place", async () => {
    const { channels } = await tiny.answer("getModel", { params: { id: "films" } });
    const weights = Object.fromEntries(channels.map(({ name }) => [name, -1]));
    const body = { items: ["f001"], weights, k: 3 };
    expect((await tiny.answer("similar", { body })).items).toHaveLength(3);
    const { status, error } = await tiny.ask("similar", { body: { ...body, diversity: 0.5 } });
    expect([status, error.code, error.field]).toEqual([400, "BAD_REQUEST", "diversity"]);
  });

  test("what is wrong with a question is said, with the place", async () => {
    const wrong = async (query: Record<string, string>) => {
      const { status, error } = await tiny.ask("similarToItem", { params: { id: "f000" }, query });
      return { status, code: error.code, field: error.field };
    };
    expect(await wrong({ k: "0" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "k" });
    expect(await wrong({ k: "1e9" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "k" });
    expect(await wrong({ weights: "genres:NaN" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "weights" });
    expect(await wrong({ weights: "nobody:1" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "weights.nobody" });
    expect(await wrong({ filter: "yeer > 3" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "filter" });
    expect(await wrong({ filter: "not seen" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "filter" });
    expect(await wrong({ kk: "3" })).toEqual({ status: 400, code: "BAD_REQUEST", field: "kk" });
    const { channels } = {
      channels: Object.keys((await tiny.answer("similarToItem", { params: { id: "f000" } })).metric.weights),
    };
    expect(await wrong({ weights: channels.map((name) => `${name}:0`).join(",") })).toEqual({
      status: 400,
      code: "BAD_REQUEST",
      field: "weights",
    });
  });
});

test("of a value that cannot be read the beginning is told, however long it is", async () => {
  for (const [channel, value] of [
    ["year", `${"1".repeat(99_998)}x`],
    ["year", Array(1000).fill("x".repeat(500))],
    ["released", `1999-12-31T20:15:00.${"1".repeat(99_000)}`],
  ] as const) {
    const { status, error } = await tiny.ask("similar", { body: { items: [{ draft: { [channel]: value } }] } });
    expect([status, error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(error.message.length).toBeLessThan(300);
  }
  const { missing } = await tiny.answer("similar", {
    body: { items: [{ draft: { year: 1990, genres: Array(1000).fill("a|b".repeat(150)) } }] },
  });
  expect(JSON.stringify(missing).length).toBeLessThan(5000);
});

describe("what a user met lately", () => {
  let knowing: TinyServer; // its model has a behavior channel
  beforeAll(async () => {
    knowing = await TinyServer.open({ folders: { films: { behavior: true } } });
  });
  afterAll(() => knowing[Symbol.asyncDispose]());

  const ask = (query: Record<string, string | string[]>, id = "f000") =>
    knowing.answer("similarToItem", { params: { id }, query: { k: "12", explain: "true", ...query } });
  const met = ["f003", "f008", "f005"];

  test("is part of the score as in the library, to the last bit, with what each item adds", async () => {
    await using model = await openModel(readFolder(join(knowing.folder, "models", "films")), { encode: toyEncode });
    for (const [history, factor] of [
      ["1", 1],
      ["0.5", 0.5],
    ] as const) {
      const weight = factor * (model.parts.history?.weight as number);
      const expected = await model.similar("f000", { k: 12, history: met, historyWeight: weight, explain: true });
      const { items, metric } = await ask({ met, history });
      expect(items.map(({ contributions, ...item }) => item)).toEqual(
        expected.items.map(({ contributions, ...item }) => item),
      );
      expect(metric.history).toEqual({ weight, items: met.map((id) => expect.objectContaining({ id })) });
      const listed = (await ask({ met, history, k: "100" })).items.map(({ id: one }) => one);
      expect(listed.filter((one) => met.includes(one))).toEqual([]); // they would raise themselves most
      expect(listed.length).toBeGreaterThan(20);
      const { id, rank, lifts } = items[7];
      const explained = await knowing.answer("explain", { params: { id: "f000", other: id }, query: { met, history } });
      expect([explained.rank, explained.lifts]).toEqual([rank, lifts]);
    }
  });

  test("counts at once after an event; the item in question, and what the catalogue does not have, are left out", async () => {
    const none = await ask({ user: "ann" });
    expect(none.metric.history).toBeUndefined();
    const events = ["f009", "gone", "f000", "f012"].map((item) => ({ user: "ann", item, type: "view" }));
    await knowing.answer("addEvents", { body: { events } });
    const { items, metric } = await ask({ user: "ann" });
    expect(metric.history?.items.map(({ id }) => id)).toEqual(["f009", "f012"]);
    expect(items.map(({ id }) => id)).not.toEqual(none.items.map(({ id }) => id));
    const { metric: guest } = await ask({ user: "ann", met: ["f001"] });
    expect(guest.history?.items.map(({ id }) => id)).toEqual(["f001"]);
  });

  test("changes nothing, to the bit, if it counts 0, if nothing was met, or if the model does not know who met what", async () => {
    const plain = await ask({});
    expect((await ask({ met, history: "0" })).items).toEqual(plain.items);
    expect((await ask({ met: "[]" })).items).toEqual(plain.items);
    expect((await ask({ met: ["gone"] })).items).toEqual(plain.items);
    const query = { k: "12", explain: "true" };
    const without = await tiny.answer("similarToItem", { params: { id: "f000" }, query });
    const asked = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { ...query, met } });
    expect(asked.items).toEqual(without.items);
    expect(asked.metric.history).toBeUndefined();
  });

  test("is refused if it makes no sense", async () => {
    const refused = async (query: Record<string, string | string[]>) =>
      (await knowing.ask("similarToItem", { params: { id: "f000" }, query })).error;
    expect(await refused({ history: "-1" })).toMatchObject({ code: "BAD_REQUEST", field: "history" });
    expect(await refused({ history: "11" })).toMatchObject({ code: "BAD_REQUEST", field: "history" });
    const many = JSON.stringify(Array.from({ length: 51 }, (_, i) => `f${i}`));
    expect(await refused({ met: many })).toMatchObject({ code: "BAD_REQUEST", field: "met" });
  });
});

// A whole model: made, written, read, asked; in Node and in a browser.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NearkinError } from "../errors.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { exp } from "../metric/exponential.ts";
import { applyLink } from "../metric/link.ts";
import { decodeModel } from "./decode.ts";
import { encodeModel } from "./encode.ts";
import type { Model } from "./model.ts";
import { openModel } from "./open.ts";
import type { ModelParts } from "./parts.ts";
import { tinyModel, toyEncode, toyVector } from "./testing/tiny-model.ts";
import type { UserRating } from "./user-ratings.ts";

let engine: Engine;
let parts: ModelParts;
let files: Map<string, Uint8Array>;
let model: Model;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 2 });
  parts = tinyModel(engine);
  files = await encodeModel(parts);
  model = await openModel(reader(files), { engine, encode: toyEncode });
});
afterAll(async () => {
  await model?.close();
  await engine?.close();
});

/** Reads from memory as one would from a folder or a server. */
function reader(from: ReadonlyMap<string, Uint8Array>): (name: string) => Promise<Uint8Array> {
  return async (name) => {
    const bytes = from.get(name);
    if (!bytes) throw new Error(`there is no ${name}`);
    return bytes;
  };
}

async function errorOf(call: () => Promise<unknown>): Promise<string> {
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NearkinError)) throw error ?? new Error("expected an error");
  return `${error.code}: ${error.message}`;
}

const FULL_DRAFT = {
  title: "The Quiet Winter",
  plot: "a sailor keeps a secret",
  poster: [0.1, 0.2, 0.3],
  genres: ["Drama", "War", "Opera"],
  year: 1987,
  released: "1987-05-01",
  place: { latitude: 52.5, longitude: 13.4 },
};

describe("the model file", () => {
  test("comes back as it was, for every precision, link and scale", async () => {
    const worlds = [
      {},
      { precision: "f64", link: "saturating", scale: "diagonal" },
      { link: "sigmoid", weights: "signed", withoutPosterior: true },
      { withoutPersonal: true },
      { behavior: true, updates: true },
      { updates: true },
    ] as const;
    for (const options of worlds) {
      const made = tinyModel(engine, { n: 20, ...options });
      const { id, ...back } = await decodeModel(reader(await encodeModel(made)));
      expect(back).toEqual(made);
      expect(id).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test("the same parts give the same bytes; model.json comes last, and its id covers everything", async () => {
    const again = await encodeModel(tinyModel(engine));
    expect([...again.keys()]).toEqual([
      "weights.safetensors",
      "items.safetensors",
      "transforms.safetensors",
      "catalogue.json",
      "model.json",
    ]);
    for (const [name, bytes] of files) expect(again.get(name)).toEqual(bytes);
    const id = async (changed: ModelParts) => (await decodeModel(reader(await encodeModel(changed)))).id;
    const ids = await Promise.all([
      id(parts),
      id({ ...parts, name: "other" }),
      id({ ...parts, items: { ...parts.items, ratings: parts.items.ratings.map((count) => count + 1) } }),
      id({ ...parts, seeds: { training: 8 } }),
    ]);
    expect(new Set(ids).size).toBe(4);
  });

  test("model.json says what people want to know", () => {
    const manifest = JSON.parse(new TextDecoder().decode(files.get("model.json")));
    expect(manifest).toMatchObject({
      format: "nearkin-model",
      version: 1,
      name: "tiny",
      dataset: { name: "tiny films", simulated: true },
      metric: { temperature: 0.2, popularity: 0.4, rating: { centre: 3.5, scale: 0.6 } },
      posterior: { likelihood: "dtc", inducing: 8, targets: 3 },
    });
    expect(manifest.metric.weights).toEqual(model.weights);
    expect(Object.keys(manifest.metric.weights)).toEqual([
      "title",
      "plot",
      "poster",
      "genres",
      "year",
      "released",
      "place",
      "identity",
    ]);
  });
});

describe("similar", () => {
  test("gives neighbours with their exact reasons", async () => {
    const { items, missing, weights, popularity } = await model.similar("f003", { k: 5, explain: true });
    expect(items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(items.map(({ id }) => id)).not.toContain("f003");
    expect([missing, weights, popularity]).toEqual([[], model.weights, 0]);
    for (const { distance, score, contributions = [], rank } of items) {
      expect(contributions.map(({ channel }) => channel)).toEqual(Object.keys(model.weights));
      expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(distance);
      expect(contributions.reduce((sum, { share }) => sum + (share ?? Number.NaN), 0)).toBeCloseTo(1, 12);
      expect(score).toBe(-distance / 0.2);
      for (const { contribution, distance: d, weight, rankWithout } of contributions) {
        expect(contribution).toBe(weight * d);
        expect(rankWithout).toBeLessThanOrEqual(rank);
      }
    }
  });

  test("is what explain says of each", async () => {
    const { items } = await model.similar("f003", { k: 39, explain: true, popularity: 0.3 });
    expect(items).toHaveLength(39);
    for (const item of [items[0], items[20], items[38]]) {
      const { missing, ...explained } = await model.explain("f003", item.id, { popularity: 0.3 });
      expect(explained).toEqual(item);
      expect(missing).toEqual([]);
    }
  });

  test("an unknown value is marked, and never counts as equal", async () => {
    const p = parts.ensemble.channels.length;
    const known = (item: number, c: number) => parts.items.masked[item * p + c] === 0;
    const { items } = await model.similar("f003", { k: 39, explain: true });
    let marked = 0;
    for (const { id, contributions = [] } of items) {
      const item = parts.catalogue.ids.indexOf(id);
      contributions.forEach(({ unknown, distance }, c) => {
        const [a, b] = [known(3, c), known(item, c)];
        expect(unknown).toBe(a && b ? null : a ? "item" : b ? "query" : "both");
        if (unknown !== null) expect(distance).toBeGreaterThan(0);
        if (unknown !== null) marked++;
      });
    }
    expect(marked).toBeGreaterThan(10);
  });

  test("own weights: one channel alone, by name or all in order; negative ones have no shares", async () => {
    const only = { title: 0, plot: 0, poster: 0, genres: 0, year: 2, released: 0, place: 0, identity: 0 };
    const byName = await model.similar("f003", { weights: only, explain: true });
    const inOrder = await model.similar("f003", { weights: Object.values(only), explain: true });
    expect(byName).toEqual(inOrder);
    for (const { contributions = [] } of byName.items) {
      expect(contributions.filter(({ contribution }) => contribution !== 0).length).toBeLessThanOrEqual(1);
    }
    const negative = await model.similar("f003", { weights: { year: -1 }, explain: true });
    expect(negative.items[0].contributions?.map(({ share }) => share)).toEqual(Array(8).fill(null));
    expect(negative.weights).toEqual({ ...model.weights, year: -1 });
  });

  test("a channel may be called length; weights that say nothing are refused", async () => {
    const renamed = <T extends { name: string }>(channels: readonly T[]): T[] =>
      channels.map((channel) => (channel.name === "year" ? { ...channel, name: "length" } : channel));
    const ensemble = { ...parts.ensemble, channels: renamed(parts.ensemble.channels) };
    const opened = await openModel({ ...parts, channels: renamed(parts.channels), ensemble }, { engine });
    const [byLength, byYear] = [
      await opened.similar("f003", { weights: { length: 9 } }),
      await model.similar("f003", { weights: { year: 9 } }),
    ];
    expect(byLength.items).toEqual(byYear.items);
    expect(byLength.weights).toMatchObject({ length: 9 });
    await opened.close();
    expect(await model.similar("f003", { weights: Float64Array.from(Object.values(model.weights)) })).toEqual(
      await model.similar("f003"),
    );
    const of = (weights: unknown) => errorOf(() => model.similar("f003", { weights: weights as number[] }));
    expect([
      await of(null),
      await of(3),
      await of(Object.fromEntries(Object.keys(model.weights).map((name) => [name, 0]))),
      await of(new Array(8).fill(0)),
      await of({ year: "2" }),
      await of({ year: Number.NaN }),
      await of([]),
    ]).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: weights: expected numbers by channel, such as { title: 2 }, or a list of all, got null",
        "BAD_ARGUMENT: weights: expected numbers by channel, such as { title: 2 }, or a list of all, got 3",
        "BAD_ARGUMENT: weights: all are 0, so no item is nearer than another; leave one above 0",
        "BAD_ARGUMENT: weights: all are 0, so no item is nearer than another; leave one above 0",
        "BAD_ARGUMENT: weights: year takes a finite number, got "2"",
        "BAD_ARGUMENT: weights: year takes a finite number, got NaN",
        "BAD_ARGUMENT: a query takes 8 finite weights, got ",
      ]
    `);
  });

  test("what is neither an id nor a draft is refused, and says what to pass", async () => {
    const similar = (query: unknown, options = {}) => errorOf(() => model.similar(query as string, options));
    const predict = (query: unknown) => errorOf(() => model.predict(query as string));
    expect([
      await similar(5),
      await similar(null),
      await similar(undefined),
      await similar([[]]),
      await similar(["f003", 5]),
      await similar(new Float64Array(3)),
      await similar(new Map()),
      await similar("f003", { exclude: [5] }),
      await similar("f003", { exclude: "f004" }),
      await similar("f003", { exclude: 5 }),
      await similar("f003", { filter: 5 }),
      await predict(5),
      await predict([]),
      await predict(["f003", "f004"]),
      await errorOf(() => model.explain("f003", 5 as unknown as string)),
      await errorOf(() => model.embed("f003" as unknown as object as { title: string })),
      await errorOf(async () => model.items.find(5 as unknown as string)),
    ]).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got 5; ids are strings: "5"",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got null",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got undefined",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got a list of 0",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got 5; ids are strings: "5"",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got a Float64Array",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got a Map",
        "BAD_ARGUMENT: expected an item's id, got 5; ids are strings: "5"",
        "BAD_ARGUMENT: exclude: expected a list of ids, got "f004"",
        "BAD_ARGUMENT: exclude: expected a list of ids, got 5",
        "BAD_ARGUMENT: filter: expected a function that keeps an item by returning true, got 5",
        "BAD_ARGUMENT: expected an item's id, or a draft as an object by channel, got 5; ids are strings: "5"",
        "BAD_ARGUMENT: predict takes one item, by its id or as a draft, got a list of 0; ask about one after the other",
        "BAD_ARGUMENT: predict takes one item, by its id or as a draft, got a list of 2; ask about one after the other",
        "BAD_ARGUMENT: expected an item's id, got 5; ids are strings: "5"",
        "BAD_ARGUMENT: expected a draft as an object by channel, got "f003"; items of the catalogue need no embedding: pass their ids on",
        "BAD_ARGUMENT: expected an item's id, got 5; ids are strings: "5"",
      ]
    `);
  });

  test("popularity, as a number or as calibrated", async () => {
    const { items, popularity } = await model.similar("f003", { popularity: "calibrated" });
    expect(popularity).toBe(0.4);
    expect((await model.similar("f003", { popularity: 0.4 })).items).toEqual(items);
    const popular = await model.similar("f003", { popularity: 1000 });
    const counts = popular.items.map(({ id }) => model.items.at(model.items.indexOf(id)).ratings);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  test("excluded and filtered items stay away", async () => {
    const all = (await model.similar("f003", { k: 39 })).items;
    const rest = await model.similar("f003", { k: 39, exclude: [all[0].id, all[1].id] });
    expect(rest.items.map(({ id }) => id)).toEqual(all.slice(2).map(({ id }) => id));
    const winters = await model.similar("f003", {
      filter: ({ title }) => title?.includes("Quiet") === true,
      explain: true,
    });
    expect(winters.items.map(({ id }) => id)).toEqual(
      all.filter(({ title }) => title?.includes("Quiet")).map(({ id }) => id),
    );
    expect(winters.items.length).toBeGreaterThan(2);
    expect((await model.similar("f003", { filter: (item) => item.field("year") === "none" })).items).toEqual([]);
  });

  test("diversity reorders the best, says where each stands by score, and agrees from page to page", async () => {
    const plain = await model.similar("f003", { k: 39 });
    expect([plain.diversity, plain.items[0].scoreRank]).toEqual([0, undefined]);
    expect(await model.similar("f003", { k: 39, diversity: 0 })).toEqual(plain);
    const { items, diversity } = await model.similar("f003", { k: 39, diversity: 0.6, explain: true });
    expect(diversity).toBe(0.6);
    expect(items.map(({ rank }) => rank)).toEqual(plain.items.map(({ rank }) => rank));
    expect(items.map(({ id }) => id)).not.toEqual(plain.items.map(({ id }) => id));
    for (const { id, scoreRank = 0, score, contributions = [] } of items) {
      expect(plain.items[scoreRank - 1]).toMatchObject({ id, score });
      for (const { rankWithout } of contributions) expect(rankWithout).toBeLessThanOrEqual(scoreRank);
    }
    const page = await model.similar("f003", { k: 5, diversity: 0.6, explain: true });
    expect(page.items).toEqual(items.slice(0, 5));
    expect([
      await errorOf(() => model.similar("f003", { diversity: 2 })),
      await errorOf(() => model.similar("f003", { diversity: "1" as unknown as number })),
      await errorOf(() => model.similar("f003", { diversity: 0.5, k: 0.5 })),
    ]).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: diversity takes a number from 0 (nearest first) to 1 (as different as can be), got 2",
        "BAD_ARGUMENT: diversity takes a number from 0 (nearest first) to 1 (as different as can be), got "1"",
        "BAD_ARGUMENT: similar: k must be a whole number of at least 1, got 0.5",
      ]
    `);
  });

  test("several items: the mean of their distances, none of them among the neighbours", async () => {
    const { items } = await model.similar(["f003", "f004"], { k: 38, explain: true });
    expect(items).toHaveLength(38);
    const { id, distance, contributions } = items[7];
    const [a, b] = [await model.explain("f003", id), await model.explain("f004", id)];
    expect(distance).toBeCloseTo((a.distance + b.distance) / 2, 12);
    contributions?.forEach(({ contribution }, c) => {
      expect(contribution).toBeCloseTo((a.contributions[c].contribution + b.contributions[c].contribution) / 2, 12);
    });
  });

  test("neighbours of all items are those of each", async () => {
    for (const { first, count, k, items } of model.neighbours({ k: 6, popularity: "calibrated" })) {
      for (let i = 0; i < count; i++) {
        const own = await model.similar(model.items.at(first + i).id, { k: 6, popularity: "calibrated" });
        const found = Array.from(items.subarray(i * k, (i + 1) * k), (row) => model.items.at(row).id);
        expect(found).toEqual(own.items.map(({ id }) => id));
      }
    }
  });

  test("neighbours of a part, and of none; a part that is none is refused at once", async () => {
    const all = [...model.neighbours({ k: 3 })].flatMap(({ items }) => [...items]);
    const part = [...model.neighbours({ k: 3, from: 5, to: 7 })];
    expect(part.map(({ first, count }) => [first, count])).toEqual([[5, 2]]);
    expect([...part[0].items]).toEqual(all.slice(15, 21));
    expect([...model.neighbours({ from: 5, to: 5 })]).toEqual([]);
    for (const [from, to] of [
      [5, 2],
      [Number.NaN, 3],
      [0, 2.5],
      [-1, 3],
      [0, 41],
    ]) {
      expect(await errorOf(async () => model.neighbours({ from, to }))).toBe(
        `BAD_ARGUMENT: neighbours: from and to must be whole numbers with 0 ≤ from ≤ to ≤ 40, got from ${from} to ${to}`,
      );
    }
  });

  test("rows in several memories make no difference", async () => {
    await using sharded = await openModel(parts, { shardBytes: 12 * 4 * 41, encode: toyEncode });
    expect(sharded.rows.shards.length).toBeGreaterThan(2);
    const options = { k: 20, explain: true, popularity: 0.2 } as const;
    expect(await sharded.similar("f003", options)).toEqual(await model.similar("f003", options));
    expect(await sharded.predict("f003")).toEqual(await model.predict("f003"));
  });
});

describe("a draft", () => {
  test("that describes an item of the catalogue is embedded like it", async () => {
    const { tinyCatalogue } = await import("./testing/tiny-catalogue.ts");
    const { Random } = await import("../linalg/random.ts");
    const catalogue = tinyCatalogue(40, new Random(7).split("catalogue"));
    const e = parts.centres.length;
    const width = e + 9;
    for (const index of [9, 19, 29, 39]) {
      // cold items: they have no identity either
      const { id: _, ...draft } = catalogue[index];
      const { embedding, masked, missing } = await model.embed(draft);
      expect(Array.from(masked)).toEqual(Array.from(parts.items.masked.subarray(index * 8, index * 8 + 8)));
      expect(Array.from(embedding)).toEqual(Array.from(parts.items.rows.subarray(index * width, index * width + e)));
      const absent = Object.entries(draft).flatMap(([name, value]) => (value === undefined ? [name] : []));
      expect(missing.map(({ channel }) => channel)).toEqual([...absent, "identity"]);
    }
  });

  test("says what is missing, and why", async () => {
    expect((await model.similar(FULL_DRAFT)).missing).toEqual([
      { channel: "identity", reason: "a new item has no vector of its own" },
    ]);
    const { missing, items } = await model.similar({
      title: "xyzzy",
      plot: " ",
      poster: "a red door",
      genres: ["Opera"],
      year: null,
    });
    expect(missing).toMatchInlineSnapshot(`
      [
        {
          "channel": "title",
          "reason": "training knows none of its words",
        },
        {
          "channel": "plot",
          "reason": "the text is blank",
        },
        {
          "channel": "poster",
          "reason": "it takes a vector of 3 numbers",
        },
        {
          "channel": "genres",
          "reason": "training knows none of Opera",
        },
        {
          "channel": "year",
          "reason": "not given",
        },
        {
          "channel": "released",
          "reason": "not given",
        },
        {
          "channel": "place",
          "reason": "not given",
        },
        {
          "channel": "identity",
          "reason": "a new item has no vector of its own",
        },
      ]
    `);
    expect(items).toHaveLength(10);
    const bare = await openModel(parts, { engine });
    expect((await bare.similar(FULL_DRAFT)).missing[0]).toMatchInlineSnapshot(`
      {
        "channel": "plot",
        "reason": "the encoder toy is not at hand here; it takes a vector of 6 numbers",
      }
    `);
    await bare.close();
  });

  test("may bring the vector of a text, and need no encoder", async () => {
    const bare = await openModel(parts, { engine });
    const plot = toyVector(FULL_DRAFT.plot);
    expect(await bare.similar({ ...FULL_DRAFT, plot })).toEqual(await model.similar(FULL_DRAFT));
    expect(await bare.similar({ ...FULL_DRAFT, plot: Array.from(plot) })).toEqual(await model.similar(FULL_DRAFT));
    await bare.close();
  });

  test("an encoder that is not installed leaves its channel missing; one that fails is an error", async () => {
    const failing = async (code: "ENCODER_UNAVAILABLE" | "WORKER_FAILED") => {
      const encode = async () => {
        throw new NearkinError(code, "toy: its weights are gone");
      };
      const opened = await openModel(parts, { engine, encode });
      const result = await opened.similar(FULL_DRAFT).catch((error: unknown) => String(error));
      await opened.close();
      return result;
    };
    expect(await failing("ENCODER_UNAVAILABLE")).toMatchObject({
      missing: [{ channel: "plot", reason: "toy: its weights are gone" }, { channel: "identity" }],
    });
    expect(await failing("WORKER_FAILED")).toBe("NearkinError: toy: its weights are gone");
  });

  test("is embedded once and asked about often, alone and among items", async () => {
    const embedded = await model.embed(FULL_DRAFT);
    expect(await model.similar(embedded, { explain: true })).toEqual(
      await model.similar(FULL_DRAFT, { explain: true }),
    );
    expect(await model.predict(embedded)).toEqual(await model.predict(FULL_DRAFT));
    const mixed = await model.similar([embedded, "f001"], { k: 50 });
    expect(mixed.items).toHaveLength(39);
    expect(mixed.missing).toEqual(embedded.missing);
  });

  test("dates may be years, seconds or milliseconds; one category may be a text", async () => {
    const of = async (draft: object) => Array.from((await model.embed({ ...FULL_DRAFT, ...draft })).embedding);
    expect(await of({ released: 1987 })).toEqual(await of({ released: "1987-01-01" }));
    expect(await of({ released: 546_825_600 })).toEqual(await of({ released: "1987-05-01" }));
    expect(await of({ released: 546_825_600_000 })).toEqual(await of({ released: "1987-05-01" }));
    expect(await of({ genres: "Drama" })).toEqual(await of({ genres: ["Drama", "Opera", " "] }));
    expect(await of({ year: 1900 })).not.toEqual(await of({ year: 2000 }));
  });

  test("numbers may be texts; a cell with several categories is one, and says so", async () => {
    const of = async (draft: object) => Array.from((await model.embed({ ...FULL_DRAFT, ...draft })).embedding);
    expect(await of({ year: " 1951 " })).toEqual(await of({ year: 1951 }));
    expect(await of({ year: "1.951e3" })).toEqual(await of({ year: 1951 }));
    const reason = async (genres: unknown) =>
      (await model.embed({ genres } as { genres: string })).missing.find(({ channel }) => channel === "genres")?.reason;
    expect([
      await reason("Outdoor > Tents"),
      await reason("Drama|War"),
      await reason(["Drama, War", "Opera"]),
      await reason("Drama;War"),
      await reason("Opera"),
    ]).toMatchInlineSnapshot(`
      [
        "training knows none of Outdoor > Tents; taken as one category; give a list: ["Outdoor", "Tents"]",
        "training knows none of Drama|War; taken as one category; give a list: ["Drama", "War"]",
        "training knows none of Drama, War, Opera; taken as one category; give a list: ["Drama", "War"]",
        "training knows none of Drama;War; taken as one category; give a list: ["Drama", "War"]",
        "training knows none of Opera",
      ]
    `);
  });

  test("values and names that do not fit are errors that say so", async () => {
    const of = (draft: Record<string, unknown>) => errorOf(() => model.similar(draft as { title: string }));
    expect([
      await of({ genre: ["Drama"] }),
      await of({ colour: "red" }),
      await of({ identity: [1, 2, 3, 4] }),
      await of({ year: "1,987" }),
      await of({ year: "" }),
      await of({ year: Number.NaN }),
      await of({ released: "soon" }),
      await of({ place: { latitude: 99, longitude: 0 } }),
      await of({ place: [1, 2] }),
      await of({ genres: 7 }),
      await of({ title: ["a", "b"] }),
      await of({ poster: [1, 2] }),
      await of({ plot: [1, 2] }),
    ]).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: draft: there is no channel "genre"; did you mean "genres"?",
        "BAD_ARGUMENT: draft: there is no channel "colour"; the channels are title, plot, poster, genres, year, released, place, identity",
        "BAD_ARGUMENT: draft: channel identity is learned from who met an item; leave it out",
        "BAD_VALUE: draft: channel year: expected a number, got "1,987"",
        "BAD_VALUE: draft: channel year: expected a number, got """,
        "BAD_VALUE: draft: channel year: expected a finite number, got NaN; leave it out if it is not known",
        "BAD_VALUE: draft: channel released: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "soon"",
        "BAD_VALUE: draft: channel place: latitude must be in [−90, 90] degrees, got 99",
        "BAD_VALUE: draft: channel place: expected a place such as { latitude: 52.5, longitude: 13.4 }, got [1,2]",
        "BAD_VALUE: draft: channel genres: expected a list of texts, got 7",
        "BAD_VALUE: draft: channel title: expected a text, got ["a","b"]",
        "BAD_VALUE: draft: channel poster: expected a vector of 3 numbers, got 2",
        "BAD_VALUE: draft: channel plot: expected a vector of 6 numbers, got 2",
      ]
    `);
  });
});

describe("predict", () => {
  test.each(["linear", "saturating", "sigmoid"] as const)(
    "is the posterior of Eq. 3 with the %s link, by hand",
    async (link: Link) => {
      const made = tinyModel(engine, { link, ...(link === "sigmoid" ? { weights: "signed" } : {}), seed: 11 });
      const opened = await openModel(made, { engine, encode: toyEncode });
      for (const index of [0, 5, 9, 39]) {
        const { mean, deviation, observationDeviation } = await opened.predict(made.catalogue.ids[index]);
        const expected = posteriorByHand(made, opened.weights, index);
        expect(mean).toBeCloseTo(3.5 + 0.6 * expected.mean, 9);
        expect(deviation).toBeCloseTo(0.6 * Math.sqrt(expected.variance + 0.2), 9);
        expect(observationDeviation).toBeCloseTo(0.6 * Math.sqrt(expected.variance + 0.2 + 0.5), 9);
      }
      await opened.close();
    },
  );

  test("of a draft says what was missing, and is never less sure than knowing nothing", async () => {
    const { mean, deviation, observationDeviation, missing } = await model.predict({ year: 1987 });
    expect(missing).toHaveLength(7);
    expect(Number.isFinite(mean)).toBe(true);
    expect(deviation).toBeGreaterThan(0);
    expect(observationDeviation).toBeGreaterThan(deviation);
    expect(deviation).toBeLessThanOrEqual(0.6 * Math.sqrt(0.8 + 0.2)); // never more than the prior's, and σ
  });

  test("needs a posterior", async () => {
    const bare = await openModel({ ...parts, posterior: null }, { engine });
    expect(await errorOf(() => bare.predict("f001"))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: the model tiny has no posterior to predict ratings with; train it with the stage ssl"`,
    );
    await bare.close();
  });
});

describe("personalize", () => {
  const ids = () => Array.from({ length: 12 }, (_, i) => model.items.at(i).id);

  test("a metric of one's own, to be passed on to similar and explain", async () => {
    const own = model.personalize(ids().map((item, i) => ({ item, rating: 1 + (i % 5) })));
    expect(own).toMatchObject({ items: 12, used: 12, kept: null });
    expect(Object.keys(own.weights)).toEqual(Object.keys(model.weights));
    expect(own.weights).not.toEqual(model.weights);
    expect(own.after).toBeLessThan(own.before ?? Number.NaN);
    const { weights, popularity } = await model.similar(ids()[0], own);
    expect({ weights, popularity }).toEqual({ weights: own.weights, popularity: own.popularity });
  });

  test("ratings are optional: what was met counts", () => {
    const met = model.personalize(ids().map((item) => ({ item })));
    expect(met.kept).toBeNull();
    expect(met.weights).not.toEqual(model.weights);
  });

  test("from nothing, exactly the shared metric", () => {
    expect(model.personalize([])).toEqual({
      weights: model.weights,
      popularity: 0,
      offset: expect.any(Number),
      items: 0,
      used: 0,
      iterations: 0,
      before: null,
      after: null,
      kept: "no ratings",
    });
  });

  test("bad ratings are refused, with the place and the reason", async () => {
    const [a, b] = ids();
    const of = (ratings: unknown) => errorOf(async () => model.personalize(ratings as UserRating[]));
    expect([
      await of([{ item: a, rating: Number.NaN }]),
      await of([{ item: a, rating: "5" }]),
      await of([{ item: a }, { item: b }, { item: a }]),
      await of([{ item: "nowhere" }]),
      await of([a]),
      await of("abc"),
      await of([null]),
    ]).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: ratings[0]: the rating of "f000" is NaN; give a finite number, or leave it out",
        "BAD_ARGUMENT: ratings[0]: the rating of "f000" is "5"; give a finite number, or leave it out",
        "BAD_ARGUMENT: ratings[2]: "f000" stands at 0 already; give each item once, with the rating that counts",
        "UNKNOWN_ITEM: no item has the id "nowhere"",
        "BAD_ARGUMENT: ratings[0]: expected { item: "an id", rating?: number }, got "f000"",
        "BAD_ARGUMENT: ratings: expected a list such as [{ item: "…", rating: 4 }], the oldest first, got "abc"",
        "BAD_ARGUMENT: ratings[0]: expected { item: "an id", rating?: number }, got null",
      ]
    `);
  });

  test("what a user may rate an item, because of which ratings: the parts add up to the mean", async () => {
    const ratings = ids().map((item, i) => ({ item, rating: 1 + (i % 5) }));
    const id = model.items.at(20).id;
    const { mean, centre, evidence, deviation, observationDeviation } = await model.predictFor(ratings, id);
    expect(evidence.map((reason) => reason.id)).toEqual(ids());
    expect(centre).toBeCloseTo(
      ratings.reduce((sum, { rating }) => sum + rating / 12, 0),
      12,
    );
    expect(evidence.reduce((sum, { contribution }) => sum + contribution, centre)).toBeCloseTo(mean, 10);
    expect(observationDeviation).toBeGreaterThan(deviation);
    const draft = await model.predictFor(ratings, FULL_DRAFT);
    expect(draft.evidence).toHaveLength(12);
    expect(await errorOf(() => model.predictFor([{ item: id }], id))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: predictFor: none of the items has a rating"`,
    );
  });

  test("many items at once are predicted as one by one", async () => {
    const ratings = ids().map((item, i) => ({ item, rating: 1 + (i % 5) }));
    const asked = [20, 31, 2].map((row) => model.items.idOf(row));
    const all = model.predictAllFor(ratings, asked);
    for (const [i, id] of asked.entries()) {
      const { missing, ...one } = await model.predictFor(ratings, id);
      expect(all[i]).toEqual(one);
    }
  });

  test("how sure a metric is: in its middle the metric, and narrower than how people differ", () => {
    const ratings = ids().map((item, i) => ({ item, rating: 1 + (i % 5) }));
    const [own, people] = [model.posterior(ratings), model.posterior([])];
    expect(own.weights).toEqual(model.personalize(ratings).weights);
    const P = model.parts.channels.length + 1; // and β
    for (const [c, channel] of Object.keys(own.weights).entries()) {
      expect(own.deviations[channel]).toBe(Math.sqrt(own.covariance[c * (P + 1)]));
    }
    expect(own.covariance[P * P - 1]).toBeLessThan(people.covariance[P * P - 1]); // of β, which is as it is fitted
  });

  test("the next question is an item that the user has not met, the most telling first", () => {
    const ratings = ids().map((item, i) => ({ item, rating: 1 + (i % 5) }));
    const questions = model.nextQuestions(ratings, { k: 8 });
    expect(questions).toHaveLength(8);
    for (const [i, { id, gain, chance }] of questions.entries()) {
      expect(ids()).not.toContain(id);
      expect(gain).toBeGreaterThan(0);
      expect(gain).toBeLessThanOrEqual(i === 0 ? Infinity : questions[i - 1].gain);
      expect(chance).toBeGreaterThan(0);
      expect(chance).toBeLessThan(1);
    }
    const among = [model.items.at(30).id, model.items.at(31).id, ids()[0]];
    expect(
      model
        .nextQuestions(ratings, { candidates: among })
        .map(({ id }) => id)
        .sort(),
    ).toEqual(among.slice(0, 2));
    expect(model.nextQuestions([])).toHaveLength(5);
  });

  test("a model that knows nothing of users says what to do", async () => {
    const { personal, ...without } = parts;
    await using other = await openModel(reader(await encodeModel(without)), { engine });
    expect([model.personalizes, other.personalizes]).toEqual([true, false]);
    expect(await errorOf(async () => other.personalize([]))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: the model tiny knows nothing of how users differ; train it again, on data with users (train.personal)"`,
    );
  });
});

describe("items", () => {
  test("are found by id, or by a title that is the only one", () => {
    expect(model.items.find("f002")).toBe(2);
    expect(model.items.find("the quiet harbour ")).toBe(0);
    expect(model.items.at(2)).toMatchObject({ id: "f002", title: "The Last Harbour", ratings: 5 });
    expect(model.items.fields).toEqual(["title", "year"]);
    expect(model.items.at(0).field("colour")).toBeNull();
  });

  test("the shapes of fields are those that were stored, or what the cells look like", async () => {
    expect(Object.fromEntries(model.shapes)).toEqual({
      title: { type: "text", channel: "title" },
      year: { type: "number", channel: "year" },
    });
    const shapes = new Map([["decade", { type: "list", column: "year", pattern: "^(...)" } as const]]);
    const opened = await openModel({ ...parts, catalogue: { ...parts.catalogue, shapes } }, { engine });
    expect(opened.shapes).toBe(shapes);
    await opened.close();
  });

  test("a hint names each item once, also where id and title are alike", async () => {
    const titles = parts.catalogue.titles.map((title, i) => (i === 3 ? "F003" : i === 4 || i === 5 ? "Twins" : title));
    const opened = await openModel({ ...parts, catalogue: { ...parts.catalogue, titles } }, { engine });
    expect([
      await errorOf(() => opened.similar("F003")),
      await errorOf(() => opened.similar("Twins")),
    ]).toMatchInlineSnapshot(`
      [
        "UNKNOWN_ITEM: no item has the id "F003"; did you mean "f003 (F003)", "f000" or "f001"?",
        "UNKNOWN_ITEM: no item has the id "Twins"; did you mean "f004 (Twins)" or "f005 (Twins)"?",
      ]
    `);
    await opened.close();
  });

  test("what is not there, or not alone, says what is", async () => {
    const twins = {
      ...parts,
      catalogue: { ...parts.catalogue, titles: parts.catalogue.titles.map((title, i) => (i < 7 ? "Twins" : title)) },
    };
    const opened = await openModel(twins, { engine });
    const find = (text: string) => errorOf(async () => opened.items.find(text));
    expect([
      await find("f0003"),
      await find("Quiet Letter"),
      await find("The Qiuet Leter"),
      await find("a film that nobody made"),
      await find("twins"),
      await errorOf(() => opened.similar("The Last Letter")),
      await errorOf(() => opened.explain("f001", "f9")),
      await errorOf(() => opened.similar("f001", { exclude: ["f0"] })),
      await errorOf(() => opened.similar("f001", { weights: { plott: 1 } })),
      await errorOf(() => opened.similar("f001", { weights: [1, 2] })),
      await errorOf(() => opened.similar([])),
    ]).toMatchInlineSnapshot(`
      [
        "UNKNOWN_ITEM: no item has the id or title "f0003"; did you mean "f000", "f003" or "f001"?",
        "UNKNOWN_ITEM: no item has the id or title "Quiet Letter"; did you mean "f007 (The Quiet Letter)"?",
        "UNKNOWN_ITEM: no item has the id or title "The Qiuet Leter"; did you mean "f007 (The Quiet Letter)"?",
        "UNKNOWN_ITEM: no item has the id or title "a film that nobody made"",
        "UNKNOWN_ITEM: 7 items are called "twins"; choose by id: f000, f001, f002, f003, f004, …",
        "UNKNOWN_ITEM: no item has the id "The Last Letter"; did you mean "f009 (The Last Letter)" or "f037 (The Last Winter)"?",
        "UNKNOWN_ITEM: no item has the id "f9"; did you mean "f009", "f019" or "f029"?",
        "UNKNOWN_ITEM: no item has the id "f0"; did you mean "f000", "f001" or "f002"?",
        "BAD_ARGUMENT: weights: there is no channel "plott"; did you mean "plot"?",
        "BAD_ARGUMENT: a query takes 8 finite weights, got 1, 2",
        "BAD_ARGUMENT: a query needs at least one item",
      ]
    `);
    await opened.close();
  });
});

test("a closed model says so, and gives its memory back", async () => {
  const own = await openModel(parts);
  await own.close();
  await own.close();
  expect(await errorOf(() => own.similar("f001"))).toMatchInlineSnapshot(
    `"ENGINE_CLOSED: the model tiny is closed; open it again"`,
  );
  const before = engine.scope();
  const at = before.matrix(1, 1).offset;
  before.close();
  for (let i = 0; i < 3; i++) await (await openModel(parts, { engine })).close();
  const after = engine.scope();
  expect(after.matrix(1, 1).offset).toBe(at);
  after.close();
});

test("a model closed out of order stays open, says which comes first, and can be closed then", async () => {
  const before = engine.scope();
  const at = before.matrix(1, 1).offset;
  before.close();
  const first = await openModel(parts, { engine });
  const second = await openModel({ ...parts, name: "second", id: "0123456789abcdef" }, { engine });
  const third = await openModel({ ...parts, name: "third" }, { engine });
  expect(await errorOf(() => first.close())).toMatchInlineSnapshot(
    `"SCOPE_CLOSED: close: the model tiny: models opened after it on the same engine are still open; close third (no id), then second (01234567) first"`,
  );
  expect((await first.similar("f001")).items).toHaveLength(10);
  await third.close();
  const scope = engine.scope();
  expect(await errorOf(() => second.close())).toMatchInlineSnapshot(
    `"SCOPE_CLOSED: close: the model second: a scope opened after it on the same engine is still open; close that first"`,
  );
  scope.close();
  await second.close();
  await first.close();
  await first.close();
  const after = engine.scope();
  expect(after.matrix(1, 1).offset).toBe(at);
  after.close();
});

/** Mean and variance of target 0 from dense algebra: K_mm, B and β are taken apart, not reused. */
function posteriorByHand(made: ModelParts, weights: Readonly<Record<string, number>>, index: number) {
  const { posterior, items, ensemble, statistics, centres, signalVariance: v } = made;
  if (!posterior) throw new Error("no posterior");
  const h = Object.values(weights);
  const p = h.length;
  const e = centres.length;
  const width = e + p + 1;
  const offset = made.parameters[made.parameters.length - 3]; // b, before log σ and log v
  const { m, k, inducing, embeddings, L, LB, beta } = posterior;
  const kernel = Array.from(inducing, (item, j) => {
    if (item === index) return v * exp(-0.5 * applyLink(ensemble.link, 0, offset));
    let t = 0;
    for (let c = 0; c < p; c++) {
      let d = 0;
      for (let i = 4 * c; i < 4 * c + 4; i++) d += (items.rows[index * width + i] - embeddings[j * e + i]) ** 2;
      const unknown = items.masked[index * p + c] + items.masked[item * p + c];
      t += h[c] * (d + (unknown * statistics.lengths[c]) / statistics.scales[c]);
    }
    return v * exp(-0.5 * applyLink(ensemble.link, t, offset));
  });
  const mean = kernel.reduce((sum, x, j) => sum + x * beta[j * k], 0);
  const y = solveLower(L, kernel, m);
  const z = LB ? solveLower(LB, y, m) : y;
  const square = (x: readonly number[]) => x.reduce((sum, value) => sum + value * value, 0);
  const self = v * exp(-0.5 * applyLink(ensemble.link, 0, offset));
  return { mean, variance: Math.max(0, self - square(y) + (LB ? square(z) : 0)) };
}

function solveLower(L: Float64Array, b: readonly number[], m: number): number[] {
  const x: number[] = [];
  for (let i = 0; i < m; i++) {
    let s = b[i];
    for (let j = 0; j < i; j++) s -= L[i * m + j] * x[j];
    x.push(s / L[i * m + i]);
  }
  return x;
}

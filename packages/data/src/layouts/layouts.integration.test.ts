import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { decodeSafetensors } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import type { ConfigInput } from "../config/schema.ts";
import { Database, quote } from "../database.ts";
import type { Manifest } from "../manifest.ts";
import { prepare } from "../prepare/prepare.ts";
import { findLayout, layoutConfig, layouts } from "./index.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-layouts-"));
});
afterAll(() => rmSync(root, { recursive: true }));

/** A folder of invented files. */
function folderOf(name: string, files: Record<string, string | Buffer>): string {
  const folder = join(root, name);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

/** Eight users who each meet all items but one, in different orders, so that every item has history. */
function events<T>(
  items: readonly string[],
  line: (user: string, item: string, rating: number, second: number) => T,
): T[] {
  return Array.from({ length: 8 }, (_, u) =>
    items
      .filter((_, i) => i !== u)
      .map((item, k) => line(`u${u + 1}`, item, 1 + ((u + 3 * k) % 5), 1_500_000_000 + 1000 * u + 60 * ((k * 3) % 7))),
  ).flat();
}

const lines = (rows: readonly string[]) => rows.map((row) => `${row}\n`).join("");
const jsonLines = (rows: readonly object[]) => lines(rows.map((row) => JSON.stringify(row)));

/** Prepares a folder by its layout; texts are encoded by a small LSA, so that nothing needs weights. */
async function prepareLayout(name: string, folder: string) {
  const config = layoutConfig(name, folder);
  const channels = Object.fromEntries(
    Object.entries(config.channels ?? {}).map(([own, channel]) => [
      own,
      channel.type === "text" ? { ...channel, encoder: "lsa", pca: 2 } : channel,
    ]),
  );
  const small: ConfigInput = { ...config, channels, split: { by: "none" }, factors: { count: 2 } };
  const out = `${folder}-dataset`;
  const manifest = await prepare(parseConfig(small), { folder, out, cache: join(root, "cache"), threads: 1 });
  const ids = await catalogueIds(out);
  return { manifest, out, ids };
}

async function catalogueIds(out: string): Promise<string[]> {
  await using database = await Database.open(":memory:", { scratch: "", threads: 1 });
  const rows = await database.rows<{ item_id: string }>(
    `SELECT item_id FROM read_parquet(${quote(join(out, "items.parquet"))}) ORDER BY item_index`,
  );
  return rows.map((row) => row.item_id);
}

async function column(out: string, name: string): Promise<Record<string, unknown>> {
  await using database = await Database.open(":memory:", { scratch: "", threads: 1 });
  const rows = await database.rows<{ item_id: string }>(
    `SELECT * FROM read_parquet(${quote(join(out, "items.parquet"))}) ORDER BY item_index`,
  );
  return Object.fromEntries(rows.map((row) => [row.item_id, (row as Record<string, unknown>)[name]]));
}

/** The numbers of a channel by item; null where missing. */
function numbers({ out, ids }: { out: string; ids: string[] }, channel: string): Record<string, number | null> {
  const { tensors } = decodeSafetensors(readFileSync(join(out, `channels/${channel}.safetensors`)));
  const values = tensors.get("values")?.data as Float64Array;
  const missing = tensors.get("missing")?.data as Uint8Array;
  return Object.fromEntries(ids.map((id, i) => [id, missing[i] ? null : values[i]]));
}

/** The categories of a channel by item; null where missing. */
function terms(
  { out, ids, manifest }: { out: string; ids: string[]; manifest: Manifest },
  channel: string,
): Record<string, string[] | null> {
  const { tensors } = decodeSafetensors(readFileSync(join(out, `channels/${channel}.safetensors`)));
  const [starts, indices] = ["starts", "indices"].map((name) => tensors.get(name)?.data as Int32Array);
  const missing = tensors.get("missing")?.data as Uint8Array;
  const vocabulary = manifest.channels[channel].transform.terms as string[];
  return Object.fromEntries(
    ids.map((id, i) => [
      id,
      missing[i] ? null : Array.from(indices.subarray(starts[i], starts[i + 1]), (j) => vocabulary[j]).sort(),
    ]),
  );
}

const present = (manifest: Manifest) =>
  Object.fromEntries(Object.entries(manifest.channels).map(([name, { present }]) => [name, present]));

describe("movielens", () => {
  const movies = [
    "1,Lantern Harbour (1995),Adventure|Comedy",
    '2,"Quiet Orchard, The (1987)",Drama',
    "3,Été à Brême (2001) ,Drama|Romance",
    "4,Harbour Watch,(no genres listed)",
    "5,Kingdom of Moss: Série (2006–2007),Animation",
    "6,Moss and Lantern (2011-),Animation|Comedy",
    '7,"""Orchard"" Nights (1999)",Drama|Comedy',
    "8,The Harbour (Le Port) (1983)),Romance",
    "9,Watch the Moss (1950),(no genres listed)",
  ];
  const ids = movies.map((_, i) => String(i + 1));
  const ratings = lines([
    "userId,movieId,rating,timestamp",
    ...events(ids, (u, i, r, t) => `${u},${i},${r - 0.5},${t}`),
  ]);

  test("latest: ratings.csv and movies.csv", async () => {
    const folder = folderOf("ml-latest", {
      "ratings.csv": ratings,
      "movies.csv": lines(["movieId,title,genres", ...movies]),
      "tags.csv": "userId,movieId,tag,timestamp\n",
    });
    expect(findLayout(folder)).toBe("movielens");
    const made = await prepareLayout("movielens", folder);
    expect(made.manifest.counts).toMatchObject({ users: 8, items: 9, describedItems: 9, interactions: 64 });
    expect(made.manifest.counts).toMatchObject({ rejectedInteractionRows: 0, rejectedItemRows: 0 });
    expect(made.manifest.ratings).toMatchObject({ kind: "explicit", least: 0.5, most: 4.5 });
    expect(numbers(made, "year")).toEqual({
      1: 1995,
      2: 1987,
      3: 2001,
      4: null,
      5: 2006,
      6: 2011,
      7: 1999,
      8: 1983,
      9: 1950,
    });
    expect(made.manifest.channels.genres.transform.terms).toEqual([
      "Comedy",
      "Drama",
      "Animation",
      "Romance",
      "Adventure",
    ]);
    expect(terms(made, "genres")).toMatchObject({ 1: ["Adventure", "Comedy"], 4: null, 9: null });
    expect(await column(made.out, "title")).toMatchObject({ 5: "Kingdom of Moss: Série (2006–2007)" });
  });

  test("a joined items.csv goes before movies.csv; what sums up ratings is no channel", async () => {
    const header = "movieId,title,genres,overview,keywords,release_date,runtime,tmdb_vote_average,tmdb_popularity";
    const joined = movies.map((movie, i) => {
      const plot = i === 3 ? "" : `"Sailors find a lantern, then lose the harbour; part ${i % 3}"`;
      return `${movie},${plot},${i % 2 ? "sea|lantern" : "moss"},19${50 + i}-03-0${i + 1},90,7.${i},3.1`;
    });
    const folder = folderOf("ml-joined", { "ratings.csv": ratings, "items.csv": lines([header, ...joined]) });
    expect(findLayout(folder)).toBe("movielens");
    const made = await prepareLayout("movielens", folder);
    expect(present(made.manifest)).toEqual({ genres: 7, title: 8, year: 8, plot: 8, keywords: 9, released: 9 });
    expect(numbers(made, "released")["1"]).toBe(Date.UTC(1950, 2, 1) / 86_400_000);
    expect(terms(made, "keywords")).toMatchObject({ 1: ["moss"], 2: ["lantern", "sea"] });
  });

  test("1M: ::, latin-1, no header; 10M: UTF-8 and half stars", async () => {
    const dat = movies.map((movie, i) => {
      const [, title, genres] = /^\d+,(.*),([^,]*)$/.exec(movie) as RegExpExecArray;
      return `${i + 1}::${title
        .replaceAll('""', '"')
        .replace(/^"(.*)"$/, "$1")
        .replace("–", "-")}::${genres}`;
    });
    const folder = folderOf("ml-1m", {
      "ratings.dat": lines(events(ids, (u, i, r, t) => `${u}::${i}::${r}::${t}`)),
      "movies.dat": Buffer.from(lines(dat), "latin1"),
      "users.dat": "1::F::1::10::48067\n",
    });
    const made = await prepareLayout("movielens", folder);
    expect(made.manifest.counts).toMatchObject({ users: 8, items: 9, describedItems: 9, interactions: 64 });
    expect(await column(made.out, "title")).toMatchObject({ 3: "Été à Brême (2001) ", 7: '"Orchard" Nights (1999)' });
    expect(numbers(made, "year")).toMatchObject({ 3: 2001, 5: 2006, 7: 1999 });
    expect(terms(made, "genres")).toMatchObject({ 3: ["Drama", "Romance"], 4: null });

    const larger = folderOf("ml-10m", {
      "ratings.dat": lines(events(ids, (u, i, r, t) => `${u}::${i}::${r - 0.5}::${t}`)),
      "movies.dat": lines(dat),
      "tags.dat": "",
    });
    const ten = await prepareLayout("movielens", larger);
    expect(ten.manifest.ratings).toMatchObject({ least: 0.5, most: 4.5 });
    expect(await column(ten.out, "title")).toMatchObject({ 3: "Été à Brême (2001) " });
  });

  test("100K: u.data and u.item with flags", async () => {
    const films: [title: string, flags: number[]][] = [
      ["Lantern Harbour (1995)", [3, 5]],
      ["Brêmer Nächte: Lantern (1961)", [8]],
      ['Moss, "Deep" (1994) (V)', [8, 14]],
      ["unknown", [0]],
      ["Orchard in Bloom (1990)", [14]],
    ];
    const items = films.map(([title, flags], i) => {
      const cells = Array.from({ length: 19 }, (_, g) => (flags.includes(g) ? 1 : 0));
      return [i + 1, title, "01-Jan-1995", "", "http://example.org/", ...cells].join("|");
    });
    const folder = folderOf("ml-100k", {
      "u.data": lines(events(["1", "2", "3", "4", "5"], (u, i, r, t) => [u, i, r, t].join("\t"))),
      "u.item": Buffer.from(lines(items), "latin1"),
    });
    expect(findLayout(folder)).toBe("movielens");
    const made = await prepareLayout("movielens", folder);
    expect(made.manifest.counts).toMatchObject({ items: 5, describedItems: 5, rejectedItemRows: 0 });
    expect(terms(made, "genres")).toEqual({
      1: ["Animation", "Comedy"],
      2: ["Drama"],
      3: ["Drama", "Romance"],
      4: null,
      5: ["Romance"],
    });
    expect(numbers(made, "year")).toEqual({ 1: 1995, 2: 1961, 3: 1994, 4: null, 5: 1990 });
    expect(await column(made.out, "title")).toMatchObject({
      2: "Brêmer Nächte: Lantern (1961)",
      3: 'Moss, "Deep" (1994) (V)',
    });
  });

  test("the shared copy of MovieLens is known, if it is there", ({ skip }) => {
    const shared = process.env.NEARKIN_SHARED_DATA ?? join(import.meta.dirname, "../../../../../shared/data");
    const folder = join(shared, "ml-latest-small");
    const found = findLayout(folder);
    if (found === undefined) skip(`${folder} is not there; NEARKIN_SHARED_DATA names another place`);
    expect(found).toBe("movielens");
    expect(parseConfig(layoutConfig("movielens", folder))).toMatchObject({
      items: { files: "items.csv" },
      channels: { genres: {}, title: {}, year: {}, plot: {}, keywords: {}, released: {} },
    });
    expect(findLayout(join(shared, "ml-25m-prefix"))).toBe("movielens");
  });
});

test("yelp: categories, place and city, not stars; with and without prefix, packed or not", async () => {
  const business = Array.from({ length: 7 }, (_, i) => ({
    business_id: `b${i}`,
    name: `${["Moss", "Lantern", "Orchard"][i % 3]} Kitchen ${["Harbour", "Garden"][i % 2]}`,
    city: i === 6 ? "" : ["Brême", "Port Lune"][i % 2],
    latitude: 40 + i,
    longitude: i === 5 ? null : -75 - i,
    stars: 3.5,
    review_count: 9,
    categories: i === 4 ? null : ["Coffee & Tea, Bakeries", "Bakeries", "Noodles, Bars"][i % 3],
  }));
  business[5].latitude = null as unknown as number;
  const ids = business.map(({ business_id }) => business_id);
  const review = events(ids, (user_id, business_id, stars, second) => ({
    review_id: `${user_id}-${business_id}`,
    user_id,
    business_id,
    stars,
    date: new Date(1000 * second).toISOString().slice(0, 19).replace("T", " "),
    text: "Nice, and\nloud",
  }));
  const folder = folderOf("yelp", {
    "yelp_academic_dataset_business.json": jsonLines(business),
    "review.json.gz": gzipSync(jsonLines(review)),
  });
  expect(findLayout(folder)).toBe("yelp");
  const made = await prepareLayout("yelp", folder);
  expect(made.manifest.counts).toMatchObject({ users: 8, items: 7, interactions: review.length });
  expect(present(made.manifest)).toEqual({ categories: 6, place: 6, city: 6, name: 7 });
  expect(terms(made, "categories")).toMatchObject({ b0: ["Bakeries", "Coffee & Tea"], b4: null });
  expect(terms(made, "city")).toMatchObject({ b0: ["Brême"], b6: null });
  expect(made.manifest.time).toMatchObject({ kind: "seconds", trainingFrom: 1_500_000_000 });
});

describe("amazon-reviews", () => {
  test("2023: several categories, milliseconds, prices", async () => {
    const meta = (category: string, prices: (number | string | null)[]) =>
      prices.map((price, i) => ({
        parent_asin: `${category}${i}`,
        title: `${["Wool", "Silk", "Linen"][i % 3]} ${["scarf", "glove"][i % 2]} for ${category}`,
        average_rating: 4.5,
        rating_number: 12,
        categories: i === 2 ? [] : [category, ["Scarves", "Gloves"][i % 2]],
        store: i === 1 ? null : ["Moss & Co", "Lantern"][i % 2],
        price,
        description: i === 0 ? [] : ["Warm wool.", "Soft silk, wool lining."],
        features: ["hand wash", "wool"],
      }));
    const tables = {
      Warm: meta("Warm", [12.5, null, "from 3.99", "None", "1,299.00"]),
      Cold: meta("Cold", [0, 5, "$7.25 - $9.00"]),
    };
    const reviews = (own: { parent_asin: string }[]) =>
      events(
        own.map((item) => item.parent_asin),
        (user_id, parent_asin, rating, second) => ({
          user_id,
          parent_asin,
          asin: "x",
          rating,
          timestamp: 1000 * second + 7,
        }),
      );
    const folder = folderOf("amazon", {
      "Warm.jsonl": jsonLines(reviews(tables.Warm)),
      "meta_Warm.jsonl": jsonLines(tables.Warm),
      "Cold.jsonl.gz": gzipSync(jsonLines(reviews(tables.Cold))),
      "meta_Cold.jsonl.gz": gzipSync(jsonLines(tables.Cold)),
    });
    expect(findLayout(folder)).toBe("amazon-reviews");
    expect(layoutConfig("amazon", folder)).toMatchObject({
      interactions: { files: ["Cold.jsonl.gz", "Warm.jsonl"] },
      items: { files: ["meta_Cold.jsonl.gz", "meta_Warm.jsonl"] },
    });
    const made = await prepareLayout("amazon-reviews", folder);
    expect(made.manifest.counts).toMatchObject({ users: 8, items: 8, describedItems: 8 });
    expect(made.manifest.time).toMatchObject({ kind: "seconds", trainingFrom: 1_500_000_000 });
    expect(numbers(made, "price")).toEqual({
      Warm0: 12.5,
      Warm1: null,
      Warm2: 3.99,
      Warm3: null,
      Warm4: 1299,
      Cold0: 0,
      Cold1: 5,
      Cold2: 7.25,
    });
    expect(terms(made, "categories")).toMatchObject({ Warm1: ["Gloves", "Warm"], Warm2: null });
    expect(terms(made, "store")).toMatchObject({ Warm0: ["Moss & Co"], Warm1: null });
    expect(present(made.manifest)).toMatchObject({ description: 6, features: 8, title: 8 });
    expect(Object.keys(made.manifest.channels)).not.toContain("average_rating");
  });

  test("2018: other names, seconds; the dense part only where the whole is not there", async () => {
    const meta = Array.from({ length: 6 }, (_, i) => ({
      asin: `A${i}`,
      title: `${["Wool", "Silk"][i % 2]} hat with ${["lining", "ribbon", "lining"][i % 3]}`,
      category: ["Hats", ["Wool hats", "Silk hats"][i % 2]],
      brand: i === 3 ? "" : "Moss",
      price: ["$12.99", "", "$3.00 - $4.00", ".a-box { width: 10px }", "$8", "None"][i],
      description: ["A hat."],
      rank: "5,100 in Hats",
    }));
    const reviews = events(
      meta.map(({ asin }) => asin),
      (reviewerID, asin, overall, unixReviewTime) => ({
        reviewerID,
        asin,
        overall,
        unixReviewTime,
        reviewTime: "01 1, 2018",
      }),
    );
    const folder = folderOf("amazon-2018", {
      "Hats_5.json.gz": gzipSync(jsonLines(reviews)),
      "meta_Hats.json.gz": gzipSync(jsonLines([...meta.slice(0, 1), ...meta])),
    });
    expect(findLayout(folder)).toBe("amazon-reviews");
    const made = await prepareLayout("amazon-reviews", folder);
    expect(numbers(made, "price")).toEqual({ A0: 12.99, A1: null, A2: 3, A3: null, A4: 8, A5: null });
    expect(terms(made, "categories")).toMatchObject({ A0: ["Hats", "Wool hats"] });
    expect(terms(made, "brand")).toMatchObject({ A3: null });
    writeFileSync(join(folder, "Hats.json"), jsonLines(reviews));
    expect(layoutConfig("amazon-reviews", folder).interactions.files).toBe("Hats.json");
    writeFileSync(join(folder, "Shoes.json"), jsonLines(reviews));
    expect(() => layoutConfig("amazon-reviews", folder)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: layout amazon-reviews: Shoes.json holds reviews, but meta_Shoes with its items is not beside it; fetch it, or move the reviews to another folder]`,
    );
  });
});

describe("recbole", () => {
  const inter = ["user_id:token\titem_id:token\trating:float\ttimestamp:float"];

  test("channels by declared type", async () => {
    const header =
      "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\tstudio:token\tprice:float\t" +
      "embedding:float_seq\titem_stars:float\timdb_id:token";
    const items = Array.from({ length: 6 }, (_, i) =>
      [
        `i${i}`,
        `${["Lantern", "Moss"][i % 2]} "Harbour ${["Watch", "Nights"][i % 2]}`,
        i === 2 ? "V" : `${1990 + i}`,
        ["Drama War", "Comedy"][i % 2],
        i === 1 ? "" : `Studio ${i % 3}`,
        i === 4 ? "" : `${i}.5`,
        "0.1 0.2",
        "4.5",
        `tt${i}`,
      ].join("\t"),
    );
    const ids = items.map((_, i) => `i${i}`);
    const folder = folderOf("recbole", {
      "films.inter": lines([...inter, ...events(ids, (u, i, r, t) => [u, i, r, `${t}.0`].join("\t"))]),
      "films.item": lines([header, ...items]),
    });
    expect(findLayout(folder)).toBe("recbole");
    const made = await prepareLayout("recbole", folder);
    expect(made.manifest.name).toBe("films");
    expect(present(made.manifest)).toEqual({ movie_title: 6, release_year: 5, class: 6, studio: 5, price: 5 });
    expect(terms(made, "class")).toMatchObject({ i0: ["Drama", "War"] });
    expect(terms(made, "studio")).toMatchObject({ i0: ["Studio 0"], i1: null });
    expect(numbers(made, "release_year")).toMatchObject({ i0: 1990, i2: null });
    expect(await column(made.out, "movie_title:token_seq")).toMatchObject({ i1: 'Moss "Harbour Nights' });
  });

  test("parts and no items: only identity", async () => {
    const rows = events(["a", "b", "c"], (u, i) => `${u}\t${i}`);
    const folder = folderOf("recbole-parts", {
      "clicks.train.inter": lines(["user_id:token\titem_id:token", ...rows.slice(0, 9)]),
      "clicks.test.inter": lines(["user_id:token\titem_id:token", ...rows.slice(9)]),
    });
    const made = await prepareLayout("recbole", folder);
    expect(made.manifest.counts).toMatchObject({ items: 3, interactions: rows.length });
    expect(Object.keys(made.manifest.channels)).toEqual(["identity"]);
    writeFileSync(join(folder, "other.inter"), lines(inter));
    writeFileSync(join(folder, "third.inter"), lines(inter));
    expect(() => layoutConfig("recbole", folder)).toThrow(/more than one dataset \(other, third\)/);
  });
});

describe("errors", () => {
  test("a name that is not known", () => {
    expect(() => layoutConfig("movielense", root)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: no layout is called "movielense"; did you mean "movielens"? (known are movielens, yelp, amazon-reviews, recbole)]`,
    );
    expect(() => layoutConfig("constructor", root)).toThrow(/no layout is called "constructor"/);
  });

  test("a folder without the files", () => {
    const folder = folderOf("nothing", { "notes.txt": "nothing here\n" });
    const message = (name: string, path: string) => {
      try {
        layoutConfig(name, path);
        return "no error";
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message.replaceAll(root, "ROOT")}`;
      }
    };
    expect(Object.keys(layouts).map((name) => message(name, folder))).toMatchInlineSnapshot(`
      [
        "BAD_SOURCE: layout movielens: ROOT/nothing must hold ratings.csv (userId, movieId, rating, timestamp) with movies.csv or items.csv (movieId, title, …), or ratings.dat with movies.dat, or u.data with u.item; it holds notes.txt",
        "BAD_SOURCE: layout yelp: ROOT/nothing must hold yelp_academic_dataset_review.json and yelp_academic_dataset_business.json (or review.json and business.json; .gz is fine); it holds notes.txt",
        "BAD_SOURCE: layout amazon-reviews: ROOT/nothing must hold the reviews of a category and its items: <Category>.jsonl with meta_<Category>.jsonl (2023), or <Category>.json with meta_<Category>.json (2018); .gz is fine; it holds notes.txt",
        "BAD_SOURCE: layout recbole: ROOT/nothing must hold <name>.inter, and <name>.item where the items are described; it holds notes.txt",
      ]
    `);
    expect(message("yelp", join(root, "nowhere"))).toContain("it is not there");
    expect(findLayout(folder)).toBeUndefined();
  });
});

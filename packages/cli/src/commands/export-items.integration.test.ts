// The catalogue as it is served, and round again: a dataset of the export is the dataset that somebody would have made of the same items by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { loadCatalogue, loadChannels, openDataset, parseConfig, parseYaml, prepare } from "@nearkin/data";
import { type NewItem, openStore } from "@nearkin/serve/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeModelFolder } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

const YAML = `
interactions: { files: events.csv }
items:
  files: FILE
  columns: { item: sku, title: name }
  fields: [colour]
channels:
  name: { type: text, column: name, encoder: lsa, pca: null }
  price: { type: number, column: price, decimal: ",", thousands: "." }
  path: { type: categories, column: path, separator: " > " }
  tags: { type: categories, column: tags, separator: null }
  mood: { type: categories, flags: [happy, sad] }
  blurb: { type: text, column: blurb, encoder: lsa, pca: null }
  released: { type: date, column: released }
  place: { type: geo, latitude: lat, longitude: lon }
  vec: { type: vector, column: vec }
split: { by: none }
factors: { count: 0 }
rejectLimit: 0
`;

type Row = Record<string, string | null>;
const row = (i: number): Row => ({
  sku: `s${i}`,
  name: `The ${["red", "blue", "green"][i % 3]} ${["cup", "pan"][i % 2]}`,
  colour: i % 4 === 0 ? null : `c${i % 3}`,
  price: i % 5 === 0 ? "1.234,5" : `${i},25`,
  path: ["Home > Kitchen", "Home", '["Home > Garden", "Out"]'][i % 3],
  tags: i % 2 === 0 ? "plain" : null,
  happy: `${i % 2}`,
  sad: `${(i + 1) % 2}`,
  blurb: i % 3 === 0 ? null : `a ${i % 2 === 0 ? "fine" : "plain"} thing for the kitchen`,
  released: ["1999", "2001-05-03", "1267401600"][i % 3],
  lat: i % 3 === 0 ? null : "52.5",
  lon: i % 3 === 0 ? null : `${i}.25`,
  vec: `[${i + 1},0.5]`,
});

const N = 12;
let root: string;
const at = (name: string) => join(root, name);

function writeItems(name: string, rows: readonly Row[]): void {
  writeFileSync(at(name), rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

async function dataset(file: string) {
  const out = at(`${file}-dataset`);
  const config = parseConfig(parseYaml(YAML.replace("FILE", file), "test"));
  await prepare(config, { out, folder: root, threads: 1, force: true });
  return openDataset(out);
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-items-"));
  const met = ["s1", "s2", "s4", "s5", "s7", "s8", "s10", "new-1", "ghost"];
  const events = met.flatMap((item, i) => [`ann,${item},${i % 5},${i}`, `bob,${item},4,${i + 50}`]);
  writeFileSync(at("events.csv"), `user,item,rating,time\n${events.join("\n")}\n`);
  writeFileSync(at("nearkin.yaml"), YAML.replace("FILE", "items.jsonl"));
  writeItems(
    "items.jsonl",
    Array.from({ length: N }, (_, i) => row(i)),
  );
  const { ids, titles, described, fields } = await loadCatalogue(await dataset("items.jsonl"));
  await using engine = await createEngine({ workers: 1 });
  const parts = tinyModel(engine, { n: ids.length });
  await writeModelFolder(at("model"), { ...parts, catalogue: { ids, titles, described, fields } });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const put: NewItem[] = [
  {
    id: "new-1",
    title: "A cup",
    channels: {
      name: "A cup",
      price: 12.5,
      path: ["Home", "Kitchen"],
      tags: ["two", "tags"],
      mood: ["sad"],
      blurb: "a fine cup,\nfor the garden",
      released: 1987,
      place: { latitude: -3.5, longitude: 17 },
      vec: [0.25, 3],
    },
    fields: { colour: "c9", happy: "ignored: the channel knows better", stock: 7, sale: true, sizes: ["S", "M"] },
  },
  { id: "new-2", title: null, channels: { released: "2020-02-29T12:00:00Z", price: "7" }, fields: {} },
  { id: "s2", title: "Put anew", channels: { path: ["A > B"] }, fields: { colour: "c1", tags: ["only"] } },
  { id: "gone-again", title: "Gone", channels: {}, fields: {} },
];
const nothing: Row = Object.fromEntries(Object.keys(row(0)).map((name) => [name, null]));
const byHand: Row[] = [
  ...[0, 1, 4, 5, 6, 7, 8, 9, 10, 11].map(row), // 2 is put anew, 3 is deleted
  {
    ...nothing,
    sku: "new-1",
    name: "A cup",
    colour: "c9",
    price: "12,5",
    path: "Home > Kitchen",
    tags: '["two","tags"]',
    happy: "0",
    sad: "1",
    blurb: "a fine cup,\nfor the garden",
    released: "1987",
    lat: "-3.5",
    lon: "17",
    vec: "[0.25,3]",
  },
  { ...nothing, sku: "new-2", price: "7", released: "2020-02-29T12:00:00Z" },
  { ...nothing, sku: "s2", name: "Put anew", colour: "c1", path: '["A > B"]', tags: "only" },
];

async function fillStore(name: string): Promise<string> {
  const path = at(name);
  await using store = await openStore(path);
  await store.items.put([{ ...put[2], title: "an earlier one" }]);
  await store.items.put(put);
  await store.items.remove(["s3", "gone-again"]);
  return path;
}

test("a dataset of the export is that of the same items written by hand, in all three formats", async () => {
  const store = await fillStore("served.db");
  writeItems("by-hand.jsonl", byHand);
  const expected = await dataset("by-hand.jsonl");
  const args = ["export", "items", "--store", store, "--model", at("model"), "--config", at("nearkin.yaml")];
  for (const file of ["served.jsonl", "served.parquet", "served.csv"]) {
    const { code, out, err } = await run(...args, "--out", at(file));
    expect({ code, out }).toEqual({ code: 0, out: `${at(file)}\n` });
    expect(err).toMatch(
      /^13 items in [\d.]+ s: 10 of the model \(3 were deleted or put anew\), 3 put at run time\nnote: items of the model without a row in the item file have none here either, their events bring them in: 1\n$/,
    );
    const served = await dataset(file);
    expect(served.manifest.counts).toEqual(expected.manifest.counts);
    expect(await loadCatalogue(served)).toEqual(await loadCatalogue(expected));
    expect(await loadChannels(served)).toEqual(await loadChannels(expected));
  }
});

test("every line has every column, fields of items put at run time among them", async () => {
  const store = at("served.db");
  const { out } = await run(
    ...["export", "items", "--store", store, "--model", at("model"), "--config", at("nearkin.yaml")],
    ...["--out", at("lines.jsonl"), "--json"],
  );
  expect(JSON.parse(out)).toEqual({
    out: at("lines.jsonl"),
    rows: 13,
    own: 10,
    put: 3,
    undescribed: 1,
    unwritten: {},
  });
  const lines = readFileSync(at("lines.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Row => JSON.parse(line));
  const columns = [...Object.keys(row(0)), "stock", "sale", "sizes"].sort();
  for (const line of lines) expect(Object.keys(line).sort()).toEqual(columns);
  expect(lines.find(({ sku }) => sku === "new-1")).toMatchObject({ stock: "7", sale: "true", sizes: '["S","M"]' });
  expect(lines[1]).toEqual({ ...row(1), stock: null, sale: null, sizes: null });
});

test("items of the model that were deleted may keep their row", async () => {
  const { out } = await run(
    ...["export", "items", "--store", at("served.db"), "--model", at("model"), "--config", at("nearkin.yaml")],
    ...["--with-deleted", "--out", at("deleted.jsonl"), "--json"],
  );
  expect(JSON.parse(out)).toMatchObject({ rows: 14, own: 11, put: 3 });
  const lines = readFileSync(at("deleted.jsonl"), "utf8").trimEnd().split("\n");
  const [s3, ...more] = lines
    .map((line): Row => JSON.parse(line))
    .filter(({ sku }) => sku === "s3" || sku === "gone-again");
  expect(s3).toEqual({ ...row(3), stock: null, sale: null, sizes: null });
  expect(more).toEqual([]); // what was put and deleted is gone
});

test("without a configuration channels have columns of their own names, and that is said", async () => {
  const { err } = await run(
    ...["export", "items", "--store", at("served.db"), "--model", at("model"), "--out", at("guessed.jsonl")],
  );
  expect(err).toContain(
    "note: the model does not say which columns these channels are read from, so they have columns of their own names: released, place; --config nearkin.yaml says it\n",
  );
  const lines = readFileSync(at("guessed.jsonl"), "utf8").trimEnd().split("\n");
  expect(JSON.parse(lines[10])).toMatchObject({
    item_id: "new-1",
    name: "A cup", // the column that the model's titles came from
    price: "12.5",
    place_latitude: "-3.5", // a channel of this model
    place_longitude: "17",
    vec: "[0.25,3]",
  });
});

test("what has no place, or cannot be written, is counted and said", async () => {
  const path = at("odd.db");
  {
    await using store = await openStore(path);
    await store.items.put([
      {
        id: "v",
        title: "V",
        channels: { blurb: [0.1, 0.2], path: [] },
        fields: { Colour: "x", sku: "y", blurb: "by hand" },
      },
      { id: "w", title: "W", channels: { blurb: [0.1, 0.2], mystery: ["a", "b"] }, fields: {} },
    ]);
  }
  const { err } = await run(
    ...["export", "items", "--store", path, "--model", at("model"), "--config", at("nearkin.yaml")],
    ...["--out", at("odd.jsonl")],
  );
  expect(err.split("\n").slice(2, -1)).toEqual([
    "note: fields that differ from another column in upper and lower case only, or are called like the ids, are left out: Colour, sku",
    "note: values of blurb that prepare would not read as such from a cell (a vector in place of a text, or a pattern) are left out, unless a field has them: 2",
  ]);
  const [v, w] = readFileSync(at("odd.jsonl"), "utf8").trimEnd().split("\n").slice(-2);
  expect(JSON.parse(v)).toMatchObject({ sku: "v", colour: null, blurb: "by hand", path: null, mystery: null });
  expect(JSON.parse(w)).toMatchObject({ sku: "w", blurb: null, mystery: '["a","b"]' });
});

test("what is wrong is said", async () => {
  const errors = [];
  const store = ["--store", at("served.db")];
  for (const args of [
    [...store, "--model", at("nowhere"), "--out", at("x.jsonl")],
    [...store, "--out", at("x.jsonl")],
    [...store, "--model", at("model"), "--out", at("x.xlsx")],
    [...store, "--model", at("model"), "--config", at("nowhere.yaml"), "--out", at("x.jsonl")],
    ["--store", at("no.db"), "--model", at("model"), "--out", at("x.jsonl")],
  ]) {
    const { code, err } = await run("export", "items", ...args);
    errors.push(`${code} ${err.split("\n")[0].replaceAll(root, "TMP")}`);
  }
  expect(errors).toMatchInlineSnapshot(`
    [
      "1 BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      "2 USAGE: required option '--model <folder>' not specified",
      "1 BAD_ARGUMENT: --out: expected a file that ends in .parquet, .jsonl or .csv, got TMP/x.xlsx",
      "1 BAD_SOURCE: TMP/nowhere.yaml: there is no such file or folder, and it is not marquee, the built-in sample; make a nearkin.yaml with: nearkin init <files>",
      "1 BAD_ARGUMENT: --store: there is no file TMP/no.db; name the one that the server was started with",
    ]
  `);
});

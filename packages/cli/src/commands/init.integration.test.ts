import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig, parseYaml } from "@nearkin/data";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../testing/run.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-init-"));
  const orders = Array.from(
    { length: 40 },
    (_, k) => `c${k % 7},p${k % 5},${1 + (((3 * k) % 11) % 5)},2021-03-${10 + (k % 15)}`,
  );
  writeFileSync(join(folder, "orders.csv"), ["customer_id,product_id,stars,date", ...orders, ""].join("\n"));
  const products = Array.from(
    { length: 5 },
    (_, i) => `p${i};The ${["red", "blue"][i % 2]} hat ${i};${["wool", "silk"][i % 2]};4.${i}`,
  );
  writeFileSync(join(folder, "products.csv"), ["product_id;name;material;average_rating", ...products, ""].join("\n"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the command; what differs from run to run by a word. */
async function init(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, out, err } = await run("init", ...args);
  const plain = (text: string) => text.replaceAll(folder, "FOLDER");
  return { code, out: plain(out), err: plain(err) };
}

const at = (name: string) => join(folder, name);

test("writes nearkin.yaml, says what it found and what is next", async () => {
  expect(await init(at("orders.csv"), at("products.csv"), "--out", at("nearkin.yaml"))).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "Interactions  orders.csv
      user    customer_id  sure     named like a user; 7 different in 40 rows
      item    product_id   sure     named like an item; all of its 5 values are in products.csv product_id
      rating  stars        sure     named like a rating; whole numbers from 1 to 5, 5 different
      time    date         sure     named like a time; ISO dates
    Items  products.csv
      item    product_id  sure     holds all of the 5 values of orders.csv product_id
      title   name        sure     named like a title
    Channels  title (text), material (categories)
    Not a channel: average_rating (the reasons are in the configuration)
    Wrote FOLDER/nearkin.yaml: read it, and correct what is wrong.
    Next: nearkin prepare FOLDER/nearkin.yaml --out dataset
    ",
    }
  `);
  const yaml = readFileSync(at("nearkin.yaml"), "utf8");
  const config = parseConfig(parseYaml(yaml, "nearkin.yaml"));
  expect(config.interactions).toMatchObject({ files: "orders.csv", columns: { user: "customer_id" } });
  expect(config.items).toMatchObject({ files: "products.csv", delimiter: ";" });
  expect(yaml).toContain("average_rating: looks summed up from ratings");
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("never replaces a file without --force", async () => {
  writeFileSync(at("nearkin.yaml"), "mine\n");
  expect(await init(folder, "--out", at("nearkin.yaml"))).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "BAD_ARGUMENT: init: FOLDER/nearkin.yaml is already there; replace it with --force, or name another with --out
    ",
      "out": "",
    }
  `);
  expect(readFileSync(at("nearkin.yaml"), "utf8")).toBe("mine\n");
  expect((await init(folder, "--out", at("nearkin.yaml"), "--force")).code).toBe(0);
  expect(readFileSync(at("nearkin.yaml"), "utf8")).toContain("files: orders.csv");
});

test("--out in another folder: names are relative to it", async () => {
  expect((await init(folder, "--out", at("settings/films.yaml"))).code).toBe(0);
  expect(readFileSync(at("settings/films.yaml"), "utf8")).toContain("files: ../orders.csv");
});

test("--stdout prints the YAML alone and writes nothing", async () => {
  const { out, err } = await init(folder, "--out", at("nearkin.yaml"), "--stdout");
  expect(parseConfig(parseYaml(out, "stdout")).channels).toMatchObject({ title: {}, material: {} });
  expect(err).toContain("Not a channel: average_rating");
  expect(readdirSync(folder).sort()).toEqual(["orders.csv", "products.csv"]);
});

test("--json is one document", async () => {
  const { out } = await init(folder, "--out", at("nearkin.yaml"), "--json");
  expect(JSON.parse(out)).toMatchObject({
    out: "FOLDER/nearkin.yaml",
    config: { interactions: { files: "orders.csv" } },
    guesses: { interactions: { user: { column: "customer_id", confidence: "sure", reason: expect.any(String) } } },
    notes: [],
    skipped: [{ columns: ["average_rating"], reason: expect.any(String) }],
    next: "nearkin prepare FOLDER/nearkin.yaml --out dataset",
  });
  expect(JSON.parse((await init(folder, "--stdout", "--json")).out)).toMatchObject({
    out: null,
    yaml: expect.any(String),
  });
});

test("what is wrong is said in one line; no files is a usage error", async () => {
  expect(await init(at("nowhere.csv"), "--out", at("nearkin.yaml"))).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "BAD_SOURCE: FOLDER/nowhere.csv: there is no such file or folder
    ",
      "out": "",
    }
  `);
  expect((await init()).code).toBe(2);
  expect((await init("--help")).out).toContain("$ nearkin init orders.csv products.csv");
});

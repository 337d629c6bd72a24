// examples/nightly.sh on the sample, at a tiny size.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@nearkin/client";
import { decodeModel } from "@nearkin/core";
import { loadItems, openDataset, writeMarquee } from "@nearkin/data";
import { readFolder } from "@nearkin/serve/folder";
import { openStore } from "@nearkin/serve/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { datasetEvents } from "./testing/dataset-events.ts";
import { run } from "./testing/run.ts";
import { startServe } from "./testing/serve.ts";
import { SMALL_TRAINING } from "./testing/small-training.ts";

const script = fileURLToPath(new URL("../../../examples/nightly.sh", import.meta.url));
const bin = fileURLToPath(new URL("../bin/nearkin.js", import.meta.url));

/** The sample's, but for the files. */
const yaml = (events: string, items: string) => `
name: films
simulated: true
interactions: ${events}
items: { files: ${items}, columns: { item: id, title: title }, fields: [year] }
channels:
  genres: { type: categories, column: genres }
  plot: { type: text, column: plot, encoder: lsa, pca: 8 }
  year: { type: number, column: year }
split: { by: random, fraction: 0.1 }
factors: { count: 4 }
${SMALL_TRAINING}`;

let root: string;
const at = (...names: string[]) => join(root, ...names);

/** Runs the script as cron would. */
function nightly(more: Record<string, string>): { code: number | null; out: string; err: string } {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    NEARKIN: `${process.execPath} ${bin}`,
    NEARKIN_STORE: at("films.db"),
    CONFIG: at("nightly.yaml"),
    MODELS: at("models"),
    WORK: at("nightly"),
    ACTIVE: "first",
    RUN: "2026-03-01",
    TRAIN_FLAGS: "--workers 1",
    ...more,
  };
  const { status, stdout, stderr } = spawnSync("sh", [script], { cwd: root, env, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr.replaceAll(root, "TMP") };
}

const steps = (err: string) => [...err.matchAll(/^[\d:]{8} nightly \S+: (.*)$/gm)].map(([, text]) => text);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-nightly-"));
  // The first model, from files, and its users in the store of the server.
  await writeMarquee(at("marquee"));
  const ratings = "{ files: marquee/ratings.csv, columns: { user: userId, item: filmId } }";
  writeFileSync(at("first.yaml"), yaml(ratings, "marquee/films.jsonl"));
  writeFileSync(at("nightly.yaml"), yaml("{ files: events.parquet }", "items.parquet"));
  mkdirSync(at("models"));
  for (const args of [
    ["prepare", at("first.yaml"), "--split", "none", "--out", at("first-data")],
    ["train", at("first-data"), "--config", at("first.yaml"), "--workers", "1", "--out", at("models", "first")],
    ["import", at("first-data"), "--store", at("films.db")],
  ]) {
    const { code, err } = await run(...args);
    expect({ args, code, err }).toMatchObject({ code: 0 });
  }
  // A day goes by.
  await using store = await openStore(at("films.db"));
  await store.items.put([
    {
      id: "the-new-one-2026",
      title: "The New One",
      channels: { genres: ["Drama", "Western"], plot: "A sheriff returns to the town.", year: 2026 },
      fields: {},
    },
  ]);
  await store.items.remove(["alien-1979"]);
  await store.events.add([
    { user: "newcomer", item: "the-new-one-2026", rating: 4.5, time: Date.UTC(2026, 1, 28), type: "rating" },
    { user: "newcomer", item: "the-third-man-1949", rating: 2, time: Date.UTC(2026, 1, 28, 1), type: "rating" },
  ]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("a night", () => {
  test("ends with a model of everything that was gathered, ready to be activated", async () => {
    const { code, out, err } = nightly({});
    expect({ code, steps: steps(err) }, err).toEqual({
      code: 0,
      steps: [
        "exporting events",
        "exporting items",
        "preparing",
        "training",
        "evaluating",
        "comparing with first",
        `TMP/models/2026-03-01 is ready; there is no SERVER to activate it`,
      ],
    });
    expect(out).toMatch(/^passed {2}not worse than random /m);
    expect(out).toMatch(/^items {8}1 gained, 0 lost$/m);
    expect(out).not.toContain("FAILED");
    expect(readdirSync(at("models")).sort()).toEqual(["2026-03-01", "first"]);

    // the dataset has what the store and the first model had
    const all = await openDataset(at("nightly/2026-03-01/data-all"));
    const first = await datasetEvents(await openDataset(at("first-data")));
    const now = await datasetEvents(all);
    expect(now).toHaveLength(first.length + 2);
    const known = new Set(now.map((event) => JSON.stringify(event)));
    expect(first.filter((event) => !known.has(JSON.stringify(event)))).toEqual([]);
    expect(now.filter(([user]) => user === "newcomer")).toEqual([
      ["newcomer", "the-new-one-2026", 4.5, Date.UTC(2026, 1, 28) / 1000],
      ["newcomer", "the-third-man-1949", 2, Date.UTC(2026, 1, 28, 1) / 1000],
    ]);
    const items = await loadItems(all);
    expect(items.size).toBe(361); // the deleted film is still known by its ratings, and described no longer
    expect(all.manifest.counts.describedItems).toBe(360);

    const model = await decodeModel(readFolder(at("models", "2026-03-01")));
    const row = (model.catalogue.ids as readonly string[]).indexOf("the-new-one-2026");
    expect([...model.catalogue.fields].map(([name, cells]) => [name, cells[row]])).toEqual([
      ["title", "The New One"],
      ["genres", "Drama|Western"],
      ["plot", "A sheriff returns to the town."],
      ["year", "2026"],
    ]);
    expect(model.notes.selection).toMatchObject({ dataset: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const evaluation = JSON.parse(readFileSync(at("nightly/2026-03-01/evaluation.json"), "utf8"));
    expect(evaluation.dataset.hash).toBe((model.notes.selection as { dataset: string }).dataset);
  });

  test("run again, passes over what is done", () => {
    const before = statSync(at("nightly/2026-03-01/events.parquet")).mtimeMs;
    const { code, err } = nightly({});
    expect({ code, steps: steps(err) }).toEqual({
      code: 0,
      steps: ["comparing with first", `TMP/models/2026-03-01 is ready; there is no SERVER to activate it`],
    });
    expect(statSync(at("nightly/2026-03-01/events.parquet")).mtimeMs).toBe(before);
    expect(nightly({ ACTIVE: "2026-03-01" })).toMatchObject({ code: 0, out: "" });
  });

  test("a gate that fails keeps the model out", () => {
    rmSync(at("models", "2026-03-01"), { recursive: true });
    const { code, out, err } = nightly({ COMPARE_FLAGS: "--least-overlap 1" });
    expect({ code, steps: steps(err) }).toEqual({
      code: 1,
      steps: ["comparing with first", "not activated: first goes on"],
    });
    expect(out).toMatch(/^FAILED {2}overlap {2,}overlap@10 is 0\.\d+, at least 1$/m);
    expect(err).toMatch(/^GATE_FAILED: TMP\/nightly\/2026-03-01\/model should not be activated: overlap/m);
    expect(readdirSync(at("models"))).toEqual(["first"]);
  });

  test("with a server ends with the new model served, and the old one a step back", async () => {
    const { child, url, ended } = await startServe(at("models"), "--store", at("films.db"), "--log", "error");
    const server = createClient({ url });
    expect((await server.models.list()).models.map(({ folder, active }) => [folder, active])).toEqual([
      ["first", true],
    ]);
    const { code, err } = nightly({ SERVER: url, ACTIVE: "" });
    expect({ code, steps: steps(err) }, err).toEqual({
      code: 0,
      steps: ["comparing with first", "2026-03-01 is served; back with: POST /v1/models/rollback"],
    });
    const { models } = await server.models.list();
    expect(models.filter(({ active }) => active).map(({ folder }) => folder)).toEqual(["2026-03-01"]);
    expect((await server.items.similar("the-new-one-2026", { k: 5 })).items).toHaveLength(5);
    expect((await server.models.rollback()).model.folder).toBe("first");
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    rmSync(at("models", "2026-03-01"), { recursive: true });
  });

  test("started warm goes without evaluation", () => {
    const { code, out, err } = nightly({ RUN: "warm", WARM: "1" });
    expect({ code, steps: steps(err) }, err).toEqual({
      code: 0,
      steps: [
        "exporting events",
        "exporting items",
        "preparing",
        "training",
        "comparing with first",
        `TMP/models/warm is ready; there is no SERVER to activate it`,
      ],
    });
    expect(out).toMatch(/^started from +– +[0-9a-f]{12}$/m);
    expect(out).not.toContain("not worse than");
    expect(existsSync(at("nightly/warm/evaluation.json"))).toBe(false);
  });
});

test("says what is missing", () => {
  const { code, err } = nightly({ ACTIVE: "" });
  expect({ code, steps: steps(err) }).toEqual({
    code: 2,
    steps: ["give SERVER, or ACTIVE: the folder of the model that is served"],
  });
  expect(nightly({ NEARKIN_STORE: "" }).err).toContain("say where the store of the server is: a file, or postgres://…");
});

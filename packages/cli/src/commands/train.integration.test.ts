// The way of a user, on the sample: prepare, train, ask. One dataset for all tests; small settings, so that each run takes seconds.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readParquet } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../main.ts";
import { run } from "../testing/run.ts";
import { sampleDataset } from "../testing/shared.ts";

const SETTINGS = `
train:
  preset: fast
  model: { hidden: 8, embedding: 6 }
  siamese: { steps: 12, batch: 32, validateEvery: 4 }
  ssl: { steps: 8, batch: 80, inducing: 20, validateEvery: 4, factors: 4 }
  personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 }
  behavior: { factors: 0 }
`;

let folder: string;
const at = (name: string) => join(folder, name);
const plain = (text: string) => text.replaceAll(folder, "TMP");
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-train-"));
  writeFileSync(at("small.yaml"), SETTINGS);
  await sampleDataset("random", at("films"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const small = (...more: string[]) => ["train", at("films"), "--config", at("small.yaml"), "--workers", "1", ...more];

describe("train", () => {
  test("makes a model, says how it goes, what was learned, and what to do next", async () => {
    const { code, out, err } = await run(...small("--out", at("model")));
    expect({ code, first: plain(err).split("\n")[0] }).toEqual({
      code: 0,
      first: "training fast on TMP/films into TMP/model",
    });
    expect(err).toMatch(/^siamese step {4}12 {2}validation HR 0\.\d+ MRR [\d.]+ NDCG 0\.\d+/m);
    expect(err).toMatch(/^siamese done: 12 steps; kept step \d+, HR /m);
    expect(err).toMatch(/^ssl {5}step {5}8 {2}validation HR /m);
    expect(out).toContain("share of a typical distance, by channel (from SIMULATED ratings)");
    expect(out).toMatch(/^ {2}genres {7}[█·]{24} +\d+ % {3}weight \d\.\d{3}$/m);
    expect(out).toMatch(/^process {6}20 inducing items, 1 target, noise \d\.\d\d, signal \d\.\d\d$/m);
    expect(plain(out)).toMatch(/^next {9}nearkin similar TMP\/model \S+ --explain$/m);
    const history = await readParquet(join(at("model"), "history.parquet"));
    expect(history).toHaveLength(20);
    expect(history[0]).toMatchObject({ stage: "siamese", step: 1, nll: null });
    expect(history[19]).toMatchObject({ stage: "ssl", step: 8 });
    expect(Object.keys(history[0])).toContain("weight.genres");
  });

  test("--json: one event a line, the model last, folders as they were given", async () => {
    const given = relative(process.cwd(), at("json-model"));
    const { out } = await run(...small("--out", given, "--json", "--stages", "siamese"));
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(events.filter(({ type }) => type === "step")).toHaveLength(12);
    const types = new Set(events.map(({ type }) => type));
    types.delete("note"); // such as what was chosen for popularity
    expect(types).toEqual(new Set(["phase", "start", "validation", "step", "stage", "model"]));
    expect(events.find(({ type }) => type === "start")).toMatchObject({ out: given });
    expect(events.at(-1)).toMatchObject({ type: "model", out: given, id: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  /** Runs the program and sends it a signal at its fifth step. */
  async function stopped(signal: "SIGINT" | "SIGTERM", ...args: string[]): Promise<{ code: number; err: string }> {
    const bin = fileURLToPath(new URL("../../bin/nearkin.js", import.meta.url));
    const child = spawn(process.execPath, [bin, ...args, "--json"], { stdio: ["ignore", "pipe", "pipe"] });
    const exit = once(child, "exit");
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    let steps = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('"type":"step"') && ++steps === 5) child.kill(signal);
    }
    return { code: (await exit)[0], err: plain(err).trim() };
  }

  test("Ctrl-C saves and exits 130; --resume gives the model of an undisturbed run", async () => {
    expect(await stopped("SIGINT", ...small("--out", at("stopped")))).toEqual({
      code: 130,
      err: "INTERRUPTED: stopped; the run is saved in TMP/stopped.partial; go on with: nearkin train TMP/films --out TMP/stopped --config TMP/small.yaml --workers 1 --json --resume",
    });
    expect((await run(...small("--out", at("stopped"), "--resume"))).code).toBe(0);
    for (const file of ["weights.safetensors", "items.safetensors", "history.parquet"]) {
      expect(readFileSync(join(at("stopped"), file)).equals(readFileSync(join(at("model"), file))), file).toBe(true);
    }
  });

  test("SIGTERM, as docker stop sends it, saves too and exits 143; what it says to type works", async () => {
    const { code, err } = await stopped("SIGTERM", ...small("--out", at("stopped"), "--force"));
    expect(code).toBe(143);
    const [, command] = err.split("go on with: nearkin ");
    expect(command).toBe(
      "train TMP/films --out TMP/stopped --config TMP/small.yaml --workers 1 --json --force --resume",
    );
    const again = await run(...command.replaceAll("TMP", folder).split(" "));
    expect(again.code).toBe(0);
    expect(again.out).toContain('"resumedAt":{"stage":"siamese"');
  });

  test("Ctrl-C before the first step does not say that anything is saved", async () => {
    let err = "";
    const code = await main(small("--out", at("early"), "--json"), {
      write: (text) => {
        if (text.includes("loading the dataset")) process.emit("SIGINT", "SIGINT");
      },
      log: (text) => {
        err += text;
      },
    });
    expect({ code, err: plain(err) }).toEqual({
      code: 130,
      err: "INTERRUPTED: stopped before the first step, so there is nothing to save; start again with: nearkin train TMP/films --out TMP/early --config TMP/small.yaml --workers 1 --json\n",
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("early"))).toEqual([]);
  });

  test("--final: chooses steps on the split, refits on everything, and keeps both", async () => {
    const { code, out, err } = await run(...small("--out", at("served"), "--final"));
    expect(plain(out)).toMatch(/^chosen on {4}TMP\/served-split: HR@10 \d\.\d{3}, MRR \d\.\d{3}, NDCG \d\.\d{3}$/m);
    expect({ code, err: plain(err) }).toMatchObject({
      code: 0,
      err: expect.stringContaining("preparing all data of marquee into TMP/films-all"),
    });
    const model = JSON.parse(readFileSync(join(at("served"), "model.json"), "utf8"));
    const split = JSON.parse(readFileSync(join(at("served-split"), "model.json"), "utf8"));
    expect(model.notes.selection).toMatchObject({ model: split.id, dataset: split.dataset.id });
    expect(model.dataset.id).not.toBe(split.dataset.id);
    const again = await run(...small("--out", at("served"), "--final", "--resume", "--force"));
    expect(plain(again.err)).toContain("TMP/served-split is finished: its step counts are used");
    expect(JSON.parse(readFileSync(join(at("served"), "model.json"), "utf8")).id).toBe(model.id);
    const taken = await run(...small("--out", at("served"), "--final"));
    expect({ code: taken.code, err: plain(taken.err) }).toEqual({
      code: 1,
      err: "MODEL_EXISTS: TMP/served is there; choose another folder with --out, or replace it with --force\n",
    });
  });

  test("--final: the split run of another start, engine or version is not used", async () => {
    renameSync(at("served"), at("served-before"));
    const refused =
      "MODEL_EXISTS: TMP/served-split is there; choose another folder with --out, or replace it with --force\n";
    const warm = await run(...small("--out", at("served"), "--final", "--resume", "--from", at("model")));
    expect({ code: warm.code, err: plain(warm.err) }).toEqual({ code: 1, err: refused });
    const other = await run(...small("--out", at("served"), "--final", "--resume", "--engine", "plain"));
    expect({ code: other.code, err: plain(other.err) }).toEqual({ code: 1, err: refused });
    expect(existsSync(at("served-split.partial"))).toBe(false);
    renameSync(at("served-before"), at("served"));
  });

  test("a model needs nothing but its folder: the dataset gone, items and drafts are answered", async () => {
    rmSync(at("films-all"), { recursive: true });
    const draft = '{"genres": ["Drama", "Crime"], "plot": "A detective hunts a killer in the city.", "year": 1994}';
    const { code, out } = await run("similar", at("served"), "--draft", draft, "--json", "--explain");
    expect(code).toBe(0);
    const { items, missing } = JSON.parse(out) as {
      items: { distance: number; contributions: { contribution: number }[] }[];
      missing: { channel: string }[];
    };
    expect(items).toHaveLength(10);
    expect(missing.map(({ channel }) => channel).sort()).toEqual(["country", "director"]);
    for (const { distance, contributions } of items) {
      expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(distance);
    }
    const predicted = await run("predict", at("served"), "alien-1979");
    expect(predicted.out).toMatch(/^Alien {2}\d\.\d\d ± \d\.\d\d/);
  });

  test("what is wrong is said before any work", async () => {
    const errors: string[] = [];
    for (const args of [
      ["train", at("nowhere")],
      small("--out", at("model")),
      small("--out", at("x"), "--config", at("none.yaml")),
      small("--out", at("x"), "--from", at("films")),
      ["train", at("films"), "--out", at("x"), "--stages", "siamese,meta"],
      ["train", at("films"), "--out", ""],
      ["train", at("films"), "--out", at("x"), "--config", folder],
    ]) {
      const { code, err } = await run(...args);
      errors.push(`${code} ${plain(err).trim().split("\n")[0]}`);
    }
    expect(errors.join("\n")).toMatchInlineSnapshot(`
      "1 BAD_DATASET: TMP/nowhere: there is no such folder
      1 MODEL_EXISTS: TMP/model is there; choose another folder with --out, or replace it with --force
      1 BAD_CONFIG: TMP/none.yaml: there is no such file
      1 BAD_MODEL: model.json cannot be read (there is no TMP/films/model.json); is this a model folder, and complete?
      2 USAGE: option '--stages <names>' argument 'siamese,meta' is invalid. Allowed choices are siamese | ssl | siamese,ssl.
      2 USAGE: option '--out <folder>' argument '' is invalid. Expected a name, got nothing.
      1 BAD_CONFIG: TMP is a folder; name the file, such as TMP/nearkin.yaml"
    `);
    expect(existsSync(at("x.partial"))).toBe(false);
  });
});

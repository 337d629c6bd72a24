// Users on a real cluster: the metrics are those of one machine, bit for bit, whatever the partitions and whoever dies meanwhile.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readParquet, writeParquet } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { run } from "../../packages/cli/src/testing/run.ts";
import { smallModel } from "../../packages/cli/src/testing/shared.ts";
import { quickSettings, sparkScript, withoutSpark } from "./cluster.ts";

const cluster = inject("cluster");

const QUICK = quickSettings.flatMap((setting) => ["--conf", setting]);

type Row = Record<string, unknown>;

let root: string;
const at = (name: string) => join(root, name);
const users = [
  ...Array.from({ length: 40 }, (_, u) => `user ${u}`),
  "ta\tb",
  'quo"te',
  "back\\slash\\n",
  "new\nline\r\n",
  "ünï 💛 \u2028",
  "\\N",
  "''$`;--",
];
let films: string[];
let local: Row[]; // of events.parquet, by one machine

beforeAll(async () => {
  if (!cluster) return;
  root = mkdtempSync(join(tmpdir(), "nearkin's spark-")); // a name that wants quotes everywhere
  await smallModel("time", at("model"));
  films = JSON.parse(readFileSync(join(at("model"), "catalogue.json"), "utf8")).ids;
  await writeEvents(at("events.parquet"));
  writeFileSync(at("events.yaml"), "interactions: { files: events.parquet }\nsplit: { by: none }\n");
  await fine("prepare", at("events.yaml"), "--out", at("events"));
  const batch = ["--dataset", at("events"), "--engine", "wasm", "--out", at("local.parquet")];
  await fine("personalize", at("model"), ...batch);
  local = sorted(await readParquet(at("local.parquet")));
});
afterAll(() => {
  if (root) rmSync(root, { recursive: true, force: true });
});

async function fine(...args: string[]): Promise<string> {
  const { code, out, err } = await run(...args);
  expect(code, err).toBe(0);
  return `${out}${err}`;
}

/** Interactions in no order, with films met again, ties in time, fractions of seconds, and items that the model does not know. */
async function writeEvents(path: string): Promise<void> {
  const rows = users.flatMap((user, u) =>
    Array.from({ length: 6 + (u % 17) }, (_, i) => ({
      user,
      item: i === 4 ? `a film\tof "tomorrow" ${u}` : films[(31 * u + 7 * (i % 9)) % films.length],
      rating: 1 + ((u * 3 + i * i) % 9) / 2 + 0.1,
      time: 1_700_000_000 + ((i * 5) % 7) + (i % 3) / 4,
    })),
  );
  rows.sort((a, b) => ((a.time * 7919 + a.rating * 31) % 13) - ((b.time * 7919 + b.rating * 31) % 13));
  await writeParquet(path, [
    { name: "user", type: "text", values: rows.map(({ user }) => user) },
    { name: "item", type: "text", values: rows.map(({ item }) => item) },
    { name: "rating", type: "double", values: rows.map(({ rating }) => rating) },
    { name: "time", type: "double", values: rows.map(({ time }) => time) },
  ]);
}

const sorted = (rows: Row[]): Row[] =>
  rows.sort((a, b) => (JSON.stringify([a.user_id, a.error]) < JSON.stringify([b.user_id, b.error]) ? -1 : 1));

/** A table that Spark wrote, by user. */
async function table(out: string, name: string): Promise<Row[]> {
  const folder = join(at(out), name);
  expect(readdirSync(folder)).toContain("_SUCCESS");
  const files = readdirSync(folder).filter((file) => /^part-.*\.parquet$/.test(file));
  return sorted((await Promise.all(files.map((file) => readParquet(join(folder, file))))).flat());
}

async function onSpark(input: string, out: string, ...flags: string[]) {
  vi.stubEnv("SPARK_HOME", cluster?.home);
  vi.stubEnv("TMPDIR", root); // a log that is kept is found there
  const where = ["--in", at(input), "--out", /:/.test(out) ? out : at(out), "--master", cluster?.master as string];
  try {
    const result = await run("personalize", at("model"), "--engine", "spark", ...where, ...QUICK, ...flags);
    return { ...result, err: result.err.replaceAll(root, "…") };
  } finally {
    vi.unstubAllEnvs(); // the next file of tests has folders of its own
  }
}

const leftovers = () => readdirSync(root).filter((name) => /\.tmp/.test(name));

describe.skipIf(!cluster)(`a table of interactions${cluster ? "" : withoutSpark}`, () => {
  test.each([
    [1, "events.parquet"],
    [3, "events"], // the dataset that prepare made of it
  ])("in %i partitions, from %s, has the metrics of one machine, to the bit", async (partitions, input) => {
    const out = `metrics [${partitions}]; {a,b}`;
    const { code, err } = await onSpark(input, out, "--partitions", String(partitions));
    expect(code, err).toBe(0);
    expect(err).toMatch(/^47 users in .*: \d+ with a metric of their own, \d+ with the shared one, 0 refused\n/m);
    expect(await table(out, "users")).toEqual(local);
    expect(await table(out, "rejects")).toEqual([]);
    expect(local.filter(({ kept }) => kept === null).length).toBeGreaterThan(40);
    expect(leftovers()).toEqual([]);
  });

  test("a worker that is killed while it works changes nothing, in 7 partitions", async () => {
    const begun = at("begun.txt");
    writeFileSync(begun, "");
    // Node as the executors find it: it says where it is, and takes its time.
    const node = at("slow-node");
    writeFileSync(node, `#!/bin/bash\necho "$PWD" >> "${begun}"\nsleep 1\nexec ${process.execPath} "$@"\n`, {
      mode: 0o755,
    });
    const job = onSpark("events.parquet", "metrics-killed", "--partitions", "7", "--node", node);
    const ended = job.then(() => true);
    while (!readFileSync(begun, "utf8").includes("/work1/")) {
      if (await Promise.race([ended, pause(50)])) break;
    }
    process.kill(Number(readFileSync(join(cluster?.folder as string, "worker1.pid"), "utf8")), "SIGKILL");
    const { code, err } = await job;
    expect(code, err).toBe(0);
    expect(readFileSync(begun, "utf8").trimEnd().split("\n").length).toBeGreaterThan(7); // somebody began anew
    expect(await table("metrics-killed", "users")).toEqual(local);
    sparkScript("start", cluster?.folder as string); // a worker in its place
  });

  test("users that do not come back are missed, and nothing is left at --out", async () => {
    const { code, err } = await onSpark("events.parquet", "metrics-lost", "--executor-command", "cat > /dev/null #");
    expect(code).toBe(1);
    expect(err).toMatch(/^ENGINE_UNAVAILABLE: of 47 users only 0 came back: --out must be a folder that all workers/m);
    expect(existsSync(at("metrics-lost"))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test("executors without Node say so, and nothing is left at --out", async () => {
    const command = "PATH=/nowhere node nearkin-personalize.mjs";
    const { code, err } = await onSpark("events.parquet", "metrics-none", "--executor-command", command);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^ENGINE_UNAVAILABLE: an executor has no node: every worker needs Node 20\.19 or later on its PATH, or name it with --node; /m,
    );
    expect(existsSync(at("metrics-none"))).toBe(false);
    const log = readFileSync(/log is …(.+)/.exec(err)?.[1].replace(/^/, root) as string, "utf8");
    expect(log).toContain("node: command not found");
    expect(leftovers()).toEqual([]);
  });

  test("rows that cannot be read are left out and named, and what is there is replaced with --force only", async () => {
    const bad = (name: string, type: "text" | "double", values: (string | number | null)[]) => ({ name, type, values });
    await writeParquet(at("bad.parquet"), [
      bad("who", "text", ["ada", "ada", null, "bob", "bob", "ada"]),
      bad("what", "text", [films[0], films[1], films[2], films[3], null, films[4]]),
      bad("stars", "double", [4, 2, 3, null, 1, Number.NaN]),
      bad("at", "text", [
        "2024-05-01T10:00:00Z",
        "2024-05-01T09:00:00Z",
        "2024-05-01",
        "2024-05-02",
        "2024-05-03",
        "2024-05-01",
      ]),
    ]);
    mkdirSync(at("metrics-bad"));
    writeFileSync(join(at("metrics-bad"), "mine.txt"), "mine\n");
    const columns = [
      "--user-column",
      "who",
      "--item-column",
      "what",
      "--rating-column",
      "stars",
      "--time-column",
      "at",
    ];
    expect((await onSpark("bad.parquet", "metrics-bad", ...columns)).err).toBe(
      "BAD_ARGUMENT: --out: …/metrics-bad is there; name another folder, or replace it, when all is done, with --force\n",
    );
    const { code, err } = await onSpark("bad.parquet", "metrics-bad", ...columns, "--force");
    expect(code, err).toBe(0);
    expect(err).toContain("4 rows could not be read and were left out: see …/metrics-bad/rejects\n");
    expect(readdirSync(at("metrics-bad")).sort()).toEqual(["rejects", "users"]);
    const rejects = await table("metrics-bad", "rejects");
    expect(
      rejects.map(({ user_id, rows, code: reason, message }) => `${user_id}: ${rows}: ${reason}: ${message}`).sort(),
    ).toEqual([
      "ada: 1: BAD_VALUE: rows left out: rating out of range",
      "bob: 1: BAD_VALUE: rows left out: empty item id",
      "bob: 1: BAD_VALUE: rows left out: rating is empty or not a number",
      "null: 1: BAD_VALUE: rows left out: empty user id",
    ]);
    const lines = JSON.stringify({
      user: "ada",
      ratings: [films[1], films[0]].map((item, i) => ({ item, rating: 2 + 2 * i })),
    });
    writeFileSync(at("ada.jsonl"), lines);
    const alone = JSON.parse((await run("personalize", at("model"), "--engine", "wasm", "--in", at("ada.jsonl"))).out);
    const [ada] = await table("metrics-bad", "users");
    expect(ada).toMatchObject({ user_id: "ada", items: 2, before: alone.before, after: alone.after });
  });
});

describe.skipIf(!cluster)(`lines of JSON${cluster ? "" : withoutSpark}`, () => {
  test("are answered as the filter answers them; bad ones are in the table of rejects", async () => {
    const ratings = (u: number) =>
      Array.from({ length: 5 }, (_, i) => ({
        item: films[(u * 11 + i * 3) % films.length],
        rating: 1 + ((u + i) % 5),
      }));
    const good = users.map((user, u) => JSON.stringify({ user, ratings: ratings(u) }));
    good[3] = good[3].replaceAll(",", ",\t"); // blanks are allowed between tokens
    const lines = [
      ...good,
      "",
      "{not json",
      JSON.stringify({ user: "ev\\il\t", ratings: [{ item: 'no\tsuch "film"\n\\' }] }),
      JSON.stringify({ user: 7, ratings: [] }),
    ];
    mkdirSync(at("lines.jsonl"));
    writeFileSync(join(at("lines.jsonl"), "a.jsonl"), `\ufeff${lines.slice(0, 20).join("\r\n")}\n`);
    writeFileSync(join(at("lines.jsonl"), "b.jsonl"), `\ufeff${lines.slice(20).join("\n")}`);
    writeFileSync(at("all.jsonl"), lines.join("\n"));
    const { out } = await run("personalize", at("model"), "--engine", "wasm", "--in", at("all.jsonl"));
    const expected = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const address = `file://${at("metrics-lines")}`; // as storage elsewhere has one
    const { code, err } = await onSpark("lines.jsonl", address);
    expect(code, err).toBe(0);
    expect(err).toContain(", 2 refused: see ");
    const rows = await table("metrics-lines", "users");
    expect(rows).toEqual(
      sorted(
        expected.map(({ user, weights = {}, error, line: _line, ...figures }) => ({
          ...Object.fromEntries(Object.keys(rows[0]).map((name) => [name, null])),
          ...Object.fromEntries(Object.entries(weights).map(([name, weight]) => [`weight.${name}`, weight])),
          ...figures,
          user_id: user,
          error: error ? `${error.code}: ${error.message}` : null,
        })),
      ),
    );
    expect(await table("metrics-lines", "rejects")).toEqual(
      sorted(expected.flatMap(({ user, error }) => (error ? [{ user_id: user, ...error, rows: null }] : []))),
    );
    expect((await onSpark("lines.jsonl", address)).err).toMatch(
      /^BAD_ARGUMENT: .+\/metrics-lines\/users is there; name another place, or replace it with --force; /,
    );
  });
});

// A metric for each user: over a dataset, with resume, and as a filter whose bad lines do not stop it.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readParquet } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openModel } from "../open-model.ts";
import type { UserAnswer } from "../personalize/user-line.ts";
import { run } from "../testing/run.ts";
import { SMALL_TRAINING } from "../testing/small-training.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-personalize-"));
  writeFileSync(at("small.yaml"), SMALL_TRAINING);
  expect((await run("prepare", "marquee", "--encoder", "lsa", "--out", at("films"))).code).toBe(0);
  const trained = await run("train", at("films"), "--config", at("small.yaml"), "--workers", "1", "--out", at("model"));
  expect(trained.code).toBe(0);
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
const personalize = (...args: string[]) => run("personalize", at("model"), "--workers", "1", ...args);

describe("over a dataset", () => {
  test("every user, as JSON lines and as Parquet", async () => {
    const { code, out, err } = await personalize("--dataset", at("films"), "--out", at("users.jsonl"));
    expect({ code, out }).toEqual({ code: 0, out: `${at("users.jsonl")}\n` });
    expect(err).toMatch(/[\d,]+ users in .*: \d+ with a metric of their own, \d+ with the shared one, 0 refused\n/);
    const answers = linesOf(at("users.jsonl")).map((line): UserAnswer => JSON.parse(line));
    expect(answers.length).toBeGreaterThan(100);
    const fitted = answers.filter(({ kept }) => kept === null);
    expect(fitted.length).toBeGreaterThan(100);
    for (const { before, after } of fitted) expect(after).toBeLessThanOrEqual(before ?? Number.NaN);

    writeFileSync(at("some.txt"), `${answers[3].user}\nnobody\n${answers[1].user}\n`);
    const some = ["--dataset", at("films"), "--users", at("some.txt")];
    expect((await personalize(...some, "--out", at("some.parquet"))).code).toBe(0);
    const rows = await readParquet(at("some.parquet"));
    expect(rows.map(({ user_id, error }) => [user_id, error])).toEqual([
      [answers[3].user, null],
      ["nobody", 'UNKNOWN_USER: the dataset has no training events of user "nobody"'],
      [answers[1].user, null],
    ]);
    const { weights, user, ...figures } = answers[3];
    expect(rows[0]).toEqual({
      user_id: user,
      ...Object.fromEntries(Object.entries(weights).map(([name, weight]) => [`weight.${name}`, weight])),
      ...figures,
      error: null,
    });
    expect(readdirSync(root).filter((name) => /partial|tmp/.test(name))).toEqual([]);
  });

  test("several jobs write the same bytes", async () => {
    expect((await personalize("--dataset", at("films"), "--out", at("jobs.jsonl"), "--jobs", "2")).code).toBe(0);
    expect(readFileSync(at("jobs.jsonl"))).toEqual(readFileSync(at("users.jsonl")));
  });

  test("a run that was stopped goes on to the same bytes, a line that was cut short included", async () => {
    const whole = readFileSync(at("users.jsonl"));
    await using model = await openModel(at("model"));
    const dataset = JSON.parse(readFileSync(join(at("films"), "dataset.json"), "utf8")).id;
    const begun = [
      JSON.stringify({ model: model.id, dataset, users: "all" }),
      ...linesOf(at("users.jsonl")).slice(0, 40),
    ];
    writeFileSync(`${at("again.jsonl")}.partial`, `${begun.join("\n")}\n{"user": "cut sh`);
    expect((await personalize("--dataset", at("films"), "--out", at("again.jsonl"), "--resume")).code).toBe(0);
    expect(readFileSync(at("again.jsonl"))).toEqual(whole);
    expect(existsSync(`${at("again.jsonl")}.partial`)).toBe(false);

    writeFileSync(`${at("other.jsonl")}.partial`, '{"model":"another"}\n');
    const other = await personalize("--dataset", at("films"), "--out", at("other.jsonl"), "--resume");
    expect(other.err).toContain("is of another model, dataset or list of users; remove it, or leave --resume out");
  });
});

describe("as a filter", () => {
  test("one line in, one out; bad ones are answered with the reason, and the next has its turn", async () => {
    await using model = await openModel(at("model"));
    const [a, b, c] = model.items.ids.ids;
    const good = { user: "ada", ratings: [{ item: a, rating: 5 }, { item: b, rating: 2 }, { item: c }] };
    const lines = [
      JSON.stringify(good),
      "",
      "{not json",
      JSON.stringify({ ratings: [] }),
      JSON.stringify({ user: "bob", ratings: [{ item: "no such film" }] }),
      JSON.stringify({ user: "cleo", ratings: [{ item: a }, { item: a }] }),
      JSON.stringify({ user: 7, ratings: [] }),
      JSON.stringify({ user: "dan" }),
      JSON.stringify({ ...good, user: "eve" }),
    ];
    writeFileSync(at("in.jsonl"), lines.join("\n"));
    const { code, out, err } = await personalize("--in", at("in.jsonl"));
    expect(code).toBe(0);
    expect(err).toMatch(/^8 users in [\d.]+ s, 5 of them refused\n$/);
    const answers = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(8);
    const { offset: _, ...metric } = model.personalize(good.ratings);
    expect(answers[0]).toEqual({ user: "ada", ...metric });
    expect(answers[7]).toEqual({ user: "eve", ...metric });
    expect(answers[5]).toMatchObject({ user: "7", weights: model.weights, kept: "no ratings" });
    expect([answers[1], answers[2], answers[3], answers[4], answers[6]]).toMatchInlineSnapshot(`
      [
        {
          "error": {
            "code": "BAD_JSON",
            "message": "Expected property name or '}' in JSON at position 1",
          },
          "line": 3,
          "user": null,
        },
        {
          "error": {
            "code": "BAD_ARGUMENT",
            "message": "expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}",
          },
          "line": 4,
          "user": null,
        },
        {
          "error": {
            "code": "UNKNOWN_ITEM",
            "message": "no item has the id "no such film"",
          },
          "line": 5,
          "user": "bob",
        },
        {
          "error": {
            "code": "BAD_ARGUMENT",
            "message": "ratings[1]: "12-angry-men-1957" stands at 0 already; give each item once, with the rating that counts",
          },
          "line": 6,
          "user": "cleo",
        },
        {
          "error": {
            "code": "BAD_ARGUMENT",
            "message": "ratings: expected a list such as [{ item: "…", rating: 4 }], the oldest first, got undefined",
          },
          "line": 8,
          "user": "dan",
        },
      ]
    `);
  });

  test("through a pipe", async () => {
    const bin = fileURLToPath(new URL("../../bin/nearkin.js", import.meta.url));
    const child = spawn(process.execPath, [bin, "personalize", at("model"), "--in", "-", "--out", "-"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    for (let i = 0; i < 50; i++) child.stdin.write(`${JSON.stringify({ user: `u${i}`, ratings: [] })}\n`);
    child.stdin.end();
    const code = await new Promise((ended) => child.once("close", ended));
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(50);
  });
});

test("command lines that make no sense say what to do", async () => {
  const said = async (...args: string[]) => {
    const { code, err } = await personalize(...args);
    expect(code).toBe(1);
    return err.replaceAll(root, "…");
  };
  expect([
    await said(),
    await said("--in", "-", "--dataset", at("films")),
    await said("--in", at("nowhere.jsonl")),
    await said("--dataset", at("films")),
    await said("--dataset", at("films"), "--out", at("users.csv")),
    await said("--dataset", at("films"), "--users", at("nowhere.txt"), "--out", at("x.jsonl")),
  ]).toMatchInlineSnapshot(`
    [
      "BAD_ARGUMENT: name either --dataset or --in; see nearkin personalize --help
    ",
      "BAD_ARGUMENT: name either --dataset or --in; see nearkin personalize --help
    ",
      "BAD_ARGUMENT: --in: …/nowhere.jsonl cannot be read: ENOENT: no such file or directory, open '…/nowhere.jsonl'
    ",
      "BAD_ARGUMENT: --out: name a file to write, users.parquet or users.jsonl
    ",
      "BAD_ARGUMENT: --out: expected a file that ends in .parquet or .jsonl, got …/users.csv
    ",
      "BAD_ARGUMENT: --users: expected all, or a file with an id on each line; …/nowhere.txt cannot be read
    ",
    ]
  `);
});

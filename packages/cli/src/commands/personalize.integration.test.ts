// A metric for each user: over a dataset, with resume, and as a filter whose bad lines do not stop it.
import { spawn } from "node:child_process";
import { once } from "node:events";
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
import { readParquet } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openModel } from "../open-model.ts";
import type { UserAnswer } from "../personalize/user-line.ts";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";
import { sampleDataset, smallModel } from "../testing/shared.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-personalize-"));
  writeFileSync(at("small.yaml"), "");
  await sampleDataset("time", at("films"));
  await smallModel("time", at("model"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const bin = fileURLToPath(new URL("../../bin/nearkin.js", import.meta.url));
const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
const personalize = (...args: string[]) => run("personalize", at("model"), "--workers", "1", ...args);

/** Filters that a process has started, by their parents and command lines. */
const jobsOf = (pid: number): number =>
  readdirSync("/proc").filter((name) => {
    try {
      const [, parent] = /\) . (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? [];
      return Number(parent) === pid && readFileSync(`/proc/${name}/cmdline`, "latin1").includes("\0personalize\0");
    } catch {
      return false; // no process, or no longer
    }
  }).length;
const isBegun = (partial: string) => existsSync(partial) && statSync(partial).size > 0;

/** Ctrl-C for a run in this process, as soon as its partial file is begun. */
async function stopped<T>(partial: string, begin: () => Promise<T>): Promise<T> {
  const watch = setInterval(() => {
    if (!isBegun(partial)) return;
    clearInterval(watch);
    process.emit("SIGINT", "SIGINT");
  }, 1);
  try {
    return await begin();
  } finally {
    clearInterval(watch);
  }
}

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
    for (const name of ["users.jsonl", "some.parquet"]) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
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

  test("a run that was killed goes on to the same bytes, a line that was cut short included", async () => {
    const whole = readFileSync(at("users.jsonl"));
    await using model = await openModel(at("model"));
    const dataset = JSON.parse(readFileSync(join(at("films"), "dataset.json"), "utf8")).id;
    const begun = [
      JSON.stringify({ model: model.id, dataset, users: "all", engine: model.engine.info.kind }),
      ...linesOf(at("users.jsonl")).slice(0, 40),
    ].join("\n");
    for (const rest of ["", '\n{"user": "cut sh']) {
      rmSync(at("again.jsonl"), { force: true });
      writeFileSync(`${at("again.jsonl")}.partial`, `${begun}${rest}`);
      expect((await personalize("--dataset", at("films"), "--out", at("again.jsonl"), "--resume")).code).toBe(0);
      expect(readFileSync(at("again.jsonl"))).toEqual(whole);
      expect(existsSync(`${at("again.jsonl")}.partial`)).toBe(false);
    }
  });

  test("what another list of users left is not gone on with", async () => {
    const users = linesOf(at("users.jsonl")).map((line) => (JSON.parse(line) as UserAnswer).user);
    const list = ["--dataset", at("films"), "--users", at("list.txt"), "--out", at("list.jsonl")];
    writeFileSync(at("list.txt"), users.join("\n"));
    expect((await stopped(`${at("list.jsonl")}.partial`, () => personalize(...list))).code).toBe(130);
    writeFileSync(at("list.txt"), users[1]);
    const other = await personalize(...list, "--resume");
    expect(other.err.replaceAll(root, "…")).toMatchInlineSnapshot(`
      "BAD_ARGUMENT: --resume: …/list.jsonl.partial is of another list of users; remove it, or leave --resume out to begin anew
      "
    `);
    expect((await personalize(...list)).code).toBe(0);
    expect(linesOf(at("list.jsonl")).map((line) => JSON.parse(line).user)).toEqual([users[1]]);
  });

  test("Ctrl-C says how to go on, and that goes on", async () => {
    const { code, err } = await stopped(`${at("my stop.jsonl")}.partial`, () =>
      personalize("--dataset", at("films"), "--out", at("my stop.jsonl"), "--engine", "wasm", "--force"),
    );
    expect(code).toBe(130);
    expect(statSync(`${at("my stop.jsonl")}.partial`).mode & 0o777).toBe(0o600);
    expect(err.replaceAll(root, "…")).toMatchInlineSnapshot(`
      "INTERRUPTED: stopped; what is done is saved in …/my stop.jsonl.partial; go on with: nearkin personalize …/model --dataset …/films --out '…/my stop.jsonl' --engine wasm --workers 1 --force --resume
      "
    `);
    const again = ["--dataset", at("films"), "--out", at("my stop.jsonl"), "--engine", "wasm", "--force", "--resume"];
    expect((await personalize(...again)).code).toBe(0);
    expect(readFileSync(at("my stop.jsonl"))).toEqual(readFileSync(at("users.jsonl")));
  });

  test("Ctrl-C in a terminal, which every process of the group is sent, with several jobs", async () => {
    const out = at("group.jsonl");
    const args = [at("model"), "--dataset", at("films"), "--out", out, "--jobs", "2"];
    const child = spawn(process.execPath, [bin, "personalize", ...args], {
      detached: true, // a group of its own, as a shell makes one
      stdio: ["ignore", "ignore", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const closed = once(child, "close");
    await expect.poll(() => isBegun(`${out}.partial`)).toBe(true);
    await expect.poll(() => jobsOf(child.pid as number)).toBe(2); // they are started right after
    process.kill(-(child.pid as number), "SIGINT");
    expect((await closed)[0]).toBe(130);
    expect(err.replaceAll(root, "…")).toBe(
      "INTERRUPTED: stopped; what is done is saved in …/group.jsonl.partial; go on with: nearkin personalize …/model --dataset …/films --out …/group.jsonl --jobs 2 --resume\n",
    );
  });

  test("a list: blanks and a byte-order mark are no part of ids, each user counts once", async () => {
    const [first, second] = linesOf(at("users.jsonl"));
    const user = (line: string) => (JSON.parse(line) as UserAnswer).user;
    writeFileSync(at("blanks.txt"), `\ufeff${user(second)}\r\n\t${user(first)} \r\n${user(second)}\r\n`);
    const blanks = ["--dataset", at("films"), "--users", at("blanks.txt")];
    const { code, err } = await personalize(...blanks, "--out", at("blanks.jsonl"));
    expect(code).toBe(0);
    expect(linesOf(at("blanks.jsonl"))).toEqual([second, first]);
    expect(err.replaceAll(root, "…")).toContain("…/blanks.txt: 1 line named a user once more; each counts once\n");
  });

  test("where every user was refused the command fails, and the file has the reasons", async () => {
    writeFileSync(at("nobodies.txt"), "nobody\nno one\n");
    const nobodies = ["--dataset", at("films"), "--users", at("nobodies.txt"), "--out", at("nobodies.jsonl")];
    const { code, err } = await personalize(...nobodies);
    expect(code).toBe(1);
    expect(err.replaceAll(root, "…").trimEnd().split("\n").at(-1)).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: every user was refused, the first with UNKNOWN_USER: the dataset has no training events of user "nobody"; …/nobodies.jsonl has all reasons"`,
    );
    expect(linesOf(at("nobodies.jsonl"))).toHaveLength(2);
  });

  test("of another dataset items are known by their ids, and those that the model does not know are left out", async () => {
    await using model = await openModel(at("model"));
    const films = [...model.items.ids.ids].reverse();
    const rows = Array.from({ length: 6 }, (_, u) =>
      Array.from({ length: 8 }, (_, i) => ({
        user: `u${u}`,
        item: films[(7 * u + 11 * i) % 60],
        rating: 1 + ((u + i) % 5),
      })),
    );
    const table = rows.flatMap((ratings, u) => [{ user: `u${u}`, item: "a-film-of-tomorrow", rating: 4 }, ...ratings]);
    const csv = table.map(({ user, item, rating }, i) => `${user},${item},${rating},${1_700_000_000 + i}\n`);
    writeFileSync(at("later.csv"), `user,item,rating,timestamp\n${csv.join("")}`);
    writeFileSync(at("later.yaml"), "interactions: { files: later.csv }\nsplit: { by: none }\n");
    const prepared = await run("prepare", at("later.yaml"), "--out", at("later"));
    expect(prepared).toMatchObject({ code: 0 });
    const { code, err } = await personalize("--dataset", at("later"), "--out", at("later.jsonl"));
    expect(code).toBe(0);
    expect(err).toContain("\n6 ratings of 1 item that the model does not know were left out\n");
    const expected = rows.map((ratings, u) => {
      const { offset: _, ...metric } = model.personalize(ratings.map(({ item, rating }) => ({ item, rating })));
      return { user: `u${u}`, ...metric };
    });
    expect(linesOf(at("later.jsonl")).map((line) => JSON.parse(line))).toEqual(expected);
  });

  test("a dataset of other items is refused", async () => {
    await writeTinyModel(at("tiny"));
    const other = await run("personalize", at("tiny"), "--dataset", at("films"), "--out", at("tiny.jsonl"));
    expect(other.code).toBe(1);
    expect(other.err.replaceAll(root, "…")).toMatchInlineSnapshot(`
      "BAD_ARGUMENT: --dataset: the model tiny knows none of the 360 items of …/films; name the dataset that it was trained on, or a later one of the same catalogue
      "
    `);
    expect(existsSync(at("tiny.jsonl"))).toBe(false);
  });

  test("a file that is there is replaced only with --force", async () => {
    writeFileSync(at("there.jsonl"), "mine\n");
    writeFileSync(at("one.txt"), "nobody\n");
    const there = ["--dataset", at("films"), "--users", at("one.txt"), "--out", at("there.jsonl")];
    const said = async (...more: string[]) => (await personalize(...there, ...more)).err.replaceAll(root, "…");
    expect([await said(), await said("--resume")]).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: --out: …/there.jsonl is there; name another file, or replace it with --force
      ",
        "BAD_ARGUMENT: --out: …/there.jsonl is there, and there is no …/there.jsonl.partial to go on with: that run is done; name another file, or replace it with --force
      ",
      ]
    `);
    expect(readFileSync(at("there.jsonl"), "utf8")).toBe("mine\n");
    await said("--force");
    expect(linesOf(at("there.jsonl"))).toHaveLength(1);
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
    writeFileSync(at("in.jsonl"), `\ufeff${lines.join("\n")}`);
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
            "message": "expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}, got no user",
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
            "message": "ratings: expected a list such as [{"item": "an id", "rating": 4}], the oldest first, got nothing",
          },
          "line": 8,
          "user": "dan",
        },
      ]
    `);
  });

  test("through a pipe", async () => {
    const child = spawn(process.execPath, [bin, "personalize", at("model"), "--in", "-", "--out", "-"], {
      stdio: "pipe",
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    for (let i = 0; i < 50; i++) child.stdin.write(`${JSON.stringify({ user: `u${i}`, ratings: [] })}\n`);
    child.stdin.end();
    const code = await new Promise((ended) => child.once("close", ended));
    expect(code, err).toBe(0);
    expect(err).toMatch(/^50 users in [\d.]+ s\n$/);
    expect(out.trimEnd().split("\n")).toHaveLength(50);
  });
});

test("command lines that make no sense say what to do", async () => {
  const said = async (...args: string[]) => {
    const { code, err } = await personalize(...args);
    expect(code).toBe(1);
    return err.replaceAll(root, "…");
  };
  mkdirSync(at("folder.jsonl"));
  expect([
    await said(),
    await said("--in", "-", "--dataset", at("films")),
    await said("--in", at("nowhere.jsonl")),
    await said("--dataset", at("films")),
    await said("--dataset", at("films"), "--out", at("users.csv")),
    await said("--dataset", at("films"), "--users", at("nowhere.txt"), "--out", at("x.jsonl")),
    await said("--dataset", at("films"), "--out", at("folder.jsonl")),
    await said("--dataset", at("films"), "--out", join(at("small.yaml"), "users.parquet")),
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
      "BAD_ARGUMENT: --out: …/folder.jsonl is a folder; name a file
    ",
      "BAD_ARGUMENT: --out: …/small.yaml/users.parquet cannot be written: EEXIST: file already exists, mkdir '…/small.yaml'
    ",
    ]
  `);
});

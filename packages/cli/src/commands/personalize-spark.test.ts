// The script and the commands that Spark would get, and command lines that make no sense. Spark itself is in test/spark.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelFiles } from "@nearkin/core";
import { readParquet, sparkFunctions, sparkText } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTable } from "../personalize/tables.ts";
import { personalizeSql, SUMMARY } from "../spark/sql.ts";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-on-spark-"));
  await writeTinyModel(at("model"));
  writeFileSync(at("users.jsonl"), "");
  mkdirSync(at("there"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function said(...args: string[]): Promise<string> {
  const { out, err } = await run("personalize", at("model"), ...args);
  return `${out}${err}`.replaceAll(root, "…").replaceAll(/\S+(?=\/cli\/dist\/)/g, "…");
}

const spark = (...args: string[]) => said("--engine", "spark", ...args);

const OUT = "s3a://b/it's";
const lines = () => ["--in", at("users.jsonl"), "--out", OUT];
const table = ["--in", "s3a://b/events.parquet", "--out", OUT];

/** The two commands of a dry run, and its script. */
async function dryRun(...args: string[]): Promise<{ tar: string; command: string; sql: string }> {
  const text = await spark(...args, "--dry-run");
  const [, tar, command, sql] =
    /^-- 1\. .+\n-- {6}(.+)\n-- 2\. .+personalize\.sql:\n-- {6}(.+)\n\n([\s\S]+)$/.exec(text) ?? [];
  expect(sql, text).toBeDefined();
  return { tar, command, sql };
}

/** Statements by the name of what each makes, in their order; blanks count as one. Nearkin's functions, which prepare shares, are left out. */
function statements(sql: string): Record<string, string> {
  const all = sql.replace(sparkFunctions(), "").split(";\n");
  expect(all.pop()).toBe(""); // each is ended
  const named = all.map((statement) => {
    const text = statement.trim().replaceAll(/\s+/g, " ");
    const [, name] =
      /^(?:CREATE TEMPORARY VIEW (\w+)|CREATE TABLE (?=\w+ )|INSERT OVERWRITE DIRECTORY|SELECT)/.exec(text) ?? [];
    const folder = /(?:LOCATION|DIRECTORY) '\S+\/(\w+)'/.exec(text)?.[1];
    return [name ?? folder ?? "summary", text] as const;
  });
  expect(new Set(named.map(([name]) => name)).size).toBe(named.length);
  return Object.fromEntries(named);
}

/** With a filter that needs not be made first. */
const script = async (...args: string[]) =>
  statements((await dryRun(...args, "--executor-command", "nearkin personalize")).sql);

describe("the commands of --dry-run", () => {
  test("pack the model, and start spark-sql with the archive, the filter and the script", async () => {
    const { tar, command } = await dryRun(...lines(), "--master", "yarn", "--conf", "spark.executor.memory=4g");
    expect(tar).toBe(`tar -cf nearkin-model.tar -C …/model ${modelFiles.join(" ")}`);
    expect(command).toMatch(/^spark-sql --master yarn --name 'nearkin personalize' --conf /);
    expect(command).toMatch(
      / --conf spark\.executor\.memory=4g --files …\/cli\/dist\/nearkin-personalize\.mjs --archives 'nearkin-model\.tar#nearkin-model' -f personalize\.sql$/,
    );
  });

  test("fix the settings that numbers, names, paths and missing files depend on", async () => {
    const { command } = await dryRun(...lines(), "--executor-command", "nearkin personalize");
    expect(command.match(/(?<=--conf spark\.sql\.)\S+/g)).toEqual(
      expect.arrayContaining([
        "session.timeZone=UTC",
        "ansi.enabled=true",
        "caseSensitive=true", // two channels may differ in that alone
        "catalogImplementation=in-memory",
        "files.ignoreCorruptFiles=false",
        "files.ignoreMissingFiles=false",
        "variable.substitute=false",
        "warehouse.dir=warehouse",
        "parquet.inferTimestampNTZ.enabled=false",
      ]),
    );
    expect(command).not.toContain("--master");
  });

  test("send no filter to executors that have Nearkin, and for lines of JSON no functions", async () => {
    const { command, sql } = await dryRun(...lines(), "--executor-command", "/opt/nearkin/bin/nearkin personalize");
    expect(sql).not.toContain(sparkFunctions().trim());
    expect(command).toContain("--archives 'nearkin-model.tar#nearkin-model' -f personalize.sql");
    expect(command).not.toContain("--files");
  });
});

describe("the script", () => {
  test("for lines of JSON makes each table before it is read", async () => {
    const { texts, lines: asLines, ...rest } = await script(...lines());
    expect(Object.keys(rest)).toEqual(["asked", "bad_rows", "answers", "users", "rejects", "summary"]);
    expect(texts).toContain("OPTIONS (path '…/users.jsonl', lineSep '\\n')");
    expect(asLines).toContain("regexp_replace(value, '^\\\\uFEFF', '') AS line"); // several files may begin with a mark
    expect(asLines).toContain("WHERE trim(value) <> ''");
    expect(asLines).not.toContain("REPARTITION");
  });

  test("for a table of interactions begins with the functions that prepare has, once", async () => {
    const { sql } = await dryRun(...table, "--executor-command", "nearkin personalize");
    expect(sql.split(sparkFunctions()).map((part) => part.trim() === "")).toEqual([true, false]);
    expect(Object.keys(statements(sql))).toEqual([
      ...["checked", "bad_rows", "asked", "met", "lines", "answers", "users", "rejects", "summary"],
    ]);
  });

  test("gives users out in --partitions", async () => {
    expect((await script(...lines(), "--partitions", "9")).lines).toContain("/*+ REPARTITION(9) */");
    expect((await script(...table, "--partitions", "9")).met).toContain("/*+ REPARTITION(9, user_id) */");
    expect((await script(...table)).met).toContain("/*+ REPARTITION(user_id) */");
  });

  test("writes both tables below --out, and over what is there with --force alone", async () => {
    const { users, rejects } = await script(...lines());
    expect(users).toMatch(/^CREATE TABLE users USING parquet LOCATION 's3a:\/\/b\/it\\'s\/users' AS SELECT /);
    expect(rejects).toMatch(/^CREATE TABLE rejects USING parquet LOCATION 's3a:\/\/b\/it\\'s\/rejects' AS SELECT /);
    const forced = await script(...lines(), "--force");
    expect(forced.users).toMatch(/^INSERT OVERWRITE DIRECTORY 's3a:\/\/b\/it\\'s\/users' USING parquet SELECT /);
    expect(forced.rejects).toMatch(/^INSERT OVERWRITE DIRECTORY 's3a:\/\/b\/it\\'s\/rejects' USING parquet SELECT /);
    expect(forced.answers).toBe((await script(...lines())).answers);
  });

  test("reads the answers of the filter, and writes the columns that a batch writes", async () => {
    const ada = { user: "ada", ratings: [] };
    const bob = { user: "bob", ratings: [{ item: "no such film" }] };
    writeFileSync(at("two.jsonl"), [ada, bob].map((one) => JSON.stringify(one)).join("\n"));
    const { out } = await run("personalize", at("model"), "--engine", "wasm", "--in", at("two.jsonl"));
    const [answer, refusal] = out.split("\n", 2).map((line) => JSON.parse(line));
    const channels = Object.keys(answer.weights);
    const { answers, users } = await script(...lines());
    const [, types = ""] = /from_json\(answer, '([^']+)', map\('mode', 'FAILFAST'\)\)/.exec(answers) ?? [];
    const fields = Array.from(types.matchAll(/(?:^|, )(\w+) [A-Z]/g), ([, name]) => name);
    expect(fields.sort()).toEqual([...Object.keys(answer), "error"].sort());
    for (const name of Object.keys(refusal.error)) expect(types).toMatch(new RegExp(`STRUCT<.*\\b${name}: STRING.*>`));

    const weights = Array.from(
      users.matchAll(/'(weight\.\w+)', try_element_at\(answer\.weights, '(\w+)'\)/g),
      ([, column, name]) => [column, name],
    );
    expect(weights).toEqual(channels.map((name) => [`weight.${name}`, name]));
    const [, columns = ""] = /SELECT (.+?) FROM \( SELECT answer, /.exec(users) ?? [];
    const names = columns.split(/, (?!')(?!answer\.error)/).map((column) => /\w+$/.exec(column)?.[0] ?? column);
    await using table = await openTable(at("users.parquet"), channels);
    await table.append(answer);
    await table.finish();
    const [row] = await readParquet(at("users.parquet"));
    expect(names.flatMap((name) => (name === "weights.*" ? weights.map(([column]) => column) : name))).toEqual(
      Object.keys(row),
    );
  });

  test("writes refused users and rows left out into one table, by code and message", async () => {
    const { rejects } = await script(...lines());
    const [refused, unread] = rejects.split(" UNION ALL ");
    const columnsOf = (query: string) => Array.from(query.matchAll(/ AS `?(\w+)`?(?=,| FROM)/g), ([, name]) => name);
    for (const query of [refused, unread]) {
      expect(query).toContain("SELECT user_id, ");
      expect(columnsOf(query)).toEqual(["code", "message", "rows"]);
    }
    expect(refused).toMatch(/ FROM IDENTIFIER\('parquet\.`s3a:\/\/b\/it\\'s\/users`'\) WHERE error IS NOT NULL$/);
    expect(unread).toMatch(/'BAD_VALUE' AS code.* count\(\*\) AS `rows` FROM bad_rows GROUP BY user_id, problem$/);
  });

  test("ends with the figures of the run, on a line that is told by its beginning", async () => {
    const { summary } = await script(...lines());
    expect(summary).toContain(`concat(${sparkText(SUMMARY)}, to_json(`);
    expect(summary).toContain(
      "'asked', (SELECT count(*) FROM asked), 'users', count(*), 'kept', count(kept), 'refused', count(error), 'items', coalesce(sum(items), 0)",
    );
    expect(summary).toMatch(/'rows', \(SELECT coalesce\(sum\(`rows`\), 0\) FROM IDENTIFIER\('\S+\/rejects`'\)\)/);
    expect(summary).toMatch(/ FROM IDENTIFIER\('parquet\.`s3a:\/\/b\/it\\'s\/users`'\)$/);
  });
});

describe("the filter on the executors", () => {
  const commandOf = async (...args: string[]) => {
    const { answers } = statements((await dryRun(...args)).sql);
    expect(answers.match(/ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'/g)).toHaveLength(2);
    expect(answers).toMatch(/SELECT TRANSFORM \(line\) .+ FROM lines \)$/);
    const [, command, otherwise] = /USING '(.+) \|\| \{ (.+) \}' AS \(answer STRING\)/.exec(answers) ?? [];
    expect(otherwise).toMatch(/^status=\$\?; while read .* exit \$status;$/); // its input is read to the end, and it fails
    return command;
  };

  test("is what travels, run by the Node that is named", async () => {
    expect(await commandOf(...lines())).toBe("node nearkin-personalize.mjs nearkin-model");
    expect(await commandOf(...table, "--node", "/my node")).toBe(
      "\\'/my node\\' nearkin-personalize.mjs nearkin-model --skip-unknown",
    );
  });

  test("is what executors have, by the engine whose bits are the same everywhere", async () => {
    const own = ["--executor-command", "/opt/bin/nearkin personalize"];
    const command = "/opt/bin/nearkin personalize nearkin-model --in - --out - --engine wasm --workers 1";
    expect(await commandOf(...lines(), ...own)).toBe(command);
    expect(await commandOf(...lines(), ...own, "--skip-unknown")).toBe(`${command} --skip-unknown`);
    expect(await commandOf(...table, ...own)).toBe(`${command} --skip-unknown`);
  });
});

describe("a table of interactions", () => {
  test("has columns of any name", async () => {
    const names = [
      "--user-column",
      "the `who`",
      "--item-column",
      "it's",
      "--rating-column",
      "a;b",
      "--time-column",
      "at",
    ];
    const { checked } = await script(...table, ...names);
    expect(checked).toContain(
      "CAST(IDENTIFIER('`the ``who```') AS STRING) AS user_id, CAST(IDENTIFIER('`it\\'s`') AS STRING) AS item_id, CAST(IDENTIFIER('`a;b`') AS STRING) AS rating, CAST(IDENTIFIER('`at`') AS STRING) AS time FROM IDENTIFIER('parquet.`s3a://b/events.parquet`')",
    );
    const cells = Array.from((await script(...table)).checked.matchAll(/IDENTIFIER\('`(\w+)`'\)/g), ([, name]) => name);
    expect(cells).toEqual(["user", "item", "rating", "time"]);
  });

  const problems = (checked: string) => Array.from(checked.matchAll(/THEN '([^']+)'/g), ([, problem]) => problem);
  const ids = ["empty user id", "empty item id", "user id longer than 512 bytes", "item id longer than 512 bytes"];
  const badTime = "time is empty or not readable";

  test("leaves out rows by what cannot be read, ratings among it where there are any", async () => {
    const rated = await script(...table);
    expect(problems(rated.checked)).toEqual([
      ...ids,
      "rating is empty or not a number",
      "rating out of range",
      badTime,
    ]);
    expect(rated.checked).toContain("parse_number(rating) AS rating");
    expect(rated.checked).toMatch(/byte_length\(user_id\) > 512 .+ byte_length\(item_id\) > 512 /);
    const { checked, bad_rows, asked, met } = await script(...table, "--rating-column", "none");
    expect(problems(checked)).toEqual([...ids, badTime]);
    expect(checked).toContain("CAST(NULL AS DOUBLE) AS rating");
    expect(checked).toContain("CAST(NULL AS STRING) AS rating");
    expect(bad_rows).toMatch(/ WHERE problem IS NOT NULL$/);
    for (const good of [asked, met]) expect(good).toMatch(/ WHERE problem IS NULL\b/);
  });

  test("counts whole seconds, whatever its numbers count, from 1973 to 5138", async () => {
    const { checked } = await script(...table);
    const cases = Array.from(
      checked.matchAll(/abs\(number\) < (\S+) THEN CAST\(floor\(number(?: \/ (\S+))?\) AS BIGINT\)/g),
      ([, below, unit = "1"]) => [Number(below), Number(unit)],
    );
    const seconds = (time: number) => {
      const [, unit] = cases.find(([below]) => Math.abs(time) < below) ?? [];
      return unit === undefined ? null : Math.floor(time / unit);
    };
    for (const second of [100_000_001, 1_700_000_000, 99_999_999_999]) {
      expect([1, 1e3, 1e6, 1e9].map((unit) => seconds(second * unit))).toEqual(Array(4).fill(second));
    }
    expect(seconds(1e20)).toBeNull();
    expect(checked).toContain("WHEN number IS NULL THEN parse_iso_seconds(time)");
  });

  test("becomes histories: of several meetings with an item the last, and the oldest item first", async () => {
    const { met, lines: histories } = await script(...table);
    expect(met).toMatch(/max\(struct\(time, rating\)\) AS last .+ GROUP BY user_id, item_id$/);
    expect(histories).toMatch(/array_sort\(collect_list\(struct\(last\.time AS time, item_id, /);
    expect(histories).toMatch(/ AS line FROM met GROUP BY user_id$/);
    for (const key of ["user", "ratings", "item", "rating"]) expect(histories).toContain(`'${key}', `);
  });

  test("may be the training events of a dataset, by the exact names of its files", () => {
    const ofDataset = (rated: boolean) => {
      const source = { kind: "dataset", path: "/films [1]", rated } as const;
      const made = personalizeSql({ source, out: "/out", replace: false, command: "true", channels: ["plot"] });
      return statements(made).checked;
    };
    expect(
      Array.from(ofDataset(true).matchAll(/IDENTIFIER\('parquet\.`([^`]+)`'\) AS (\w+)/g), ([, ...found]) => found),
    ).toEqual([
      ["/films \\\\[1\\\\]/train/interactions.parquet", "events"],
      ["/films \\\\[1\\\\]/users.parquet", "users"],
      ["/films \\\\[1\\\\]/items.parquet", "items"],
    ]);
    expect(problems(ofDataset(true))).toContain("rating out of range");
    expect(problems(ofDataset(false))).toEqual([...ids, badTime]);
  });
});

describe("no input is ever SQL", () => {
  const literal = /'(?:[^'\\]|\\.)*'/g;
  const evil = "a'; DROP TABLE x; -- \\'/* ` */\n\r;\u2028\\";
  const scripts = (word: string, replace: boolean) => {
    const shared = { out: `/${word}/out`, replace, command: `run ${word}`, channels: [word, `${word}2`] };
    const columns = { user: `${word}u`, item: `${word}i`, rating: `${word}r`, time: `${word}t` };
    return [
      personalizeSql({ ...shared, source: { kind: "lines", path: `/${word}.jsonl` } }),
      personalizeSql({ ...shared, source: { kind: "interactions", path: `/${word}`, columns } }),
      personalizeSql({ ...shared, source: { kind: "dataset", path: `/${word}`, rated: true } }),
    ];
  };

  test.each([false, true])("all of it stands in texts on one line each, with --force %s", (replace) => {
    const plain = scripts("plain", replace);
    scripts(evil, replace).forEach((sql, i) => {
      expect(sql.replaceAll(literal, "''")).toBe(plain[i].replaceAll(literal, "''"));
      for (const [text] of sql.replace(sparkFunctions(), "").matchAll(literal)) {
        expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }
      expect(plain[i].replaceAll(literal, "")).not.toContain("plain");
    });
  });
});

test("command lines that make no sense say what to do", async () => {
  const to = ["--out", at("new")];
  expect([
    await said("--in", at("users.jsonl"), "--master", "yarn"),
    await said("--in", at("users.jsonl"), "--conf", "a=b"),
    await spark(...to),
    await spark("--dataset", at("there"), ...to),
    await spark("--dataset", at("d"), "--in", at("users.jsonl"), ...to),
    await spark("--in", at("users.jsonl"), ...to, "--jobs", "2"),
    await spark("--in", "-", "--format", "lines", ...to),
    await spark("--in", at("nowhere.jsonl"), ...to),
    await spark("--in", at("there"), ...to),
    await spark("--in", at("users.jsonl"), "--user-column", "who", ...to),
    await spark("--in", at("users.jsonl")),
    await spark("--in", at("users.jsonl"), "--out", at("there")),
  ]).toMatchInlineSnapshot(`
    [
      "BAD_ARGUMENT: --master is for --engine spark; add it, or leave --master out
    ",
      "BAD_ARGUMENT: --conf is for --engine spark; add it, or leave --conf out
    ",
      "BAD_ARGUMENT: name either --dataset or --in; see nearkin personalize --help
    ",
      "BAD_DATASET: …/there has no dataset.json, so it is no dataset; expected the folder that nearkin prepare wrote
    ",
      "BAD_ARGUMENT: name either --dataset or --in; see nearkin personalize --help
    ",
      "BAD_ARGUMENT: --jobs is not for --engine spark; leave it out
    ",
      "BAD_ARGUMENT: --in: Spark reads files; name a path that every worker sees, or s3a://…
    ",
      "BAD_ARGUMENT: --in: there is no …/nowhere.jsonl
    ",
      "BAD_ARGUMENT: --format: …/there does not say by its name what it is; add --format lines or --format parquet
    ",
      "BAD_ARGUMENT: …/users.jsonl has no columns to name; for a table add --format parquet
    ",
      "BAD_ARGUMENT: --out: name a folder to write, or s3a://…
    ",
      "BAD_ARGUMENT: --out: …/there is there; name another folder, or replace it, when all is done, with --force
    ",
    ]
  `);
});

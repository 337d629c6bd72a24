import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../testing/run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-prepare-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string) => join(folder, name);
/** The folder's name differs from run to run. */
const plain = (text: string) => text.replaceAll(folder, "TMP");

describe("prepare", () => {
  test("makes a dataset of the built-in sample, says that it is simulated, and what to do next", async () => {
    const out = inFolder("films");
    const {
      code,
      out: printed,
      err,
    } = await run("prepare", "marquee", "--encoder", "lsa", "--split", "random", "--out", out);
    expect({ code, err: err.split("\n")[0] }).toEqual({
      code: 0,
      err: `preparing the built-in sample: real films, SIMULATED users and ratings into ${out}`,
    });
    expect(err).toMatch(/^\[ 1\/23\] read interactions +[\d.]+ s {2}51,427 rows$/m);
    expect(err).toMatch(/^\[23\/23\] rejects +[\d.]+ s$/m);
    expect(plain(printed)).toMatch(
      /^51,427 interactions of 640 users with 360 items, SIMULATED\ntraining {5}[\d,]+ interactions, 324 items, /,
    );
    expect(plain(printed)).toMatch(/held out {5}18 validation items, 18 test items\n/);
    expect(plain(printed)).toMatch(/next {9}nearkin inspect TMP\/films\n$/);
    const manifest = JSON.parse(readFileSync(join(out, "dataset.json"), "utf8"));
    expect(manifest).toMatchObject({ name: "marquee", simulated: true, config: { split: { by: "random" } } });
    expect(existsSync(`${out}.partial`)).toBe(false);
  });

  test("does not touch a dataset that is there", async () => {
    writeFileSync(inFolder("r.csv"), "user,item\nann,a\nann,b\nbob,a\n");
    writeFileSync(
      inFolder("nearkin.yaml"),
      "interactions: { files: r.csv }\nsplit: { by: none }\nfactors: { count: 0 }\n",
    );
    const first = await run("prepare", folder, "--out", inFolder("made"), "--json");
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out).notes).toEqual([
      "there is no rating column: every interaction counts as 1 (implicit)",
      "there is no time column: the order of the rows is taken as the order in time",
    ]);
    const again = await run("prepare", folder, "--out", inFolder("made"));
    expect({ code: again.code, err: plain(again.err).split("\n").at(-2) }).toEqual({
      code: 1,
      err: "DATASET_EXISTS: TMP/made is already there; choose another --out, or replace it with --force",
    });
    expect((await run("prepare", folder, "--out", inFolder("made"), "--force", "--tables", "disk")).code).toBe(0);
  });

  test.each([
    [
      ["nowhere"],
      "BAD_SOURCE: nowhere: there is no such file or folder, and it is not marquee, the built-in sample; make a nearkin.yaml with: nearkin init <files>",
    ],
    [["r.csv"], "BAD_SOURCE: TMP/r.csv is not a nearkin.yaml; make one with: nearkin init TMP/r.csv"],
    [
      ["empty"],
      "BAD_SOURCE: TMP/empty has no nearkin.yaml and no layout that is known; make one with: nearkin init TMP/empty",
    ],
    [
      [".", "--layout", "movelens"],
      'BAD_ARGUMENT: no layout is called "movelens"; did you mean "movielens"? (known are movielens, yelp, amazon-reviews, recbole)',
    ],
  ])("of %s says what is wrong", async (args, message) => {
    mkdirSync(inFolder("empty"), { recursive: true });
    const [source, ...rest] = args;
    const { code, err } = await run("prepare", source === "nowhere" ? source : join(folder, source), ...rest);
    expect({ code, err: plain(err).trimEnd() }).toEqual({ code: 1, err: message });
  });

  test("a size or a split that is none is a usage error", async () => {
    const size = await run("prepare", "marquee", "--memory", "lots");
    expect({ code: size.code, err: size.err.split("\n")[0] }).toEqual({
      code: 2,
      err: "USAGE: option '--memory <size>' argument 'lots' is invalid. Expected a size of at least 64MB, such as 512MB or 4GB.",
    });
    const split = await run("prepare", "marquee", "--split", "weekly");
    expect({ code: split.code, err: split.err.split("\n")[0] }).toEqual({
      code: 2,
      err: "USAGE: option '--split <by>' argument 'weekly' is invalid. Allowed choices are none, time, random, users.",
    });
  });
});

describe("prepare --engine spark", () => {
  const spark = ["--engine", "spark", "--storage", "shared folder"];

  test("prints the sample's script, and commands that make the dataset that was asked for", async () => {
    const asked = ["--encoder", "lsa", "--split", "random", "--seed", "7", "--out", "films"];
    const { code, out } = await run("prepare", "marquee", ...asked, ...spark, "--dry-run");
    expect(code).toBe(0);
    const commands = out
      .split("\n\n", 1)[0]
      .split("\n")
      .filter((line) => /^-- {6}/.test(line));
    expect(commands.map((line) => line.slice(8).replaceAll(/--conf \S+ ?/g, ""))).toEqual([
      "nearkin prepare marquee --split random --seed 7 --encoder lsa --engine spark --storage 'shared folder' --stage-only",
      "spark-sql --name 'nearkin prepare' -f prepare.sql",
      "nearkin prepare marquee --split random --seed 7 --encoder lsa --engine spark --spark-tables 'shared folder' --out films",
    ]);
    expect(out).toContain("-- === catalogue\n");
  });

  test.each([
    [["--spark-tables", "s3a://bucket/films"], "copy s3a://bucket/films to this machine, and name that folder"],
    [["--spark-tables", "."], "expected a folder that holds the folders staged and tables, which . does not"],
  ])("refuses %s", async (flags, message) => {
    const { code, err } = await run("prepare", "marquee", "--engine", "spark", ...flags);
    expect([code, err.split("\n")[1]]).toEqual([1, `BAD_ARGUMENT: --spark-tables: ${message}`]);
  });
});

describe("sample", () => {
  test("writes files that init and prepare take, still marked as simulated", async () => {
    const films = inFolder("my films");
    const written = await run("sample", films);
    expect({ code: written.code, out: plain(written.out).split("\n")[0] }).toEqual({
      code: 0,
      out: "TMP/my films: 360 real films, 640 SIMULATED users, 51,427 SIMULATED ratings",
    });
    expect((await run("init", films, "--out", join(films, "nearkin.yaml"))).code).toBe(0);
    const made = await run("prepare", films, "--encoder", "lsa", "--out", inFolder("made of files"));
    expect(made.code).toBe(0);
    expect(made.out).toContain("SIMULATED");
    const again = await run("sample", films);
    expect({ code: again.code, err: plain(again.err) }).toEqual({
      code: 1,
      err: "DATASET_EXISTS: TMP/my films is not empty; choose another folder, or write into it with --force\n",
    });
  });
});

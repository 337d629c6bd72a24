// The paper's experiments on two small folds of the sample, with very few steps: six trainings, then the same again from the cache.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig, prepare, resolveSource } from "@nearkin/data";
import type { PaperReport } from "@nearkin/evaluate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../main.ts";
import { run } from "../testing/run.ts";

const SETTINGS = `
train:
  model: { hidden: 8, embedding: 6 }
  siamese: { steps: 8, batch: 32, validateEvery: 4 }
  ssl: { steps: 4, batch: 80, inducing: 16, validateEvery: 2 }
  personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 }
spe: { steps: 8, batch: 32, hidden: 8, embeddingSize: 6, validateEvery: 4 }
`;

let folder: string;
let first: { code: number; out: string; err: string };
const at = (name: string) => join(folder, name);
const plain = (text: string) => text.replaceAll(folder, "TMP");
const read = (name: string) => readFileSync(at(name), "utf8");
const reported = (name: string) => JSON.parse(read(name)) as PaperReport;
const commandLine = (...more: string[]) => [
  ...["report", "paper", "--dataset", at("fold-1"), at("fold-2"), "--seeds", "3", "--config", at("small.yaml")],
  ...["--workers", "1", ...more],
];
const report = (...more: string[]) => run(...commandLine(...more));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-report-paper-"));
  writeFileSync(at("small.yaml"), SETTINGS);
  using source = await resolveSource("marquee");
  const { channels, ...rest } = source.config as { channels: Record<string, object> };
  const plot = { ...channels.plot, encoder: "lsa", pca: 16 };
  const splits = {
    "fold-1": { by: "random", fraction: 0.1, fold: 1 },
    "fold-2": { by: "random", fraction: 0.1, fold: 2 },
    users: { by: "users" },
    everything: { by: "none" },
  };
  for (const [name, split] of Object.entries(splits)) {
    const config = parseConfig({ ...rest, channels: { ...channels, plot }, split, factors: { count: 8 } });
    await prepare(config, { out: at(name), folder: source.folder, threads: 1 });
  }
  first = await report("--out", at("pages/films.html"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All but the last section, which says where and when. */
const withoutEnvironment = (page: string) => page.replace(/<section id="environment"[\s\S]*?<\/section>/, "");

describe("report paper", () => {
  test("trains, writes the page and its JSON, and says that the ratings are simulated", () => {
    expect(first.code).toBe(0);
    expect(plain(first.out)).toBe("TMP/pages/films.html\nTMP/pages/films.json\n");
    expect(first.err.match(/^\d of 6 {2}(SSL|SIAMESE|SPE), fold [12] of 2, seed 3: done in /gm)).toHaveLength(6);
    expect(first.err).toMatch(/^6 trainings in /m);
    expect(first.err).toMatch(/^reported on marquee in .+\nThe ratings of marquee are SIMULATED\.$/m);
    expect(readdirSync(at("pages")).sort()).toEqual(["films.cache", "films.html", "films.json"]);
    expect(read("pages/films.html")).toContain("<h1>The paper&#39;s experiments on marquee</h1>");
  });

  test("the JSON has the result, the settings and the commands that make it again", () => {
    const found = reported("pages/films.json");
    expect(found).toMatchObject({ format: "nearkin-paper-report", version: 1, simulated: true });
    expect(found.result.curve.map(({ step }) => step)).toEqual([0, 2, 4]);
    expect(found.result.queries).toBe(72);
    expect(found.result.chosen.map(({ seed, fold }) => [seed, fold])).toEqual([
      [3, 1],
      [3, 2],
    ]);
    expect(found.changes).toContainEqual({ key: "train.ssl.steps", value: 4, usual: 3000 });
    expect(found.data.channels).toContainEqual({ name: "plot", type: "text", encoder: "lsa" });
    expect(found.reproduce.commands.map(({ command }) => plain(command))).toEqual([
      "nearkin report paper --dataset TMP/fold-1 TMP/fold-2 --seeds 3 --config paper.yaml --engine wasm --out TMP/pages/films.html",
    ]);
  });

  test("a second time nothing is trained, and the page is the same; the settings of the report are those of the run", async () => {
    writeFileSync(at("paper.yaml"), JSON.stringify(reported("pages/films.json").reproduce.config));
    const before = { page: read("pages/films.html"), json: reported("pages/films.json") };
    const again = await report("--config", at("paper.yaml"), "--out", at("pages/films.html"));
    expect(again.code).toBe(0);
    expect(again.err).toMatch(/^6 trainings; all were there already$/m);
    expect(again.err).not.toMatch(/done in/);
    expect(withoutEnvironment(read("pages/films.html"))).toBe(withoutEnvironment(before.page));
    const after = reported("pages/films.json");
    expect({ ...after, environment: {} }).toEqual({ ...before.json, environment: {} });
  });

  test("with a split by users it has their own metrics too, and trains nothing else again", async () => {
    const users = await report("--users", at("users"), "--cache", at("pages/films.cache"), "--out", at("users.html"));
    expect(users.code).toBe(0);
    expect(users.err).toMatch(/^6 trainings; all were there already$/m);
    expect(users.err).toMatch(/^1 of 1 {2}paper \(.+\), seed 3: refitted \d+ users in /m);
    const { users: found, reproduce, result } = reported("users.json");
    expect(result).toEqual(reported("pages/films.json").result);
    expect(found).toMatchObject({ seeds: [3], model: { target: "rating", fit: "descent", mean: "meta" } });
    const steps = found?.refits.filter(({ start, ratings }) => start === "learned" && ratings === null);
    expect(steps?.map(({ step }) => step)).toEqual([0, 1, 2, 5]); // as many as the settings have
    expect(readFileSync(at("users.html"), "utf8")).toContain("Figs. 3 and 4 of the paper");
    expect(plain(reproduce.commands.at(-1)?.command ?? "")).toContain("--users TMP/users");
    const again = await report("--users", at("users"), "--cache", at("pages/films.cache"), "--out", at("users.html"));
    expect(again.err).not.toMatch(/refitted/);
  });

  test("Ctrl-C keeps what is done and says how to go on; that gives what an undisturbed run gives", async () => {
    let err = "";
    const interruptWhenTraining = () => {
      const timer = setInterval(() => {
        const looked = readdirSync(at("stopped")).filter((name) => name.endsWith(".points")); // one for each training that began
        if (looked.length < 2) return;
        clearInterval(timer);
        process.emit("SIGINT", "SIGINT");
      }, 1);
    };
    const code = await main(commandLine("--cache", at("stopped"), "--out", at("stopped.html")), {
      write: () => {},
      log: (text) => {
        err += text;
        if (text.includes("1 of 6  SSL, fold 1 of 2, seed 3: done")) interruptWhenTraining();
      },
    });
    expect(code).toBe(130);
    const [, command] = plain(err).split("go on with: nearkin ");
    expect(plain(err)).toContain(
      "INTERRUPTED: stopped; trainings that are done are kept in TMP/stopped, with the steps of the one under way, unless it is SPE, which begins anew; go on with: nearkin report paper --dataset TMP/fold-1 TMP/fold-2 --seeds 3 --config TMP/small.yaml --cache TMP/stopped --workers 1 --out TMP/stopped.html",
    );
    expect(existsSync(at("stopped.html"))).toBe(false);
    const again = await run(...command.trim().replaceAll("TMP", folder).split(" "));
    expect(again.code).toBe(0);
    expect(again.err).toMatch(/^2 of 6 {2}SIAMESE, fold 1 of 2, seed 3: resuming at step \d+ of the stage siamese$/m);
    expect(again.err).toMatch(/^6 trainings, 5 of them in .+; 1 was there already$/m);
    expect(reported("stopped.json").result).toEqual(reported("pages/films.json").result);
  });

  test("what is wrong is said before anything is trained", async () => {
    writeFileSync(at("unknown.yaml"), "train: { ssl: { stepz: 3 } }\n");
    writeFileSync(at("idle.yaml"), "train: { ssl: { steps: 0 } }\n");
    writeFileSync(at("a-file"), "");
    const errors = [];
    for (const more of [
      ["--out", at("page.pdf")],
      ["--out", at("a-file/page.html")],
      ["--out", at("never.html"), "--config", at("idle.yaml")],
      ["--out", at("never.html"), "--config", at("unknown.yaml")],
      ["--out", at("never.html"), "--cache", at("a-file")],
      ["--out", at("never.html"), "--dataset", at("nowhere")],
      ["--out", at("never.html"), "--dataset", at("everything")],
      ["--out", at("never.html"), "--dataset", at("fold-1")],
      ["--out", at("never.html"), "--dataset", "marquee"],
      ["--out", at("never.html"), "--users", at("fold-1")],
    ]) {
      const { code, err } = await report(...more);
      expect(code).toBe(1);
      errors.push(plain(err).trimEnd());
    }
    const { err } = await run("report", "paper", "--dataset", at("everything"), "--out", at("never.html"));
    errors.push(plain(err).trimEnd());
    expect(errors).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: --out: expected a file that ends in .html, got TMP/page.pdf",
        "BAD_ARGUMENT: --out: TMP/a-file/page.html cannot be written: EEXIST: file already exists, mkdir 'TMP/a-file'",
        "BAD_CONFIG: TMP/idle.yaml: train: ssl.steps: expected at least 1, got 0; a stage without steps measures nothing that could be compared",
        "BAD_CONFIG: TMP/unknown.yaml: train: unknown key "stepz" at ssl; did you mean "steps"?",
        "BAD_ARGUMENT: --cache: TMP/a-file cannot be written to: EEXIST: file already exists, mkdir 'TMP/a-file'",
        "BAD_DATASET: TMP/nowhere: there is no such folder",
        "BAD_ARGUMENT: TMP/everything is no fold of TMP/fold-1: it was prepared with another split; folds differ in split.fold alone",
        "BAD_ARGUMENT: TMP/fold-1 and TMP/fold-1 have the same test items; folds are prepared with split.by: random, and split.fold: 1, 2, … in turn",
        "BAD_ARGUMENT: --dataset: marquee is the whole sample, in folds of its own; name it alone, or only folders",
        "BAD_DATASET: TMP/fold-1 is split by random: personal metrics are measured on held-out users; prepare it with --split users",
        "BAD_DATASET: TMP/everything has no test items with a truth; prepare it with split.by: time, or random",
      ]
    `);
    expect(existsSync(at("never.html"))).toBe(false);
  });

  test("usage: no dataset, and lists of seeds that are none", async () => {
    const lines = async (...args: string[]) => {
      const { code, err } = await run("report", "paper", ...args);
      return [code, err.split("\n").at(0), err.split("\n").at(-2)];
    };
    expect([
      await lines(),
      await lines("--dataset", "films", "--seeds", "1,1"),
      await lines("--dataset", "films", "--seeds", "1,a"),
      await lines("--dataset", "films", "--seeds", ""),
    ]).toMatchInlineSnapshot(`
      [
        [
          2,
          "USAGE: required option '--dataset <folders...>' not specified",
          "Try: nearkin report paper --help",
        ],
        [
          2,
          "USAGE: option '--seeds <list>' argument '1,1' is invalid. Expected each seed once.",
          "Try: nearkin report paper --help",
        ],
        [
          2,
          "USAGE: option '--seeds <list>' argument '1,a' is invalid. Expected a whole number of at least 0.",
          "Try: nearkin report paper --help",
        ],
        [
          2,
          "USAGE: option '--seeds <list>' argument '' is invalid. Expected a whole number of at least 0.",
          "Try: nearkin report paper --help",
        ],
      ]
    `);
  });
});

describe("report", () => {
  test("has two kinds, each with its help", async () => {
    const { code, out } = await run("report", "--help");
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}model \[options\] <model> +write a page on a model/m);
    expect(out).toMatch(/^ {2}paper \[options\] +write a page on the paper's experiments/m);
    expect((await run("report", "paper", "--help")).out).toContain("nearkin report paper --dataset marquee");
  });

  test("anything else is a usage error", async () => {
    expect((await run("report")).code).toBe(2);
    expect(await run("report", "papre")).toEqual({
      code: 2,
      out: "",
      err: "USAGE: unknown command 'papre'\n(Did you mean paper?)\nTry: nearkin report --help\n",
    });
  });
});

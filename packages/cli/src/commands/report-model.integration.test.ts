// A report on a small model of the sample: prepared and trained once, evaluated once, then reported on again from the same figures.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelReport } from "@nearkin/evaluate";
import { resolveTrainConfig } from "@nearkin/train";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";
import { SMALL_TRAINING } from "../testing/small-training.ts";

let folder: string;
let first: { code: number; out: string; err: string };
const at = (name: string) => join(folder, name);
const plain = (text: string) => text.replaceAll(folder, "TMP");
const read = (name: string) => readFileSync(at(name), "utf8");
const report = (...more: string[]) =>
  run("report", "model", at("model"), "--dataset", at("films"), "--workers", "1", ...more);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-report-"));
  writeFileSync(at("small.yaml"), SMALL_TRAINING);
  const made = [
    await run("prepare", "marquee", "--encoder", "lsa", "--split", "random", "--out", at("films")),
    await run("train", at("films"), "--config", at("small.yaml"), "--workers", "1", "--out", at("model")),
  ];
  expect(made.map(({ code }) => code)).toEqual([0, 0]);
  first = await report("--out", at("pages/films.html"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All but the last section, which says where and when. */
const withoutEnvironment = (page: string) => page.replace(/<section id="environment"[\s\S]*?<\/section>/, "");

describe("report model", () => {
  test("evaluates, writes the page and its JSON, and says that the ratings are simulated", () => {
    expect(first.code).toBe(0);
    expect(plain(first.out)).toBe("TMP/pages/films.html\nTMP/pages/films.json\n");
    expect(first.err).toMatch(/^measured \d+ recommenders in /m);
    expect(plain(first.err)).toMatch(/^reported on TMP\/model in /m);
    expect(first.err).toMatch(/^The ratings behind this model \(.+\) are SIMULATED\.$/m);
    expect(readdirSync(at("pages")).sort()).toEqual(["films.html", "films.json"]);
  });

  test("the JSON has what the page shows: curves, figures, examples that add up", () => {
    const found = JSON.parse(read("pages/films.json")) as ModelReport;
    expect(found).toMatchObject({ format: "nearkin-model-report", version: 1, simulated: true });
    expect(found.training.stages.map(({ name, curves }) => [name, curves?.points.length])).toEqual([
      ["siamese", 8],
      ["ssl", 4],
    ]);
    expect(found.evaluation.recommenders.map(({ name }) => name)).toEqual(
      expect.arrayContaining([found.model.label, `${found.model.label}, β = calibrated`, "popularity", "random"]),
    );
    expect(found.weights.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(found.examples.map(({ kind }) => kind)).toEqual([
      ...Array<string>(4).fill("warm"),
      ...Array<string>(2).fill("never seen"),
    ]);
    for (const { distance, contributions } of found.examples.flatMap(({ neighbours }) => neighbours)) {
      expect(contributions.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(distance);
    }
    for (const { kind, ratings, actual } of found.examples) {
      expect(kind === "warm" ? ratings > 0 && !actual : ratings === 0 && actual !== undefined).toBe(true);
    }
  });

  test("the configuration in the report trains the same model", () => {
    const { reproduce } = JSON.parse(read("pages/films.json")) as ModelReport;
    expect(resolveTrainConfig(reproduce.config.train as object)).toEqual(reproduce.config.train);
    expect(reproduce.commands.map(({ command }) => plain(command))).toEqual([
      "nearkin prepare marquee --encoder lsa --split random --out TMP/films",
      "nearkin train TMP/films --config train.yaml --engine wasm --out TMP/model",
      "nearkin report model TMP/model --dataset TMP/films --out TMP/pages/films.html",
    ]);
  });

  test("the same figures give the same page, but for the environment and the command lines", async () => {
    const { evaluation } = JSON.parse(read("pages/films.json")) as ModelReport;
    writeFileSync(at("evaluation.json"), JSON.stringify(evaluation));
    const again = (name: string) => report("--evaluation", at("evaluation.json"), "--out", at(name));
    const runs = [await again("one.html"), await again("two.html")];
    expect(runs.map(({ code, err }) => [code, /measured/.test(err)])).toEqual([
      [0, false],
      [0, false],
    ]);
    const one = withoutEnvironment(read("one.html"));
    expect(withoutEnvironment(read("two.html")).replaceAll("two.html", "one.html")).toBe(one);
    const withoutCommands = (page: string) => page.replace(/<ol class="commands">[\s\S]*?<\/ol>/, "");
    expect(withoutCommands(one)).toBe(withoutCommands(withoutEnvironment(read("pages/films.html"))));
    expect(plain(one)).toContain(
      "nearkin evaluate TMP/films TMP/model --popularity 0,calibrated --out TMP/evaluation.json",
    );
  });

  test("the command that evaluates again has SPE with its seeds, beside other baselines and without them", async () => {
    const { evaluation } = JSON.parse(read("pages/films.json")) as ModelReport;
    const models = evaluation.recommenders.filter(({ kind }) => kind === "model").slice(0, 1);
    const baselines = evaluation.recommenders.filter(({ kind }) => kind === "baseline");
    const spe = { ...baselines[0], name: "SPE", seeds: [7, 8] };
    const seeded = baselines.map((row) => ({ ...row, seeds: [3] }));
    const commandFor = async (recommenders: ModelReport["evaluation"]["recommenders"], base = evaluation.base) => {
      writeFileSync(at("spe-evaluation.json"), JSON.stringify({ ...evaluation, base, recommenders }));
      expect((await report("--evaluation", at("spe-evaluation.json"), "--out", at("spe.html"))).code).toBe(0);
      const { reproduce } = JSON.parse(read("spe.json")) as ModelReport;
      return plain(reproduce.commands.find(({ does }) => does === "Evaluate")?.command ?? "");
    };
    expect([
      await commandFor([...models, spe], "SPE"),
      await commandFor([...models, spe, ...baselines]),
      await commandFor([...models, ...seeded, spe]),
      await commandFor(models),
    ]).toEqual([
      "nearkin evaluate TMP/films TMP/model --no-baselines --spe 7,8 --base SPE --out TMP/spe-evaluation.json",
      "nearkin evaluate TMP/films TMP/model --spe 7,8 --out TMP/spe-evaluation.json",
      "nearkin evaluate TMP/films TMP/model --seed 3 --spe 7,8 --out TMP/spe-evaluation.json",
      "nearkin evaluate TMP/films TMP/model --no-baselines --out TMP/spe-evaluation.json",
    ]);
  });

  test("the evaluation that a page is made from is not replaced by the page's own JSON", async () => {
    const { evaluation } = JSON.parse(read("pages/films.json")) as ModelReport;
    writeFileSync(at("own.json"), JSON.stringify(evaluation));
    const { code, err } = await report("--evaluation", at("own.json"), "--out", at("own.html"));
    expect(code).toBe(1);
    expect(plain(err)).toContain("the page's own JSON would replace TMP/own.json; name another page");
    expect(JSON.parse(read("own.json"))).toEqual(evaluation);
  });

  test("figures of other data or of another model are refused; nothing is written", async () => {
    const { evaluation, model } = JSON.parse(read("pages/films.json")) as ModelReport;
    const cases = {
      "other-data.json": { ...evaluation, dataset: { ...evaluation.dataset, name: "songs", hash: "f".repeat(64) } },
      "other-model.json": {
        ...evaluation,
        recommenders: evaluation.recommenders.map((own) => (own.kind === "model" ? { ...own, seeds: [7] } : own)),
      },
      "validation.json": { ...evaluation, dataset: { ...evaluation.dataset, role: "validation" } },
      "other-format.json": { format: "nearkin-dataset", version: 1 },
      "hollow.json": { format: evaluation.format, version: evaluation.version },
      "damaged.json": { ...evaluation, recommenders: [...evaluation.recommenders, null] },
    };
    const errors: string[] = [];
    for (const [name, content] of Object.entries(cases)) {
      writeFileSync(at(name), JSON.stringify(content));
      const { code, err } = await report("--evaluation", at(name), "--out", at("never.html"));
      expect(code).toBe(1);
      errors.push(
        plain(err)
          .trimEnd()
          .replaceAll(model.label, "LABEL")
          .replace(/recommenders\[\d+\]/, "recommenders[ROW]")
          .replaceAll(/\([0-9a-f]{8}\)/g, "(ID)"),
      );
    }
    writeFileSync(at("no.json"), "{");
    for (const name of ["no.json", "nowhere.json"]) {
      errors.push(plain((await report("--evaluation", at(name), "--out", at("never.html"))).err).trimEnd());
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: the evaluation is of another dataset, songs (ID), and not of marquee (ID); evaluate again, or leave --evaluation out",
        "BAD_ARGUMENT: the evaluation has no "LABEL" of seed 1 at popularity 0, but "LABEL" (seed 7), "LABEL, β = calibrated" (seed 7); evaluate this model, or leave --evaluation out",
        "BAD_ARGUMENT: the figures of the evaluation are of validation items, which chose the step that was kept; evaluate with --role test, or leave --evaluation out",
        "BAD_FILE: TMP/other-format.json: expected the format nearkin-evaluation, version 1, got "nearkin-dataset", version 1; write it with nearkin evaluate --out",
        "BAD_FILE: TMP/hollow.json: dataset: expected keys and values, got nothing; evaluate again",
        "BAD_FILE: TMP/damaged.json: recommenders[ROW]: expected keys and values, got null; evaluate again",
        "BAD_FILE: TMP/no.json: expected the JSON that nearkin evaluate --out writes",
        "BAD_ARGUMENT: --evaluation: TMP/nowhere.json cannot be read (ENOENT: no such file or directory, open 'TMP/nowhere.json')",
      ]
    `);
    expect(existsSync(at("never.html"))).toBe(false);
  });

  test("where it cannot write, it says so before it works", async () => {
    mkdirSync(at("folder.html"));
    const errors = [];
    for (const out of ["page.pdf", "folder.html", "small.yaml/page.html"])
      errors.push(plain((await report("--out", at(out))).err).trimEnd());
    expect(errors).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: --out: expected a file that ends in .html, got TMP/page.pdf",
        "BAD_ARGUMENT: --out: TMP/folder.html is a folder; name a file",
        "BAD_ARGUMENT: --out: TMP/small.yaml/page.html cannot be written: EEXIST: file already exists, mkdir 'TMP/small.yaml'",
      ]
    `);
  });

  test("a model of other data, a dataset in place of a model", async () => {
    await writeTinyModel(at("tiny"));
    const { evaluation } = JSON.parse(read("pages/films.json")) as ModelReport;
    writeFileSync(at("evaluation.json"), JSON.stringify(evaluation));
    const errors = [];
    for (const model of ["tiny", "films"]) {
      const { code, err } = await run(
        ...["report", "model", at(model), "--dataset", at("films"), "--evaluation", at("evaluation.json")],
        ...["--out", at("never.html")],
      );
      expect(code).toBe(1);
      errors.push(
        plain(err)
          .trimEnd()
          .replaceAll(/\([0-9a-f]{8}\)/g, "(ID)"),
      );
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: the model tiny was not trained on TMP/films: it comes from tiny films (ID), this is marquee (ID); name the dataset that it was trained on",
        "BAD_MODEL: TMP/films: this is a dataset; train it first: nearkin train TMP/films",
      ]
    `);
  });

  test("usage", async () => {
    expect((await run("report", "model", at("model"))).err).toMatch(/^USAGE: required option '--dataset <folder>'/);
    expect((await run("report", "user", at("model"), "--dataset", at("films"))).err).toMatch(
      /^USAGE: unknown command 'user'/,
    );
    const { out } = await run("report", "model", "--help");
    expect(out).toContain("nearkin report model models/films --dataset datasets/films");
  });
});

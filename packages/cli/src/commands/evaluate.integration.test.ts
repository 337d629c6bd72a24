// Evaluation of small models of the sample: two seeds of one, on items that they have not seen, and on people.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EvaluationResult } from "@nearkin/evaluate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../testing/run.ts";
import { sampleDataset, smallModel } from "../testing/shared.ts";
import { SMALL_TRAINING } from "../testing/small-training.ts";

let folder: string;
const at = (name: string) => join(folder, name);
const trainSmall = (dataset: string, out: string, ...more: string[]) =>
  run("train", at(dataset), "--config", at("small.yaml"), "--workers", "1", "--out", at(out), ...more);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-evaluate-"));
  writeFileSync(at("small.yaml"), SMALL_TRAINING);
  for (const split of ["random", "users"] as const) await sampleDataset(split, at(split));
  for (const seed of [1, 2]) await smallModel("random", at(`seed${seed}`), seed);
  await smallModel("users", at("people"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("evaluate", () => {
  test("seeds of one model are put together, beside the baselines, with intervals", async () => {
    const { code, out, err } = await run(
      "evaluate",
      at("random"),
      at("seed1"),
      at("seed2"),
      "--popularity",
      "0,calibrated",
      "--out",
      at("result.json"),
      "--workers",
      "1",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^fast \(model\.hidden 8, .+\) +\.\d{3} \[\.\d{3}, /m);
    expect(out).toContain("The standard family at 10");
    expect(out).toMatch(
      /^Chosen on validation data: recent popularity \(halfLife \d+\); behavior factors \(shrinkage/m,
    );
    expect(err).toContain("SIMULATED");
    const result = JSON.parse(readFileSync(at("result.json"), "utf8")) as EvaluationResult;
    const [first] = result.recommenders;
    expect(first).toMatchObject({ kind: "model", seeds: [1, 2] });
    expect(first.name).toMatch(/^fast \(model\.hidden 8, /); // what was changed of the preset is in the name
    expect(result.dataset).toMatchObject({ split: "random", role: "test" });
    expect(first.calibration?.items).toBe(result.dataset.queries);
    const names = result.recommenders.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([`${first.name}, β = calibrated`, "random", "popularity", "logistic regression"]),
    );
    const popular = result.recommenders.find(({ name }) => name === "popularity");
    expect(popular?.truths["co-interaction 30 d"].metrics["paper HR"].against?.test.p).toBeGreaterThan(0);
  });

  test("people ask about items that are known: collaborative baselines answer too", async () => {
    const { code, out } = await run("evaluate", at("users"), at("people"), "--json", "--workers", "1");
    expect(code).toBe(0);
    const { truths, recommenders } = JSON.parse(out) as EvaluationResult;
    expect(truths.map(({ name }) => name)[0]).toBe("later items");
    const collaborative = ["behavior factors", "item-kNN", "RP3β", "BM25", "iALS", "SLIM", "EASE"];
    expect(recommenders.map(({ name }) => name)).toEqual(expect.arrayContaining(collaborative));
    expect(recommenders.find(({ name }) => name === "item-kNN")?.settings).toMatch(
      /^shrinkage \d+, userLengthExponent [\d.]+$/,
    );
    for (const { truths: measured } of recommenders) {
      expect(measured["later items"].metrics["paper HR"].mean).toBeGreaterThanOrEqual(0);
    }
    const [shared, personal] = recommenders;
    expect(personal.name).toBe(`${shared.name}, personal`); // each user by a metric of their own
    const { against } = personal.truths["later items"].metrics["paper NDCG"];
    expect((against?.test.better ?? 0) + (against?.test.worse ?? 0)).toBeGreaterThan(0);
  });

  test("a model of other data is refused: it may have seen the test items", async () => {
    const { code, err } = await run("evaluate", at("random"), at("people"), "--no-baselines");
    expect(code).toBe(1);
    expect(err).toContain("it may have been trained on the test items");
  });

  test.each([
    [["--no-baselines"], "nothing to evaluate"],
    [["--base", "nobody", "--workers", "1"], 'there is no "nobody" among'],
    [["--truth", "affinty"], '--truth: there is no "affinty" among "co-interaction 1 d"'],
  ])("%j", async (flags, message) => {
    const { code, err } = await run("evaluate", at("random"), ...flags);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  test("a model that is named twice would count its items twice", async () => {
    const twice = ["--popularity", "0.25", "--no-baselines", "--workers", "1"];
    const { code, err } = await run("evaluate", at("random"), at("seed1"), at("seed1"), ...twice);
    expect(code).toBe(1);
    expect(err).toMatch(/two of the models are "fast \(.+\)" of seed 1; name each once/);
  });

  test("a model that started from one of other data is refused: that one may have had the test items", async () => {
    expect((await trainSmall("random", "warm", "--from", at("people"))).code).toBe(0);
    const { code, err } = await run("evaluate", at("random"), at("warm"), "--no-baselines");
    expect(code).toBe(1);
    expect(err).toContain("it started from a model of other data, which may have had the test items");
  });

  test("validation items say so", async () => {
    const { code, out } = await run("evaluate", at("random"), "--role", "validation", "--json", "--workers", "1");
    expect(code).toBe(0);
    expect((JSON.parse(out) as EvaluationResult).dataset.role).toBe("validation");
  });

  test("--popularity takes numbers, and calibrated", async () => {
    const { code, err } = await run("evaluate", at("random"), "--popularity", "much");
    expect(code).toBe(2);
    expect(err).toContain("Expected numbers, or calibrated");
  });
});

// A report on the sample's held-out users, with very few steps: two small models, then the same again from the cache.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UsersReport } from "@nearkin/evaluate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../main.ts";
import { run } from "../testing/run.ts";
import { sampleDataset, smallModel } from "../testing/shared.ts";

let folder: string;
let first: { code: number; out: string; err: string };
const at = (name: string) => join(folder, name);
const plain = (text: string) => text.replaceAll(folder, "TMP");
const reported = (name: string) => JSON.parse(readFileSync(at(name), "utf8")) as UsersReport;
const commandLine = (...more: string[]) => [
  ...["report", "users", at("model-1"), at("model-2"), "--dataset", at("films"), "--steps", "3", "--workers", "1"],
  ...more,
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-report-users-"));
  await sampleDataset("users", at("films"));
  await sampleDataset("random", at("items"));
  for (const seed of [1, 2]) await smallModel("users", at(`model-${seed}`), seed);
  first = await run(...commandLine("--out", at("pages/users.html")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("report users", () => {
  test("refits, writes the page and its JSON, and says that the ratings are simulated", () => {
    expect(first.code).toBe(0);
    expect(plain(first.out)).toBe("TMP/pages/users.html\nTMP/pages/users.json\n");
    expect(first.err).toMatch(/^1 of 2 {2}fast .+, seed 1: refitted 61 users in /m);
    expect(first.err).toMatch(/^reported on 61 users in .+\nThe ratings of marquee are SIMULATED\.$/m);
    expect(readdirSync(at("pages")).sort()).toEqual(["users.cache", "users.html", "users.json"]);
  });

  test("step 0 from the shared weights is the shared metric, and every point is there once", () => {
    const { users } = reported("pages/users.json");
    expect(users).toMatchObject({ format: "nearkin-personalisation", seeds: [1, 2], users: 61 });
    const points = users.refits.map(({ start, ratings, step }) => `${start} ${ratings} ${step}`);
    expect(new Set(points).size).toBe(points.length);
    expect(points).toHaveLength(2 * 4 + 1 + 4 * (2 * 3 + 1));
    const [start] = users.refits;
    expect(start).toMatchObject({ start: "shared", ratings: null, step: 0 });
    for (const name of ["paper HR", "paper MRR", "paper NDCG"] as const) {
      expect(start.metrics[name].mean).toBe(users.base[name].mean);
      expect(start.metrics[name].test).toMatchObject({ better: 0, equal: 61, worse: 0 });
    }
    expect(users.shown).toHaveLength(20);
  });

  test("the model's own fit is the row `personal` of nearkin evaluate", async () => {
    const evaluated = ["evaluate", at("films"), at("model-1"), at("model-2"), "--no-baselines", "--workers", "1"];
    expect((await run(...evaluated, "--out", at("evaluation.json"))).code).toBe(0);
    const { recommenders } = JSON.parse(readFileSync(at("evaluation.json"), "utf8"));
    const row = recommenders.find(({ name }: { name: string }) => name.endsWith(", personal"));
    const { users } = reported("pages/users.json");
    const own = users.refits.find(({ start, ratings }) => start === "fit" && ratings === null);
    expect(row.truths["later items"].metrics["paper HR"].mean).toBeCloseTo(own?.metrics["paper HR"].mean ?? -1, 12);
  });

  test("a second time nothing is refitted, and the result is the same", async () => {
    const before = reported("pages/users.json");
    const again = await run(...commandLine("--out", at("pages/users.html")));
    expect(again.code).toBe(0);
    expect(again.err).not.toMatch(/refitted/);
    expect(reported("pages/users.json").users).toEqual(before.users);
  });

  test("Ctrl-C says how to go on", async () => {
    let err = "";
    const timer = setInterval(() => {
      if (!existsSync(at("stopped"))) return; // it is there when the work begins
      clearInterval(timer);
      process.emit("SIGINT", "SIGINT");
    }, 1);
    const code = await main(commandLine("--cache", at("stopped"), "--out", at("stopped.html")), {
      write: () => {},
      log: (text) => {
        err += text;
      },
    });
    expect(code).toBe(130);
    expect(plain(err)).toContain(
      "INTERRUPTED: stopped; models that are done are kept in TMP/stopped; go on with: nearkin report users TMP/model-1 TMP/model-2 --dataset TMP/films --steps 3 --cache TMP/stopped --out TMP/stopped.html",
    );
    expect(existsSync(at("stopped.html"))).toBe(false);
  });

  test("what is wrong is said before anything is refitted", async () => {
    const errors = [];
    for (const [models, dataset] of [
      [["model-1", "model-1"], "films"],
      [["model-1"], "items"],
      [["films"], "films"],
      [["nowhere"], "films"],
    ] as const) {
      const { code, err } = await run(
        ...["report", "users", ...models.map(at), "--dataset", at(dataset), "--steps", "1"],
        ...["--out", at("never.html")],
      );
      expect(code).toBe(1);
      errors.push(
        plain(err)
          .trimEnd()
          .split("\n")
          .at(-1)
          ?.replace(/fast \(.+?\)"/, 'LABEL"'),
      );
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "BAD_ARGUMENT: two of the models are "LABEL" of seed 1; name each once",
        "BAD_DATASET: TMP/items has no held-out users with later items; prepare it with --split users",
        "BAD_MODEL: TMP/films: this is a dataset; train it first: nearkin train TMP/films",
        "BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      ]
    `);
    expect(existsSync(at("never.html"))).toBe(false);
  });
});

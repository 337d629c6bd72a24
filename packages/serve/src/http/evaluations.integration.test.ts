import { createHash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exampleEvaluation, examplePage } from "../testing/tiny-results.ts";
import { TinyServer } from "../testing/tiny-server.ts";

let tiny: TinyServer;
beforeAll(async () => {
  tiny = await TinyServer.open();
});
afterAll(() => tiny[Symbol.asyncDispose]());

const at = (file: string) => join(tiny.folder, "results", file);
const write = (file: string, content: unknown) =>
  writeFileSync(at(file), typeof content === "string" ? content : JSON.stringify(content));
const names = async () => (await tiny.answer("listEvaluations")).evaluations.map(({ name }) => name);

const report = {
  format: "nearkin-model-report",
  version: 1,
  simulated: true,
  model: { id: "m1", name: "films" },
  evaluation: exampleEvaluation,
  somethingNew: 1,
};

test("what evaluate wrote is listed and answered, with its page", async () => {
  const { evaluations, folder } = await tiny.answer("listEvaluations");
  expect(folder).toBe(true);
  expect(evaluations).toMatchObject([
    {
      name: "films",
      kind: "evaluation",
      report: "/reports/films",
      dataset: exampleEvaluation.dataset,
      model: null,
      problem: null,
    },
  ]);
  const answer = await tiny.answer("getEvaluation", { params: { name: "films" } });
  expect(answer).toMatchObject({ kind: "evaluation", simulated: true, evaluation: exampleEvaluation, users: null });
});

test("reports of models are read through, and keys of later versions left out; the newest comes first", async () => {
  write("later.json", report);
  utimesSync(at("later.json"), new Date("2100-01-01"), new Date("2100-01-01"));
  expect(await names()).toEqual(["later", "films"]);
  expect(await tiny.answer("getEvaluation", { params: { name: "later" } })).toMatchObject({
    kind: "model",
    model: "m1",
    report: null,
    evaluation: exampleEvaluation,
  });
  write("later.json", { ...report, model: { id: "m2" } }); // as long as before, and newer
  expect((await tiny.answer("listEvaluations")).evaluations.find(({ name }) => name === "later")?.model).toBe("m2");
  rmSync(at("later.json"));
  expect(await names()).toEqual(["films"]);
});

test("a file that cannot be read is listed with its problem, and refused by it", async () => {
  const { recommenders } = exampleEvaluation;
  write("cut.json", JSON.stringify(exampleEvaluation).slice(0, 500));
  write("foreign.json", { hello: 1 });
  write("wrong.json", { ...exampleEvaluation, recommenders: [{ ...recommenders[0], seeds: "1" }] });
  write("large.json", `"${"x".repeat(8 * 2 ** 20)}"`);
  write("nul.json", "null");
  const { evaluations } = await tiny.answer("listEvaluations");
  const problems = Object.fromEntries(evaluations.map(({ name, problem }) => [name, problem]));
  expect(problems).toEqual({
    films: null,
    cut: "cut.json: it is not JSON, or broke off",
    foreign: expect.stringMatching(/^foreign\.json: its format is none; known are nearkin-evaluation, /),
    nul: expect.stringMatching(/^nul\.json: its format is none/),
    wrong: expect.stringMatching(/^wrong\.json: .*expected array.*recommenders\[0\]\.seeds/s),
    large: "large.json has 8,388,610 bytes, more than the 8,388,608 that are read",
  });
  for (const name of ["cut", "foreign", "nul", "wrong", "large"]) {
    const { status, error } = await tiny.ask("getEvaluation", { params: { name } });
    expect([status, error.code, error.message]).toEqual([422, "BAD_RESULT", problems[name]]);
    rmSync(at(`${name}.json`));
  }
});

test("nothing outside of the folder is reached, by any name or link", async () => {
  writeFileSync(join(tiny.folder, "secret.json"), JSON.stringify(exampleEvaluation));
  writeFileSync(join(tiny.folder, "secret.html"), "secret");
  symlinkSync(join(tiny.folder, "secret.json"), at("link.json"));
  symlinkSync(join(tiny.folder, "secret.html"), at("films2.html"));
  write("films2.json", exampleEvaluation);
  write(".hidden.json", exampleEvaluation);
  mkdirSync(at("folder.json"));
  expect((await names()).sort()).toEqual(["films", "films2"]);
  for (const name of ["../secret", "..%2fsecret", "link", ".hidden", "folder", "films.json", "films2/../../secret"]) {
    for (const route of ["getEvaluation", "getReport"] as const) {
      expect([name, (await tiny.ask(route, { params: { name } })).error.code]).toEqual([name, "UNKNOWN_RESULT"]);
    }
  }
  expect((await tiny.ask("getReport", { params: { name: "films2" } })).error.code).toBe("UNKNOWN_RESULT");
  for (const file of ["link.json", "films2.html", "films2.json", ".hidden.json", "folder.json"]) {
    rmSync(at(file), { recursive: true });
  }
});

test("a page may show itself, and neither run a script nor fetch anything", async () => {
  const { text, headers } = await tiny.ask("getReport", { params: { name: "films" } });
  expect(text).toBe(examplePage);
  const hash = createHash("sha256").update("p { color: teal }").digest("base64");
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`,
    "cross-origin-opener-policy": "unsafe-none",
  });
  write("films.html", "<script>alert(1)</script>");
  const { headers: bare } = await tiny.ask("getReport", { params: { name: "films" } });
  expect(bare["content-security-policy"]).toContain("default-src 'none'; style-src 'none';");
  write("films.html", " ".repeat(32 * 2 ** 20 + 1));
  expect((await tiny.ask("getReport", { params: { name: "films" } })).error.code).toBe("BAD_RESULT");
  write("films.html", examplePage);
});

test("without a folder there is nothing, and the answer says so; a folder that is not there is refused at the start", async () => {
  await using without = await TinyServer.open({ results: undefined });
  expect(await without.answer("listEvaluations")).toEqual({ evaluations: [], folder: false });
  const { status, error } = await without.ask("getEvaluation", { params: { name: "films" } });
  expect([status, error.message]).toEqual([
    404,
    "this server was given no folder of results; start it with --results <folder>",
  ]);
  await expect(TinyServer.open({ results: join(tiny.folder, "nowhere") })).rejects.toMatchObject({
    code: "BAD_CONFIG",
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelParts } from "@nearkin/core";
import { openStore } from "@nearkin/serve/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Comparison } from "../compare/compare.ts";
import { openModel } from "../open-model.ts";
import { writeModelFolder, writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

let root: string;
let old: ModelParts;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-compare-"));
  old = await writeTinyModel(at("old"));
  await writeTinyModel(at("fewer"), { n: 36, seed: 8 });
  await writeTinyModel(at("poorer"), { withoutPersonal: true, withoutPosterior: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plain = (text: string) => text.replaceAll(root, "TMP");

async function compared(...args: string[]): Promise<{ code: number; result: Comparison; err: string }> {
  const { code, out, err } = await run("compare", ...args, "--json", "--workers", "1");
  return { code, err: plain(err), result: JSON.parse(out) as Comparison };
}

test("a model is like itself", async () => {
  const { code, out, err } = await run("compare", at("old"), at("old"), "--workers", "1");
  expect({ code, err }).toEqual({ code: 0, err: "compared 40 lists\n" });
  expect(plain(out).replaceAll(/ {2,}/g, "  ")).toMatchInlineSnapshot(`
    "  old  new
    model  TMP/old  TMP/old
    id  f3c116aaa3fa  f3c116aaa3fa
    dataset  tiny films (00000000), SIMULATED  tiny films (00000000), SIMULATED
    started from  –  –
    items  40  40
    users' own metrics  yes  yes
    predicted ratings  yes  yes
    validation siamese  HR 0.100  HR 0.100
    weight title  0.993 (11 %)  0.993 (11 %)
    weight plot  0.877 (9.9 %)  0.877 (9.9 %)
    weight poster  1.228 (14 %)  1.228 (14 %)
    weight genres  0.968 (11 %)  0.968 (11 %)
    weight year  0.964 (11 %)  0.964 (11 %)
    weight released  1.390 (16 %)  1.390 (16 %)
    weight place  1.233 (14 %)  1.233 (14 %)
    weight identity  1.185 (13 %)  1.185 (13 %)

    items  0 gained, 0 lost
    channels  none gained, none lost
    lists  of 40 items: 100 % of the first ten stay, 0 % have nothing in common, the first stays first in 100 %
    popularity  mean log q of what lists show: -3.88 before, -3.88 now

    passed  lost items  0 % of the old items are lost, at most 5.0 %
    passed  overlap  overlap@10 is 1.000, at least 0.2
    passed  finite scores  all numbers are finite
    passed  channels  none is lost
    passed  abilities  none is lost
    "
  `);
});

test("what is lost, gained and moved is counted; every gate that fails is named", async () => {
  const { code, result, err } = await compared(at("old"), at("fewer"), "--least-overlap", "0.9", "--seed", "3");
  expect(code).toBe(1);
  const { overlap } = result.stability;
  expect(err).toBe(
    `compared 36 lists\nGATE_FAILED: TMP/fewer should not be activated: lost items (10 % of the old items are lost, at most 5.0 %); overlap (overlap@10 is ${overlap.toFixed(3)}, at least 0.9)\n`,
  );
  expect(result.passed).toBe(false);
  expect(result.moves).toEqual({
    gained: 0,
    lost: 4,
    deleted: 0,
    examples: ["f036", "f037", "f038", "f039"],
    channels: { gained: [], lost: [] },
    abilitiesLost: [],
  });
  const back = await compared(at("fewer"), at("old"), "--least-overlap", "0");
  expect(back.code).toBe(0);
  expect(back.result.moves).toMatchObject({ gained: 4, lost: 0, examples: [] });
});

test("stability is what the lists of both models say", async () => {
  const { result } = await compared(
    at("old"),
    at("fewer"),
    "--sample",
    "25",
    "--least-overlap",
    "0",
    "--most-lost",
    "1",
  );
  await using before = await openModel(at("old"));
  const lists = new Map<string, string[]>();
  for (const id of before.items.ids.ids)
    lists.set(
      id,
      (await before.similar(id)).items.map((item) => item.id),
    );
  await using after = await openModel(at("fewer"));
  let [overlap, first, disjoint] = [0, 0, 0];
  for (const id of after.items.ids.ids) {
    const now = (await after.similar(id)).items.map((item) => item.id as string);
    const then = lists.get(id) ?? [];
    const common = now.filter((other) => then.includes(other)).length;
    overlap += common / 10;
    if (common === 0) disjoint++;
    if (then[0] === now[0]) first++;
  }
  const whole = await compared(at("old"), at("fewer"), "--least-overlap", "0", "--most-lost", "1");
  const n = after.items.size;
  expect(whole.result.stability).toMatchObject({ items: n, disjoint: disjoint / n, firstStays: first / n });
  expect(whole.result.stability.overlap).toBeCloseTo(overlap / n, 12);
  // a sample is drawn from the old model's items, and is another one for another seed
  expect(result.stability.items).toBeGreaterThan(18);
  expect(result.stability.items).toBeLessThanOrEqual(25);
  expect(
    (await compared(at("old"), at("fewer"), "--sample", "25", "--least-overlap", "0", "--most-lost", "1")).result,
  ).toEqual(result);
  const other = await compared(
    at("old"),
    at("fewer"),
    "--sample",
    "25",
    "--seed",
    "2",
    "--least-overlap",
    "0",
    "--most-lost",
    "1",
  );
  expect(other.result.stability).not.toEqual(result.stability);
});

test("popularity of lists is the mean of log q", async () => {
  const { result } = await compared(at("old"), at("old"));
  await using model = await openModel(at("old"));
  const ratings = Array.from({ length: model.items.size }, (_, row) => model.items.at(row).ratings);
  const total = ratings.reduce((sum, count) => sum + count, 0);
  let sum = 0;
  for (const id of model.items.ids.ids) {
    for (const item of (await model.similar(id)).items) {
      sum += Math.log(Math.max(1, ratings[model.items.indexOf(item.id)]) / total) / 10;
    }
  }
  expect(result.stability.popularity.old).toBeCloseTo(sum / model.items.size, 12);
  expect(result.stability.popularity.new).toBe(result.stability.popularity.old);
});

test("items that were deleted at run time are not missed", async () => {
  const path = at("store.db");
  {
    await using store = await openStore(path);
    await store.items.remove(["f036", "f037", "f038"]);
    await store.items.put([{ id: "f038", title: null, channels: {}, fields: {} }]); // and back again
  }
  const args = [at("old"), at("fewer"), "--least-overlap", "0", "--store", path];
  const { code, result } = await compared(...args);
  expect(code).toBe(0);
  expect(result.moves).toMatchObject({ lost: 4, deleted: 2, examples: ["f038", "f039"] });
  expect((await compared(...args, "--most-lost", "4.9 %")).code).toBe(1);
});

describe("what the old model has and the new one lacks", () => {
  test("abilities", async () => {
    const { code, err } = await compared(at("old"), at("poorer"));
    expect(code).toBe(1);
    expect(err).toContain("abilities (lost: users' own metrics, predicted ratings)\n");
    expect((await compared(at("old"), at("poorer"), "--allow-lost-abilities")).code).toBe(0);
    expect((await compared(at("poorer"), at("old"))).code).toBe(0);
  });

  test("channels", async () => {
    const rename = <T extends { name: string }>(channels: readonly T[]) =>
      channels.map((channel) => (channel.name === "plot" ? { ...channel, name: "story" } : channel));
    const channels = rename(old.channels);
    await writeModelFolder(at("renamed"), {
      ...old,
      channels,
      ensemble: { ...old.ensemble, channels: rename(old.ensemble.channels) },
    });
    const { code, result, err } = await compared(at("old"), at("renamed"));
    expect(result.moves.channels).toEqual({ gained: ["story"], lost: ["plot"] });
    expect({ code, err: err.split("\n")[1] }).toEqual({
      code: 1,
      err: "GATE_FAILED: TMP/renamed should not be activated: channels (lost: plot)",
    });
    const { code: allowed, out } = await run("compare", at("old"), at("renamed"), "--allow-lost-channels");
    expect(allowed).toBe(0);
    expect(out).toMatch(/^weight plot +\S+ \(\S+ %\) +–$/m);
    expect(out).toContain("channels     gained: story, lost: plot\n");
  });
});

test("scores that are no numbers do not pass", async () => {
  const rows = old.items.rows.slice();
  const width = rows.length / old.catalogue.ids.length;
  rows[7 * width] = Number.NaN;
  await writeModelFolder(at("broken"), { ...old, items: { ...old.items, rows } });
  const { code, err } = await run("compare", at("old"), at("broken"), "--workers", "1");
  expect(code).toBe(1);
  expect(plain(err)).toMatchInlineSnapshot(`
    "compared 0 lists
    GATE_FAILED: TMP/broken should not be activated: overlap (no item could be compared); finite scores (1 of 40 items hold numbers that are not finite (f007))
    "
  `);
});

test("what is wrong is said", async () => {
  const errors = [];
  for (const args of [
    [at("old")],
    [at("nowhere"), at("old")],
    [at("old"), at("nowhere")],
    [at("old"), at("old"), "--most-lost", "half"],
    [at("old"), at("old"), "--most-lost", "101%"],
    [at("old"), at("old"), "--beats", "random"],
    [at("old"), at("old"), "--evaluation", at("no.json")],
    [at("old"), at("old"), "--metric", "HR"],
    [at("old"), at("old"), "--store", at("no.db")],
  ]) {
    const { code, err } = await run("compare", ...args);
    errors.push(`${code} ${plain(err).split("\n")[0]}`);
  }
  expect(errors).toMatchInlineSnapshot(`
    [
      "2 USAGE: missing required argument 'new'",
      "1 BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      "1 BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      "2 USAGE: option '--most-lost <share>' argument 'half' is invalid. Expected a share, such as 5% or 0.05.",
      "2 USAGE: option '--most-lost <share>' argument '101%' is invalid. Expected a share, such as 5% or 0.05.",
      "1 BAD_ARGUMENT: --beats and --not-worse-than need --evaluation, which has the figures",
      "1 BAD_ARGUMENT: --evaluation: TMP/no.json cannot be read (ENOENT: no such file or directory, open 'TMP/no.json')",
      "2 USAGE: option '--metric <name>' argument 'HR' is invalid. Allowed choices are paper HR, paper MRR, paper NDCG, standard precision, standard hit, standard MRR, standard NDCG.",
      "1 BAD_ARGUMENT: --store: there is no file TMP/no.db; name the one that the server was started with",
    ]
  `);
});

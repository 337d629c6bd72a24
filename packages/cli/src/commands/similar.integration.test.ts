import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelParts } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeModelFolder, writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

let root: string;
let parts: ModelParts;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-similar-"));
  parts = await writeTinyModel(at("tiny"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plain = (text: string) => text.replaceAll(root, "TMP");

describe("similar", () => {
  test("--history needs a model that knows who met what", async () => {
    const { code, err } = await run("similar", at("tiny"), "f000", "--history", "f001");
    expect(code).toBe(1);
    expect(err).toContain("BAD_ARGUMENT: --history: the model");
    expect(err).toContain("train it with behavior.factors");
  });

  test("lists neighbours with titles, distances and ids, and says that ratings are simulated", async () => {
    const { code, out, err } = await run("similar", at("tiny"), "the quiet harbour", "--k", "4", "--workers", "1");
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Similar to The Quiet Harbour (f000):

                                distance  id
         1  The Golden Harbour     5.777  f004
         2  The Burning Garden     6.573  f015
         3  The Frozen Harbour     6.598  f005
         4  The Distant Letter     6.713  f013

      Two random items are about 8.84 apart. Weights: title 0.99, plot 0.88, poster 1.23, genres 0.97, year 0.96, released 1.39, place 1.23, identity 1.19
      "
    `);
    expect(err).toBe("The ratings behind this model (tiny films) are SIMULATED.\n");
  });

  test("--explain shows what every channel contributes", async () => {
    const { out } = await run("similar", at("tiny"), "f000", "--k", "2", "--explain");
    expect(out).toMatchInlineSnapshot(`
      "Similar to The Quiet Harbour (f000):

                                distance  id
         1  The Golden Harbour     5.777  f004
              identity ████████████████   2.095  36 %
              year     ██████████         1.335  23 %  not known of the query
              plot     ██████             0.823  14 %  not known of the query
              poster   ████               0.490   8 %
              place    ███                0.328   6 %
              genres   ██                 0.295   5 %
              released ██                 0.287   5 %
              title    █                  0.125   2 %
         2  The Burning Garden     6.573  f015
              poster   ████████████████   2.892  44 %  without it: #1
              title    █████              0.892  14 %  without it: #1
              plot     ████               0.770  12 %  not known of either
              year     ████               0.768  12 %  not known of the query
              identity ████               0.672  10 %
              released ██                 0.324   5 %
              genres   █                  0.219   3 %
              place                       0.036   1 %

      Two random items are about 8.84 apart. Weights: title 0.99, plot 0.88, poster 1.23, genres 0.97, year 0.96, released 1.39, place 1.23, identity 1.19
      "
    `);
  });

  test("--json has everything, unrounded; --weights and --popularity count", async () => {
    const { code, out } = await run(
      "similar",
      at("tiny"),
      "f000",
      "f001",
      "--json",
      "--k",
      "3",
      "--weights",
      "plot=2, year=0, title=3x",
      "--popularity",
      "calibrated",
      "--explain",
    );
    expect(code).toBe(0);
    const result = JSON.parse(out);
    expect(result).toMatchObject({
      model: { name: "tiny", dataset: { simulated: true } },
      query: ["f000", "f001"],
      popularity: 0.4,
      missing: [],
    });
    const learned = JSON.parse((await run("similar", at("tiny"), "f000", "--json")).out).weights;
    expect(result.weights).toEqual({ ...learned, plot: 2, year: 0, title: 3 * learned.title });
    expect(result.items).toHaveLength(3);
    for (const { distance, contributions } of result.items) {
      expect(
        contributions.reduce((sum: number, { contribution }: { contribution: number }) => sum + contribution, 0),
      ).toBe(distance);
    }
  });

  test("--diversity: other items, with the rank that they have by score; the rank without a channel is held against that", async () => {
    const { code, out } = await run("similar", at("tiny"), "f000", "--k", "3", "--diversity", "0.7", "--explain");
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Similar to The Quiet Harbour (f000):

                                distance  by score  id
         1  The Golden Harbour     5.777        #1  f004
              identity ████████████████   2.095  36 %
              year     ██████████         1.335  23 %  not known of the query
              plot     ██████             0.823  14 %  not known of the query
              poster   ████               0.490   8 %
              place    ███                0.328   6 %
              genres   ██                 0.295   5 %
              released ██                 0.287   5 %
              title    █                  0.125   2 %
         2  The Distant Signal    19.993       #39  f027
              place    ████████████████  10.141  51 %  without it: #18
              poster   ███████            4.672  23 %  without it: #34
              genres   ██                 1.505   8 %  without it: #38
              year     ██                 1.005   5 %  not known of the query; without it: #38
              identity █                  0.915   5 %  without it: #38
              title    █                  0.717   4 %  without it: #38
              plot     █                  0.525   3 %  not known of the query; without it: #38
              released █                  0.513   3 %  without it: #38
         3  The Hidden Winter     14.923       #32  f038
              place    ████████████████   5.892  39 %  without it: #17
              poster   ████████           2.784  19 %  without it: #24
              released █████              1.909  13 %  not known of this item; without it: #26
              title    ███                1.279   9 %  without it: #30
              year     ███                1.149   8 %  not known of the query; without it: #30
              genres   ███                0.926   6 %  not known of this item; without it: #31
              plot     ██                 0.770   5 %  not known of either; without it: #31
              identity █                  0.214   1 %

      Two random items are about 8.84 apart. Weights: title 0.99, plot 0.88, poster 1.23, genres 0.97, year 0.96, released 1.39, place 1.23, identity 1.19; diversity 0.7
      "
    `);
    const { items, diversity } = JSON.parse(
      (await run("similar", at("tiny"), "f000", "--json", "--diversity", "0.7")).out,
    );
    expect(diversity).toBe(0.7);
    expect(items).toHaveLength(10);
    const byScore = JSON.parse((await run("similar", at("tiny"), "f000", "--json", "--k", "39")).out).items;
    for (const { id, scoreRank } of items) expect(byScore[scoreRank - 1].id).toBe(id);
  });

  test("a draft, on the command line or in a file", async () => {
    const draft = { title: "The Quiet Winter", genres: ["Drama"], year: 1987 };
    const first = await run("similar", at("tiny"), "--draft", JSON.stringify(draft), "--k", "2");
    expect(first.out).toMatchInlineSnapshot(`
      "Similar to the draft "The Quiet Winter":
        without plot: not given
        without poster: not given
        without released: not given
        without place: not given
        without identity: a new item has no vector of its own

                                distance  id
         1  The Burning Winter     5.734  f036
         2  The Quiet Winter       6.131  f035

      Two random items are about 8.84 apart. Weights: title 0.99, plot 0.88, poster 1.23, genres 0.97, year 0.96, released 1.39, place 1.23, identity 1.19
      "
    `);
    writeFileSync(at("draft.json"), JSON.stringify(draft));
    expect((await run("similar", at("tiny"), "--draft-file", at("draft.json"), "--k", "2")).out).toBe(first.out);
    expect((await run("similar", at("tiny"), "-", "--draft", JSON.stringify(draft), "--k", "2")).out).toBe(first.out);
  });

  test("what cannot be asked is refused with a reason", async () => {
    const errors = [];
    for (const args of [
      ["f0000"],
      ["The Quite Harbour"],
      [],
      ["f000", "--weights", "plto=1x"],
      ["f000", "--weights", "__proto__=2"],
      ["f000", "--weights", "__proto__=2x"],
      ["f000", "--weights", "title=0,plot=0,poster=0,genres=0,year=0,released=0,place=0,identity=0x"],
      ["--draft", "{title}"],
      ["--draft", "[1]"],
      ["--draft", '{"titel": "x"}'],
      ["--draft", '{"year": "long ago"}'],
      ["--draft-file", at("nowhere.json")],
    ]) {
      const { code, out, err } = await run("similar", at("tiny"), ...args);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      errors.push(plain(err).trimEnd());
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "UNKNOWN_ITEM: no item has the id or title "f0000"; did you mean "f000", "f001" or "f002"?",
        "UNKNOWN_ITEM: no item has the id or title "The Quite Harbour"; did you mean "f000 (The Quiet Harbour)"?",
        "BAD_ARGUMENT: nothing to ask about: name an item by its id or title, or give a --draft",
        "BAD_ARGUMENT: weights: there is no channel "plto"; did you mean "plot"?",
        "BAD_ARGUMENT: weights: there is no channel "__proto__"; the channels are title, plot, poster, genres, year, released, place, identity",
        "BAD_ARGUMENT: weights: there is no channel "__proto__"; the channels are title, plot, poster, genres, year, released, place, identity",
        "BAD_ARGUMENT: weights: all are 0, so no item is nearer than another; leave one above 0",
        "BAD_ARGUMENT: --draft: expected JSON such as {"genres": ["Drama"], "year": 1981}, got {title}",
        "BAD_ARGUMENT: --draft: expected an object with the channels as keys, such as {"genres": ["Drama"], "year": 1981}, got [1]",
        "BAD_ARGUMENT: draft: there is no channel "titel"; did you mean "title"?",
        "BAD_VALUE: draft: channel year: expected a number, got "long ago"",
        "BAD_ARGUMENT: --draft-file: TMP/nowhere.json cannot be read (ENOENT: no such file or directory, open 'TMP/nowhere.json')",
      ]
    `);
  });

  test("wrong options are usage errors", async () => {
    const errors = [];
    for (const args of [
      ["--weights", "plot"],
      ["--weights", "plot=muchx"],
      ["--weights", "year=1,year=2"],
      ["--weights", "year=1", "--weights", "plot=2,year=2x"],
      ["--popularity", "much"],
      ["--k", "0"],
      ["--diversity", "2"],
      ["--diversity", ""],
    ]) {
      const { code, err } = await run("similar", at("tiny"), "f000", ...args);
      errors.push(`${code} ${err.split("\n")[0]}`);
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "2 USAGE: option '--weights <list>' argument 'plot' is invalid. Expected channels and numbers, such as plot=2x,year=0.",
        "2 USAGE: option '--weights <list>' argument 'plot=muchx' is invalid. Expected channels and numbers, such as plot=2x,year=0.",
        "2 USAGE: option '--weights <list>' argument 'year=1,year=2' is invalid. year has two weights; give it one.",
        "2 USAGE: option '--weights <list>' argument 'plot=2,year=2x' is invalid. year has two weights; give it one.",
        "2 USAGE: option '--popularity <b>' argument 'much' is invalid. Expected a number, or calibrated.",
        "2 USAGE: option '--k <n>' argument '0' is invalid. Expected a whole number of at least 1.",
        "2 USAGE: option '--diversity <l>' argument '2' is invalid. Expected a number from 0 to 1.",
        "2 USAGE: option '--diversity <l>' argument '' is invalid. Expected a number from 0 to 1.",
      ]
    `);
  });

  test("--weights may come twice: both count", async () => {
    const { weights } = JSON.parse(
      (await run("similar", at("tiny"), "f000", "--json", "--weights", "year=3", "--weights", "plot=4")).out,
    );
    expect(weights).toMatchObject({ year: 3, plot: 4 });
  });

  test("a list whose first is farther than two random items says that nothing is near", async () => {
    const far = await run("similar", at("tiny"), "f006", "--k", "1");
    expect(far.out).toMatch(/^ {3}1 .* 10\.0\d\d {2}f\d+$/m);
    expect(far.out).toContain(
      "\nNothing is near: even the first is farther away than two random items are from each other.\nTwo random items are about 8.84 apart.",
    );
    const popular = await run("similar", at("tiny"), "f006", "--k", "1", "--popularity", "9");
    expect(popular.out).not.toContain("Nothing is near"); // the first is not the nearest there
    expect((await run("similar", at("tiny"), "f000", "--k", "2")).out).not.toContain("Nothing is near");
    const negative = await run("similar", at("tiny"), "f006", "--k", "2", "--weights", "year=-1");
    expect(negative.out).not.toContain("Nothing is near"); // no distance is typical there
  });

  test("a dataset is no model", async () => {
    mkdirSync(at("my films"));
    writeFileSync(at("my films/dataset.json"), "{}");
    for (const command of [["similar"], ["predict"], ["export", "neighbours", "--out", at("n.jsonl")]]) {
      const { code, err } = await run(...command, at("my films"), ...(command.length > 1 ? [] : ["f000"]));
      expect({ code, err: plain(err) }).toEqual({
        code: 1,
        err: "BAD_MODEL: TMP/my films: this is a dataset; train it first: nearkin train 'TMP/my films'\n",
      });
    }
  });

  test("help names items and channels that the sample has", async () => {
    for (const command of ["similar", "predict"]) {
      const { out } = await run(command, "--help");
      expect(out).not.toMatch(/tt\d{7}|"title"/);
      expect(out).toContain(`nearkin ${command} models/films --draft '{"genres": ["Drama"], "year": 1951}'`);
    }
  });

  test("no item left says so", async () => {
    const { personal: _users, ...shared } = parts;
    await writeModelFolder(at("one"), {
      ...shared,
      posterior: null,
      items: {
        rows: parts.items.rows.slice(0, 41),
        masked: parts.items.masked.slice(0, 8),
        ratings: parts.items.ratings.slice(0, 1),
      },
      catalogue: {
        ids: parts.catalogue.ids.slice(0, 1),
        titles: [null],
        described: Uint8Array.of(0),
        fields: new Map(),
      },
    });
    const { code, out } = await run("similar", at("one"), "f000");
    expect(code).toBe(0);
    expect(out).toContain("Similar to f000:\n\n  nothing: no item is left\n");
  });
});

describe("predict", () => {
  test("gives mean and both deviations for items and a draft", async () => {
    const { code, out } = await run(
      "predict",
      at("tiny"),
      "The Quiet Harbour",
      "f009",
      "--draft",
      '{"title": "The Quiet Winter", "year": 1987}',
    );
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "The Quiet Harbour             2.97 ± 0.40  (one rating: ± 0.58; 3 training ratings)
      The Last Letter               3.47 ± 0.60  (one rating: ± 0.73; no training rating)
      the draft "The Quiet Winter"  3.49 ± 0.60  (one rating: ± 0.73; no training rating)
        without plot: not given
        without poster: not given
        without genres: not given
        without released: not given
        without place: not given
        without identity: a new item has no vector of its own
      "
    `);
  });

  test("--json", async () => {
    const { out } = await run("predict", at("tiny"), "f000", "--draft", '{"year": 1987}', "--json");
    const { predictions, model } = JSON.parse(out);
    expect(model.name).toBe("tiny");
    expect(predictions).toMatchObject([
      { item: "f000", missing: [] },
      { item: null, draft: { year: 1987 } },
    ]);
    for (const { mean, deviation, observationDeviation } of predictions) {
      expect(mean).toBeGreaterThan(1);
      expect(observationDeviation).toBeGreaterThan(deviation);
    }
  });

  test("one rating's own ± is said where it differs", async () => {
    await writeModelFolder(at("sure"), { ...parts, noise: { ...parts.noise, perRating: 0 } });
    expect((await run("predict", at("sure"), "f000")).out).toBe(
      "The Quiet Harbour  2.97 ± 0.40  (3 training ratings)\n",
    );
  });

  test("where all ratings are equal there is nothing to predict", async () => {
    await writeModelFolder(at("equal"), { ...parts, rating: { centre: 1, scale: 0 } });
    const { code, out } = await run("predict", at("equal"), "f000", "f001");
    expect({ code, out }).toEqual({
      code: 0,
      out: "All items have the same mean rating, 1.00: there is nothing to predict.\n",
    });
  });

  test("a model without a posterior cannot", async () => {
    await writeModelFolder(at("bare"), { ...parts, posterior: null });
    expect((await run("predict", at("bare"), "f000")).err).toBe(
      "BAD_ARGUMENT: the model tiny has no posterior to predict ratings with; train it with the stage ssl\n",
    );
  });
});

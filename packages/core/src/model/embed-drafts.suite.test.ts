// Many drafts at once are those of each, to the bit; what is wrong with one is said of that one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NearkinError } from "../errors.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import type { EmbeddedDraft } from "./answers.ts";
import type { Draft } from "./draft.ts";
import type { Model } from "./model.ts";
import { openModel } from "./open.ts";
import type { ModelParts } from "./parts.ts";
import { tinyCatalogue } from "./testing/tiny-catalogue.ts";
import { tinyModel, toyEncode, toyVector } from "./testing/tiny-model.ts";

let engine: Engine;
let parts: ModelParts;
let model: Model;
const calls: { texts: readonly string[]; encoder: string }[] = [];
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 2 });
  parts = tinyModel(engine);
  const encode = (texts: readonly string[], encoder: string) => {
    calls.push({ texts, encoder });
    return toyEncode(texts, encoder);
  };
  model = await openModel(parts, { engine, encode });
});
afterAll(async () => {
  await model?.close();
  await engine?.close();
});

/** Made-up films, some without this or that. */
const draftsOf = (count: number): Draft[] =>
  tinyCatalogue(count, new Random(5)).map(({ id: _, ...draft }) => draft as Draft);

const good = (found: (EmbeddedDraft | NearkinError)[]): EmbeddedDraft[] =>
  found.map((one) => {
    if (one instanceof NearkinError) throw one;
    return one;
  });

describe("embedAll", () => {
  test("is embed of each, bit for bit, with what each is missing", async () => {
    const drafts = [...draftsOf(600), {}, { year: 1950 }];
    const all = good(await model.embedAll(drafts));
    expect(all).toHaveLength(602);
    for (const i of [0, 1, 2, 255, 256, 257, 512, 599, 600, 601]) expect(all[i]).toEqual(await model.embed(drafts[i]));
    expect(new Set(all.map(({ missing }) => missing.length)).size).toBeGreaterThan(2);
    expect(await model.embedAll([])).toEqual([]);
    const bySimilar = await model.similar(all[3], { k: 5 });
    expect(bySimilar).toEqual(await model.similar(drafts[3], { k: 5 }));
  });

  test("all texts of an encoder are encoded in one call", async () => {
    calls.length = 0;
    const drafts = draftsOf(50);
    await model.embedAll(drafts);
    expect(calls.map(({ encoder }) => encoder)).toEqual(["toy"]);
    expect(calls[0].texts).toEqual(drafts.flatMap(({ plot }) => (plot === undefined ? [] : [plot])));
  });

  test("a draft that cannot be read is an error in its place, and stops none of the others", async () => {
    const drafts = [
      { year: 1987 },
      { yaer: 1987 },
      { plot: "a sailor", year: "long ago" },
      "f003" as unknown as Draft,
      null as unknown as Draft,
      { plot: [1, 2] },
      { plot: "a sailor", genres: ["Drama"] },
    ];
    calls.length = 0;
    const found = await model.embedAll(drafts);
    expect(
      found.map((one) => (one instanceof NearkinError ? `${one.code}: ${one.message}` : one.missing.length)),
    ).toMatchInlineSnapshot(`
      [
        7,
        "BAD_ARGUMENT: draft: there is no channel "yaer"; did you mean "year"?",
        "BAD_VALUE: draft: channel year: expected a number, got "long ago"",
        "BAD_ARGUMENT: expected a draft as an object by channel, got "f003"; items of the catalogue need no embedding: pass their ids on",
        "BAD_ARGUMENT: expected a draft as an object by channel, got null; items of the catalogue need no embedding: pass their ids on",
        "BAD_VALUE: draft: channel plot: expected a vector of 6 numbers, got 2",
        6,
      ]
    `);
    expect(found[6]).toEqual(await model.embed({ plot: "a sailor", genres: ["Drama"] }));
    expect(calls[0].texts).toEqual(["a sailor"]); // nothing is encoded for a draft that is of no use
    await expect(model.embed(drafts[1])).rejects.toThrow('there is no channel "yaer"');
  });

  test("an encoder that fails is an error of the drafts that need it", async () => {
    const failing = (error: Error) => async () => {
      throw error;
    };
    const drafts = [{ year: 1987 }, { plot: "a sailor" }];
    const of = async (error: Error) => {
      const opened = await openModel(parts, { engine, encode: failing(error) });
      try {
        return await opened.embedAll(drafts);
      } finally {
        await opened.close();
      }
    };
    const lost = await of(new NearkinError("WORKER_FAILED", "toy: its thread is gone"));
    expect(lost[0]).toEqual(await model.embed(drafts[0]));
    expect(String(lost[1])).toBe("NearkinError: toy: its thread is gone");
    const absent = await of(new NearkinError("ENCODER_UNAVAILABLE", "toy: not installed"));
    expect(good(absent)[1].missing[1]).toEqual({ channel: "plot", reason: "toy: not installed" });
    await expect(of(new TypeError("a slip"))).rejects.toThrow("a slip");
    const short = await openModel(parts, { engine, encode: async () => [new Float32Array(2)] });
    expect(String((await short.embedAll([{ plot: "a" }]))[0])).toMatch("channel plot: expected a vector of 6 numbers");
    await short.close();
  });

  test("texts may wait: their channels are missing as pending, and no encoder is called", async () => {
    calls.length = 0;
    const bare = await openModel(parts, { engine });
    const drafts = [{ plot: "a sailor", year: 1987 }, { plot: " " }, { plot: toyVector("a sailor"), year: 1987 }];
    for (const opened of [model, bare]) {
      const found = good(await opened.embedAll(drafts, { pendingTexts: "skip" }));
      expect(found.map(({ missing }) => missing.find(({ channel }) => channel === "plot")?.reason)).toEqual([
        "pending",
        "the text is blank",
        undefined,
      ]);
      expect(found[0].embedding).toEqual((await model.embed({ year: 1987 })).embedding);
      expect(await opened.embed(drafts[0], { pendingTexts: "skip" })).toEqual(found[0]);
    }
    expect(calls).toEqual([]);
    const later = await model.embed(drafts[0]);
    expect(good(await bare.embedAll(drafts, { pendingTexts: "skip" }))[2].embedding).toEqual(later.embedding);
    await bare.close();
  });
});

// What is said of users does not need the model's own memory: rows may lie in memory that another thread owns, behind plain views, and be more
// than the model's, while what computes is a small engine of one's own.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NearkinError } from "../errors.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import type { PersonalTarget } from "../personal/settings.ts";
import { writeLiftedRow } from "../rank/layout.ts";
import { type LiftedRows, liftedItem } from "../rank/rows.ts";
import { tieHash } from "../rank/ties.ts";
import type { ItemId } from "./ids.ts";
import type { ItemDirectory } from "./items.ts";
import type { Model } from "./model.ts";
import { openModel } from "./open.ts";
import type { ModelParts } from "./parts.ts";
import { tinyModel, toyEncode } from "./testing/tiny-model.ts";
import { metricOf, predictionFor, questionsFor, type UsersOf } from "./users.ts";

let owner: Engine; // that of the thread whose memory the rows are
let small: Engine; // that of the thread that asks
beforeAll(async () => {
  owner = await createEngine({ engine: "wasm", workers: 1 });
  small = await createEngine({ engine: "wasm", workers: 1 });
});
afterAll(async () => {
  await owner?.close();
  await small?.close();
});

/** Bytes that threads share, as a view. */
const shared = (bytes: number) => new SharedArrayBuffer(bytes);

/** The model's rows on plain views of shared memory, one shard for every `perShard` of them, with `more` rows of room behind. */
function foreignRows({ rows, parts }: { rows: LiftedRows; parts: ModelParts }, perShard: number, more = 0): LiftedRows {
  const { width, channelCount: p } = rows.layout;
  const n = rows.count + more;
  const memory = new Float32Array(shared(4 * n * width + 64), 64); // not from its first byte on
  memory.set(parts.items.rows);
  const masked = new Uint8Array(shared(n * p));
  masked.set(rows.masked);
  const hashes = new Uint32Array(shared(4 * n));
  hashes.set(rows.hashes);
  const shards = Array.from({ length: Math.ceil(n / perShard) }, (_, s) => {
    const [from, to] = [s * perShard, Math.min(n, (s + 1) * perShard)];
    return { engine: small, rows: hostMatrix(memory.subarray(from * width, to * width), to - from, width) };
  });
  return { ...rows, shards, masked, hashes };
}

/** A catalogue that is no model's. */
class GrowingCatalogue implements ItemDirectory {
  readonly #ids: string[];

  constructor(ids: readonly string[]) {
    this.#ids = [...ids];
  }

  get size(): number {
    return this.#ids.length;
  }

  indexOf(id: string): number {
    const row = this.#ids.indexOf(id);
    if (row < 0) throw new NearkinError("UNKNOWN_ITEM", `no item has the id "${id}"`);
    return row;
  }

  idOf = (row: number): ItemId => this.#ids[row] as ItemId;
  titleOf = (row: number): string => `Number ${row}`;
  ratingsOf = (row: number): number => (row * 7) % 11;
}

/** A model whose users are fitted to this target. */
function modelParts(target: PersonalTarget): ModelParts {
  const parts = target === "rating" ? tinyModel(owner, { link: "sigmoid", weights: "signed" }) : tinyModel(owner);
  if (target !== "preference" || !parts.personal) return parts;
  const { personal } = parts;
  const size = parts.ensemble.channels.length;
  const square = Float64Array.from({ length: size * size }, (_, k) => (k % (size + 1) === 0 ? 1 : 0));
  return {
    ...parts,
    personal: {
      ...personal,
      settings: { ...personal.settings, target },
      mean: personal.mean.slice(0, size),
      covariance: square,
      process: personal.rating,
    },
  };
}

const usersOf = (model: Model, parts: ModelParts, rows: LiftedRows, items: ItemDirectory = model.items): UsersOf => ({
  name: model.name,
  items,
  shared: { ...model.shared, engine: small, rows },
  prior: parts.personal,
});

const ratings = Array.from({ length: 12 }, (_, i) => ({ item: `f${String(i).padStart(3, "0")}`, rating: 1 + (i % 5) }));

describe("rows in memory that another thread owns", () => {
  test.each(["choice", "preference", "rating"] as const)("give the same answers: %s", async (target) => {
    const parts = modelParts(target);
    const model = await openModel(parts, { engine: owner });
    for (const perShard of [40, 7]) {
      const users = usersOf(model, parts, foreignRows({ rows: model.rows, parts }, perShard));
      const own = metricOf(users, ratings);
      expect(own.kept).toBeNull();
      expect({
        ...own,
        weights: Object.fromEntries(Object.keys(model.weights).map((name, c) => [name, own.weights[c]])),
      }).toEqual(model.personalize(ratings));
      const item = liftedItem(users.shared.rows, 20);
      const { missing, ...predicted } = await model.predictFor(ratings, "f020");
      expect(predictionFor(users, ratings, item, own)).toEqual(predicted);
      expect(questionsFor(users, ratings, { k: 6 })).toEqual(model.nextQuestions(ratings, { k: 6 }));
      expect(questionsFor(users, [], { k: 3 })).toEqual(model.nextQuestions([], { k: 3 }));
    }
    await model.close();
  });

  test("may be more than the model's: a new item is met, asked about and predicted like any other", async () => {
    const parts = modelParts("choice");
    const model = await openModel(parts, { engine: owner, encode: toyEncode });
    const rows = foreignRows({ rows: model.rows, parts }, 44, 4);
    const { masked, hashes, layout, lengths } = rows;
    const drafts = await model.embedAll([{ year: 1950 }, { genres: ["War"] }, { title: "The Quiet Winter" }, {}]);
    drafts.forEach((draft, i) => {
      if (draft instanceof NearkinError) throw draft;
      masked.set(draft.masked, (40 + i) * layout.channelCount);
      hashes[40 + i] = tieHash(`new ${i}`);
      const values = { ...draft, lengths, logPopularity: model.coldLogPopularity };
      writeLiftedRow(layout, rows.shards[0].rows, 40 + i, values);
    });
    const items = new GrowingCatalogue([...parts.catalogue.ids, "new 0", "new 1", "new 2", "new 3"]);
    const users = usersOf(model, parts, { ...rows, count: 44 }, items);
    const met = [...ratings, { item: "new 1", rating: 5 }];
    const own = metricOf(users, met);
    expect([own.items, own.used, own.kept]).toEqual([13, 13, null]);
    const { evidence } = predictionFor(users, met, liftedItem(users.shared.rows, 42), own);
    expect(evidence[12]).toMatchObject({ id: "new 1", title: "Number 41", rating: 5 });
    const asked = questionsFor(users, met, { candidates: ["new 0", "f030", "new 1"] });
    expect(asked.map(({ id }) => id).sort()).toEqual(["f030", "new 0"]);
    await model.close();
  });

  test("without candidates, the sixty items with most ratings are asked about; of equals, the first rows", async () => {
    const parts = tinyModel(owner, { n: 150 });
    const model = await openModel(parts, { engine: owner });
    const items = new GrowingCatalogue(parts.catalogue.ids);
    const users = usersOf(model, parts, foreignRows({ rows: model.rows, parts }, 150), items);
    const expected = Array.from({ length: 150 }, (_, row) => row)
      .filter((row) => row >= ratings.length)
      .sort((a, b) => items.ratingsOf(b) - items.ratingsOf(a) || a - b)
      .slice(0, 60)
      .map((row) => items.idOf(row));
    const asked = questionsFor(users, ratings, { k: 100 }).map(({ id }) => id);
    expect([...asked].sort()).toEqual(expected.sort());
    await model.close();
  });
});

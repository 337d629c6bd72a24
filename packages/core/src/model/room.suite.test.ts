// Room behind a model's rows: what is written there is, to the bit, what training would have written.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NearkinError } from "../errors.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { portableLog, Random } from "../linalg/random.ts";
import { writeLiftedRow } from "../rank/layout.ts";
import { buildQuery } from "../rank/query.ts";
import { type LiftedRows, liftedItem, liftRows, logPopularity, measureBounds } from "../rank/rows.ts";
import { rankExactly } from "../rank/similar.ts";
import { tieHash } from "../rank/ties.ts";
import { errorOf } from "../testing/bounds.ts";
import type { EmbeddedDraft } from "./answers.ts";
import { coldLogPopularity } from "./cold-popularity.ts";
import type { Draft } from "./draft.ts";
import type { Model } from "./model.ts";
import { openModel } from "./open.ts";
import type { ModelParts } from "./parts.ts";
import { tinyCatalogue } from "./testing/tiny-catalogue.ts";
import { tinyModel, toyEncode } from "./testing/tiny-model.ts";

let engine: Engine;
let parts: ModelParts;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 2 });
  parts = tinyModel(engine);
});
afterAll(async () => {
  await engine?.close();
});

const COLD = [9, 19, 29, 39]; // items without an identity: a draft of the same values is the same row
const coldDrafts = (): Draft[] => {
  const catalogue = tinyCatalogue(40, new Random(7).split("catalogue"));
  return COLD.map((row) => {
    const { id: _, ...draft } = catalogue[row];
    return draft as Draft;
  });
};

/** The model's rows and those of drafts behind them, as a catalogue that grows would keep them. */
async function grown(model: Model, drafts: readonly Draft[]): Promise<LiftedRows> {
  const { rows, room, coldLogPopularity: log } = model;
  const found = (await model.embedAll(drafts)) as EmbeddedDraft[];
  const count = rows.count + found.length;
  found.forEach(({ embedding, masked }, i) => {
    const values = { embedding, masked, lengths: rows.lengths, logPopularity: log };
    writeLiftedRow(rows.layout, room.matrix, room.used + i, values);
  });
  const last = { engine: room.engine, rows: room.matrix.view(0, room.used + found.length) };
  const hashes = new Uint32Array(count);
  hashes.set(rows.hashes);
  found.forEach((_, i) => {
    hashes[rows.count + i] = tieHash(`new ${i}`);
  });
  const masked = Uint8Array.from([...rows.masked, ...found.flatMap((draft) => Array.from(draft.masked))]);
  const bounds = measureBounds(rows.layout, last.rows, rows);
  return { ...rows, ...bounds, count, masked, hashes, shards: [...rows.shards.slice(0, room.shard), last] };
}

describe("a model with room", () => {
  test("answers as one without; the room lies behind its rows", async () => {
    const [plain, roomy] = [await openModel(parts, { engine }), await openModel(parts, { spareRows: 1000 })];
    expect(plain.room).toMatchObject({ used: 40, first: 0, shard: 0 });
    expect(plain.room.matrix.rows).toBe(40);
    expect(roomy.room.matrix.rows).toBe(1040);
    expect([roomy.rows.count, roomy.rows.shards[0].rows.rows]).toEqual([40, 40]);
    const options = { k: 39, explain: true, popularity: 0.3 } as const;
    expect(await roomy.similar("f003", options)).toEqual(await plain.similar("f003", options));
    await roomy.close();
    await plain.close();
  });

  test.each([
    ["in the memory of the last rows", 1 << 20, { shards: 1, shard: 0, used: 40, first: 0 }],
    ["in a memory of its own, where the last is full", 4 * 41 * 20, { shards: 2, shard: 2, used: 0, first: 40 }],
    ["behind the last of several", 4 * 41 * 32, { shards: 2, shard: 1, used: 8, first: 32 }],
  ])("rows of new items are those of training, to the bit: %s", async (_, shardBytes, place) => {
    await using model = await openModel(parts, { shardBytes, spareRows: 20, encode: toyEncode });
    const { shards, ...room } = place;
    expect(model.rows.shards).toHaveLength(shards);
    expect(model.room).toMatchObject(room);
    const rows = await grown(model, coldDrafts());
    expect(rows.count).toBe(44);
    const { width } = rows.layout;
    COLD.forEach((row, i) => {
      const at = room.used + i;
      const written = model.room.matrix.view(at, at + 1).read();
      expect(written).toEqual(Float64Array.from(parts.items.rows.subarray(row * width, (row + 1) * width)));
      expect(liftedItem(rows, 40 + i)).toEqual({ ...liftedItem(rows, row), index: 40 + i });
    });
    const ids = [...parts.catalogue.ids, "new 0", "new 1", "new 2", "new 3"];
    const { masked, lengths } = rows;
    expect(rows).toEqual(liftRows(rows.layout, { shards: rows.shards, masked, lengths, ids }));
    // a new item is found beside the item that it is a copy of
    const metric = { weights: Float64Array.from(Object.values(model.weights)), temperature: 0.2 };
    const found = rankExactly(rows, buildQuery(rows, [liftedItem(rows, 3)], metric), { k: 43 });
    expect(found).toHaveLength(43);
    COLD.forEach((row, i) => {
      const [own, copy] = [row, 40 + i].map((item) => found.find((one) => one.item === item));
      expect(copy?.score).toBe(own?.score);
    });
    const all = model.predictAll(undefined, { rows });
    COLD.forEach((row, i) => {
      expect(all.mean[40 + i]).toBeCloseTo(all.mean[row], 12);
    });
  });

  test("a row that lies farther out than all others raises the bound of rounding, and only then", async () => {
    const model = await openModel(parts, { engine, spareRows: 1 });
    const { layout, lengths } = model.rows;
    const embedding = new Float32Array(layout.embeddingSize).fill(100);
    const values = { embedding, masked: new Uint8Array(layout.channelCount), lengths, logPopularity: -50 };
    writeLiftedRow(layout, model.room.matrix, 40, values);
    const raised = measureBounds(layout, model.room.matrix.view(40, 41), model.rows);
    expect(raised).toEqual({ largestSquares: new Float64Array(layout.channelCount).fill(40_000), largestLog: 50 });
    const before = measureBounds(layout, model.room.matrix.view(0, 1), model.rows);
    expect(before).toEqual({ largestSquares: model.rows.largestSquares, largestLog: model.rows.largestLog });
    await model.close();
  });

  test("what does not fit is refused", async () => {
    const model = await openModel(parts, { engine, spareRows: 1 });
    const { layout, lengths } = model.rows;
    const { embedding, masked } = await model.embed({ year: 1950 });
    const write = (row: number, values: object) =>
      errorOf(() =>
        writeLiftedRow(layout, model.room.matrix, row, { embedding, masked, lengths, logPopularity: -3, ...values }),
      ).message;
    expect([
      write(41, {}),
      write(-1, {}),
      write(40, { embedding: embedding.subarray(1) }),
      write(40, { masked: masked.subarray(1) }),
      write(40, { embedding: embedding.map(() => Number.NaN) }),
      write(40, { logPopularity: Number.NEGATIVE_INFINITY }),
    ]).toMatchInlineSnapshot(`
      [
        "writeLiftedRow: row 41 is outside [0, 41)",
        "writeLiftedRow: row -1 is outside [0, 41)",
        "writeLiftedRow: embedding: expected 32 numbers, got 31",
        "writeLiftedRow: masked: expected 8 numbers, got 7",
        "writeLiftedRow: the embedding of item 40 in channel 0 is not finite; did training diverge?",
        "writeLiftedRow: log q of item 40 is -Infinity; smooth the frequencies so that none is 0",
      ]
    `);
    await model.close();
    const tooMuch = await openModel(parts, { engine, shardBytes: 4 * 41 * 20, spareRows: 21 }).catch(String);
    expect(tooMuch).toMatchInlineSnapshot(
      `"NearkinError: spareRows takes a whole number from 0 to 20, which is what one memory holds of this model, got 21"`,
    );
    await expect(openModel(parts, { engine, spareRows: -1 })).rejects.toThrow(NearkinError);
    await expect(openModel(parts, { engine, spareRows: 0.5 })).rejects.toThrow(NearkinError);
  });
});

test("log q of an item that nobody has met is that of one without ratings, or what training would give it", async () => {
  const model = await openModel(parts, { engine });
  expect(parts.items.ratings[9]).toBe(0);
  expect(model.coldLogPopularity).toBe(logPopularity(model.rows, 9));
  const met = parts.items.ratings.map((count) => count + 1);
  const total = met.reduce((sum, count) => sum + count, 0);
  expect(coldLogPopularity(model.rows, met)).toBe(Math.fround(portableLog(1 / total)));
  await model.close();
});

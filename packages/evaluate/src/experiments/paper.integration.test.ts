import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Engine } from "@nearkin/core";
import { type Dataset, openDataset, parseConfig, prepare, resolveSource } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paperMetrics } from "../protocol/measure.ts";
import { Lines, ResultCache } from "./cache.ts";
import { type PaperEvent, reproducePaper } from "./paper.ts";

let root: string;
let engine: Engine;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-paper-"));
  engine = await createEngine({ workers: 1 });
});
afterAll(async () => {
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});
const at = (...path: string[]) => join(root, ...path);

describe("the cache", () => {
  test("computes once; another key, or a file that is damaged, is computed anew", async () => {
    const cache = new ResultCache(at("cache"));
    let computed = 0;
    const check = (stored: unknown): stored is number => typeof stored === "number";
    const result = (seed: number) =>
      cache.result("thing", { seed, list: [1, { b: 2, a: 1 }] }, { check, compute: async () => ++computed });
    expect([await result(1), await result(1), await result(2)]).toEqual([1, 1, 2]);
    const [file] = readdirSync(at("cache"));
    writeFileSync(at("cache", file), "{ half");
    await result(1);
    await result(2);
    expect(computed).toBe(3);
    const [whole] = readdirSync(at("cache"));
    writeFileSync(at("cache", whole), "null");
    await result(1);
    await result(2);
    expect(computed).toBe(4);
    const stored = JSON.parse(readFileSync(at("cache", whole), "utf8")) as object;
    writeFileSync(at("cache", whole), JSON.stringify({ ...stored, value: {} }));
    await result(1);
    await result(2);
    expect(computed).toBe(5);
  });

  test("lines that were cut short are left out", () => {
    const lines = new Lines<{ step: number }>(at("lines"));
    expect(lines.read()).toEqual([]);
    lines.append({ step: 1 });
    writeFileSync(at("lines"), '{"step":2}\n{"st', { flag: "a" });
    expect(lines.read()).toEqual([{ step: 1 }, { step: 2 }]);
    lines.append({ step: 3 });
    expect(lines.read()).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }]);
    lines.clear();
    expect(lines.read()).toEqual([]);
  });
});

describe("the paper's experiments on the sample", () => {
  const small = {
    config: {
      model: { hidden: 8, embedding: 6 },
      siamese: { steps: 20, batch: 64, validateEvery: 10 },
      ssl: { steps: 20, batch: 128, inducing: 16, validateEvery: 10 },
      personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 },
    },
    spe: { steps: 20, batch: 64, hidden: 8, embeddingSize: 6, validateEvery: 10 },
  };

  /** A fold of the sample; texts by lsa, which takes no time. */
  async function fold(k: number): Promise<Dataset> {
    using source = await resolveSource("marquee");
    const { channels, ...rest } = source.config as { channels: Record<string, object> };
    const config = parseConfig({
      ...rest,
      channels: { ...channels, plot: { ...channels.plot, encoder: "lsa", pca: 16 } },
      split: { by: "random", fraction: 0.05, fold: k },
      factors: { count: 8 },
    });
    const out = at(`fold-${k}`);
    await prepare(config, { out, folder: source.folder, threads: 1 });
    return await openDataset(out);
  }

  test("a curve of SSL by iteration, lines of SIAMESE and SPE, a table; folds are put together; a second time nothing is trained", async () => {
    const cache = new ResultCache(at("paper"));
    const folds = [await fold(1), await fold(2)];
    const events: PaperEvent[] = [];
    const result = await reproducePaper(engine, folds, {
      cache,
      seeds: [1, 2],
      ...small,
      onEvent: (e) => events.push(e),
    });
    expect(result.curve.map(({ step }) => step)).toEqual([0, 10, 20]);
    expect(result.lines[0].name).toBe("SIAMESE");
    expect(result.curve[0].metrics).toEqual(result.lines[0].metrics);
    expect(result.queries).toBeGreaterThan(20);
    expect(result.table.map(({ name }) => name)).toEqual(["SSL", "SIAMESE", "SIAMESE, ratings as a channel", "SPE"]);
    expect(result.chosen.map(({ seed, ssl }) => [seed, ssl % 10])).toEqual([
      [1, 0],
      [1, 0],
      [2, 0],
      [2, 0],
    ]);
    for (const { metrics } of result.table) {
      for (const name of paperMetrics) {
        expect(metrics[name].low).toBeLessThanOrEqual(metrics[name].mean);
        expect(metrics[name].high).toBeLessThanOrEqual(1);
      }
    }
    const trained = () => events.filter(({ event }) => event === "train").length;
    const before = trained();
    expect(before).toBeGreaterThan(0);
    const again = await reproducePaper(engine, folds, {
      cache,
      seeds: [1, 2],
      ...small,
      onEvent: (e) => events.push(e),
    });
    expect(again).toEqual(result);
    expect(trained()).toBe(before);
    const options = { cache, ...small };
    await expect(reproducePaper(engine, [folds[0], folds[0]], options)).rejects.toThrow("have the same test items");
    await expect(reproducePaper(engine, folds, { ...options, seeds: [1, 1] })).rejects.toThrow("each once, got 1, 1");
  });

  test("what a crash lost of the curve is measured anew", async () => {
    const cache = new ResultCache(at("lost"));
    const folds = [await openDataset(at("fold-1"))];
    const options = { cache, seeds: [1], ...small };
    const result = await reproducePaper(engine, folds, options);
    const stop = new AbortController();
    const again = new ResultCache(at("lost-again"));
    const interrupted = reproducePaper(engine, folds, {
      ...options,
      cache: again,
      signal: stop.signal,
      onEvent: ({ event, ...more }) => {
        if (event === "train" && "detail" in more && "stage" in more.detail && more.detail.stage === "ssl")
          stop.abort();
      },
    });
    await expect(interrupted).rejects.toThrow();
    const points = readdirSync(at("lost-again")).find((name) => name.endsWith(".points")) ?? "";
    const text = readFileSync(at("lost-again", points), "utf8");
    writeFileSync(at("lost-again", points), text.slice(text.length / 2)); // the first looks are gone
    expect(await reproducePaper(engine, folds, { ...options, cache: again })).toEqual(result);
  });
});

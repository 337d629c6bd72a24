import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  createEngine,
  type Draft,
  decodeModel,
  type Engine,
  type ModelParts,
  openModel,
  portableLog,
  splitList,
  tieHashes,
} from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveTrainConfig } from "./config/resolve.ts";
import type { TrainConfigInput } from "./config/schema.ts";
import type { TrainEvent } from "./events.ts";
import type { StageCurves } from "./run/curves.ts";
import { selectionOf } from "./run/finish.ts";
import { surrogateName } from "./run/run.ts";
import { type SampleFolder, sampleFolder, tiny } from "./testing/sample.ts";
import { type TrainLook, type TrainOptions, train } from "./train.ts";

let folder: SampleFolder;
let engine: Engine;
/** The model of an undisturbed run. */
let whole: string;
beforeAll(async () => {
  folder = await sampleFolder();
  engine = await createEngine({ workers: 1 });
  whole = await trained("whole");
});
afterAll(async () => {
  await engine.close();
  folder[Symbol.dispose]();
});

async function trained(
  name: string,
  options: Partial<TrainOptions> = {},
  config: TrainConfigInput = tiny,
): Promise<string> {
  const out = join(folder.path, name);
  await train(folder.dataset, resolveTrainConfig(config), { engine, out, ...options });
  return out;
}

/** Every file of a folder, by its hash, but the one that says how long it took. */
function contents(path: string): Record<string, string> {
  const names = readdirSync(path)
    .filter((name) => name !== "timing.json")
    .sort();
  return Object.fromEntries(names.map((name) => [name, hash(readFileSync(join(path, name)))]));
}

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const open = (path: string): Promise<ModelParts> => decodeModel(async (name) => readFileSync(join(path, name)));

async function failure(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => "no error",
    (error: { code?: string; message: string }) => `${error.code}: ${error.message.replaceAll(folder.path, "…")}`,
  );
}

describe("the same seed gives the same model", () => {
  test("file by file, for any number of workers and checkpoints", async () => {
    await using two = await createEngine({ workers: 2 });
    const other = await trained("two-workers", { engine: two, checkpointEvery: 0 });
    expect(contents(other)).toEqual(contents(whole));
    expect(Object.keys(contents(whole))).toEqual([
      "catalogue.json",
      "history.parquet",
      "items.safetensors",
      "model.json",
      "training.json",
      "transforms.safetensors",
      "weights.safetensors",
    ]);
  });

  test("another seed gives another", async () => {
    const other = await open(await trained("other-seed", {}, { ...tiny, seed: 2 }));
    expect(other.parameters).not.toEqual((await open(whole)).parameters);
  });

  test("looked at or not; and a look orders equal scores by the ids, as the model will (EV7)", async () => {
    const hashes: Uint32Array[] = [];
    const onLook = ({ rank }: TrainLook) => rank((rows) => void hashes.push(rows.hashes));
    expect(contents(await trained("looked-at", { onLook }))).toEqual(contents(whole));
    expect(hashes.length).toBeGreaterThan(0);
    const { catalogue } = await open(whole);
    for (const found of hashes) expect(found).toEqual(tieHashes(catalogue.ids));
  });
});

describe("beside the model", () => {
  const read = (name: string) => JSON.parse(readFileSync(join(whole, name), "utf8"));

  test("training.json has the curves of its stages, thinned", async () => {
    const { id, stages } = await open(whole);
    const training = read("training.json");
    expect(training).toMatchObject({ format: "nearkin-training", version: 1, model: id });
    expect(training.stages.map(({ name }: { name: string }) => name)).toEqual(stages.map(({ name }) => name));
    for (const [s, { curves }] of (training.stages as { curves: StageCurves }[]).entries()) {
      const { points, every, validation } = curves;
      expect(points).toHaveLength(Math.ceil(stages[s].steps / every));
      expect(points[points.length - 1].step).toBe(stages[s].steps);
      expect(validation.length).toBeGreaterThan(0);
      for (const { loss, weights } of points) expect([typeof loss, typeof weights.plot]).toEqual(["number", "number"]);
    }
  });

  test("timing.json says how long it took, and whether a resumed run counted its own part alone", async () => {
    const { id, stages } = await open(whole);
    const timing = read("timing.json");
    expect(timing).toMatchObject({ format: "nearkin-timing", version: 1, model: id, resumed: false });
    expect(timing.stages.map(({ name }: { name: string }) => name)).toEqual(stages.map(({ name }) => name));
    const spent = timing.stages.reduce((sum: number, { seconds }: { seconds: number }) => sum + seconds, 0);
    expect(spent).toBeGreaterThan(0);
    expect(timing.seconds).toBeGreaterThanOrEqual(spent);
    expect(Math.abs(Date.now() - timing.started)).toBeLessThan(600_000);
  });
});

describe("the catalogue of a model", () => {
  test("knows how its fields are read, also those of a channel that the model does without", async () => {
    await using model = await openModel(await open(whole), { engine });
    const { shapes } = (await open(whole)).catalogue;
    expect(model.shapes).toEqual(shapes);
    expect(Object.fromEntries(shapes ?? [])).toMatchInlineSnapshot(`
      {
        "countries": {
          "channel": "country",
          "separator": "|",
          "type": "list",
        },
        "directors": {
          "channel": "director",
          "separator": "|",
          "type": "list",
        },
        "genres": {
          "channel": "genres",
          "separator": "|",
          "type": "list",
        },
        "plot": {
          "channel": "plot",
          "type": "text",
        },
        "title": {
          "type": "text",
        },
        "year": {
          "channel": "year",
          "type": "number",
        },
      }
    `);
    const { genres } = Object.fromEntries(shapes ?? []);
    const cells = model.items.at(3).field("genres");
    expect(splitList(cells, genres).length).toBeGreaterThan(0);
    const fewer = await open(await trained("fewer-channels", {}, { ...tiny, channels: ["genres"], ssl: { steps: 0 } }));
    expect(fewer.catalogue.shapes?.get("genres")).toEqual(genres);
    expect(fewer.catalogue.shapes?.get("year")).toEqual({ type: "number" });
  });

  test("says what log q a new item has: that of one that nobody met, which training counts as met once", async () => {
    const parts = await open(whole);
    await using model = await openModel(parts, { engine });
    const total = parts.items.ratings.reduce((sum, count) => sum + count, 0);
    expect(model.coldLogPopularity).toBe(Math.fround(portableLog(1 / total)));
  });
});

/** A signal, and what stops by it after so many steps. */
function stopAtStep(stopAt: number): Required<Pick<TrainOptions, "signal" | "onEvent">> {
  const stop = new AbortController();
  let steps = 0;
  const onEvent = (event: TrainEvent) => {
    if (event.type === "step" && ++steps === stopAt) stop.abort(new Error("enough"));
  };
  return { signal: stop.signal, onEvent };
}

describe("a run that is stopped", () => {
  test.each([1, 5, 12, 13, 16, 21])("after step %d in all goes on to the same bits", async (stopAt) => {
    const name = `stopped-${stopAt}`;
    await expect(trained(name, stopAtStep(stopAt))).rejects.toThrow("enough");
    expect(readdirSync(folder.path)).toContain(`${name}.partial`);
    const events: TrainEvent[] = [];
    const out = await trained(name, { resume: true, onEvent: (event) => events.push(event) });
    expect(events.find((event) => event.type === "start")).toMatchObject({
      resumedAt: stopAt <= 12 ? { stage: "siamese", step: stopAt } : { stage: "ssl", step: stopAt - 12 },
    });
    expect(contents(out)).toEqual(contents(whole));
    expect(existsSync(`${out}.partial`)).toBe(false);
  });

  test("while the process is fitted between the stages, too", async () => {
    const stop = new AbortController();
    const onEvent = (event: TrainEvent) => {
      if (event.type === "phase" && event.title.includes("Gaussian process")) stop.abort(new Error("enough"));
    };
    await expect(trained("between", { onEvent, signal: stop.signal })).rejects.toThrow("enough");
    const out = await trained("between", { resume: true });
    expect(contents(out)).toEqual(contents(whole));
  });

  test("in the mode towers, too", async () => {
    const towers: TrainConfigInput = { ...tiny, ssl: { ...tiny.ssl, mode: "towers" } };
    const undisturbed = await trained("towers", {}, towers);
    expect((await open(undisturbed)).channels.map(({ name }) => name)).not.toContain("taste");
    await expect(trained("towers-stopped", stopAtStep(15), towers)).rejects.toThrow("enough");
    const out = await trained("towers-stopped", { resume: true }, towers);
    expect(contents(out)).toEqual(contents(undisturbed));
  });

  test("by kill −9, again and again, too", async () => {
    const out = join(folder.path, "killed");
    let ended = false;
    for (const lines of [2, 5, 7, 1, Number.POSITIVE_INFINITY]) {
      ended = await killedAfter(lines, folder.dataset.folder, out, existsSync(`${out}.partial`) ? "resume" : "");
    }
    expect(ended).toBe(true);
    expect(contents(out)).toEqual(contents(whole));
  });

  test("is not resumed by a run with other settings, and keeps its checkpoint", async () => {
    await trained("other", { signal: stopAfter(3) }).catch(() => {});
    const before = contents(join(folder.path, "other.partial"));
    expect(await failure(trained("other", { resume: true }, { ...tiny, seed: 9 }))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: …/other.partial: the run that was stopped had other settings (seed: 1, now 9); give the same options to go on with it, or start anew without --resume"`,
    );
    expect(contents(join(folder.path, "other.partial"))).toEqual(before);
  });

  test("with a damaged checkpoint says so", async () => {
    const path = join(folder.path, "damaged.partial", "checkpoint.safetensors");
    mkdirSync(join(folder.path, "damaged.partial"));
    writeFileSync(path, "nonsense, but long enough");
    expect(await failure(trained("damaged", { resume: true }))).toMatchInlineSnapshot(
      `"BAD_FILE: …/damaged.partial: the checkpoint is damaged (safetensors: the header should have 7310308002159816558 bytes, 17 follow; it may be cut short); start anew without --resume"`,
    );
  });
});

/** A signal that stops a run after so many looks at it. */
function stopAfter(looks: number): AbortSignal {
  const stop = new AbortController();
  let left = looks;
  return new Proxy(stop.signal, {
    get(signal, key) {
      if (key === "aborted" && --left <= 0) stop.abort(new Error("stopped"));
      const value = Reflect.get(signal, key);
      return typeof value === "function" ? value.bind(signal) : value;
    },
  });
}

/** Runs the training process and kills it after so many lines; true where it ended by itself. */
async function killedAfter(lines: number, ...args: string[]): Promise<boolean> {
  const script = fileURLToPath(new URL("./testing/train-slowly.ts", import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", "--conditions=@nearkin/source", script, ...args],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exit = once(child, "exit");
  let seen = 0;
  if (!child.stdout) throw new Error("no output");
  for await (const _ of createInterface({ input: child.stdout })) if (++seen === lines) child.kill("SIGKILL");
  const [code] = await exit;
  return code === 0;
}

describe("the output folder", () => {
  test("is never overwritten unasked, and replaced whole when asked", async () => {
    expect(await failure(trained("whole"))).toMatchInlineSnapshot(
      `"MODEL_EXISTS: …/whole is there; choose another folder with --out, or replace it with --force"`,
    );
    const path = join(folder.path, "no-model");
    mkdirSync(path);
    writeFileSync(join(path, "letter.txt"), "dear");
    expect(await failure(trained("no-model", { force: true }))).toMatchInlineSnapshot(
      `"MODEL_EXISTS: …/no-model is there and is no model; choose another folder with --out"`,
    );
    const replaced = await trained("other-seed", { force: true });
    expect(contents(replaced)).toEqual(contents(whole));
  });

  test("is worked on by one run at a time", async () => {
    const out = join(folder.path, "busy");
    writeFileSync(`${out}.lock`, JSON.stringify({ pid: process.ppid, started: null, boot: null })); // a process that is alive
    expect((await failure(trained("busy"))).replace(String(process.ppid), "N")).toMatchInlineSnapshot(
      `"BUSY: another run (process N) is working on …/busy.partial; wait for it, or end it; if there is none, remove …/busy.lock"`,
    );
    rmSync(`${out}.lock`);
  });
});

describe("warm starts and refits", () => {
  test("a run of no steps from a model has its metric", async () => {
    const from = await open(whole);
    const still: TrainConfigInput = { ...tiny, siamese: { ...tiny.siamese, steps: 0 }, ssl: { ...tiny.ssl, steps: 0 } };
    const notes: string[] = [];
    const onEvent = (event: TrainEvent) => event.type === "note" && notes.push(event.text);
    const model = await open(await trained("warm", { from, onEvent }, still));
    expect(model.notes.from).toBe(from.id);
    const content = model.channels.map(({ name }) => name); // no step, no further channel
    expect(notes.filter((text) => text.startsWith("--from"))).toEqual([
      "--from: channel taste is fitted anew by the stage ssl: it starts fresh",
    ]);
    expect(from.channels.map(({ name }) => name)).toEqual([...content, "taste"]);
    expect(distance(model, 0, 5)).toBeCloseTo(distance(from, 0, 5, content.length), 4);
    expect(distance(model, 17, 200)).toBeCloseTo(distance(from, 17, 200, content.length), 4);
  });

  test("a refit does the chosen steps on all data, and keeps the figures of the choice", async () => {
    using all = await sampleFolder("none");
    const choice = selectionOf(await open(whole));
    const out = join(folder.path, "final");
    const events: TrainEvent[] = [];
    await train(all.dataset, resolveTrainConfig(tiny), {
      engine,
      out,
      selection: choice,
      onEvent: (e) => events.push(e),
    });
    const model = await open(out);
    expect(model.stages.map(({ name, steps }) => [name, steps])).toEqual(Object.entries(choice.steps));
    expect(model.notes.selection).toEqual(choice);
    expect(model.popularity).toBe(choice.popularity);
    expect(events.some((event) => event.type === "warning" && event.code === "NO_VALIDATION")).toBe(false);
    expect(model.items.ratings.every((count) => count > 0)).toBe(true);
  });
});

/** t of two items of a model, from its lifted rows, by its first so many channels. */
function distance(model: ModelParts, a: number, b: number, channels = model.channels.length): number {
  const sizes = model.ensemble.channels.map(({ embeddingSize }) => embeddingSize);
  const width = sizes.reduce((sum, size) => sum + size, 0) + sizes.length + 1;
  const weights = weightsOf(model);
  let at = 0;
  let t = 0;
  sizes.forEach((size, c) => {
    for (let j = 0; j < size; j++, at++) {
      if (c < channels) t += weights[c] * (model.items.rows[a * width + at] - model.items.rows[b * width + at]) ** 2;
    }
  });
  return t;
}

function weightsOf(model: ModelParts): number[] {
  const p = model.ensemble.channels.length;
  const theta = Array.from(model.parameters.slice(-(p + 3), -3)); // weights, offset, logNoise, logVariance come last
  return theta.map((x) => Math.log1p(Math.exp(x)));
}

describe("the channel of stage 2", () => {
  test("stands last, is explained like the others, and predictions have a scale of their own", async () => {
    await using model = await openModel(await open(whole), { engine });
    const names = model.parts.channels.map(({ name }) => name);
    expect(names.at(-1)).toBe("taste");
    const { items } = await model.similar(model.items.at(3).id, { k: 3, explain: true });
    expect(items[0].contributions?.map(({ channel }) => channel)).toEqual(names);
    expect(model.parts.kernelScale).toBeGreaterThan(0);
    const { mean, deviation } = await model.predict(model.items.at(3).id);
    expect(mean).toBeGreaterThan(1);
    expect(mean).toBeLessThan(5);
    expect(deviation).toBeGreaterThan(0);
  });

  test("a draft with the values of an item that nobody has met is where that item is", async () => {
    const parts = await open(whole);
    await using model = await openModel(parts, { engine });
    const films = new Map(
      readFileSync(new URL("../../data/sample/films.jsonl", import.meta.url), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: string; directors: string[]; countries: string[] })
        .map((film) => [film.id, { ...film, director: film.directors, country: film.countries } as Draft]),
    );
    const names = parts.channels.map(({ name }) => name).filter((name) => name !== "taste");
    const cold = Array.from(parts.items.ratings.keys()).filter((i) => parts.items.ratings[i] === 0);
    expect(cold.length).toBeGreaterThan(5);
    for (const item of cold.slice(0, 5)) {
      const film = films.get(parts.catalogue.ids[item]) ?? {};
      const { embedding, masked } = await model.embed(Object.fromEntries(names.map((name) => [name, film[name]])));
      const p = parts.channels.length;
      expect(masked).toEqual(parts.items.masked.slice(item * p, (item + 1) * p)); // a director nobody knows
      const width = parts.items.rows.length / parts.items.ratings.length;
      embedding.forEach((x, j) => {
        expect(x).toBeCloseTo(parts.items.rows[item * width + j], 5);
      });
    }
    const blank = await model.embed({});
    expect(blank.missing.at(-1)).toEqual({
      channel: "taste",
      reason: "none of the channels it follows from has a value",
    });
    await expect(model.embed({ taste: [1, 2] })).rejects.toThrow("channel taste follows from the others");
  });

  test("is left out again where every step with it ranks worse, also by a run that was stopped", async () => {
    const harmful: TrainConfigInput = {
      ...tiny,
      validation: { horizonDays: 1 },
      siamese: { ...tiny.siamese, steps: 100, validateEvery: 50 },
      ssl: { ...tiny.ssl, steps: 8, learningRate: 1, towerRate: 1, averaging: null },
    };
    const out = await trained("harmful", {}, harmful);
    const model = await open(out);
    expect(model.channels.map(({ name }) => name)).not.toContain("taste");
    const [before, after] = model.stages;
    expect(after.best).toBe(0);
    expect(after.metrics.ndcg).toBe(before.metrics.ndcg);
    expect(model.kernelScale).not.toBe(1); // the kernel for predictions is fitted all the same
    await expect(trained("harmful-stopped", stopAtStep(105), harmful)).rejects.toThrow("enough");
    expect(contents(await trained("harmful-stopped", { resume: true }, harmful))).toEqual(contents(out));
  });

  test("is called taste2 where the dataset has a taste of its own", () => {
    expect([surrogateName(["plot"]), surrogateName(["plot", "taste"])]).toEqual(["taste", "taste2"]);
  });
});

describe("the preset paper", () => {
  test("trains end to end: sigmoid link, identity vectors, contrastive pairs", async () => {
    const model = await open(await trained("paper", {}, { ...tiny, preset: "paper" }));
    expect(model.ensemble.link).toBe("sigmoid");
    expect(model.ensemble.channels.map(({ name }) => name)).toContain("identity");
    expect(model.posterior?.likelihood).toBe("dtc");
    expect(model.posterior?.k).toBe(1);
  });
});

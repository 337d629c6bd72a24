// Part C of the train suite: catalogues of up to a million items, made up, through `prepare` and both presets, a few steps of each stage and the
// whole end of a run. What they are made of is kept in .cache/bench between runs.
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineKind, encodeSafetensors, Random, type Tensor } from "@nearkin/core";
import { machine } from "./harness.ts";
import { writeRatings } from "./ratings.ts";
import type { ScaleResult } from "./train-report.ts";
import { folder, prepareApart, trainApart } from "./train-work.ts";

interface World {
  name: string;
  about: string;
  ratings: { rows: number; users: number; items: number };
  /** Writes what there is besides ratings, once; returns the part of the configuration that names it. */
  describe(csv: string, items: number): { items: object; channels: object };
}

const WORLDS: readonly World[] = [
  {
    name: "films",
    about: "26,744 items, 20 M ratings, genres, year and two texts of 384",
    ratings: { rows: 20_000_000, users: 138_493, items: 26_744 },
    describe(csv, items) {
      const file = made(join(folder, "films.safetensors"), () => vectorFile(items, { title: 384, plot: 384 }));
      const text = (tensor: string, pca: number) => {
        return { type: "text", column: "title", encoder: `vectors:${file}#${tensor}`, ids: "ids", pca };
      };
      return {
        items: { files: `${csv}.items.csv` },
        channels: {
          genres: { type: "categories", column: "genres" },
          title: text("title", 64),
          plot: text("plot", 96),
          year: { type: "number", column: "year" },
        },
      };
    },
  },
  {
    name: "places",
    about: "160,000 items, 7 M ratings, 1,300 categories, 5 each",
    ratings: { rows: 7_000_000, users: 500_000, items: 160_000 },
    describe(_, items) {
      const file = made(join(folder, "places.csv"), () => placesFile(items));
      return { items: { files: file }, channels: { categories: { type: "categories", column: "categories" } } };
    },
  },
  {
    name: "products",
    about: "1,000,000 items, 10 M ratings, vectors of 64",
    ratings: { rows: 10_000_000, users: 500_000, items: 1_000_000 },
    describe(csv, items) {
      const file = made(join(folder, "products.safetensors"), () => vectorFile(items, { look: 64 }));
      return {
        items: { files: `${csv}.items.csv` },
        channels: { look: { type: "vector", file, tensor: "look", ids: "ids" } },
      };
    },
  },
];

const WARM = 3;

interface ScaleOptions {
  engine: EngineKind;
  /** Of each stage. */
  steps: number;
  /** Names of worlds. @default all */
  worlds?: readonly string[];
}

export async function timeScale({ engine, steps, worlds }: ScaleOptions): Promise<ScaleResult> {
  const info = machine();
  const results: ScaleResult["worlds"] = [];
  for (const world of WORLDS) {
    if (worlds && !worlds.includes(world.name)) continue;
    const { rows, items } = world.ratings;
    const csv = join(folder, items === 26_744 ? `ratings-${rows}.csv` : `ratings-${rows}-${items}.csv`);
    if (!existsSync(csv)) {
      process.stderr.write(`making ${rows.toLocaleString("en")} ratings of ${items.toLocaleString("en")} items …\n`);
      await writeRatings(csv, { ...world.ratings, seed: 7 });
    }
    const dataset = join(folder, `dataset-${world.name}`);
    process.stderr.write(`preparing ${world.name} …\n`);
    const described = world.describe(csv, items);
    const prepareSeconds = await prepareApart(
      { name: world.name, interactions: { files: csv }, ...described },
      dataset,
    );
    process.stderr.write(`prepared in ${prepareSeconds.toFixed(0)} s\n`);
    const trainings: ScaleResult["worlds"][number]["trainings"] = [];
    for (const preset of ["paper", "default"] as const) {
      const out = join(folder, `model-${world.name}`);
      process.stderr.write(`training ${world.name}, ${preset} …\n`);
      const few = { steps: WARM + steps, validateEvery: WARM + steps };
      const work = {
        dataset,
        out,
        preset,
        engine,
        train: { siamese: few, ssl: { ...few, surrogateSteps: steps } },
        warm: WARM,
      };
      trainings.push(await trainApart(work).catch((error: Error) => ({ preset, failed: error.message })));
      rmSync(out, { recursive: true, force: true });
      process.stderr.write(`${JSON.stringify(trainings.at(-1))}\n`);
    }
    rmSync(dataset, { recursive: true, force: true });
    results.push({ name: world.name, about: world.about, prepareSeconds: Math.round(prepareSeconds), trainings });
  }
  return { date: new Date().toISOString().slice(0, 10), machine: info, worlds: results };
}

/** The path of a file that is made where it is not there yet, and then at once. */
function made(path: string, bytes: () => string | Uint8Array): string {
  if (existsSync(path)) return path;
  writeFileSync(`${path}.tmp`, bytes());
  renameSync(`${path}.tmp`, path);
  return path;
}

/** Unit vectors by item, as the made-up ratings call the items. */
function vectorFile(items: number, widths: Record<string, number>): Uint8Array {
  const tensors: Record<string, Tensor> = {
    ids: { type: "I32", shape: [items], data: Int32Array.from({ length: items }, (_, i) => i * 5 + 1) },
  };
  for (const [name, width] of Object.entries(widths)) {
    const random = new Random(3).split(name);
    const data = new Float32Array(items * width);
    for (let i = 0; i < items; i++) {
      const row = data.subarray(i * width, (i + 1) * width);
      let square = 0;
      for (let j = 0; j < width; j++) {
        row[j] = random.normal() / (1 + 0.02 * j); // some directions count more, as a PCA expects
        square += row[j] * row[j];
      }
      const norm = Math.sqrt(square);
      for (let j = 0; j < width; j++) row[j] /= norm;
    }
    tensors[name] = { type: "F32", shape: [items, width], data };
  }
  return encodeSafetensors(tensors);
}

/** Five of 1,300 categories for each place, the first ones more often. */
function placesFile(items: number): string {
  const random = new Random(4);
  const lines = Array.from({ length: items }, (_, i) => {
    const terms = new Set<number>();
    while (terms.size < 5) terms.add(Math.floor(random.uniform() ** 2 * 1300));
    return `${i * 5 + 1},${[...terms].map((term) => `c${term}`).join("|")}`;
  });
  return `movieId,categories\n${lines.join("\n")}\n`;
}

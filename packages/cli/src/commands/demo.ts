// The whole way on the built-in sample: prepare it, train a model, ask it for similar films and for its reasons. No data, no network.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Model, NearkinError, type SimilarItem } from "@nearkin/core";
import {
  type ChannelWeights,
  openDataset,
  parseConfig,
  prepare,
  resolveSource,
  SAMPLE,
  simulateMarquee,
} from "@nearkin/data";
import { resolveTrainConfig, train } from "@nearkin/train";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { openModel } from "../open-model.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { writeSource } from "../source-record.ts";
import { showTraining } from "../training-progress.ts";

interface DemoFlags extends EngineFlags {
  seed: number;
  out: string;
  encoder?: string;
}

/** Those to choose from, in order: the first that have something near. Which these are, training decides. */
const FILMS = [
  "alien-1979",
  "spirited-away-2001",
  "the-godfather-1972",
  "toy-story-1995",
  "the-third-man-1949",
  "the-matrix-1999",
  "in-the-mood-for-love-2000",
  "psycho-1960",
];
const SHOWN = 3;

/** The simulated users choose each film by the ones just before it, on the same evening. */
const WINDOW = 2;

/** A film that does not exist. */
const DRAFT = {
  genres: ["Science Fiction", "Thriller"],
  plot: "The crew of a deep-space freighter wakes early and finds that something has come aboard and is hunting them one by one.",
  year: 2031,
};

export function demoCommand(output: Output): Command {
  return withEngineFlags(new Command("demo"))
    .description("prepare the built-in sample, train a model, and ask it for similar films and its reasons")
    .option("--seed <n>", "of everything drawn by chance", wholeNumber(0), 1)
    .option("--out <folder>", "where the dataset and the model go", "nearkin-demo")
    .option("--encoder <name>", "for the plots: minilm, lsa (default: minilm, or lsa where it is not installed)")
    .addHelpText(
      "after",
      "\nThe films are real, their users and ratings are simulated: docs/sample.md.\n\nExamples:\n  $ nearkin demo\n  $ nearkin demo --engine wasm-relaxed --workers 2\n  $ nearkin demo --encoder lsa --out /tmp/demo",
    )
    .action((flags: DemoFlags) => runDemo(flags, output));
}

async function runDemo(flags: DemoFlags, output: Output): Promise<void> {
  const started = performance.now();
  const { dataset: folder, model: out } = foldersOf(flags.out);
  output.write("1. The sample: 360 real films, and users and ratings that are SIMULATED from tastes we know.\n");
  await prepareSample(folder, flags, output);

  output.write("\n2. Training: what makes two films similar for these users? (preset fast)\n");
  const engine = await openEngine(flags);
  try {
    const config = resolveTrainConfig({ seed: flags.seed, siamese: { window: WINDOW } }, { preset: "fast" });
    const onEvent = showTraining(output, { json: false, resume: false });
    await train(await openDataset(folder), config, { engine, out, force: true, onEvent });
  } finally {
    await engine.close();
  }

  await using model = await openModel(out);
  await showWeights(model, output);
  const typical = Object.values(model.weights).reduce((sum, weight) => sum + weight, 0);
  output.write(
    `\n3. Similar films, and why: each channel's share of the distance. Two random films are about ${typical.toFixed(2)} apart.\n`,
  );
  for (const { id, items } of await showcase(model, typical)) {
    output.write(`\n  ${model.items.at(model.items.indexOf(id)).title}\n${items.map(neighbourLine).join("")}`);
  }
  const { items, missing } = await model.similar(DRAFT, { k: 3, explain: true });
  const rating = await model.predict(DRAFT);
  output.write(
    `\n  A film nobody has seen: ${DRAFT.genres.join(", ")}, ${DRAFT.year}, "${DRAFT.plot.slice(0, 48)}…"\n${items.map(neighbourLine).join("")}` +
      `    expected rating ${rating.mean.toFixed(2)} ± ${rating.deviation.toFixed(2)}; not known of it: ${missing.map(({ channel }) => channel).join(", ") || "nothing"}\n`,
  );
  output.write(
    `\nDone in ${duration((performance.now() - started) / 1000)}. Ask it more:\n` +
      `  nearkin similar ${out} the-matrix-1999 --explain\n` +
      `  nearkin similar ${out} alien-1979 --weights plot=3x,genres=0.2x\n` +
      `  nearkin predict ${out} alien-1979\n`,
  );
}

/** Films whose nearest is nearer than two random ones are to each other, with their lists; where there are too few such, others. */
async function showcase(model: Model, typical: number): Promise<{ id: string; items: readonly SimilarItem[] }[]> {
  const [near, far]: { id: string; items: readonly SimilarItem[] }[][] = [[], []];
  for (const id of FILMS) {
    const { items } = await model.similar(id, { k: 3, explain: true });
    (items[0].distance < typical ? near : far).push({ id, items });
  }
  return [...near, ...far].slice(0, SHOWN);
}

function foldersOf(out: string): { dataset: string; model: string } {
  try {
    mkdirSync(out, { recursive: true });
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `${out}: cannot be written to: ${(cause as Error).message}`, { cause });
  }
  return { dataset: join(out, "dataset"), model: join(out, "model") };
}

async function prepareSample(folder: string, { encoder, workers }: DemoFlags, output: Output): Promise<void> {
  using source = await resolveSource(SAMPLE);
  const { channels, ...rest } = source.config as { channels: Record<string, object> };
  const plot = { ...channels.plot, ...(encoder === undefined ? {} : { encoder }) };
  // The sample is small and dense: items drawn at random play the new ones.
  const config = parseConfig({ ...rest, channels: { ...channels, plot }, split: { by: "random" } });
  const live = liveLine(output);
  rmSync(folder, { recursive: true, force: true });
  const manifest = await prepare(config, {
    out: folder,
    folder: source.folder,
    force: true,
    ...(workers === undefined ? {} : { threads: workers }),
    onEvent: (event) => {
      if (event.type === "step") live.show(`   ${event.title} …`);
      if (event.type === "encode") live.now(`   plots encoded: ${event.progress.done} of ${event.progress.texts}`);
    },
  });
  writeSource(folder, { source: SAMPLE, layout: null, flags: { encoder } });
  const { counts } = manifest;
  live.end(
    `   ${counts.interactions.toLocaleString("en")} ratings of ${counts.items} films by ${counts.users} users; ` +
      `${counts.roles.validation + counts.roles.test} films are held out to play new ones`,
  );
}

/** The sample's base weights are known: how near are the learned ones? */
async function showWeights(model: Model, output: Output): Promise<void> {
  const base = (await simulateMarquee()).parameters.taste.baseWeights;
  const names = Object.keys(model.weights).filter((name): name is keyof ChannelWeights => name in base);
  const truth = names.map((name) => base[name]);
  const learned = names.map((name) => model.weights[name]);
  const share = (values: number[], c: number) =>
    `${((100 * values[c]) / values.reduce((a, b) => a + b, 0)).toFixed(0)} %`;
  output.write(`\n   channel    learned   true share of a typical distance\n`);
  names.forEach((name, c) => {
    output.write(`   ${name.padEnd(10)} ${share(learned, c).padStart(7)} ${share(truth, c).padStart(6)}\n`);
  });
  output.write(`   correlation of learned and true weights: ${correlation(learned, truth).toFixed(2)}\n`);
}

function correlation(x: readonly number[], y: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  const product = (a: readonly number[], ma: number, b: readonly number[], mb: number) =>
    a.reduce((sum, value, i) => sum + (value - ma) * (b[i] - mb), 0);
  return product(x, mx, y, my) / Math.sqrt(product(x, mx, x, mx) * product(y, my, y, my));
}

function neighbourLine({ title, id, distance, contributions = [] }: SimilarItem): string {
  const shares = contributions
    .map(({ channel, share }) => `${channel} ${(100 * (share ?? 0)).toFixed(0)} %`)
    .join(", ");
  return `    ${(title ?? id).padEnd(34)} distance ${distance.toFixed(3)}  ${shares}\n`;
}

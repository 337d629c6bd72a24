// npm run recovered-weights: how well users' true weights, which the built-in sample knows, are found again from their first ratings. Trains a model
// (preset fast) on every second user and fits the others; writes docs/results/recovered-weights.json, and from it the drawing beside it and the
// table in docs/personalisation.md. With -- --draw nothing is measured: drawing and table are made anew from the stored figures.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createEngine,
  type Engine,
  type Model,
  openModel,
  personalise,
  Random,
  type SharedMetric,
  type UserItems,
} from "@nearkin/core";
import {
  type Dataset,
  loadTraining,
  type Marquee,
  openDataset,
  parseConfig,
  prepare,
  resolveSource,
  SAMPLE,
  simulateMarquee,
} from "@nearkin/data";
import type { Interval } from "@nearkin/evaluate";
import { presets, resolveTrainConfig, train } from "@nearkin/train";
import { percentile } from "../packages/evaluate/src/statistics/bootstrap.ts";
import { learnPersonal } from "../packages/train/src/run/personal.ts";
import { type RecoveredWeights, recoveredDrawing, recoveredTable } from "./recovered-weights-page.ts";

const RATINGS = [5, 10, 20, 50, 100];
const TARGETS = [
  { target: "choice", items: 100 },
  { target: "choice", items: 10 },
  { target: "rating", items: 100 },
] as const;
const RESAMPLES = 2000;
const SEED = 1;

/** One user: log weights by channel, as fitted and as they are. */
interface Pair {
  readonly fitted: readonly number[];
  readonly truth: readonly number[];
}

/** Weights are drawn for each user alone, so any half of them is like the other. */
const isHeldOut = (user: number): boolean => user % 2 === 1;

async function measure(): Promise<RecoveredWeights> {
  const marquee = await simulateMarquee();
  const folder = mkdtempSync(join(tmpdir(), "nearkin-recovered-"));
  await using engine = await createEngine({ engine: "wasm" });
  try {
    say("preparing the sample …");
    const dataset = await prepareHalf(marquee, join(folder, "dataset"));
    say("training …");
    const out = join(folder, "model");
    await train(dataset, resolveTrainConfig({ seed: SEED, behavior: { factors: 0 } }, { preset: "fast" }), {
      engine,
      out,
    });
    await using model = await openModel(async (name) => new Uint8Array(await readFile(join(out, name))), { engine });
    return await fitHeldOut(engine, model, { dataset, marquee });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sample without the ratings of held-out users. */
async function prepareHalf({ users }: Marquee, out: string): Promise<Dataset> {
  using source = await resolveSource(SAMPLE);
  const held = new Set(users.filter((_, user) => isHeldOut(user)).map(({ id }) => id));
  const path = join(source.folder, "ratings.csv");
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.filter((line) => !held.has(line.slice(0, line.indexOf(",")))).join("\n"));
  await prepare(parseConfig(source.config), { out, folder: source.folder });
  return openDataset(out);
}

async function fitHeldOut(
  engine: Engine,
  model: Model,
  { dataset, marquee }: { dataset: Dataset; marquee: Marquee },
): Promise<RecoveredWeights> {
  const metric = sharedMetric(engine, model);
  const training = await loadTraining(dataset);
  const users = heldOutUsers(model, marquee);
  const targets = [];
  for (const { target, items } of TARGETS) {
    say(`fitting: ${target}, ${items} items …`);
    const prior = await learnPersonal({
      metric,
      config: { ...presets.default.personal, target, items },
      histories: training.histories,
      events: training.items.ratings,
      rated: true,
      random: new Random(SEED).split("personal"),
      pause: async () => {},
    });
    if (!prior) throw new Error("the sample has users to learn from");
    const correlations = RATINGS.map((count) => {
      const pairs = users
        .filter(({ met }) => met.items.length >= count)
        .map(({ met, truth }): Pair => {
          const first = { items: met.items.slice(0, count), ratings: met.ratings.slice(0, count) };
          const { weights } = personalise(metric, prior, first);
          return {
            fitted: Object.keys(truth).map((name) => Math.log(weightOf(model, weights, name))),
            truth: logs(truth),
          };
        });
      return withInterval(pairs);
    });
    targets.push({ target, items, correlations });
  }
  return {
    users: { training: marquee.users.length - users.length, heldOut: users.length },
    resamples: RESAMPLES,
    ratings: RATINGS,
    fitted: RATINGS.map((count) => users.filter(({ met }) => met.items.length >= count).length),
    targets,
  };
}

function sharedMetric(engine: Engine, { rows, weights, parts }: Model): SharedMetric {
  const { ensemble, temperature } = parts;
  const { link, weights: parameters } = ensemble;
  return { engine, rows, weights: Float64Array.from(Object.values(weights)), offset: 0, link, parameters, temperature };
}

const weightOf = (model: Model, weights: Float64Array, channel: string): number =>
  weights[Object.keys(model.weights).indexOf(channel)];

const logs = (weights: object): number[] => Object.values(weights).map((weight: number) => Math.log(weight));

/** What each held-out user met, the oldest first, and their true weights by channel. */
function heldOutUsers(
  model: Model,
  { users, films, ratings }: Marquee,
): { met: UserItems; truth: Marquee["users"][number]["weights"] }[] {
  const rows = films.map(({ id }) => model.items.indexOf(id));
  const of = users.map(() => ({ items: [] as number[], ratings: [] as number[] }));
  ratings.user.forEach((user, k) => {
    of[user].items.push(rows[ratings.film[k]]);
    of[user].ratings.push(ratings.rating[k]);
  });
  return users
    .map(({ weights }, user) => ({
      met: { items: Int32Array.from(of[user].items), ratings: Float64Array.from(of[user].ratings) },
      truth: weights,
    }))
    .filter((_, user) => isHeldOut(user));
}

/** The correlation over users and channels, each channel around its mean: what all users have in common is not counted as found. */
export function correlation(pairs: readonly Pair[]): number {
  const around = (of: (pair: Pair) => readonly number[]) => {
    const means = of(pairs[0]).map((_, c) => pairs.reduce((sum, pair) => sum + of(pair)[c] / pairs.length, 0));
    return pairs.flatMap((pair) => of(pair).map((value, c) => value - means[c]));
  };
  const x = around(({ fitted }) => fitted);
  const y = around(({ truth }) => truth);
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

/** Users are resampled, each with all channels: the channels of one user are not independent of each other. */
function withInterval(pairs: readonly Pair[]): Interval {
  const random = new Random(SEED).split("bootstrap");
  const drawn = Float64Array.from({ length: RESAMPLES }, () =>
    correlation(Array.from(pairs, () => pairs[random.below(pairs.length)])),
  ).sort();
  return { mean: correlation(pairs), low: percentile(drawn, 0.025), high: percentile(drawn, 0.975) };
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const docs = join(import.meta.dirname, "..", "docs");
const BLOCK = /(<!-- recovered -->\n)[\s\S]*?(\n<!-- \/recovered -->)/;

if (process.argv[1] === import.meta.filename) {
  const json = join(docs, "results", "recovered-weights.json");
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toFixed(4)) : value);
  if (!process.argv.includes("--draw")) {
    const started = performance.now();
    writeFileSync(json, `${JSON.stringify(await measure(), rounded, 1)}\n`);
    say(`measured in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  }
  const recovered = JSON.parse(readFileSync(json, "utf8")) as RecoveredWeights;
  writeFileSync(join(docs, "results", "recovered-weights.svg"), recoveredDrawing(recovered));
  const page = join(docs, "personalisation.md");
  const text = readFileSync(page, "utf8");
  if (!BLOCK.test(text)) throw new Error("docs/personalisation.md has no block <!-- recovered -->");
  const table = recoveredTable(recovered);
  writeFileSync(
    page,
    text.replace(BLOCK, (_, open: string, close: string) => `${open}${table}${close}`),
  );
  process.stdout.write(`${table}\n`);
}

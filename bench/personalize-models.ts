// Models for the parts of the suite personalize that go through the product: a made-up catalogue of five channels and users who go by one of them, prepared,
// and trained for a few steps. How good such a model is matters to no clock; that it has the sizes of a real one does.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, Random, type UserRating } from "@nearkin/core";
import { type Dataset, openDataset, parseConfig, prepare } from "@nearkin/data";
import { resolveTrainConfig, type TrainConfigInput, train } from "@nearkin/train";

/** p */
export const CHANNELS = 5;
const ITEMS = 5000;
const USERS = 600;
/** Of each user. */
export const RATINGS = 50;
const STEPS = 50;
const LOOKED_AT = 30; // items that a user chooses the next from

export interface UsersDataset {
  readonly dataset: Dataset;
  /** By user, the oldest first. */
  readonly users: readonly (readonly UserRating[])[];
}

/** Writes a catalogue and ratings into `folder`, and prepares them there. */
export async function makeUsersDataset(folder: string): Promise<UsersDataset> {
  process.stderr.write("making up users …\n");
  const random = new Random(31);
  const values = Float64Array.from({ length: ITEMS * CHANNELS }, () => random.normal());
  const users = Array.from({ length: USERS }, (_, user) => madeUpUser(values, user, random.split(user)));
  const channels = Array.from({ length: CHANNELS }, (_, c) => `c${c}`);
  const itemLines = Array.from({ length: ITEMS }, (_, i) =>
    [idOf(i), ...values.subarray(i * CHANNELS, (i + 1) * CHANNELS)].join(),
  );
  const ratingLines = users.flatMap((ratings, user) =>
    ratings.map(({ item, rating }, k) => [`u${user}`, item, rating, START + DAY * k].join()),
  );
  writeFileSync(join(folder, "items.csv"), [["item", ...channels].join(), ...itemLines, ""].join("\n"));
  writeFileSync(join(folder, "ratings.csv"), ["user,item,rating,time", ...ratingLines, ""].join("\n"));
  const config = parseConfig({
    interactions: {
      files: "ratings.csv",
      columns: { user: "user", item: "item", rating: "rating", time: "time" },
    },
    items: { files: "items.csv", columns: { item: "item" } },
    channels: Object.fromEntries(channels.map((column) => [column, { type: "number", column }])),
    split: { by: "random" },
  });
  const out = join(folder, "dataset");
  await prepare(config, { out, folder });
  return { dataset: await openDataset(out), users };
}

const START = 1_600_000_000;
const DAY = 86_400;
const idOf = (item: number): string => `i${item}`;

/** Of some items, the popular ones more often, the next is the nearest in one channel; ratings go by another. */
function madeUpUser(values: Float64Array, user: number, random: Random): UserRating[] {
  const own = (item: number) => values[item * CHANNELS + (user % CHANNELS)];
  const rated = (item: number) => values[item * CHANNELS + ((user + 1) % CHANNELS)];
  const met = new Set<number>([random.below(ITEMS)]);
  for (let last = [...met][0]; met.size < RATINGS; met.add(last)) {
    const drawn = Array.from({ length: LOOKED_AT }, () => Math.floor(random.uniform() ** 2 * ITEMS));
    const others = drawn.filter((item) => !met.has(item));
    const from = own(last);
    last = others.reduce((a, b) => (Math.abs(own(b) - from) < Math.abs(own(a) - from) ? b : a), others[0]);
  }
  return Array.from(met, (item) => {
    const rating = Math.round(3 + 1.5 * Math.sin(2 * rated(item)) + 0.5 * random.normal());
    return { item: idOf(item), rating: Math.min(5, Math.max(1, rating)) };
  });
}

/** Trains a model with these settings for users into `out`. */
export async function makeUsersModel(
  dataset: Dataset,
  out: string,
  personal: NonNullable<TrainConfigInput["personal"]>,
): Promise<void> {
  const siamese = { steps: STEPS, batch: 256, validateEvery: STEPS };
  const config = resolveTrainConfig(
    { stages: ["siamese"], siamese, personal: { users: 40, ...personal } },
    { preset: "default" },
  );
  await using engine = await createEngine({ engine: "wasm" });
  await train(dataset, config, { engine, out });
}

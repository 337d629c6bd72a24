// The sample as files, in the shape of the data people bring themselves: one file of items, one of interactions. The truth
// lies apart, so that nothing that reads a dataset meets it by accident.
import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CHANNELS } from "./parameters.ts";
import { type Marquee, type MarqueeOptions, simulateMarquee } from "./simulate.ts";

/** The first line of the sample's README, by which its files are known again. */
export const SIMULATED =
  "Users and ratings are SIMULATED; the films' facts (title, year, genres, directors, countries) are real, and their plots were written for this project.";

/**
 * Simulates the sample and writes films.jsonl, ratings.csv, truth.json and README.md into `folder`, which is made if need be.
 * Files of these names are replaced, each at once; others are left alone.
 */
export async function writeMarquee(folder: string, options: MarqueeOptions = {}): Promise<Marquee> {
  await mkdir(folder, { recursive: true }); // before the seconds of work: a folder that cannot be made is said at once
  const marquee = await simulateMarquee(options);
  await replaceFile(join(folder, "films.jsonl"), marquee.films.map((film) => `${JSON.stringify(film)}\n`).join(""));
  await replaceFile(join(folder, "ratings.csv"), ratingsCsv(marquee));
  await replaceFile(join(folder, "truth.json"), truthJson(marquee));
  await replaceFile(join(folder, "README.md"), readme(marquee));
  return marquee;
}

export function ratingsCsv({ films, users, ratings }: Marquee): string {
  const lines = ["userId,filmId,rating,timestamp"];
  for (let k = 0; k < ratings.user.length; k++) {
    const { id } = users[ratings.user[k]];
    lines.push(`${id},${films[ratings.film[k]].id},${ratings.rating[k].toFixed(1)},${ratings.timestamp[k]}`);
  }
  return `${lines.join("\n")}\n`;
}

function truthJson({ users, parameters, seed }: Marquee): string {
  const truth = {
    about: `${SIMULATED} This file is what the simulation knows: to score what a model found, never to train it.`,
    seed,
    channels: CHANNELS,
    baseWeights: parameters.taste.baseWeights,
    parameters,
    users,
  };
  return `${JSON.stringify(truth, null, 1)}\n`;
}

function readme({ films, users, ratings, seed }: Marquee): string {
  return `${SIMULATED}

# marquee

The built-in sample of Nearkin, seed ${seed}: ${films.length} films, ${users.length} users, ${ratings.user.length} ratings. No real person rated anything here, and
neither ratings nor dates nor popularity say anything about the real films.

| file | what |
|---|---|
| films.jsonl | one film per line: id, title, year, genres, directors, countries, plot, and \`added\`, the simulated day it came to the service |
| ratings.csv | userId, filmId, rating (half stars, 0.5 to 5), timestamp (seconds, UTC); by user, then time |
| truth.json | the seed, every parameter, and the true channel weights of each user |

The model behind the ratings is in docs/sample.md of the Nearkin repository.
`;
}

/** Readers see the old file or the new one, never a part. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

// A rating file of any size, made up: Zipf items that arrive over 20 years, users who come, rate in bursts and go. Same seed, same bytes.
import { createWriteStream, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface RatingsOptions {
  rows: number;
  users: number;
  items: number;
  seed: number;
}

const START = 789_652_009; // 1995
const YEARS = 20 * 365.25 * 86_400;
const GENRES = ["Action", "Comedy", "Crime", "Drama", "Fantasy", "Horror", "Romance", "Thriller", "War", "Western"];

/** Writes `<path>` (userId,movieId,rating,timestamp) and `<path>.items.csv` (movieId,title,genres,year). */
export async function writeRatings(path: string, { rows, users, items, seed }: RatingsOptions): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const random = uniform(seed);
  const arrival = Float64Array.from({ length: items }, () => (random() < 0.3 ? 0 : random() * YEARS * 0.98));
  const pick = zipf(items, random);
  const file = createWriteStream(`${path}.tmp`);
  const finished = new Promise<void>((resolve, reject) => void file.on("finish", resolve).on("error", reject));
  let text = "userId,movieId,rating,timestamp\n";
  let written = 0;
  const seen = new Int32Array(items).fill(-1);
  for (let user = 0; user < users; user++) {
    // What is left is shared among the users left, with a long tail.
    const fair = (rows - written) / (users - user);
    const tail = user === users - 1 ? 1 : Math.min(-Math.log(1 - random() * 0.999), 8) * 0.9 + 0.1;
    const count = Math.min(rows - written, items >> 1, Math.max(1, Math.round(fair * tail)));
    let time = random() * YEARS * 0.95;
    for (let k = 0; k < count; k++) {
      let item = pick();
      for (let tries = 0; tries < 50 && (seen[item] === user || arrival[item] > time); tries++) item = pick();
      if (seen[item] === user || arrival[item] > time) continue;
      seen[item] = user;
      const rating = 1 + Math.floor(Math.sqrt(random()) * 10);
      text += `${user + 1},${item * 5 + 1},${rating / 2},${Math.floor(START + time)}\n`;
      written++;
      time = Math.min(YEARS, time + (random() < 0.02 ? random() * 60 * 86_400 : 5 + random() * 60));
    }
    if (text.length > 1 << 20) {
      if (!file.write(text)) await new Promise<void>((resolve) => void file.once("drain", resolve));
      text = "";
    }
  }
  file.end(text);
  await finished;
  const lines = Array.from(arrival, (time, item) => {
    const year = 1960 + Math.floor(random() * 35 + time / 86_400 / 365.25);
    const genres = [...new Set([pickOne(random), pickOne(random)])].join("|");
    return `${item * 5 + 1},"Film ${item}, the ${pickOne(random)} of ${pickOne(random)}",${genres},${year}`;
  });
  writeFileSync(`${path}.items.csv`, `movieId,title,genres,year\n${lines.join("\n")}\n`);
  renameSync(`${path}.tmp`, path); // last: the file is there only when it is whole
}

const pickOne = (random: () => number) => GENRES[Math.floor(random() * GENRES.length)];

/** Draws items with probability ∝ 1/(rank + 30), by a table of cumulated weights. */
function zipf(items: number, random: () => number): () => number {
  const bounds = new Float64Array(items);
  let total = 0;
  for (let i = 0; i < items; i++) {
    total += 1 / (i + 30);
    bounds[i] = total;
  }
  return () => {
    const x = random() * total;
    let low = 0;
    let high = items - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bounds[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** A small fast generator (mulberry32): speed matters here, statistics hardly. */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

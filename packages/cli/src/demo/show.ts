// What the demo's model has learned, on a terminal: its weights beside the true ones, similar films with reasons, a film that does not exist.
import type { Model, SimilarItem } from "@nearkin/core";
import { type ChannelWeights, simulateMarquee } from "@nearkin/data";
import type { Output } from "../output.ts";

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

/** A film that does not exist. */
export const DRAFT = {
  genres: ["Science Fiction", "Thriller"],
  plot: "The crew of a deep-space freighter wakes early and finds that something has come aboard and is hunting them one by one.",
  year: 2031,
};

export async function showModel(model: Model, output: Output): Promise<void> {
  await showWeights(model, output);
  const typical = Object.values(model.weights).reduce((sum, weight) => sum + weight, 0);
  output.write(
    `\nSimilar films, and why: each channel's share of the distance. Two random films are about ${typical.toFixed(2)} apart.\n`,
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

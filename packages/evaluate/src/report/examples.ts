// Neighbours to look at. The items are chosen by a rule, so that nobody is tempted to show the best ones only.
import type { Model } from "@nearkin/core";
import { type Dataset, openTruth } from "@nearkin/data";
import type { ExampleNeighbour, NeighbourExample } from "./model-report.ts";

export interface ExampleOptions {
  /** Neighbours of each item. @default 5 */
  k?: number;
}

/** Ranks among the training items by popularity, as shares: 0 is the item that most have met. */
const WARM = [
  { at: 0, why: "the item with the most training ratings" },
  { at: 0.01, why: "at 1 % from the top of the training items by ratings" },
  { at: 0.1, why: "at 10 % from the top of the training items by ratings" },
  { at: 0.5, why: "of median popularity among the training items" },
] as const;

const NEVER_SEEN = [
  { at: 0, why: "the test item that most met later" },
  { at: 0.5, why: "of median popularity among the test items" },
] as const;

/** Where no items are held out, those that nobody has met. */
const WITHOUT_EVENTS = [
  { at: 0, why: "the first item that nobody has met in training" },
  { at: 0.5, why: "the middle one of the items that nobody has met in training" },
] as const;

const measured = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Four items that training knows, two that it has never seen where the split has such. */
export async function neighbourExamples(
  model: Model,
  dataset: Dataset,
  { k = 5 }: ExampleOptions = {},
): Promise<NeighbourExample[]> {
  const ratingsOf = (item: number) => model.items.at(item).ratings;
  const all = Array.from({ length: model.items.size }, (_, item) => item);
  const outcomes = await (await openTruth(dataset)).items("test");
  const rowOf = new Map(Array.from(outcomes.queries, (item, row) => [item, row]));
  const later = (item: number) => outcomes.ratings[rowOf.get(item) ?? -1] ?? 0;
  const chosen = [
    ...pick(
      all.filter((item) => ratingsOf(item) > 0),
      ratingsOf,
      WARM,
    ),
    ...(rowOf.size > 0
      ? pick([...rowOf.keys()], later, NEVER_SEEN)
      : pick(
          all.filter((item) => ratingsOf(item) === 0),
          ratingsOf,
          WITHOUT_EVENTS,
        )),
  ];
  const examples: NeighbourExample[] = [];
  for (const { item, why } of chosen) {
    const { id, title, ratings } = model.items.at(item);
    const row = ratings > 0 ? undefined : rowOf.get(item);
    const predicted = model.predictsRatings && model.parts.rating.scale > 0 ? await model.predict(id) : undefined;
    examples.push({
      id,
      title,
      kind: ratings > 0 ? "warm" : "never seen",
      why,
      ratings,
      ...(predicted ? { predicted: { mean: predicted.mean, deviation: predicted.deviation } } : {}),
      ...(row === undefined ? {} : { actual: { ratings: outcomes.ratings[row], mean: measured(outcomes.mean[row]) } }),
      typical: Object.values(model.weights).reduce((sum, weight) => sum + weight, 0),
      neighbours: await explained(model, id, k),
    });
  }
  return examples;
}

async function explained(model: Model, id: string, k: number): Promise<ExampleNeighbour[]> {
  const { items } = await model.similar(id, { k, explain: true });
  return items.map(({ id: own, title, rank, distance, contributions = [] }) => ({
    id: own,
    title,
    rank,
    distance,
    contributions: contributions.map(({ channel, contribution, unknown }) => ({ channel, contribution, unknown })),
  }));
}

/** Items at shares of the list from most to least, equal ones in their own order; each once. */
function pick(
  items: readonly number[],
  size: (item: number) => number,
  wanted: readonly { at: number; why: string }[],
): { item: number; why: string }[] {
  const sorted = [...items].sort((a, b) => size(b) - size(a) || a - b);
  const taken = new Set<number>();
  return wanted.flatMap(({ at, why }) => {
    const item = sorted[Math.floor(at * sorted.length)];
    if (item === undefined || taken.has(item)) return [];
    taken.add(item);
    return [{ item, why }];
  });
}

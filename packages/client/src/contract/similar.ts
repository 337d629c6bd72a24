// Similar items: the question and the answer.
import { z } from "zod";
import { itemOrDraft } from "./draft.ts";
import { filter } from "./filter.ts";
import { channelName, count, cursor, itemId, modelId, namedItem, nextCursor, recommendationId, userId } from "./ids.ts";
import { givenPopularity, givenWeights, historyFactor, met, usedMetric } from "./metric.ts";
import { strict } from "./strict.ts";

export const explain = z
  .boolean()
  .default(false)
  .describe("Add every channel's contribution to the distance, and the rank without it. Default: false.");

/** Whose metric, and which items. */
const metricOptions = {
  user: userId.optional(),
  weights: givenWeights.optional(),
  popularity: givenPopularity.optional(),
  history: historyFactor,
  met,
};
const candidateOptions = {
  filter: filter.optional(),
  exclude: z
    .array(itemId)
    .max(1000)
    .optional()
    .describe(
      "Ids never to return, besides the query's own; at most 1,000. In a query string the key repeated, or a JSON list.",
    ),
};

const similarOptions = {
  ...metricOptions,
  k: count(1, 200).default(10).describe("Items of a page, 1 to 200. Default: 10."),
  cursor: cursor.optional(),
  diversity: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      "0 to 1: how much an item counts for being unlike those above it (maximal marginal relevance). Default: 0.",
    ),
  ...candidateOptions,
  explain,
  predict: z
    .boolean()
    .default(false)
    .describe("Add the rating that each item can expect, and how sure that is. Default: false."),
  order: z
    .enum(["similar", "safe", "explore"])
    .default("similar")
    .describe(
      "similar: the nearest first. safe: the 200 most similar by predicted mean − deviation; explore: by mean + deviation; the others follow as they are. Default: similar.",
    ),
  exact: z
    .boolean()
    .default(false)
    .describe("Compare with every item, also where an index would be faster. Default: false."),
};

export const similarQuery = strict(similarOptions);

export const similarBody = strict({
  items: z
    .array(itemOrDraft)
    .min(1)
    .max(50)
    .describe("What to be similar to, by the mean distance: ids of items, or drafts; 1 to 50."),
  ...similarOptions,
}).meta({ id: "SimilarRequest" });

export const explainQuery = strict({ ...metricOptions, ...candidateOptions });

/** What one channel has to do with a distance: core's `Contribution`, and whether its text is yet to be encoded. */
const contribution = strict({
  channel: channelName,
  distance: z.number().describe("d: the distance in this channel; 1 is a typical random pair."),
  weight: z.number().describe("h: the channel's weight."),
  contribution: z.number().describe("h·d: all contributions sum to the item's distance."),
  share: z
    .number()
    .nullable()
    .describe("Its part of the distance; null where it would mean nothing: a negative weight, or a distance of 0."),
  unknown: z
    .enum(["query", "item", "both"])
    .nullable()
    .describe("Whose value is not known, so that a stand-in takes its place."),
  rankWithout: z
    .int()
    .min(1)
    .describe("Where the item would stand if its distance in this channel were 0, and nothing else changed."),
  pending: z.boolean().describe("Whether a text is waiting to be encoded, so that a stand-in takes its place for now."),
}).meta({ id: "Contribution", description: "What one channel has to do with a distance." });

/** Core's `RatingPrediction`. */
export const ratingPrediction = {
  mean: z.number().describe("Posterior mean, in the units of the ratings."),
  deviation: z.number().min(0).describe("Standard deviation of the mean, in the units of the ratings."),
  observationDeviation: z.number().min(0).describe("Standard deviation of a single rating to come."),
};

const predicted = strict({
  source: z
    .enum(["user", "catalogue"])
    .describe("user: from the user's own ratings; catalogue: from everybody's, the same for all."),
  ...ratingPrediction,
}).meta({ id: "Predicted", description: "The rating that an item can expect." });

const scored = {
  ...namedItem,
  rank: z.int().min(1).describe("Its place, from 1; goes on from page to page."),
  score: z
    .number()
    .describe("−t/T + β·log q + γ·f, f the part of what the user met lately: what similar items are sorted by."),
  distance: z.number().describe("t: the weighted distance; two random items are about Σ h apart."),
};

export const similarItem = strict({
  ...scored,
  contributions: z.array(contribution).optional().describe("One for each channel, where `explain` was asked for."),
  lifts: z
    .array(z.number())
    .optional()
    .describe(
      "How much each item of `metric.history` adds to the score, in their order, if `explain` was asked for; they sum to γ·f.",
    ),
  predicted: predicted.nullable().optional().describe("Where `predict` was asked for; null where the model cannot."),
  pending: z
    .array(channelName)
    .optional()
    .describe("Channels whose text is waiting to be encoded; left out where there are none."),
}).meta({ id: "SimilarItem", description: "An item of a list." });

const missingChannel = strict({
  channel: channelName,
  reason: z.string().describe("Why it has no value."),
}).meta({ id: "MissingChannel", description: "A channel without a value." });

export const missing = z.array(missingChannel).describe("Channels of drafts, or of the item, that have no value.");

export const similarAnswer = strict({
  items: z.array(similarItem),
  next: nextCursor,
  metric: usedMetric,
  missing: missing.describe("Channels of drafts that had no value."),
  recommendation: recommendationId,
  model: modelId,
  exact: z.boolean().describe("Whether every item was compared, so that none that is left out is nearer."),
}).meta({ id: "SimilarItems", description: "Similar items, best first." });

export const explanation = strict({
  ...scored,
  rank: z.int().min(1).describe("Its place in the list of the query, from 1."),
  contributions: z.array(contribution).describe("One for each channel, in the order of the channels."),
  lifts: z.array(z.number()).optional().describe("How much each item of `metric.history` adds to the score."),
  missing,
  metric: usedMetric,
  model: modelId,
}).meta({ id: "Explanation", description: "Why an item stands where it does in the list of a query." });

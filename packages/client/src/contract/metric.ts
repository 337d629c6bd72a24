// The weights of a metric: given by a caller, a user's own, or those that all share.
import { z } from "zod";
import { record } from "./draft.ts";
import { channelName, itemId, modelId, namedItem, time, total, userId } from "./ids.ts";
import { strict } from "./strict.ts";

/** Weights in a request. */
export const givenWeights = record(channelName, z.number().min(-1e6).max(1e6), 256).describe(
  "Weight h of each channel, in place of the user's or the learned one; channels left out keep theirs. 1 weighs a typical random pair as 1, below 0 the unlike comes first. Not all 0. In a query string as JSON, or as genres:2,plot:0.5.",
);

export const givenPopularity = z
  .union([z.number().min(-10).max(10), z.literal("calibrated")], 'expected a number from -10 to 10, or "calibrated"')
  .describe(
    'β, −10 to 10: how much popularity counts; "calibrated" is the β that ranked validation items best. Default: the user\'s own, or 0, pure similarity.',
  );

export const historyFactor = z
  .number()
  .min(0)
  .max(10)
  .default(1)
  .describe(
    "Factor on the weight that the model gives to what the user met lately; 0 leaves it out. Items of the history are not in the list. Only in models with a behavior channel. Default: 1.",
  );

export const met = z
  .array(itemId)
  .max(50)
  .optional()
  .describe(
    "Ids of what a visitor met lately, the last one last, in place of what is stored of the user; at most 50. The last ones count, those that the catalogue does not have are passed over. In a query string the key repeated, or a JSON list.",
  );

/** Weights in an answer. */
const weights = z.record(z.string(), z.number()).describe("Weight h of each channel, as used.");
const popularity = z.number().describe("β, as used: how much popularity counts.");

/** By which metric a list was made. */
export const usedMetric = strict({
  source: z
    .enum(["user", "given", "base"])
    .describe("user: the user's own; given: with the weights of the request; base: the one that all share."),
  weights,
  popularity,
  reason: z.string().describe('Why this one, such as "no such user yet: the metric that all share".'),
  history: strict({
    weight: z.number().describe("γ, as used: how much the history counts."),
    items: z.array(strict(namedItem)).describe("What the user met lately, the last one last."),
  })
    .optional()
    .describe("Left out if nothing that the user met counts."),
}).meta({ id: "UsedMetric", description: "By which metric items were compared." });

/** How a user's metric was found: what core's `personalize` says of it. */
const fit = strict({
  items: total.describe("Items the user has met or rated that were given to the fit."),
  used: total.describe("Those that counted."),
  iterations: total,
  before: z
    .number()
    .nullable()
    .describe("What was made small, an item's share of it, at the start; null where nothing was fitted."),
  after: z.number().nullable().describe("The same at the end."),
  kept: z.string().nullable().describe("Why the shared metric was kept; null where it was not."),
  offset: z.number().describe("b: what is added to every distance."),
  time: time.describe("When it was fitted, in milliseconds since 1970."),
}).meta({ id: "MetricFit", description: "How a user's metric was found." });

/** A user's metric as it stands. */
export const userMetric = strict({
  user: userId,
  source: z
    .enum(["sliders", "ratings", "base"])
    .describe("sliders: set by PUT; ratings: fitted to what the user met and rated; base: the one that all share."),
  weights: weights.describe("Weight h of each channel."),
  popularity: popularity.describe("β: how much popularity counts."),
  base: weights.describe("Weight h of each channel in the metric that all share, for comparison."),
  fit: fit.nullable().describe("How it was fitted; null where nothing was fitted yet."),
  pending: z.boolean().describe("Whether events are waiting to be fitted."),
  stored: z
    .boolean()
    .describe("Whether it is kept for the user; false for one fitted to ratings of the request alone."),
  reason: z.string().describe("Why this metric, in words."),
  model: modelId,
}).meta({ id: "UserMetric", description: "A user's metric." });

export const sliders = strict({
  weights: givenWeights,
  popularity: givenPopularity.optional(),
}).meta({
  id: "Sliders",
  description: "A metric set by hand. It stands until it is deleted, whatever the user rates.",
});

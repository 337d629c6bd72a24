// Predicted ratings: of an item among all people, and for one user, with the reasons.
import { z } from "zod";
import { itemOrDraft } from "./draft.ts";
import { count, itemId, modelId, namedItem, title, total, userId } from "./ids.ts";
import { missing, ratingPrediction } from "./similar.ts";
import { strict } from "./strict.ts";

export const predictBody = strict({
  item: itemOrDraft,
  user: userId.optional(),
  evidence: count(0, 1000)
    .default(10)
    .describe("Reasons to list for a user, those that move the mean most first; 0 to 1,000. Default: 10."),
}).meta({ id: "PredictRequest" });

/** Core's `PersonalReason`. */
const reason = strict({
  ...namedItem,
  rating: z.number().describe("What the user gave it."),
  contribution: z.number().describe("By how much it moves the mean away from `centre`."),
  without: z.number().nullable().describe("What the mean would be without this rating; null where it is the only one."),
}).meta({ id: "Evidence", description: "One rating of a user as the reason for a prediction." });

const personal = strict({
  ...ratingPrediction,
  deviation: z.number().min(0).describe("Standard deviation of the user's own process."),
  centre: z
    .number()
    .describe("The mean of the user's ratings. `centre`, all contributions and `rest` add up to the mean."),
  evidence: z.array(reason).describe("The ratings that move the mean most, the strongest first."),
  rest: strict({
    ratings: total.describe("Ratings that are not listed."),
    contribution: z.number().describe("By how much they move the mean, together."),
  }),
}).meta({ id: "PersonalPrediction", description: "What one user may rate an item, and because of which ratings." });

export const predictAnswer = strict({
  id: itemId.nullable().describe("The item's id; null for a draft."),
  title,
  catalogue: strict(ratingPrediction)
    .nullable()
    .describe("What people will rate it; null where the model has no posterior."),
  personal: personal.nullable().describe("What this user may rate it; null where that cannot be said."),
  reason: z.string().describe("On what the prediction rests, and why a part is null."),
  missing,
  model: modelId,
}).meta({ id: "Prediction", description: "The rating an item can expect." });

// A user: what is stored of them, their metric, and what to show and to ask them.
import { z } from "zod";
import { filter } from "./filter.ts";
import { count, cursor, itemId, modelId, namedItem, nextCursor, recommendationId, time, total, userId } from "./ids.ts";
import { usedMetric } from "./metric.ts";
import { explain, similarItem } from "./similar.ts";
import { optionalBody, strict } from "./strict.ts";

const metricSource = z
  .enum(["sliders", "ratings", "base"])
  .describe(
    "Where their metric comes from: set by hand, fitted to what they met and rated, or the one that all share.",
  );

export const usersQuery = strict({
  limit: count(1, 1000).default(100).describe("Users of a page, 1 to 1,000. Default: 100."),
  after: cursor.optional(),
});

export const usersAnswer = strict({
  users: z
    .array(
      strict({
        id: userId,
        events: total.describe("Events stored."),
        metric: metricSource,
      }).meta({ id: "ListedUser", description: "A user with events, or with a metric of their own." }),
    )
    .describe(
      "Those with a metric of their own first, fitted to the most items before others; then the rest by their ids.",
    ),
  next: nextCursor,
});

export const userAnswer = strict({
  id: userId,
  events: total.describe("Events stored."),
  items: total.describe("Items they met, each once."),
  ratings: total.describe("Items they rated, each once."),
  feedback: total.describe("Entries of feedback stored."),
  first: time.nullable().describe("Of the oldest event, in milliseconds since 1970; null without events."),
  last: time.nullable().describe("Of the newest event."),
  metric: metricSource,
}).meta({ id: "User", description: "What is stored of a user." });

export const deleteUserAnswer = strict({
  events: total.describe("Events deleted."),
  feedback: total.describe("Entries of feedback deleted."),
  metric: z.boolean().describe("Whether a metric was deleted."),
});

const userRating = strict({
  item: itemId,
  rating: z.number().min(-1e9).max(1e9).nullable().optional().describe("Left out, or null: met, but not rated."),
}).meta({ id: "UserRating" });

/** Without a body the stored events are fitted. */
export const personalizeBody = optionalBody(
  strict({
    ratings: z
      .array(userRating)
      .max(10_000)
      .optional()
      .describe(
        "Ratings to fit a metric to, the oldest first, each item once, at most 10,000. Neither they nor the metric is stored. Default: the stored events, whose metric is.",
      ),
  }),
);

export const questionsQuery = strict({
  k: count(1, 50).default(5).describe("Questions, 1 to 50. Default: 5."),
  filter: filter.optional(),
});

export const questionsAnswer = strict({
  questions: z
    .array(
      strict({
        ...namedItem,
        gain: z.number().describe("What an answer is expected to tell about the user's weights, in nats."),
        chance: z.number().min(0).max(1).describe("That the user has met the item; 1 where every answer counts."),
      }).meta({ id: "Question", description: "An item worth asking a user about." }),
    )
    .describe("The most telling first."),
  model: modelId,
});

export const becauseQuery = strict({
  rows: count(1, 20).default(3).describe("Rows, 1 to 20. Default: 3."),
  k: count(1, 50).default(10).describe("Items of a row, 1 to 50. Default: 10."),
  filter: filter.optional(),
  explain,
});

export const becauseAnswer = strict({
  rows: z.array(
    strict({
      seed: strict({
        ...namedItem,
        rating: z.number().nullable().describe("What the user gave it; null where they did not rate it."),
        time: time.describe("When, in milliseconds since 1970."),
      }),
      reason: z.string().describe('Why this seed, such as "you gave The Kid 5".'),
      items: z.array(similarItem).describe("Similar to the seed, and not met by the user; no item stands in two rows."),
      recommendation: recommendationId,
    }).meta({ id: "BecauseRow", description: 'A row "because you watched …".' }),
  ),
  metric: usedMetric,
  model: modelId,
});

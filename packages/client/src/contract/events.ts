// What users do: events, which metrics are learned from, and feedback on lists, which tells how good they are.
import { z } from "zod";
import {
  count,
  cursor,
  givenTime,
  itemId,
  namedItem,
  nextCursor,
  recommendationId,
  text,
  time,
  total,
  userId,
} from "./ids.ts";
import { strict } from "./strict.ts";

const givenId = text(512);
const SAME_ID =
  "Yours to choose: the same id of the same user again is a duplicate, and changes nothing, so that a batch may be sent twice.";
const NO_ID = "Default: made from the other values where `time` is given, else a new one.";
const eventId = givenId.describe(`${SAME_ID} Lists of events show an id of the server's own, made from it. ${NO_ID}`);
const feedbackId = givenId.describe(
  `${SAME_ID} Default: made from list, item and action, each of which then counts once.`,
);
const rating = z
  .number()
  .min(-1e9)
  .max(1e9)
  .nullable()
  .describe("In the units of the ratings that the model was trained on; null where the item was met but not rated.");
const type = text(64).describe(
  'What happened, such as "view", "like" or "buy": a short text of your own. Default: "event".',
);

const event = strict({
  id: eventId.optional(),
  user: userId,
  item: itemId,
  rating: rating.optional(),
  type: type.optional(),
  time: givenTime.optional(),
}).meta({ id: "Event", description: "A user met an item, and may have rated it." });

export const eventsBody = strict({ events: z.array(event).min(1).max(1000).describe("1 to 1,000 events.") });

export const eventsAnswer = strict({
  accepted: total.describe("Events that are stored now."),
  duplicates: total.describe("Events whose user and id were known already."),
  unknownItems: z
    .array(itemId)
    .describe(
      "Items, each once, that the catalogue does not have. Their events are stored, and count once the item is there.",
    ),
});

export const userEventsQuery = strict({
  limit: count(1, 1000).default(100).describe("Events of a page, 1 to 1,000. Default: 100."),
  after: cursor.optional(),
});

export const userEventsAnswer = strict({
  events: z
    .array(
      strict({
        id: text(512),
        item: itemId,
        title: namedItem.title,
        known: z.boolean().describe("Whether the catalogue has the item."),
        rating,
        type: type.nullable(),
        time,
      }).meta({ id: "StoredEvent", description: "An event as it is stored." }),
    )
    .describe("The newest first."),
  next: nextCursor,
});

const feedback = strict({
  id: feedbackId.optional(),
  recommendation: recommendationId.describe("`recommendation` of the list."),
  item: itemId,
  action: text(64).describe(
    'What became of the item: "shown", "clicked", "liked", "dismissed", "bought", or a short text of your own.',
  ),
  position: count(1, 100_000).optional().describe("Where it stood on the page, from 1."),
  user: userId
    .optional()
    .describe(
      "Whom the list was shown to: with this, it is deleted with the user. Default: the token's user, or none.",
    ),
  time: givenTime.optional(),
}).meta({ id: "Feedback", description: "What became of an item of a list." });

export const feedbackBody = strict({ feedback: z.array(feedback).min(1).max(1000).describe("1 to 1,000 entries.") });

export const feedbackAnswer = strict({
  accepted: total.describe("Entries that are stored now."),
  duplicates: total.describe("Entries whose id was known already."),
});

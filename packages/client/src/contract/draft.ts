// An item by the values of its channels, as JSON: what core takes as a draft.
import { z } from "zod";
import { channelName, itemId, text } from "./ids.ts";
import { strict } from "./strict.ts";

const place = strict({
  latitude: z.number().min(-90).max(90).describe("Degrees north."),
  longitude: z.number().min(-180).max(180).describe("Degrees east."),
});

const longText = z.string().max(100_000);
const terms = z.array(z.string().max(512)).max(1000);
const vector = z.array(z.number()).max(8192);

/** The value of one channel. */
const cell = z
  .union(
    [z.number(), longText, terms, vector, place, z.null()],
    "expected a number, a text, a list of texts, a list of numbers, { latitude, longitude } or null",
  )
  .meta({
    id: "Cell",
    description:
      "A channel's value: a number, also as a text; a date as ISO 8601, a year, or seconds since 1970; a text; a list of categories; " +
      "a place; a vector (for a text channel: what its encoder makes of the text). null: not known.",
  });

/** Values by channel; a channel left out is not known. */
export const channels = record(channelName, cell, 256).describe(
  "Values by channel. A channel left out, or null, is not known: a stand-in takes its place, and `missing` says so.",
);

/** An item that is in no catalogue. */
const draft = strict({ draft: channels }).meta({
  id: "Draft",
  description: "An item that is in no catalogue, by the values of its channels.",
});

/** What a question is about. */
export const itemOrDraft = z
  .union([itemId, draft], "expected an item's id, or { draft: { … } } with values by channel")
  .describe("An item's id, or a draft.");

const fieldValue = z.union(
  [longText, z.number(), z.boolean(), terms, z.null()],
  "expected a text, a number, true, false, a list of texts or null",
);

/** Fields: what filters ask and pages show, and no distance depends on. */
export const fields = record(text(128), fieldValue, 256).describe(
  "What filters ask about and pages show; no distance depends on it. Texts, numbers, true, false, lists of texts.",
);

/** The fields of an item as they are answered: those of the model are as they were trained on, whatever their number and length. */
export const answeredFields = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
  .describe("Every field of the model, null where the item has no value, and those of its own that it was put with.");

/** An object of any keys, at most `most` of them: they are counted before any is validated. */
export function record<Key extends z.core.$ZodRecordKey, Value extends z.core.SomeType>(
  key: Key,
  value: Value,
  most: number,
) {
  const entries = z.record(key, value);
  return z.preprocess((given: z.input<typeof entries>, context) => {
    if (typeof given === "object" && given !== null && Object.keys(given).length > most) {
      context.issues.push({ code: "custom", message: `at most ${most} entries`, input: given });
    }
    return given;
  }, entries);
}

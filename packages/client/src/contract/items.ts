// The catalogue: reading it, and putting items at run time.
import { z } from "zod";
import { answeredFields, channels, fields } from "./draft.ts";
import { channelName, count, cursor, itemId, modelId, namedItem, nextCursor, text, time, total } from "./ids.ts";
import { missing } from "./similar.ts";
import { strict } from "./strict.ts";

const itemTitle = text(2000).nullable().optional().describe("Its title, at most 2,000 characters. Default: none.");
const content = { title: itemTitle, channels, fields: fields.optional() };

export const itemContent = strict(content).meta({ id: "ItemContent", description: "An item, without its id." });

const newItem = strict({ id: itemId, ...content }).meta({ id: "NewItem", description: "An item to put." });

export const putItemsBody = strict({
  items: z
    .array(newItem)
    .min(1)
    .max(10_000)
    .check(({ value: items, issues }) => {
      const places = new Map<string, number>();
      for (const [i, { id }] of items.entries()) {
        const before = places.get(id);
        if (before === undefined) places.set(id, i);
        else {
          const message = `stands at ${before} already; give each item once`;
          issues.push({ code: "custom", path: [i, "id"], message, input: id });
          return;
        }
      }
    })
    .describe("1 to 10,000 items, each id once. All of them are put, or none."),
});

const pending = z
  .array(channelName)
  .describe("Channels whose text is waiting to be encoded; a stand-in serves until then.");

const putItem = {
  id: itemId,
  created: z.boolean().describe("Whether the id is new; false where an item was replaced."),
  missing: missing.describe("Channels without a value, with the reason."),
  pending,
};

export const putItemsAnswer = strict({
  items: z
    .array(strict(putItem).meta({ id: "PutItem", description: "What became of an item that was put." }))
    .describe("In the order given."),
  model: modelId,
});
export const putItemAnswer = strict({ ...putItem, model: modelId });

const listed = {
  ...namedItem,
  ratings: total.describe("Ratings it had in training; 0 for one put at run time."),
  added: z.boolean().describe("Whether it was put at run time, and is not in the model."),
  fields: answeredFields,
};

export const itemsQuery = strict({
  search: z.string().max(200).optional().describe("Words to look for in titles and ids. Default: list all, by id."),
  limit: count(1, 200).default(20).describe("Items of a page, 1 to 200. Default: 20."),
  after: cursor.optional(),
});

export const itemsAnswer = strict({
  items: z.array(strict(listed).meta({ id: "ListedItem", description: "An item of the catalogue." })),
  next: nextCursor,
  model: modelId,
});

export const itemAnswer = strict({
  ...listed,
  missing: missing.describe("Channels without a value, with the reason."),
  pending,
  updated: time.nullable().describe("When it was put, in milliseconds since 1970; null for an item of the model."),
  model: modelId,
}).meta({ id: "Item", description: "An item of the catalogue, with what is known of its channels." });

export const deleteItemsBody = strict({ ids: z.array(itemId).min(1).max(10_000).describe("1 to 10,000 ids.") });

export const deleteItemsAnswer = strict({
  deleted: total.describe(
    "Items that are no longer recommended. One of the model stays known, so that ratings of it still count.",
  ),
  unknown: z.array(itemId).describe("Ids that no item has, or had no longer."),
});

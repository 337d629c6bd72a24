// Models that the server can serve, and the index it searches with.
import { z } from "zod";
import { channelName, count, time, total } from "./ids.ts";
import { optionalBody, strict } from "./strict.ts";

const channelType = z.enum([
  "number",
  "categories",
  "vector",
  "text",
  "date",
  "geo",
  "identity",
  "surrogate",
  "behavior",
]);

export const modelInfo = strict({
  id: z.string().nullable().describe("sha256 of all it is made of; null where the folder cannot be read."),
  folder: z.string().describe("Name of its folder."),
  name: z.string().nullable(),
  active: z.boolean().describe("Whether it answers now."),
  items: total.nullable(),
  channels: z
    .array(strict({ name: channelName, type: channelType, weight: z.number().describe("h, as learned.") }))
    .describe("In order."),
  fields: z.array(z.string()).describe("Fields that its items have, for filters."),
  unreadable: total.describe(
    "Items put at run time that the model that answers leaves out, since it cannot read a value of theirs.",
  ),
  personalizes: z.boolean().describe("Whether it can learn a user's own metric."),
  predictsRatings: z.boolean().describe("Whether it can predict the mean rating of an item."),
  dataset: strict({
    id: z.string(),
    name: z.string(),
    simulated: z.boolean().describe("Users and ratings are made up: to be said wherever results are shown."),
  }).nullable(),
  problems: z.array(z.string()).describe("Why it cannot be served; empty where it can."),
}).meta({ id: "Model", description: "A model folder." });

export const modelsAnswer = strict({
  models: z.array(modelInfo),
  active: z.string().nullable().describe("Id of the model that answers now."),
  previous: z.string().nullable().describe("Id of the model that rollback goes back to; null where there is none."),
});

export const activatedAnswer = strict({
  model: modelInfo,
  previous: z.string().nullable().describe("Id of the model that answered before."),
});

export const validatedAnswer = strict({
  id: z.string().nullable(),
  folder: z.string(),
  valid: z.boolean().describe("Whether it could be activated."),
  problems: z.array(z.string()).describe("What speaks against it."),
  warnings: z
    .array(z.string())
    .describe("What is worth knowing: channels or items that the active model has and it lacks."),
});

const kind = z
  .enum(["exact", "graph"])
  .describe("exact: every item is compared. graph: an index proposes candidates, which are then compared exactly.");

export const indexAnswer = strict({
  kind,
  items: total.describe("Items that can be found."),
  added: total.describe("Those put at run time."),
  pending: total.describe("Those with a text that is waiting to be encoded."),
  building: z.boolean().describe("Whether a graph is being built; until it is there, every item is compared."),
  graph: strict({
    nodes: total,
    bytes: total,
    seconds: z.number().min(0).describe("That building took."),
    recall: z.number().min(0).max(1).nullable().describe("As last measured; null where it was not."),
    measured: time.nullable(),
  }).nullable(),
}).meta({ id: "Index", description: "What similar items are searched with." });

export const measureBody = optionalBody(
  strict({
    queries: count(1, 1000).default(100).describe("Items to ask about, drawn at random; 1 to 1,000. Default: 100."),
    k: count(1, 200).default(10).describe("Items of each list, 1 to 200. Default: 10."),
  }),
);

const spread = strict({ median: z.number().min(0), p95: z.number().min(0) }).describe("Milliseconds of one search.");

export const measureAnswer = strict({
  kind,
  queries: total,
  k: total,
  recall: z.number().min(0).max(1).describe("Share of the exact lists that the graph found; 1 where no graph is used."),
  exact: spread,
  graph: spread.nullable().describe("null where no graph is used."),
});

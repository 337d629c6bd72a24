// Whether the server is well, and errors.
import { z } from "zod";
import { apiErrorCodes } from "../errors.ts";
import { namedItem } from "./ids.ts";
import { strict } from "./strict.ts";

export const healthAnswer = strict({
  status: z.literal("ok"),
  version: z.string(),
  uptime: z.number().min(0).describe("Seconds since the start."),
}).meta({ id: "Health" });

export const readyAnswer = strict({
  status: z.literal("ready"),
  model: z.string().describe("Id of the active model."),
  items: z.int().min(0),
  store: z.string().describe("What users are stored in."),
  replicas: strict({
    alive: z.int().min(1).describe("Servers that share it, this one included."),
    listening: z.boolean().describe("Whether changes of others are heard of as they come, and not by the clock alone."),
    problem: z.string().nullable().describe("Why this one serves another model than the one activated last."),
  })
    .optional()
    .describe("Where several servers can share the store."),
}).meta({ id: "Ready" });

/** What every answer but a 2xx carries. */
export const errorSchema = strict({
  error: strict({
    code: z.enum(apiErrorCodes).describe("Stable: to be compared with."),
    message: z.string().describe("What was expected, what came and what to try; for people."),
    field: z.string().optional().describe("The place in the request, such as items[0].draft.year."),
    nearest: z.array(strict(namedItem)).optional().describe("Items that may have been meant."),
    requestId: z.string().describe("Names the request in the server's log."),
  }),
}).meta({ id: "Error", description: "What went wrong." });

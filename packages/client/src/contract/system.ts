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

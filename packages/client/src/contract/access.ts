// Keys of servers, and tokens that a server signs for the browser of one user.
import { z } from "zod";
import { count, givenTime, text, time, total, userId } from "./ids.ts";
import { strict } from "./strict.ts";

const keyScope = z
  .enum(["read", "events", "admin"])
  .describe("read: ask; events: store what users do; admin: everything.");
const tokenScope = z.enum(["read", "events"]);

export const tokenBody = strict({
  user: userId,
  seconds: count(1, 86_400).default(900).describe("How long it is valid, 1 second to 24 hours. Default: 900."),
  scopes: z
    .array(tokenScope)
    .min(1)
    .max(2)
    .default(["read", "events"])
    .describe("What it may do, at most what the key may. Default: read and events."),
});

export const tokenAnswer = strict({
  token: z.string().describe("To be sent as `authorization: Bearer …`."),
  user: userId,
  scopes: z.array(tokenScope),
  expires: time.describe("Milliseconds since 1970."),
});

const keyInfo = {
  id: z.string().describe("Names the key; no secret."),
  name: z.string(),
  scopes: z.array(keyScope),
  created: time,
  expires: time.nullable().describe("Milliseconds since 1970; null: never."),
};

export const keysAnswer = strict({
  keys: z.array(
    strict({
      ...keyInfo,
      used: time.nullable().describe("When it was last used, to about a minute; null: never."),
    }).meta({ id: "Key", description: "A key, without its secret." }),
  ),
});

export const keyBody = strict({
  name: text(128).describe("What it is for, in your words."),
  scopes: z.array(keyScope).min(1).max(3).describe("What it may do: read, events, admin."),
  expires: givenTime.optional().describe("Milliseconds since 1970, or ISO 8601. Default: never."),
});

export const keyAnswer = strict({
  ...keyInfo,
  key: z.string().describe("The key itself. It is shown this once, and stored as a hash."),
});

export const deletedKeyAnswer = strict({ deleted: total.max(1).describe("0 where there was no such key.") });

// What leaves the device, and only when it is asked for: ratings as events, of which the server fits the same metric. And taking it back.

import { NearkinApiError, type UserMetric } from "@nearkin/client";
import type { client as apiClient } from "../api/client.ts";
import { markSaved, type Notes, type Rated, unsavedOf } from "./notes.ts";

/** What of the client is needed. */
export interface SaveClient {
  readonly events: Pick<typeof apiClient.events, "add">;
  readonly users: Pick<typeof apiClient.users, "events" | "delete" | "personalize">;
}

/** What pressing "Save" would do, in order. */
export interface SavePlan {
  readonly user: string;
  /** Whether nothing was saved from here under this name before. */
  readonly isNew: boolean;
  /** Whose copy is deleted after the new one is there: it was saved under another name before. */
  readonly moves: string | undefined;
  /** Whether the server's copy is deleted first: ratings were taken back, and events cannot be. */
  readonly rewrites: boolean;
  readonly ratings: readonly Rated[];
}

export function planSave(notes: Notes, user: string): SavePlan {
  const { saved, ratings } = notes;
  if (saved?.user !== user) return { user, isNew: true, moves: saved?.user, rewrites: false, ratings };
  const { ratings: fresh, takenBack } = unsavedOf(notes);
  const rewrites = takenBack.length > 0;
  return { user, isNew: false, moves: undefined, rewrites, ratings: rewrites ? ratings : fresh };
}

/** The requests of a plan, as they are sent. */
export function requestsOf({ user, isNew, moves, rewrites, ratings }: SavePlan): string[] {
  const path = (id: string) => `/v1/users/${encodeURIComponent(id)}`;
  const count = `${ratings.length} ${ratings.length === 1 ? "rating" : "ratings"}`;
  return [
    ...(isNew ? [`GET ${path(user)}/events: whether somebody has the name “${user}” already`] : []),
    ...(rewrites ? [`DELETE ${path(user)}: all that it has of “${user}”, since you took ratings back`] : []),
    ...(ratings.length > 0
      ? [`POST /v1/events: ${count}, each with item, stars and time, under the name “${user}”`]
      : []),
    `POST ${path(user)}/personalize: fits and keeps the metric of “${user}” there`,
    ...(moves === undefined ? [] : [`DELETE ${path(moves)}: the copy that you saved as “${moves}”`]),
  ];
}

export type SaveOutcome =
  | { readonly state: "saved"; readonly notes: Notes; readonly metric: UserMetric | undefined }
  /** Somebody has this name already: nothing was sent. */
  | { readonly state: "taken" };

interface SaveOptions {
  readonly now: number;
  /** Adds to what the server has under this name, whoever sent it. */
  readonly shareName: boolean;
}

/** Sends what the server does not have. Where it fails on the way, sending again does no harm: events have ids. */
export async function save(
  client: SaveClient,
  notes: Notes,
  user: string,
  { now, shareName }: SaveOptions,
): Promise<SaveOutcome> {
  const plan = planSave(notes, user);
  if (plan.isNew && !shareName) {
    const { events } = await client.users.events(user, { limit: 1 });
    if (events.length > 0) return { state: "taken" };
  }
  if (plan.rewrites) await client.users.delete(user);
  if (plan.ratings.length > 0) {
    await client.events.add(
      plan.ratings.map(({ item, rating, time, changed }) => ({ id: eventId(item, changed), user, item, rating, time })),
    );
  }
  const metric = await fitted(client, user);
  if (plan.moves !== undefined) await client.users.delete(plan.moves);
  return { state: "saved", notes: markSaved(notes, user, now), metric };
}

/** A rating that is changed is another event; the same one sent twice is not. */
const eventId = (item: string, changed: number): string => `you ${changed} ${item}`.slice(0, 512);

/** The metric that the server has now. A model there that cannot fit one has the ratings all the same. */
async function fitted(client: SaveClient, user: string): Promise<UserMetric | undefined> {
  try {
    return await client.users.personalize(user);
  } catch (error) {
    if (error instanceof NearkinApiError && error.code === "UNSUPPORTED") return undefined;
    throw error;
  }
}

/** Whether two metrics are the same but for rounding on other machines. */
export function isSameMetric(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  return Object.entries(a).every(
    ([channel, weight]) => Math.abs(weight - (b[channel] ?? Number.NaN)) <= 1e-3 * Math.abs(weight),
  );
}

// What users do: stored before it is answered, learned from soon after.
import { NearkinError } from "@nearkin/core";
import type { Recommendations } from "../../search/recommendation.ts";
import { UserQuotaError } from "../../store/quota.ts";
import { ApiError } from "../api-error.ts";
import { type Handlers, userOf } from "../context.ts";

/** An event that does not say what happened. */
const MET = "event";

export const eventHandlers: Handlers<"addEvents" | "addFeedback"> = {
  addEvents: async ({ models, store, users, refresh, rowUpdates, metrics }, { body: { events } }) => {
    const { accepted, duplicates, acceptedUsers } = await store.events
      .add(
        events.map(({ id, user, item, rating, type, time }) => ({
          user,
          item,
          rating: rating ?? null,
          type: type ?? MET,
          ...(id === undefined ? {} : { id }),
          ...(time === undefined ? {} : { time: Math.round(time) }),
        })),
      )
      .catch(overQuota("events", events));
    for (const user of acceptedUsers) {
      users.forget(user);
      refresh.add(user);
    }
    if (accepted > 0) rowUpdates.notice();
    metrics.events.stored(accepted, duplicates);
    const catalogue = models.current?.catalogue;
    const unknown = catalogue ? events.filter(({ item }) => catalogue.find(item) === undefined) : [];
    return { accepted, duplicates, unknownItems: [...new Set(unknown.map(({ item }) => item))] };
  },

  addFeedback: async ({ store, recommendations, metrics }, { body: { feedback }, caller }) => {
    const entries = feedback.map(({ id, recommendation, item, action, position, user, time }, i) => ({
      recommendation,
      item,
      action,
      position: position ?? null,
      user: userOf(caller, user) ?? null,
      model: modelOf(recommendations, recommendation, i),
      ...(id === undefined ? {} : { id }),
      ...(time === undefined ? {} : { time: Math.round(time) }),
    }));
    const answer = await store.feedback.add(entries).catch(overQuota("feedback", entries));
    for (const { action } of entries) metrics.events.feedback(action);
    return answer;
  },
};

/** Names the first entry of the user who would have too many. */
const overQuota =
  (list: string, entries: readonly { user: string | null }[]) =>
  (error: unknown): never => {
    if (!(error instanceof UserQuotaError)) throw error;
    const field = `${list}[${entries.findIndex(({ user }) => user === error.user)}].user`;
    throw new ApiError("OVER_LIMIT", `${field}: ${error.message}`, { field, cause: error });
  };

/** The model that made a list; only lists of this server have one. */
function modelOf(recommendations: Recommendations, id: string, place: number): string {
  try {
    return recommendations.read(id).model;
  } catch (cause) {
    if (!(cause instanceof NearkinError)) throw cause;
    const field = `feedback[${place}].recommendation`;
    throw new ApiError("BAD_REQUEST", `feedback[${place}].${cause.message}`, { field, cause });
  }
}

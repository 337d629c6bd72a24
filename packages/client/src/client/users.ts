// Users: who they are, what is stored of them, their metric, what to show and to ask them.

import type {
  BecauseOptions,
  ListedUser,
  ListUsersOptions,
  QuestionsOptions,
  Sliders,
  StoredEvent,
  User,
  UserEventsOptions,
  UserMetric,
  UserRating,
} from "../contract/types.ts";
import type { AnswerTo, Call } from "./call.ts";
import { entriesOf } from "./pages.ts";
import type { CallOptions } from "./transport.ts";

export function userCalls(call: Call) {
  const events = (id: string, options: UserEventsOptions = {}, using?: CallOptions) =>
    call("GET /v1/users/{id}/events", { params: { id }, query: options }, using);

  const list = (options: ListUsersOptions = {}, using?: CallOptions): Promise<AnswerTo<"GET /v1/users">> =>
    call("GET /v1/users", { query: options }, using);

  return {
    /** A page of users, those with a metric of their own first. */
    list,

    /** Every user, in the same order. */
    pages: (options: ListUsersOptions = {}, using?: CallOptions): AsyncGenerator<ListedUser, void> =>
      entriesOf(async (after) => {
        const { users: entries, next } = await list({ ...options, after }, using);
        return { entries, next };
      }, options.after),

    /** What is stored of a user. */
    get: (id: string, using?: CallOptions): Promise<User> => call("GET /v1/users/{id}", { params: { id } }, using),

    /** Deletes everything about a user. */
    delete: (id: string, using?: CallOptions): Promise<AnswerTo<"DELETE /v1/users/{id}">> =>
      call("DELETE /v1/users/{id}", { params: { id } }, using),

    /** A page of a user's events, the newest first. */
    events,

    /** Every event of a user, the newest first. */
    eventPages: (id: string, options: UserEventsOptions = {}, using?: CallOptions): AsyncGenerator<StoredEvent, void> =>
      entriesOf(async (after) => {
        const { events: entries, next } = await events(id, { ...options, after }, using);
        return { entries, next };
      }, options.after),

    metric: {
      get: (id: string, using?: CallOptions): Promise<UserMetric> =>
        call("GET /v1/users/{id}/metric", { params: { id } }, using),

      /** Sets a user's metric by hand. */
      put: (id: string, sliders: Sliders, using?: CallOptions): Promise<UserMetric> =>
        call("PUT /v1/users/{id}/metric", { params: { id }, body: sliders }, using),

      /** Forgets a user's metric; answers the one that is used from now on. */
      delete: (id: string, using?: CallOptions): Promise<UserMetric> =>
        call("DELETE /v1/users/{id}/metric", { params: { id } }, using),
    },

    /** Fits a user's metric now; with `ratings`, to these alone, and stores nothing. */
    personalize: (
      id: string,
      options: { readonly ratings?: readonly UserRating[] | undefined } = {},
      using?: CallOptions,
    ): Promise<UserMetric> =>
      call(
        "POST /v1/users/{id}/personalize",
        { params: { id }, body: options.ratings ? { ratings: [...options.ratings] } : {} },
        using,
      ),

    /** Items whose rating would tell most about a user's metric. */
    nextQuestion: (
      id: string,
      options: QuestionsOptions = {},
      using?: CallOptions,
    ): Promise<AnswerTo<"GET /v1/users/{id}/next-question">> =>
      call("GET /v1/users/{id}/next-question", { params: { id }, query: options }, using),

    /** Rows "because you watched …". */
    because: (
      id: string,
      options: BecauseOptions = {},
      using?: CallOptions,
    ): Promise<AnswerTo<"GET /v1/users/{id}/because">> =>
      call("GET /v1/users/{id}/because", { params: { id }, query: options }, using),
  };
}

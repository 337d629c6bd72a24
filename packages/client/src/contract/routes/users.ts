import { userEventsAnswer, userEventsQuery } from "../events.ts";
import { exampleModel, exampleWeights, theCircus, theKid } from "../examples.ts";
import { userId } from "../ids.ts";
import { sliders, userMetric } from "../metric.ts";
import { type RouteSpec, route } from "../route.ts";
import { strict } from "../strict.ts";
import {
  becauseAnswer,
  becauseQuery,
  deleteUserAnswer,
  personalizeBody,
  questionsAnswer,
  questionsQuery,
  userAnswer,
  usersAnswer,
  usersQuery,
} from "../users.ts";

const params = strict({ id: userId });
const user = { id: "u0001" };
const watched = Date.UTC(2026, 2, 1, 20, 15);

/** What all routes of a user have in common. */
const ofUser = {
  tokens: true,
  user: "params.id",
  idempotent: true,
  tag: "users",
  params,
} as const satisfies Partial<RouteSpec>;

const baseOnly = {
  user: user.id,
  source: "base",
  weights: exampleWeights,
  popularity: 0,
  base: exampleWeights,
  fit: null,
  pending: false,
  stored: true,
  reason: "no such user yet: the metric that all share",
  model: exampleModel,
};
const byHand = {
  ...baseOnly,
  source: "sliders",
  weights: { ...exampleWeights, director: 2 },
  reason: "set by slider",
};
const fitted = {
  ...baseOnly,
  source: "ratings",
  weights: { ...exampleWeights, plot: 1.31 },
  popularity: 0.2,
  fit: { items: 12, used: 12, iterations: 9, before: 1.38, after: 1.29, kept: null, offset: 0, time: watched },
  reason: "fitted to 12 items",
};

export const userRoutes = {
  listUsers: route({
    method: "GET",
    path: "/v1/users",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "users",
    summary: "Users",
    description:
      "Who has events or a metric of their own, page by page: those with a metric of their own first, fitted to the most items before others, then the rest by their ids.",
    query: usersQuery,
    response: usersAnswer,
    errors: ["STALE_CURSOR", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "The first two",
        query: { limit: 2 },
        response: {
          users: [
            { id: "u0001", events: 14, metric: "ratings" },
            { id: "u0007", events: 2, metric: "base" },
          ],
          next: "rest.u0007",
        },
      },
    ],
  }),

  getUser: route({
    ...ofUser,
    method: "GET",
    path: "/v1/users/{id}",
    scope: "read",
    summary: "What is stored of a user",
    description: "How many events and ratings, from when to when, and where their metric comes from.",
    response: userAnswer,
    errors: ["UNKNOWN_USER", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "A user with twelve ratings",
        params: user,
        response: {
          ...user,
          events: 14,
          items: 13,
          ratings: 12,
          feedback: 3,
          first: watched - 86_400_000,
          last: watched,
          metric: "ratings",
        },
      },
    ],
  }),

  deleteUser: route({
    ...ofUser,
    method: "DELETE",
    path: "/v1/users/{id}",
    scope: "events",
    summary: "Delete everything about a user",
    description:
      "Events, feedback and metric are gone when the answer comes, and with a file as store also from its write-ahead log. If STORE_UNAVAILABLE is answered, as while " +
      "another program reads that file, send it again: what was begun is continued. A user of whom nothing is stored is not an error.",
    response: deleteUserAnswer,
    errors: ["STORE_UNAVAILABLE"],
    examples: [{ summary: "All is gone", params: user, response: { events: 14, feedback: 3, metric: true } }],
  }),

  getUserEvents: route({
    ...ofUser,
    method: "GET",
    path: "/v1/users/{id}/events",
    scope: "read",
    summary: "A user's events",
    description: "Everything that a user did, the newest first, page by page: their own data, to be given to them.",
    query: userEventsQuery,
    response: userEventsAnswer,
    errors: ["STALE_CURSOR", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "The newest",
        params: user,
        query: { limit: 1 },
        response: {
          events: [
            { id: "e1", item: theKid.id, title: theKid.title, known: true, rating: 5, type: null, time: watched },
          ],
          next: "eyJ0IjoxfQ",
        },
      },
    ],
  }),

  getMetric: route({
    ...ofUser,
    method: "GET",
    path: "/v1/users/{id}/metric",
    scope: "read",
    summary: "A user's metric",
    description:
      "The weight of every channel for this user, where it comes from, and the weights that all share. Of a user that is not known these are the same.",
    response: userMetric,
    errors: ["STORE_UNAVAILABLE"],
    examples: [{ summary: "Fitted to twelve ratings", params: user, response: fitted }],
  }),

  putMetric: route({
    ...ofUser,
    method: "PUT",
    path: "/v1/users/{id}/metric",
    scope: "events",
    summary: "Set a user's metric by hand",
    description:
      "Sliders. They stand until they are deleted; what the user rates meanwhile is stored, and counts after that.",
    body: sliders,
    response: userMetric,
    errors: ["STORE_UNAVAILABLE"],
    examples: [{ summary: "Directors first", params: user, body: { weights: { director: 2 } }, response: byHand }],
  }),

  deleteMetric: route({
    ...ofUser,
    method: "DELETE",
    path: "/v1/users/{id}/metric",
    scope: "events",
    summary: "Forget a user's metric",
    description:
      "Sliders, and what was fitted. Events stay, and a metric is fitted to them again with the next one. Answers the metric that is used from now on.",
    response: userMetric,
    errors: ["STORE_UNAVAILABLE"],
    examples: [{ summary: "Back to what all share", params: user, response: { ...baseOnly, reason: "deleted" } }],
  }),

  personalize: route({
    ...ofUser,
    method: "POST",
    path: "/v1/users/{id}/personalize",
    scope: "events",
    summary: "Fit a user's metric now",
    description:
      "Without ratings, to all that is stored of the user, instead of waiting for the background. With ratings, to these alone: then neither they nor the metric is stored.",
    body: personalizeBody,
    response: userMetric,
    errors: ["UNKNOWN_ITEM", "UNSUPPORTED", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "To ratings that are not stored",
        params: user,
        body: { ratings: [{ item: theKid.id, rating: 5 }, { item: theCircus.id }] },
        response: { ...fitted, stored: false, reason: "fitted to 2 items of the request" },
      },
    ],
  }),

  nextQuestion: route({
    ...ofUser,
    method: "GET",
    path: "/v1/users/{id}/next-question",
    scope: "read",
    summary: "What to ask a user next",
    description:
      "Items whose rating is expected to tell most about the user's metric; also of one who is not known yet.",
    query: questionsQuery,
    response: questionsAnswer,
    errors: ["UNSUPPORTED", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "One question",
        params: user,
        query: { k: 1 },
        response: {
          questions: [{ id: theCircus.id, title: theCircus.title, gain: 0.21, chance: 0.4 }],
          model: exampleModel,
        },
      },
    ],
  }),

  because: route({
    ...ofUser,
    method: "GET",
    path: "/v1/users/{id}/because",
    scope: "read",
    summary: 'Rows "because you watched …"',
    description:
      "For the items that a user liked best and met last, items similar to each by the user's own metric. No item stands in two rows. Without events there are no rows.",
    query: becauseQuery,
    response: becauseAnswer,
    errors: ["STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "One row",
        params: user,
        query: { rows: 1, k: 1 },
        response: {
          rows: [
            {
              seed: { ...theKid, rating: 5, time: watched },
              reason: "you gave The Kid 5",
              items: [theCircus],
              recommendation: "01JAV3W2M5K9",
            },
          ],
          metric: { source: "user", weights: fitted.weights, popularity: 0.2, reason: "fitted to 12 items" },
          model: exampleModel,
        },
      },
    ],
  }),
} as const;

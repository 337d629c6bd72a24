import { baseMetric, exampleContributions, exampleModel, theCircus, theKid } from "../examples.ts";
import { itemId } from "../ids.ts";
import { predictAnswer, predictBody } from "../predict.ts";
import { route } from "../route.ts";
import { explainQuery, explanation, similarAnswer, similarBody, similarQuery } from "../similar.ts";
import { strict } from "../strict.ts";

const list = {
  items: [theCircus],
  next: "eyJhIjoxfQ",
  metric: baseMetric,
  missing: [],
  recommendation: "01JAV3W2M5K8",
  model: exampleModel,
  exact: true,
};

export const similarRoutes = {
  similarToItem: route({
    method: "GET",
    path: "/v1/items/{id}/similar",
    scope: "read",
    tokens: true,
    user: "query.user",
    idempotent: true,
    tag: "similar",
    summary: "Items similar to an item",
    description:
      "The items most similar to one of the catalogue, best first, never the item itself. With a user, by the metric that was learned from what they met and rated, " +
      "or that they set by slider; a user that is not known gets the metric that all share, and `metric.reason` says so.",
    params: strict({ id: itemId }),
    query: similarQuery,
    response: similarAnswer,
    errors: ["UNKNOWN_ITEM", "STALE_CURSOR", "URI_TOO_LONG"],
    examples: [
      {
        summary: "Silent comedies like The Kid",
        params: { id: theKid.id },
        query: { k: 1, filter: 'genres has "Comedy" and year < 1930' },
        response: list,
      },
      {
        summary: "With other weights, and the reasons",
        params: { id: theKid.id },
        query: { k: 1, weights: { genres: 1, year: 0.25, plot: 0, director: 0, country: 0 }, explain: true },
        response: {
          ...list,
          items: [{ ...theCircus, score: -1, distance: 0.5, contributions: exampleContributions }],
          metric: { ...baseMetric, source: "given", reason: "the weights of the request" },
        },
      },
    ],
  }),

  similar: route({
    method: "POST",
    path: "/v1/similar",
    scope: "read",
    tokens: true,
    user: "body.user",
    idempotent: true,
    tag: "similar",
    summary: "Items similar to several items, or to drafts",
    description:
      "The same for one item or several, by their mean distance, and for drafts: items that are in no catalogue, described by their channels. " +
      "Stores nothing but what feedback on the list needs.",
    body: similarBody,
    response: similarAnswer,
    errors: ["UNKNOWN_ITEM", "STALE_CURSOR"],
    examples: [
      {
        summary: "Like The Kid, and like a film that does not exist",
        body: {
          items: [theKid.id, { draft: { genres: ["Comedy"], year: 1925, plot: "A tramp joins a circus." } }],
          k: 1,
          filter: { field: "year", atMost: 1930 },
        },
        response: { ...list, missing: [{ channel: "director", reason: "not given" }] },
      },
    ],
  }),

  explain: route({
    method: "GET",
    path: "/v1/items/{id}/similar/{other}",
    scope: "read",
    tokens: true,
    user: "query.user",
    idempotent: true,
    tag: "similar",
    summary: "Why an item is similar to another",
    description:
      "Where `other` stands in the list of `id`, every channel's contribution to their distance, and where it would stand without that channel.",
    params: strict({ id: itemId, other: itemId }),
    query: explainQuery,
    response: explanation,
    errors: ["UNKNOWN_ITEM", "URI_TOO_LONG"],
    examples: [
      {
        summary: "The Circus in the list of The Kid",
        params: { id: theKid.id, other: theCircus.id },
        response: {
          ...theCircus,
          score: -1,
          distance: 0.5,
          contributions: exampleContributions,
          missing: [],
          metric: baseMetric,
          model: exampleModel,
        },
      },
    ],
  }),

  predict: route({
    method: "POST",
    path: "/v1/predict",
    scope: "read",
    tokens: true,
    user: "body.user",
    idempotent: true,
    tag: "similar",
    summary: "The rating an item can expect",
    description:
      "The posterior of an item's mean rating, also of a draft that nobody has rated, with how sure that is; and for a user with ratings, what they may give it, because of which of them.",
    body: predictBody,
    response: predictAnswer,
    errors: ["UNKNOWN_ITEM", "UNSUPPORTED"],
    examples: [
      {
        summary: "For one user",
        body: { item: theCircus.id, user: "u0001", evidence: 1 },
        response: {
          id: theCircus.id,
          title: theCircus.title,
          catalogue: { mean: 3.6, deviation: 0.31, observationDeviation: 0.95 },
          personal: {
            mean: 4.1,
            deviation: 0.4,
            observationDeviation: 0.7,
            centre: 3.5,
            evidence: [{ ...theKid, rating: 5, contribution: 0.5, without: 3.55 }],
            rest: { ratings: 11, contribution: 0.1 },
          },
          reason: "from 12 ratings of the user",
          missing: [],
          model: exampleModel,
        },
      },
    ],
  }),
} as const;

import { exampleModel, theKid } from "../examples.ts";
import { itemId } from "../ids.ts";
import {
  deleteItemsAnswer,
  deleteItemsBody,
  itemAnswer,
  itemContent,
  itemsAnswer,
  itemsQuery,
  putItemAnswer,
  putItemsAnswer,
  putItemsBody,
} from "../items.ts";
import { route } from "../route.ts";
import { strict } from "../strict.ts";

const params = strict({ id: itemId });
const fields = { year: 1921, genres: ["Comedy", "Drama", "Family"] };
const newFilm = {
  title: "Night Ferry",
  channels: { genres: ["Drama"], year: 2026, plot: "A ferry's crew keeps a secret." },
  fields: { year: 2026 },
};
const put = {
  id: "night-ferry-2026",
  created: true,
  missing: [{ channel: "director", reason: "not given" }],
  pending: ["plot"],
};

export const itemRoutes = {
  listItems: route({
    method: "GET",
    path: "/v1/items",
    scope: "read",
    tokens: true,
    idempotent: true,
    tag: "items",
    summary: "Search the catalogue, or list it",
    description:
      "Items whose title or id has the words of `search`, the best match first; without it all items, by id.",
    query: itemsQuery,
    response: itemsAnswer,
    errors: ["STALE_CURSOR"],
    examples: [
      {
        summary: "By a word of the title",
        query: { search: "kid", limit: 1 },
        response: { items: [{ ...theKid, ratings: 212, added: false, fields }], next: null, model: exampleModel },
      },
    ],
  }),

  getItem: route({
    method: "GET",
    path: "/v1/items/{id}",
    scope: "read",
    tokens: true,
    idempotent: true,
    tag: "items",
    summary: "One item",
    description:
      "An item with its fields, and which of its channels have no value, or are waiting for their text to be encoded.",
    params,
    response: itemAnswer,
    errors: ["UNKNOWN_ITEM"],
    examples: [
      {
        summary: "The Kid",
        params: { id: theKid.id },
        response: {
          ...theKid,
          ratings: 212,
          added: false,
          fields,
          missing: [],
          pending: [],
          updated: null,
          model: exampleModel,
        },
      },
    ],
  }),

  putItems: route({
    method: "PUT",
    path: "/v1/items",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "items",
    summary: "Put items",
    description:
      "New items are found at once, without training; an item that is there already, of the model or put before, is replaced. All of them are put, or none. " +
      "Texts for an encoder are encoded in the background: until then their channels are `pending`. Items outlast a change of models.",
    body: putItemsBody,
    response: putItemsAnswer,
    errors: ["OVER_LIMIT"],
    examples: [
      {
        summary: "A film that is new",
        body: { items: [{ id: put.id, ...newFilm }] },
        response: { items: [put], model: exampleModel },
      },
    ],
  }),

  putItem: route({
    method: "PUT",
    path: "/v1/items/{id}",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "items",
    summary: "Put one item",
    description: "As PUT /v1/items, for one.",
    params,
    body: itemContent,
    response: putItemAnswer,
    errors: ["OVER_LIMIT"],
    examples: [
      {
        summary: "A film that is new",
        params: { id: put.id },
        body: newFilm,
        response: { ...put, model: exampleModel },
      },
    ],
  }),

  deleteItem: route({
    method: "DELETE",
    path: "/v1/items/{id}",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "items",
    summary: "Delete one item",
    description:
      "It is recommended no longer. Of the model's own items only that is undone by putting them again; one that is not there is no error.",
    params,
    response: deleteItemsAnswer,
    errors: [],
    examples: [{ summary: "A film that was put", params: { id: put.id }, response: { deleted: 1, unknown: [] } }],
  }),

  deleteItems: route({
    method: "POST",
    path: "/v1/items/delete",
    scope: "admin",
    tokens: false,
    idempotent: true,
    tag: "items",
    summary: "Delete items",
    description: "As DELETE /v1/items/{id}, for many.",
    body: deleteItemsBody,
    response: deleteItemsAnswer,
    errors: [],
    examples: [
      {
        summary: "Two, of which one is not there",
        body: { ids: [put.id, "no-such-film"] },
        response: { deleted: 1, unknown: ["no-such-film"] },
      },
    ],
  }),
} as const;

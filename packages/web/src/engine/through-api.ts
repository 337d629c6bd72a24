// The server answers: for models that are too large to hold here, and until a small one is there.
import type { Item, ListedItem } from "@nearkin/client";
import { client } from "../api/client.ts";
import { noting } from "./active-model.ts";
import { type ItemDetails, type ItemFacts, liftsOf, type Similarity, type Tuning } from "./similarity.ts";

const SHELF = 18; // items

export const throughApi: Similarity = {
  place: "server",

  async similar(item, { diversity, k, ...tuning }) {
    const { items, metric } = noting(
      await client.items.similar(item, { ...asked(tuning), diversity, k, explain: true }),
    );
    return items.map(({ contributions = [], lifts, ...rest }) => ({
      ...rest,
      contributions,
      raisedBy: liftsOf(lifts, metric.history?.items),
    }));
  },

  async explain(item, other, tuning) {
    const { lifts, metric, ...rest } = noting(await client.items.explain(item, other, asked(tuning)));
    return { ...rest, raisedBy: liftsOf(lifts, metric.history?.items) };
  },

  item: async (id) => detailsOf(noting(await client.items.get(id))),

  async search(text, limit) {
    const { items } = noting(await client.items.list({ search: text, limit }));
    return items.map(factsOf);
  },

  async shelves() {
    const { items } = noting(await client.items.list({ limit: SHELF }));
    return { order: "first", items: items.map(factsOf), pairs: [] };
  },
};

/** With the history that was asked about and no other: the model in a worker does not know the user, and both must give the same list. */
const asked = ({ weights, popularity, history }: Tuning) => ({
  weights: { ...weights },
  popularity,
  history: history?.factor ?? 0,
  ...(history ? { met: [...history.items] } : {}),
});

const factsOf = ({ id, title, ratings, fields }: ListedItem): ItemFacts => ({ id, title, ratings, fields });

const detailsOf = (item: Item): ItemDetails => ({
  ...factsOf(item),
  missing: [...item.missing.map(({ channel }) => channel), ...item.pending],
});

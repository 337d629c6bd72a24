// The server answers: for models that are too large to hold here, and until a small one is there.
import type { Item, ListedItem } from "@nearkin/client";
import { client } from "../api/client.ts";
import { noting } from "./active-model.ts";
import type { ItemDetails, ItemFacts, Similarity, Tuning } from "./similarity.ts";

const SHELF = 18; // items

export const throughApi: Similarity = {
  place: "server",

  async similar(item, { weights, popularity, diversity, k }) {
    const { items } = noting(
      await client.items.similar(item, { ...asked({ weights, popularity }), diversity, k, explain: true }),
    );
    return items.map(({ contributions = [], ...rest }) => ({ ...rest, contributions }));
  },

  explain: async (item, other, { weights, popularity }) =>
    noting(await client.items.explain(item, other, asked({ weights, popularity }))),

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

/** Without what a signed-in user met lately: the model in a worker does not know it, and both must give the same list. */
const asked = ({ weights, popularity }: Tuning) => ({ weights: { ...weights }, popularity, history: 0 });

const factsOf = ({ id, title, ratings, fields }: ListedItem): ItemFacts => ({ id, title, ratings, fields });

const detailsOf = (item: Item): ItemDetails => ({
  ...factsOf(item),
  missing: [...item.missing.map(({ channel }) => channel), ...item.pending],
});

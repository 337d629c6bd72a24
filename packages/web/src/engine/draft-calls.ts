// What the worker answers of drafts: items that are in no catalogue. Texts that need an encoder are the server's.
import type { Draft, Model } from "@nearkin/core";

export const draftCalls = {
  async draftNeighbours(model: Model, draft: Draft, k: number) {
    const { items, missing } = await model.similar(draft, { k, explain: true });
    return { items: items.map(({ contributions = [], ...rest }) => ({ ...rest, contributions })), missing };
  },

  async draftOrder(model: Model, draft: Draft, k: number): Promise<{ id: string; title: string | null }[]> {
    const { items } = await model.similar(draft, { k });
    return items.map(({ id, title }) => ({ id, title }));
  },

  /** Null where the model predicts none. */
  async draftRating(model: Model, draft: Draft) {
    if (!model.predictsRatings) return null;
    const { mean, deviation, observationDeviation } = await model.predict(draft);
    return { mean, deviation, observationDeviation };
  },
};

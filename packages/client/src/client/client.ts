// The client: every route of the API as a method.
import { createCall } from "./call.ts";
import { eventCalls } from "./events.ts";
import { itemCalls } from "./items.ts";
import { accessCalls, evaluationCalls, indexCalls, modelCalls, systemCalls } from "./operations.ts";
import { similarCalls } from "./similar.ts";
import { type ClientOptions, createTransport } from "./transport.ts";
import { userCalls } from "./users.ts";

export type NearkinClient = ReturnType<typeof createClient>;

/**
 * A client of one server. Errors are `NearkinApiError`; what can safely be sent again is, where that may help.
 *
 * @example
 * const client = createClient({ url: "http://127.0.0.1:7410", key: process.env.NEARKIN_KEY });
 * const { items } = await client.items.similar("the-kid-1921", { user: "u0001", k: 5 });
 */
export function createClient(options: ClientOptions) {
  const call = createCall(createTransport(options));
  const similar = similarCalls(call);
  const { addEvents, addFeedback } = eventCalls(call);
  return {
    /** Items similar to all of these, by their mean distance: ids, or `{ draft }` of items that are in no catalogue. */
    similar: similar.toAll,
    /** The same, item by item over all pages. */
    similarPages: similar.toAllPages,
    /** The rating that an item or a draft can expect. */
    predict: similar.predict,
    items: {
      ...itemCalls(call),
      /** Items similar to one of the catalogue. */
      similar: similar.toItem,
      /** The same, item by item over all pages. */
      similarPages: similar.toItemPages,
      /** Why an item stands where it does in the list of another. */
      explain: similar.explain,
    },
    events: { add: addEvents },
    feedback: { add: addFeedback },
    users: userCalls(call),
    models: modelCalls(call),
    evaluations: evaluationCalls(call),
    index: indexCalls(call),
    ...accessCalls(call),
    ...systemCalls(call),
  };
}

// Similar items, and predicted ratings.
import type {
  ExplainOptions,
  Explanation,
  ItemOrDraft,
  Prediction,
  PredictOptions,
  SimilarItem,
  SimilarItems,
  SimilarOptions,
} from "../contract/types.ts";
import { isDots, printQuery } from "./address.ts";
import type { Call } from "./call.ts";
import { entriesOf } from "./pages.ts";
import type { CallOptions } from "./transport.ts";

/** Characters of a query that every server and proxy takes; longer ones travel as a body. */
const LONGEST_QUERY = 4000;

export function similarCalls(call: Call) {
  /** Items similar to one of the catalogue. What is too long for an address goes as a body, to the same end. */
  async function toItem(id: string, options: SimilarOptions = {}, using?: CallOptions): Promise<SimilarItems> {
    if (isDots(id) || printQuery(options).length > LONGEST_QUERY) return toAll([id], options, using);
    return call("GET /v1/items/{id}/similar", { params: { id }, query: options }, using);
  }

  /** Items similar to all of these, by their mean distance: ids, or `{ draft }` of items that are in no catalogue. */
  function toAll(
    items: readonly ItemOrDraft[],
    options: SimilarOptions = {},
    using?: CallOptions,
  ): Promise<SimilarItems> {
    return call("POST /v1/similar", { body: { items: [...items], ...options } }, using);
  }

  return {
    toItem,
    toAll,

    toItemPages: (id: string, options: SimilarOptions = {}, using?: CallOptions): AsyncGenerator<SimilarItem, void> =>
      pages((cursor) => toItem(id, { ...options, cursor }, using), options.cursor),

    toAllPages: (
      items: readonly ItemOrDraft[],
      options: SimilarOptions = {},
      using?: CallOptions,
    ): AsyncGenerator<SimilarItem, void> =>
      pages((cursor) => toAll(items, { ...options, cursor }, using), options.cursor),

    explain: (id: string, other: string, options: ExplainOptions = {}, using?: CallOptions): Promise<Explanation> =>
      call("GET /v1/items/{id}/similar/{other}", { params: { id, other }, query: options }, using),

    predict: (item: ItemOrDraft, options: PredictOptions = {}, using?: CallOptions): Promise<Prediction> =>
      call("POST /v1/predict", { body: { item, ...options } }, using),
  };
}

function pages(read: (cursor: string | undefined) => Promise<SimilarItems>, first: string | undefined) {
  return entriesOf(async (cursor) => {
    const { items, next } = await read(cursor);
    return { entries: items, next };
  }, first);
}

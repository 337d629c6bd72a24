// The catalogue.
import type { Item, ItemContent, ListedItem, ListItemsOptions, NewItem } from "../contract/types.ts";
import type { AnswerTo, Call } from "./call.ts";
import { entriesOf } from "./pages.ts";
import type { CallOptions } from "./transport.ts";

export function itemCalls(call: Call) {
  const list = (options: ListItemsOptions = {}, using?: CallOptions): Promise<AnswerTo<"GET /v1/items">> =>
    call("GET /v1/items", { query: options }, using);

  return {
    /** A page of the catalogue, or of what a search finds. */
    list,

    /** Every item of the catalogue, or that a search finds. */
    pages: (options: ListItemsOptions = {}, using?: CallOptions): AsyncGenerator<ListedItem, void> =>
      entriesOf(async (after) => {
        const { items, next } = await list({ ...options, after }, using);
        return { entries: items, next };
      }, options.after),

    get: (id: string, using?: CallOptions): Promise<Item> => call("GET /v1/items/{id}", { params: { id } }, using),

    /** Puts up to 10,000 items: all of them, or none. */
    put: (items: readonly NewItem[], using?: CallOptions): Promise<AnswerTo<"PUT /v1/items">> =>
      call("PUT /v1/items", { body: { items: [...items] } }, using),

    putOne: (id: string, content: ItemContent, using?: CallOptions): Promise<AnswerTo<"PUT /v1/items/{id}">> =>
      call("PUT /v1/items/{id}", { params: { id }, body: content }, using),

    delete: (id: string, using?: CallOptions): Promise<AnswerTo<"DELETE /v1/items/{id}">> =>
      call("DELETE /v1/items/{id}", { params: { id } }, using),

    deleteMany: (ids: readonly string[], using?: CallOptions): Promise<AnswerTo<"POST /v1/items/delete">> =>
      call("POST /v1/items/delete", { body: { ids: [...ids] } }, using),
  };
}

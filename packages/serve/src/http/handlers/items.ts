// The catalogue: reading it, putting items, taking them away.

import { printPath } from "@nearkin/client/contract";
import { BadItemError } from "../../catalogue/prepare-items.ts";
import { CatalogueFullError } from "../../catalogue/writer.ts";
import type { Turn } from "../../fair-queue.ts";
import type { Served } from "../../models/served.ts";
import { readCursor, writeCursor } from "../../search/cursor.ts";
import { inSlices } from "../../slices.ts";
import { ApiError } from "../api-error.ts";
import { type Handlers, type ServerContext, turnOf } from "../context.ts";
import { namedItem } from "./similar.ts";

interface Content {
  title?: string | null | undefined;
  channels: Readonly<Record<string, unknown>>;
  fields?: Readonly<Record<string, unknown>> | undefined;
}

export const itemHandlers: Handlers<"listItems" | "getItem" | "putItems" | "putItem" | "deleteItem" | "deleteItems"> = {
  listItems: ({ models, filterQueue }, { query: { search, limit, after }, caller, signal }) =>
    models.with(async (served) => {
      const { catalogue, model } = served;
      const words = JSON.stringify([model.id, search ?? null]);
      const offset = placeOf(after, words);
      if (search !== undefined && search.trim() !== "") {
        const find = () => inSlices(catalogue.search(search, offset + limit + 1), signal);
        const found = await filterQueue.run(find, turnOf(caller, signal));
        const page = found.slice(offset, offset + limit);
        const next = found.length > offset + limit ? writeCursor(offset + limit, words) : null;
        return { items: page.map((row) => listed(served, row)), next, model: model.id };
      }
      const page: number[] = [];
      let next: string | null = null;
      for (const row of catalogue.rowsFrom(offset)) {
        if (page.length === limit) {
          next = writeCursor(row, words);
          break;
        }
        page.push(row);
      }
      return { items: page.map((row) => listed(served, row)), next, model: model.id };
    }),

  getItem: ({ models, store }, { params }) =>
    models.with(async (served) => {
      const { catalogue, model } = served;
      const row = catalogue.indexOf(params.id);
      const pending = catalogue.pendingOf(row);
      const missing = catalogue.missingOf(row).filter((channel) => !pending.includes(channel));
      const updated = catalogue.put.has(row) ? ((await store.items.get(params.id))?.updated ?? null) : null;
      return {
        ...listed(served, row),
        missing: missing.map((channel) => ({ channel, reason: "not known" })),
        pending: [...pending],
        updated,
        model: model.id,
      };
    }),

  putItems: (context, { body: { items }, caller, signal }) =>
    put(context, items, { placeOf: (index) => ["items", index], turn: turnOf(caller, signal) }),

  putItem: async (context, { params, body, caller, signal }) => {
    const turn = turnOf(caller, signal);
    const { items, model } = await put(context, [{ id: params.id, ...body }], { placeOf: () => [], turn });
    return { ...items[0], model };
  },

  deleteItem: (context, { params, caller, signal }) => remove(context, [params.id], turnOf(caller, signal)),

  deleteItems: (context, { body, caller, signal }) => remove(context, body.ids, turnOf(caller, signal)),
};

/** @param placeOf where an item stands in the request */
async function put(
  { writer, metrics }: ServerContext,
  items: readonly ({ id: string } & Content)[],
  { placeOf, turn }: { placeOf: (index: number) => readonly PropertyKey[]; turn: Turn },
) {
  try {
    const { items: answers, model } = await writer.put(
      items.map(({ id, title = null, channels, fields = {} }) => ({ id, title, channels, fields })),
      turn,
    );
    metrics.items.put(items.length);
    const put = answers.map((answer) => ({ ...answer, missing: [...answer.missing], pending: [...answer.pending] }));
    return { items: put, model };
  } catch (error) {
    if (error instanceof BadItemError) {
      const field = printPath([...placeOf(error.index), ...error.path]);
      throw new ApiError("BAD_REQUEST", `${field}: ${error.message}`, { field, cause: error });
    }
    if (error instanceof CatalogueFullError) throw new ApiError("OVER_LIMIT", error.message, { cause: error });
    throw error;
  }
}

async function remove({ writer, metrics }: ServerContext, ids: readonly string[], turn: Turn) {
  const answer = await writer.delete(ids, turn);
  metrics.items.deleted(answer.deleted);
  return answer;
}

const listed = (served: Served, row: number) => ({
  ...namedItem(served, row),
  ratings: served.catalogue.ratingsOf(row),
  added: served.catalogue.put.has(row),
  fields: served.catalogue.fieldsOf(row) as Record<string, string | number | boolean | string[] | null>,
});

function placeOf(cursor: string | undefined, words: string): number {
  try {
    return readCursor(cursor, words).offset;
  } catch (cause) {
    throw new ApiError("STALE_CURSOR", (cause as Error).message, { field: "after", cause });
  }
}

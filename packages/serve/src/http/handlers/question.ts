// From the options of a request to a search: whose metric, which items, which rows may come.

import type { Filter } from "@nearkin/client";
import { printPath } from "@nearkin/client/contract";
import {
  type Draft,
  type EncodeTexts,
  type HistoryOptions,
  type LiftedItem,
  latestItems,
  type MissingChannel,
  NearkinError,
} from "@nearkin/core";
import { type Bitmap, intersect } from "../../catalogue/bitmap.ts";
import type { Cell } from "../../catalogue/columns.ts";
import type { Turn } from "../../fair-queue.ts";
import type { Served } from "../../models/served.ts";
import type { MetricInUse } from "../../users/users.ts";
import { ApiError } from "../api-error.ts";
import type { ServerContext } from "../context.ts";

/** An item in question: an id, or a draft. */
export type AskedItem = string | { draft: Readonly<Record<string, unknown>> };

export interface AskedItems {
  readonly lifted: readonly LiftedItem[];
  /** Of those that are in the catalogue. */
  readonly rows: readonly number[];
  readonly drafts: readonly ReadonlyMap<string, Cell>[];
  readonly missing: readonly MissingChannel[];
}

/** Where an item stands in the request. */
type PlaceOf = (index: number) => readonly PropertyKey[];

/** Items of a request as the metric sees them. Unknown ids are a 404, values that cannot be read name their place. */
export async function askedItems(
  { texts }: ServerContext,
  served: Served,
  {
    items,
    turn,
    placeOf = (index) => ["items", index],
  }: { items: readonly AskedItem[]; turn: Turn; placeOf?: PlaceOf },
): Promise<AskedItems> {
  const lifted: LiftedItem[] = [];
  const rows: number[] = [];
  const drafts: ReadonlyMap<string, Cell>[] = [];
  const missing: MissingChannel[] = [];
  const given = items.flatMap((item) => (typeof item === "string" ? [] : [item.draft as Draft]));
  const encode: EncodeTexts = (some, encoder) => texts.encode(some, encoder, turn);
  const embeddings = given.length === 0 ? [] : await served.model.embedAll(given, { encode });
  for (const [i, item] of items.entries()) {
    if (typeof item === "string") {
      const row = served.catalogue.indexOf(item);
      rows.push(row);
      lifted.push(served.catalogue.lifted(row));
      continue;
    }
    const embedded = embeddings[drafts.length];
    if (embedded instanceof NearkinError) throw badDraft(embedded, [...placeOf(i), "draft"]);
    lifted.push(embedded);
    missing.push(...embedded.missing);
    drafts.push(cellsOf(served, item.draft));
  }
  return { lifted, rows, drafts, missing };
}

/** What a draft says about fields that channels are read from: for "same as the item in question". */
function cellsOf({ model, catalogue }: Served, draft: Readonly<Record<string, unknown>>): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [field, { channel }] of model.shapes) {
    const value = channel === undefined ? undefined : draft[channel];
    const column = catalogue.column(field);
    const isField = typeof value === "string" || typeof value === "number" || isTexts(value);
    if (column && isField) cells.set(field, column.read(value as string));
  }
  return cells;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((term) => typeof term === "string");

function badDraft(error: unknown, place: readonly PropertyKey[]): unknown {
  if (!(error instanceof NearkinError) || (error.code !== "BAD_VALUE" && error.code !== "BAD_ARGUMENT")) return error;
  const found = /^draft: (?:channel ([^:]+): )?(.*)$/s.exec(error.message);
  const channel = found?.[1] ?? /there is no channel "([^"]+)"/.exec(error.message)?.[1];
  const field = printPath(channel === undefined ? place : [...place, channel]);
  return new ApiError("BAD_REQUEST", `${field}: ${found?.[2] ?? error.message}`, { field, cause: error });
}

/** The metric of a request, as a list is made by it and as it is answered. */
export interface AskedMetric {
  readonly weights: Float64Array;
  readonly popularity: number;
  readonly offset: number;
  readonly source: "user" | "given" | "base";
  readonly reason: string;
}

/** What the user met lately, as a query takes it, with the rows of its items. */
export interface AskedHistory extends HistoryOptions {
  readonly rows: readonly number[];
}

/**
 * What a user met lately, or a guest says that they met, if the model can use it. The items in question are left out: they say more as the query than as
 * a part of the history.
 */
export async function askedHistory(
  { users }: ServerContext,
  { model, catalogue }: Served,
  {
    user,
    history: factor,
    met,
    items,
  }: { user: string | undefined; history: number; met?: readonly string[] | undefined; items: AskedItems },
): Promise<AskedHistory | undefined> {
  const { history: chosen } = model.parts;
  if (!chosen || factor * chosen.weight === 0) return undefined;
  const ids = met ?? (user === undefined ? [] : (await users.known(user)).history.map(({ item }) => item));
  const known = ids.map((id) => catalogue.find(id)).filter((row) => row !== undefined);
  const rows = latestItems(known, { limit: chosen.items, query: items.rows });
  if (rows.length === 0) return undefined;
  return {
    rows,
    items: rows.map((row) => catalogue.lifted(row)),
    weight: factor * chosen.weight,
    decay: chosen.decay,
  };
}

export async function askedMetric(
  { users }: ServerContext,
  served: Served,
  {
    user,
    weights,
    popularity,
  }: {
    user: string | undefined;
    weights?: Readonly<Record<string, number>> | undefined;
    popularity?: number | "calibrated" | undefined;
  },
): Promise<AskedMetric> {
  const own = await users.metricFor(served, user);
  const beta = popularity === "calibrated" ? served.model.parts.popularity : (popularity ?? own.popularity);
  if (weights === undefined) return { ...own, popularity: beta };
  return { ...givenMetric(served, own, weights), popularity: beta };
}

function givenMetric(served: Served, own: MetricInUse, given: Readonly<Record<string, number>>): AskedMetric {
  const channels = Object.keys(served.model.weights);
  const weights = own.weights.slice();
  for (const [name, weight] of Object.entries(given)) {
    const c = channels.indexOf(name);
    if (c < 0) {
      throw new ApiError(
        "BAD_REQUEST",
        `weights: there is no channel "${name}"; the channels are ${channels.join(", ")}`,
        {
          field: printPath(["weights", name]),
        },
      );
    }
    weights[c] = weight;
  }
  if (weights.every((weight) => weight === 0)) {
    throw new ApiError("BAD_REQUEST", "weights: all are 0, so no item is nearer than another; leave one above 0", {
      field: "weights",
    });
  }
  const rest = channels.length > Object.keys(given).length ? `; other channels: ${own.reason}` : "";
  return { ...own, weights, source: "given", reason: `the weights of the request${rest}` };
}

/** Rows that may come: in use, passing the filter. Undefined for all that are in use. */
export async function askedRows(
  { users, filterQueue }: ServerContext,
  served: Served,
  {
    filter,
    user,
    items,
    turn,
  }: { filter: Filter | undefined; user: string | undefined; items: AskedItems; turn: Turn },
): Promise<Bitmap | undefined> {
  if (filter === undefined) return undefined;
  const { catalogue } = served;
  const seen = user === undefined || !asksSeen(filter) ? undefined : await users.seen(served, user);
  try {
    const context = {
      query: items.rows,
      drafts: items.drafts,
      seen: seen ?? (user === undefined ? undefined : []),
      added: catalogue.put,
    };
    const rows = () => catalogue.rows.count;
    const passing = await catalogue.filters.evaluateInTurn(filter, rows, { context, queue: filterQueue, turn });
    return catalogue.alive ? intersect(passing, catalogue.alive) : passing;
  } catch (error) {
    if (!(error instanceof NearkinError) || error.code !== "BAD_ARGUMENT") throw error;
    throw new ApiError("BAD_REQUEST", error.message, { field: "filter", cause: error });
  }
}

function asksSeen(filter: Filter): boolean {
  if ("seen" in filter) return true;
  if ("all" in filter) return filter.all.some(asksSeen);
  if ("any" in filter) return filter.any.some(asksSeen);
  return "not" in filter && asksSeen(filter.not);
}

/** Rows of ids that must not come; those that nobody knows cannot come anyway. */
export const excludedRows = ({ catalogue }: Served, ids: readonly string[] | undefined): number[] =>
  (ids ?? []).flatMap((id) => catalogue.find(id) ?? []);

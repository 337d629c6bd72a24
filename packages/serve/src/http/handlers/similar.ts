// Similar items, why, and the ratings that items can expect.

import type { RouteAnswer } from "@nearkin/client/contract";
import {
  buildQuery,
  type Contribution,
  contributionsOf,
  counterfactualRanksInSlices,
  type EmbeddedDraft,
  reasons,
} from "@nearkin/core";
import type { Turn } from "../../fair-queue.ts";
import type { Served } from "../../models/served.ts";
import { readCursor, writeCursor } from "../../search/cursor.ts";
import { type SimilarPage, type SimilarRequest, type SimilarRow, similarItems } from "../../search/similar.ts";
import { inSlices, SLICE_ROWS } from "../../slices.ts";
import { named, rowsOf } from "../../users/users.ts";
import { ApiError } from "../api-error.ts";
import { type Asked, type Handlers, type ServerContext, turnOf, userOf, userTurn } from "../context.ts";
import {
  type AskedHistory,
  type AskedItem,
  type AskedItems,
  type AskedMetric,
  askedHistory,
  askedItems,
  askedMetric,
  askedRows,
  excludedRows,
} from "./question.ts";

const LONGEST = 1000; // items of a list, page after page

type SimilarAnswer = RouteAnswer<"similar">;
type ListedItem = SimilarAnswer["items"][number];
type Options = Asked<"similarToItem">["query"];

export const similarHandlers: Handlers<"similarToItem" | "similar" | "explain" | "predict"> = {
  similarToItem: (context, { params, query, caller, signal }) =>
    similar(context, [params.id], { ...query, user: userOf(caller, query.user) }, turnOf(caller, signal)),

  similar: (context, { body: { items, ...options }, caller, signal }) =>
    similar(context, items, { ...options, user: userOf(caller, options.user) }, turnOf(caller, signal)),

  explain: (context, { params, query, caller, signal }) =>
    context.models.with(async (served) => {
      const user = userOf(caller, query.user);
      const turn = turnOf(caller, signal);
      const items = await askedItems(context, served, { items: [params.id], turn });
      const metric = await askedMetric(context, served, { ...query, user });
      const history = await askedHistory(context, served, { ...query, user, items });
      const allowed =
        (await askedRows(context, served, { filter: query.filter, user, items, turn })) ?? served.catalogue.alive;
      const { rows, masked } = served.catalogue;
      const exclude = [...excludedRows(served, query.exclude), ...(history?.rows ?? [])];
      return context.explainQueue.run(async () => {
        const asked = buildQuery(rows, items.lifted, {
          ...metric,
          history,
          temperature: served.model.parts.temperature,
        });
        const row = served.catalogue.indexOf(params.other);
        const neighbour = reasons(rows, asked, row);
        const candidates = { exclude, ...(allowed ? { allowed } : {}), sliceRows: SLICE_ROWS };
        const ranking = counterfactualRanksInSlices(rows, asked, [row], candidates);
        const [{ rank, without }] = await inSlices(ranking, signal);
        const names = Object.keys(served.model.weights);
        const contributions = contributionsOf(names, asked, { neighbour, without, masked });
        return {
          ...namedItem(served, row),
          rank,
          score: neighbour.score,
          distance: neighbour.total,
          contributions: withPending(served, contributions, items, row),
          ...(neighbour.lifts ? { lifts: Array.from(neighbour.lifts) } : {}),
          missing: [],
          metric: usedMetric(served, metric, history),
          model: served.model.id,
        };
      }, turn);
    }),

  predict: (context, { body, caller, signal }) =>
    context.models.with(async (served) => {
      const user = userOf(caller, body.user);
      const turn = turnOf(caller, signal);
      const items = await askedItems(context, served, {
        items: [body.item as AskedItem],
        turn,
        placeOf: () => ["item"],
      });
      const [item] = items.lifted;
      const { model, catalogue } = served;
      const known = item.index >= 0 ? namedItem(served, item.index) : { id: null, title: null };
      const prediction = !model.predictsRatings
        ? null
        : item.index >= 0
          ? served.predictions([item.index])[0]
          : await model.predict(item as EmbeddedDraft);
      const { personal, reason } = await personalPrediction(context, served, {
        user,
        item,
        most: body.evidence,
        signal,
      });
      const catalogueReason = prediction ? "everybody's ratings" : `the model ${model.name} has no posterior`;
      return {
        ...known,
        catalogue: prediction && pickPrediction(prediction),
        personal,
        reason: `catalogue: ${catalogueReason}; personal: ${reason}`,
        missing: [
          ...items.missing,
          ...(item.index >= 0
            ? catalogue.missingOf(item.index).map((channel) => ({ channel, reason: "not known" }))
            : []),
        ],
        model: model.id,
      };
    }),
};

async function similar(
  context: ServerContext,
  asked: readonly AskedItem[],
  options: Options & { user: string | undefined },
  turn: Turn,
): Promise<SimilarAnswer> {
  return context.models.with(async (served) => {
    const { k, diversity, order, predict } = options;
    const { model } = served;
    if (order !== "similar" && !model.predictsRatings) {
      throw new ApiError("UNSUPPORTED", `the model ${model.name} has no posterior to order by; ask with order=similar`);
    }
    const items = await askedItems(context, served, { items: asked, turn });
    const metric = await askedMetric(context, served, options);
    const history = await askedHistory(context, served, { ...options, items });
    if (diversity > 0 && !metric.weights.some((weight) => weight > 0)) {
      throw new ApiError(
        "BAD_REQUEST",
        "diversity: no channel has a weight above 0, so no two items are unlike each other; raise a weight, or leave it out",
        { field: "diversity" },
      );
    }
    const { cursor, k: _, explain: __, predict: ___, ...question } = options;
    const words = JSON.stringify([model.id, asked, question]);
    const { offset } = readPlace(cursor, words);
    const request = {
      items: items.lifted,
      ...metric,
      history,
      k: Math.min(k, LONGEST - offset),
      offset,
      diversity,
      order,
      allowed: await askedRows(context, served, { filter: options.filter, user: options.user, items, turn }),
      exclude: [...excludedRows(served, options.exclude), ...(history?.rows ?? [])],
      explain: options.explain,
      predict: predict && model.predictsRatings,
      exact: options.exact,
      ...turn,
    };
    const page = await searchInTurn(context, served, request);
    const end = offset + page.rows.length;
    return {
      items: page.rows.map((row) => similarItem(served, row, items, options)),
      next: page.more && end < LONGEST ? writeCursor(end, words) : null,
      metric: usedMetric(served, metric, history),
      missing: [...items.missing],
      recommendation: context.recommendations.create({
        time: Date.now(),
        model: model.id,
        kind: "similar",
        metric: metric.source,
      }),
      model: model.id,
      exact: page.exact,
    };
  });
}

/** A page of similar items. Waits in the queue of explanations if its reasons read the whole catalogue. */
export function searchInTurn(
  { explainQueue }: ServerContext,
  served: Served,
  request: SimilarRequest,
): Promise<SimilarPage> {
  const search = () => similarItems(served, request);
  return isLong(request) ? explainQueue.run(search, request) : search();
}

/** Reasons under a negative weight read the whole catalogue on this thread. */
const isLong = ({ explain, weights }: { explain: boolean; weights: Float64Array }): boolean =>
  explain && weights.some((weight) => weight < 0);

function readPlace(cursor: string | undefined, words: string): { offset: number } {
  try {
    const place = readCursor(cursor, words);
    if (place.offset >= LONGEST) throw new Error(`cursor: lists end after ${LONGEST} items`);
    return place;
  } catch (cause) {
    throw new ApiError("STALE_CURSOR", (cause as Error).message, { field: "cursor", cause });
  }
}

/** A row of a list as it is answered. */
export function similarItem(
  served: Served,
  { item, rank, score, distance, contributionsByChannel: contributions, lifts, predicted }: SimilarRow,
  items: AskedItems,
  { predict }: { predict: boolean },
): ListedItem {
  const { catalogue } = served;
  // a list has many, so they are not put together from parts: copies of parts are what a search would spend most of its time on here
  const listed: ListedItem = { id: catalogue.idOf(item), title: catalogue.titleOf(item), rank, score, distance };
  if (contributions) listed.contributions = withPending(served, contributions, items, item);
  if (lifts) listed.lifts = Array.from(lifts);
  if (predict) listed.predicted = predicted ? { source: "catalogue", ...pickPrediction(predicted) } : null;
  const pending = catalogue.pendingOf(item);
  if (pending.length > 0) listed.pending = [...pending];
  return listed;
}

/** Contributions, and which of them a text is still to come for. */
function withPending(
  { catalogue }: Served,
  contributions: readonly Contribution[],
  items: AskedItems,
  row: number,
): ListedItem["contributions"] & object {
  const pending = new Set([row, ...items.rows].flatMap((one) => catalogue.pendingOf(one)));
  return contributions.map((contribution) => ({ ...contribution, pending: pending.has(contribution.channel) }));
}

export const namedItem = ({ catalogue }: Served, row: number) => ({
  id: catalogue.idOf(row),
  title: catalogue.titleOf(row),
});

export const usedMetric = (
  served: Served,
  { source, weights, popularity, reason }: AskedMetric,
  history?: AskedHistory | undefined,
) => ({
  source,
  weights: named(served.model.weights, weights),
  popularity,
  reason,
  ...(history && { history: { weight: history.weight, items: history.rows.map((row) => namedItem(served, row)) } }),
});

const pickPrediction = ({
  mean,
  deviation,
  observationDeviation,
}: {
  mean: number;
  deviation: number;
  observationDeviation: number;
}) => ({ mean, deviation, observationDeviation });

/** What the user may rate it, by a process of their own ratings. */
async function personalPrediction(
  { users, usersThread }: ServerContext,
  served: Served,
  {
    user,
    item,
    most,
    signal,
  }: { user: string | undefined; item: AskedItems["lifted"][number]; most: number; signal: AbortSignal },
): Promise<{ personal: RouteAnswer<"predict">["personal"]; reason: string }> {
  const none = (reason: string) => ({ personal: null, reason });
  if (user === undefined) return none("no user was named");
  if (!served.model.parts.personal?.rating) return none(`the model ${served.model.name} cannot predict users' ratings`);
  const { history } = await users.known(user);
  const rated = rowsOf(
    served,
    history.filter(({ rating }) => rating !== null),
  );
  if (rated.rows.length === 0) return none("the user has rated nothing that the catalogue has");
  const metric = await users.metricFor(served, user);
  const { centre, evidence, ...prediction } = await usersThread.predict(served.key, rated, item, {
    metric,
    turn: userTurn(user, signal),
  });
  const strongest = [...evidence].sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const listed = strongest.slice(0, most);
  const rest = strongest.slice(most);
  return {
    reason: `${rated.rows.length === 1 ? "1 rating" : `${rated.rows.length} ratings`} of the user, under the metric: ${metric.reason}`,
    personal: {
      ...pickPrediction(prediction),
      centre,
      evidence: listed.map(({ id: row, rating, contribution, without }) => ({
        ...namedItem(served, Number(row)),
        rating,
        contribution,
        without,
      })),
      rest: { ratings: rest.length, contribution: rest.reduce((sum, reason) => sum + reason.contribution, 0) },
    },
  };
}

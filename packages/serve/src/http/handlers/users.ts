// A user: what is stored, their metric, what to show and to ask them.
import type { RouteAnswer } from "@nearkin/client/contract";
import type { UserMetric as Fit } from "@nearkin/core";
import type { Served } from "../../models/served.ts";
import { chooseSeeds } from "../../search/seeds.ts";
import { StoreError } from "../../store/errors.ts";
import type { StoredMetric } from "../../store/metrics.ts";
import type { ListedUser, UserPlace } from "../../store/users.ts";
import { checkPersonalizes, named, rowsOf } from "../../users/users.ts";
import { ApiError } from "../api-error.ts";
import { type Handlers, type ServerContext, turnOf, userTurn } from "../context.ts";
import { type AskedItems, askedMetric, askedRows } from "./question.ts";
import { namedItem, searchInTurn, similarItem, usedMetric } from "./similar.ts";

type MetricAnswer = RouteAnswer<"getMetric">;

/** Items that are weighed as the next question. */
const QUESTIONS = 60;
const NOBODY: AskedItems = { lifted: [], rows: [], drafts: [], missing: [] };

export const userHandlers: Handlers<
  | "listUsers"
  | "getUser"
  | "deleteUser"
  | "getUserEvents"
  | "getMetric"
  | "putMetric"
  | "deleteMetric"
  | "personalize"
  | "nextQuestion"
  | "because"
> = {
  listUsers: async ({ store }, { query: { limit, after } }) => {
    const found = await store.listUsers({ after: after === undefined ? undefined : readUser(after), limit: limit + 1 });
    const page = found.slice(0, limit);
    return {
      users: page.map(({ user, events, source }) => ({
        id: user,
        events,
        metric: source === null ? ("base" as const) : source === "set" ? ("sliders" as const) : ("ratings" as const),
      })),
      next: found.length > limit ? printUser(page[page.length - 1]) : null,
    };
  },

  getUser: async ({ store }, { params: { id } }) => {
    const [summary, metric, feedback] = await Promise.all([
      store.events.summaryOf(id),
      store.metrics.get(id),
      store.feedback.countOf(id),
    ]);
    if (summary.events === 0 && !metric && feedback === 0) throw unknownUser();
    return { id, ...summary, feedback, metric: sourceOf(metric) };
  },

  deleteUser: async ({ store, users, refresh, rowUpdates }, { params: { id } }) => {
    refresh.drop(id);
    try {
      const { events, feedback, metrics } = await store.deleteUser(id);
      return { events, feedback, metric: metrics > 0 };
    } catch (cause) {
      if (!(cause instanceof StoreError) || cause.reason !== "log-held") throw cause;
      const message =
        "The user is deleted, but still in the store's write-ahead log, since another program reads the file; send this again until it succeeds.";
      throw new ApiError("STORE_UNAVAILABLE", message, { headers: { "retry-after": "1" }, cause });
    } finally {
      refresh.drop(id); // events that came meanwhile are gone with the rest
      rowUpdates.readAnew();
      users.forget(id);
    }
  },

  getUserEvents: async ({ store, models }, { params: { id }, query: { limit, after } }) => {
    const before = after === undefined ? undefined : readPlace(after);
    const found = await store.events.ofUser(id, { last: limit + 1, ...(before ? { before } : {}) });
    const page = found.reverse().slice(0, limit);
    const last = page[page.length - 1];
    const catalogue = models.current?.catalogue;
    return {
      events: page.map(({ key, item, rating, type, time }) => {
        const row = catalogue?.find(item);
        const title = row === undefined ? null : (catalogue?.titleOf(row) ?? null);
        return { id: key, item, title, known: row !== undefined, rating, type, time };
      }),
      next: found.length > limit ? `${last.time}.${last.arrival}` : null,
    };
  },

  getMetric: (context, { params: { id } }) => context.models.with((served) => metricAnswer(context, served, id)),

  putMetric: (context, { params: { id }, body }) =>
    context.models.with(async (served) => {
      const { store, users, refresh } = context;
      const { model } = served;
      const { weights, popularity } = await askedMetric(context, served, { ...body, user: id });
      await store.metrics.set({
        user: id,
        model: model.id,
        weights: named(model.weights, weights),
        base: model.weights,
        popularity,
        offset: served.shared.offset,
        source: "set",
        kept: null,
        items: 0,
        events: 0,
        fit: null,
      });
      refresh.drop(id);
      users.forget(id);
      return metricAnswer(context, served, id);
    }),

  deleteMetric: (context, { params: { id } }) =>
    context.models.with(async (served) => {
      context.refresh.drop(id);
      await context.store.metrics.remove(id);
      context.users.forget(id);
      return metricAnswer(context, served, id);
    }),

  personalize: (context, { params: { id }, body: { ratings }, signal }) =>
    context.models.with(async (served) => {
      checkPersonalizes(served);
      const turn = userTurn(id, signal);
      if (ratings) return answerOf(served, id, await context.users.fitTo(served, ratings, turn));
      const isDue = context.refresh.has(id);
      context.refresh.drop(id);
      await context.users.refresh(served, id, turn).catch((error: unknown) => {
        if (isDue) context.refresh.add(id); // still to be fitted, if not for this request
        throw error;
      });
      return metricAnswer(context, served, id);
    }),

  nextQuestion: (context, { params: { id }, query: { k, filter }, caller, signal }) =>
    context.models.with(async (served) => {
      checkPersonalizes(served);
      const { catalogue, model, key } = served;
      const { history } = await context.users.known(id);
      const user = rowsOf(served, history);
      const met = new Set(user.rows);
      const filterTurn = turnOf(caller, signal);
      const allowed =
        (await askedRows(context, served, { filter, user: id, items: NOBODY, turn: filterTurn })) ?? catalogue.alive;
      const turn = userTurn(id, signal);
      const candidates = catalogue
        .wellKnown(QUESTIONS + met.size, allowed)
        .filter((row) => !met.has(row))
        .slice(0, QUESTIONS);
      const found =
        candidates.length === 0 ? [] : await context.usersThread.questions(key, user, { candidates, k, turn });
      return {
        questions: found.map(({ id: row, gain, chance }) => ({ ...namedItem(served, Number(row)), gain, chance })),
        model: model.id,
      };
    }),

  because: (context, { params: { id }, query: { rows: count, k, filter, explain }, caller, signal }) =>
    context.models.with(async (served) => {
      const { catalogue, model } = served;
      const metric = await askedMetric(context, served, { user: id });
      const { history } = await context.users.known(id);
      const met = history.flatMap(({ item, rating, time }) => {
        const row = catalogue.find(item);
        return row === undefined ? [] : [{ row, rating, time }];
      });
      const titleOf = (row: number) => catalogue.titleOf(row) ?? catalogue.idOf(row);
      const seeds = chooseSeeds(catalogue.rows, met, { count, weights: metric.weights, titleOf });
      const shown = new Set(met.map(({ row }) => row)); // neither what they met nor what stands in a row above
      const rows: RouteAnswer<"because">["rows"] = [];
      let turn = turnOf(caller, signal);
      for (const { row, rating, time, reason } of seeds) {
        const items: AskedItems = { ...NOBODY, rows: [row], lifted: [catalogue.lifted(row)] };
        const page = await searchInTurn(context, served, {
          items: items.lifted,
          ...metric,
          history: undefined, // a row is about its seed; with all that was met lately, rows would be alike
          k,
          offset: 0,
          diversity: 0,
          order: "similar",
          allowed: await askedRows(context, served, { filter, user: id, items, turn }),
          exclude: [...shown],
          explain,
          predict: false,
          exact: false,
          ...turn,
        });
        turn = { ...turn, goesOn: true }; // a request that was admitted is not refused halfway
        for (const { item } of page.rows) shown.add(item);
        if (page.rows.length === 0) continue;
        rows.push({
          seed: { ...namedItem(served, row), rating, time },
          reason,
          items: page.rows.map((found) => similarItem(served, found, items, { predict: false })),
          recommendation: context.recommendations.create({
            time: Date.now(),
            model: model.id,
            kind: "because",
            metric: metric.source,
          }),
        });
      }
      return { rows, metric: usedMetric(served, metric), model: model.id };
    }),
};

/** The metric of a user as it stands. */
async function metricAnswer(context: ServerContext, served: Served, user: string): Promise<MetricAnswer> {
  const { metric } = await context.users.known(user);
  const inUse = await context.users.metricFor(served, user);
  const { model } = served;
  return {
    user,
    source: sourceOf(metric),
    weights: named(model.weights, inUse.weights),
    popularity: inUse.popularity,
    base: { ...model.weights },
    fit: metric?.fit
      ? { ...metric.fit, items: metric.items, kept: metric.kept, offset: metric.offset, time: metric.updated }
      : null,
    pending: context.refresh.has(user),
    stored: metric !== null,
    reason: inUse.reason,
    model: model.id,
  };
}

/** A metric that nobody stores. */
function answerOf({ model }: Served, user: string, fit: Fit): MetricAnswer {
  const { items, used, iterations, before, after, kept, offset } = fit;
  return {
    user,
    source: kept === null ? "ratings" : "base",
    weights: named(model.weights, fit.weights),
    popularity: fit.popularity,
    base: { ...model.weights },
    fit: { items, used, iterations, before, after, kept, offset, time: Date.now() },
    pending: false,
    stored: false,
    reason: kept === null ? `fitted to ${items} items of the request` : `${kept}: the metric that all share`,
    model: model.id,
  };
}

const sourceOf = (metric: StoredMetric | null): MetricAnswer["source"] =>
  !metric || metric.kept !== null ? "base" : metric.source === "set" ? "sliders" : "ratings";

const unknownUser = () => new ApiError("UNKNOWN_USER", "nothing is stored of this user");

/** `own.12.u0001` behind a user with a metric fitted to 12 items, `rest.u0001` behind one without. */
const printUser = ({ user, source, items }: ListedUser): string =>
  source === null ? `rest.${user}` : `own.${items}.${user}`;

function readUser(cursor: string): UserPlace {
  const [, rest, items, own] = /^(?:rest\.(.+)|own\.(\d{1,15})\.(.+))$/s.exec(cursor) ?? [];
  if (rest !== undefined) return { user: rest, items: null };
  if (own !== undefined) return { user: own, items: Number(items) };
  throw new ApiError("STALE_CURSOR", "after: expected the `next` of an earlier page, as it came", { field: "after" });
}

function readPlace(cursor: string): { time: number; arrival: number } {
  const [time, arrival] = (/^(-?\d{1,16})\.(\d{1,16})$/.exec(cursor)?.slice(1) ?? []).map(Number);
  if (!Number.isSafeInteger(time) || !Number.isSafeInteger(arrival)) {
    throw new ApiError("STALE_CURSOR", "after: expected the `next` of an earlier page, as it came", { field: "after" });
  }
  return { time, arrival };
}

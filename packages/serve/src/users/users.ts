// Users: whose metric a request is answered by, and how it stays up to date. What is asked for often lies in a cache; what changes goes to the
// store first.
import type { UserMetric } from "@nearkin/core";
import type { Turn } from "../fair-queue.ts";
import { ApiError } from "../http/api-error.ts";
import type { Served } from "../models/served.ts";
import { Recent } from "../recent.ts";
import type { UserMetric as NewMetric, StoredMetric } from "../store/metrics.ts";
import type { Store } from "../store/store.ts";
import { carryOver, type NamedWeights } from "./carry-over.ts";
import { type HistoryEvent, historyOf } from "./history.ts";
import type { UsersThread } from "./thread.ts";
import type { UserRows } from "./worker.ts";

/** Users in the cache. */
const CACHED = 20_000;
/** ms after which what is cached is read again in any case, where others write too. */
const OLDEST = 60_000;
/** A user's last events that are read for a fit; fits look at fewer items. */
const EVENTS = 5000;

/** The metric that a list is made by. */
export interface MetricInUse {
  readonly source: "user" | "base";
  /** (p) h */
  readonly weights: Float64Array;
  /** β */
  readonly popularity: number;
  /** b */
  readonly offset: number;
  /** Why this one, in words. */
  readonly reason: string;
}

/** What is known of a user. */
export interface Known {
  readonly metric: StoredMetric | null;
  /** Items they met, each once, the last met at the end. */
  readonly history: readonly HistoryEvent[];
  /** performance.now() when it was read. */
  readonly read: number;
  /** Made of `metric`, for the model that is served. */
  inUse?: { served: Served; metric: MetricInUse };
}

export interface UsersOptions {
  store: Store;
  thread: UsersThread;
  /** ms that an entry of the cache is good for, from when it was last known to be true. */
  cacheFor: number;
  /** performance.now() up to which `forget` was called for all that others have changed. @default never, where nobody tells */
  synced?: () => number;
}

export class Users {
  readonly #store: Store;
  readonly #thread: UsersThread;
  readonly #cacheFor: number;
  readonly #synced: () => number;
  readonly #cache = new Recent<string, Known>(CACHED);
  readonly #reading = new Map<string, Promise<Known>>();

  constructor({ store, thread, cacheFor, synced = () => Number.NEGATIVE_INFINITY }: UsersOptions) {
    this.#store = store;
    this.#thread = thread;
    this.#cacheFor = cacheFor;
    this.#synced = synced;
  }

  /** The metric to answer by: a user's own, or the one that all share, and why. */
  async metricFor(served: Served, user: string | undefined): Promise<MetricInUse> {
    if (user === undefined) return sharedMetric(served, "no user was named: the metric that all share");
    const known = await this.known(user);
    if (known.inUse?.served !== served) known.inUse = { served, metric: metricOf(served, known) };
    return known.inUse.metric;
  }

  /** Rows that a user has met, of those that the catalogue has. */
  async seen(served: Served, user: string): Promise<number[]> {
    const { history } = await this.known(user);
    return history.flatMap(({ item }) => served.catalogue.find(item) ?? []);
  }

  known(user: string): Promise<Known> | Known {
    const cached = this.#cache.get(user);
    if (cached && this.#isGood(cached)) return cached;
    return this.#reading.get(user) ?? this.#read(user);
  }

  /** What is cached of a user is no longer true. */
  forget(user: string): void {
    this.#cache.delete(user);
    this.#reading.delete(user); // what is being read may be from before
  }

  forgetAll(): void {
    this.#cache.clear();
    this.#reading.clear();
  }

  /** Fits a user's metric to all that is stored of them, and keeps it; metrics set by hand stay. */
  async refresh(served: Served, user: string, turn?: Turn): Promise<void> {
    if (!served.model.personalizes) return;
    for (let attempt = 1; ; attempt++) {
      const before = await this.#store.metrics.get(user);
      if (before?.source === "set") return;
      // Before the events: one that comes between the two is fitted once more, not passed over. Of a user with many, the last to come need not be among
      // the last in time, which are fitted.
      const last = await this.#store.events.lastOf(user);
      // An event that comes from here on asks for a fit of its own: a fit that counts no event could not tell whether the user was deleted meanwhile.
      if (last === 0) break;
      // Another server was faster: its fit is as good, unless it began before the last event came, of which it may never hear. A metric that was deleted
      // stays so.
      if (attempt > 1 && (!before || before.events >= last)) break;
      const events = await this.#store.events.ofUser(user, { last: EVENTS });
      if (events.length === 0) break;
      const fit = await this.#thread.metric(served.key, rowsOf(served, historyOf(events)), turn);
      // not written where somebody else was faster, or the user is gone
      const written = await this.#store.metrics.replace(
        fittedMetric(served, user, fit, last),
        before?.revision ?? null,
      );
      if (written !== null) break;
    }
    this.forget(user);
  }

  /** A metric for ratings that nobody stores. */
  async fitTo(
    served: Served,
    ratings: readonly { item: string; rating?: number | null | undefined }[],
    turn: Turn,
  ): Promise<UserMetric> {
    checkPersonalizes(served);
    const rows = ratings.map(({ item }) => served.catalogue.indexOf(item));
    const seen = new Set<number>();
    const twice = rows.findIndex((row) => seen.size === seen.add(row).size);
    if (twice >= 0) {
      const field = `ratings[${twice}].item`;
      throw new ApiError("BAD_REQUEST", `${field}: stands there twice; give each item once`, { field });
    }
    const rated = {
      rows: Int32Array.from(rows),
      ratings: Float64Array.from(ratings, ({ rating }) => rating ?? Number.NaN),
    };
    return this.#thread.metric(served.key, rated, turn);
  }

  #isGood({ read }: Known): boolean {
    if (this.#cacheFor === Number.POSITIVE_INFINITY) return true;
    const now = performance.now();
    return now - Math.max(read, this.#synced()) < this.#cacheFor && now - read < OLDEST;
  }

  #read(user: string): Promise<Known> {
    const read = performance.now();
    const reading: Promise<Known> = Promise.all([
      this.#store.metrics.get(user),
      this.#store.events.ofUser(user, { last: EVENTS }),
    ])
      .then(([metric, events]) => {
        const known: Known = { metric, history: historyOf(events), read };
        if (this.#reading.get(user) === reading) this.#cache.set(user, known); // not forgotten meanwhile
        return known;
      })
      .finally(() => {
        if (this.#reading.get(user) === reading) this.#reading.delete(user);
      });
    this.#reading.set(user, reading);
    return reading;
  }
}

/** The model cannot tell users apart: a 422. */
export function checkPersonalizes({ model }: Served): void {
  if (model.personalizes) return;
  throw new ApiError(
    "UNSUPPORTED",
    `the model ${model.name} knows nothing of how users differ; train it again, on data with users`,
  );
}

function sharedMetric({ shared }: Served, reason: string): MetricInUse {
  return { source: "base", weights: shared.weights, popularity: 0, offset: shared.offset, reason };
}

/** A user's items as rows, those that the catalogue has, or had from the model. */
export function rowsOf({ catalogue }: Served, history: readonly HistoryEvent[]): UserRows {
  const known = history.flatMap(({ item, rating }) => {
    const row = catalogue.known(item);
    return row === undefined ? [] : [{ row, rating: rating ?? Number.NaN }];
  });
  return {
    rows: Int32Array.from(known, ({ row }) => row),
    ratings: Float64Array.from(known, ({ rating }) => rating),
  };
}

function metricOf(served: Served, { metric, history }: Known): MetricInUse {
  const { model, shared } = served;
  if (!metric) {
    if (history.length === 0) return sharedMetric(served, "no such user yet: the metric that all share");
    return sharedMetric(
      served,
      model.personalizes
        ? `${history.length} item${history.length === 1 ? "" : "s"} met, not fitted yet: the metric that all share`
        : "the model knows nothing of how users differ: the metric that all share",
    );
  }
  if (metric.kept !== null) return sharedMetric(served, `${metric.kept}: the metric that all share`);
  const carried = metric.model !== model.id;
  const weights = carried
    ? carryOver(metric.weights, metric.base, model.weights)
    : Float64Array.from(Object.keys(model.weights), (channel) => metric.weights[channel] ?? model.weights[channel]);
  const made = metric.source === "set" ? "set by hand" : `fitted to ${metric.items} items`;
  return {
    source: "user",
    weights,
    popularity: metric.popularity,
    offset: carried ? shared.offset : metric.offset,
    reason: carried ? `${made} under another model, carried over by channel` : made,
  };
}

function fittedMetric(served: Served, user: string, fit: UserMetric, events: number): NewMetric {
  const { model } = served;
  return {
    user,
    model: model.id,
    weights: named(model.weights, fit.weights),
    base: model.weights,
    popularity: fit.popularity,
    offset: fit.offset,
    source: "fitted",
    kept: fit.kept,
    items: fit.items,
    fit: { used: fit.used, iterations: fit.iterations, before: fit.before, after: fit.after },
    events,
  };
}

/** Weights in the order of the channels, by their names. */
export const named = (channels: NamedWeights, weights: ArrayLike<number>): Record<string, number> =>
  Object.fromEntries(Object.keys(channels).map((channel, c) => [channel, weights[c]]));

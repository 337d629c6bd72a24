// Any sequence of operations does to a store what it does to a few arrays and maps.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import type { NewEvent } from "./events.ts";
import type { NewFeedback } from "./feedback.ts";
import type { NewItem } from "./items.ts";
import type { UserMetric } from "./metrics.ts";
import type { Store } from "./store.ts";

/** The simplest thing that could be meant. */
interface Model {
  events: (NewEvent & { rating: number | null })[]; // as they arrived
  items: (NewItem & { deleted: boolean })[]; // as they last changed
  metrics: Map<string, { metric: UserMetric; revision: number }>;
  /** Revisions that a metric once had. */
  past: number[];
  feedback: NewFeedback[];
}

type Step = (model: Model, store: Store) => Promise<void>;

class Command implements fc.AsyncCommand<Model, Store> {
  readonly #name: string;
  readonly #step: Step;
  constructor(name: string, argument: unknown, step: Step) {
    this.#name = `${name}(${fc.stringify(argument)})`;
    this.#step = step;
  }
  check(): boolean {
    return true;
  }
  run(model: Model, store: Store): Promise<void> {
    return this.#step(model, store);
  }
  toString(): string {
    return this.#name;
  }
}

function command<T>(name: string, argument: fc.Arbitrary<T>, step: (argument: T) => Step): fc.Arbitrary<Command> {
  return argument.map((value) => new Command(name, value, step(value)));
}

// Few values, so that they meet.
const user = fc.constantFrom("ada", "bob", "O'Hara; --", "😀");
const itemId = fc.constantFrom("x", "y", "z", "ž", "'");
const rating = fc.constantFrom(null, 1, 2.5);
const time = fc.integer({ min: -3, max: 3 });
const id = fc.constantFrom("e1", "e2", "e3", "e4", "e5", "e6");
const model = fc.constantFrom("m1", "m2");
const limit = fc.integer({ min: 1, max: 4 });

const event: fc.Arbitrary<NewEvent & { rating: number | null }> = fc.oneof(
  fc.record({ user, item: itemId, rating, time, type: fc.constantFrom("rating", "view") }),
  fc.record({ user, item: itemId, rating, time, type: fc.constant("rating"), id }),
);

const isSame = (a: NewEvent, b: NewEvent) =>
  a.id !== undefined || b.id !== undefined
    ? a.id === b.id && a.user === b.user
    : a.user === b.user && a.item === b.item && a.rating === b.rating && a.type === b.type && a.time === b.time;

const addEvents = command("addEvents", fc.array(event, { maxLength: 6 }), (events) => async (model, store) => {
  const accepted: NewEvent[] = [];
  for (const one of events) {
    if (model.events.some((known) => isSame(known, one))) continue;
    model.events.push(one);
    accepted.push(one);
  }
  const added = await store.events.add(events);
  expect({ ...added, acceptedUsers: added.acceptedUsers.sort() }).toEqual({
    accepted: accepted.length,
    duplicates: events.length - accepted.length,
    acceptedUsers: [...new Set(accepted.map(({ user }) => user))].sort(),
  });
});

const read = ({ user, item, rating, time, type }: NewEvent) => ({ user, item, rating, time, type });

const readUser = command("readUser", fc.tuple(user, limit), ([user, last]) => async (model, store) => {
  const own = model.events.filter((one) => one.user === user);
  const sorted = own.toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0)).map(read); // stable: arrival breaks ties
  expect((await store.events.ofUser(user)).map(read)).toEqual(sorted);
  expect((await store.events.ofUser(user, { last })).map(read)).toEqual(sorted.slice(-last));
  const rated = own.filter(({ rating }) => rating !== null);
  const times = own.map(({ time }) => time ?? 0);
  expect(await store.events.summaryOf(user)).toEqual({
    events: own.length,
    items: new Set(own.map(({ item }) => item)).size,
    ratings: new Set(rated.map(({ item }) => item)).size,
    first: times.length === 0 ? null : Math.min(...times),
    last: times.length === 0 ? null : Math.max(...times),
  });
  expect(await store.listUsers({ after: { user: "", items: null }, limit: 9 })).toEqual(
    (await store.listUsers({ limit: 9 })).filter(({ source }) => source === null),
  );
});

const readAll = command("readAll", limit, (limit) => async (model, store) => {
  const events: NewEvent[] = [];
  for (let page = await store.events.page({ limit }); page.length > 0; ) {
    events.push(...page);
    page = await store.events.page({ after: page[page.length - 1].arrival, limit });
  }
  expect(events.map(read)).toEqual(model.events.map(read));
  expect(await store.events.count()).toBe(model.events.length);
  const items = [];
  for (let page = await store.items.changedSince(0, { limit }); page.length > 0; ) {
    items.push(...page);
    page = await store.items.changedSince(page[page.length - 1].version, { limit });
  }
  expect(items.map(({ updated, version, ...item }) => item)).toEqual(model.items);
  expect(items.at(-1)?.version ?? 0).toBe(await store.items.version());
  const metrics = await store.metrics.page({ limit: 99 });
  expect(new Map(metrics.map(({ updated, revision, ...metric }) => [metric.user, { metric, revision }]))).toEqual(
    model.metrics,
  );
  const feedback = await store.feedback.page({ limit: 99 });
  expect(feedback.map(({ recommendation, item, action }) => [recommendation, item, action])).toEqual(
    model.feedback.map(({ recommendation, item, action }) => [recommendation, item, action]),
  );
});

const newItem = fc.record({
  id: itemId,
  title: fc.constantFrom(null, "t", "u"),
  channels: fc.constantFrom({}, { plot: "p" }, { plot: null, tags: ["a"] }),
  fields: fc.constantFrom({}, { year: 1999 }),
});

const putItems = command("putItems", fc.array(newItem, { maxLength: 4 }), (items) => async (model, store) => {
  for (const item of items) {
    model.items = [...model.items.filter(({ id }) => id !== item.id), { ...item, deleted: false }];
  }
  await store.items.put(items);
});

const removeItems = command("removeItems", fc.uniqueArray(itemId, { maxLength: 3 }), (ids) => async (model, store) => {
  for (const id of ids) {
    const gone = { id, title: null, channels: {}, fields: {}, deleted: true };
    model.items = [...model.items.filter((item) => item.id !== id), gone];
  }
  await store.items.remove(ids);
});

const metric: fc.Arbitrary<UserMetric> = fc.record({
  user,
  model,
  weights: fc.constantFrom({ plot: 1 }, { plot: 0.25, tags: 3 }),
  base: fc.constant({ plot: 1 }),
  popularity: fc.constantFrom(0, 0.5),
  offset: fc.constantFrom(0, -1.5),
  source: fc.constantFrom("fitted", "set"),
  kept: fc.constantFrom(null, "too few"),
  items: fc.nat(5),
  fit: fc.constantFrom(null, { used: 2, iterations: 3, before: 1.5, after: null }),
  events: fc.constant(0),
});

function keep(model: Model, metric: UserMetric, revision: number): void {
  expect(model.past).not.toContain(revision);
  model.past.push(revision);
  model.metrics.set(metric.user, { metric, revision });
}

const setMetric = command("setMetric", metric, (metric) => async (model, store) => {
  keep(model, metric, await store.metrics.set(metric));
});

/** With the revision of now, of then, or none: and then with an event that is there, or with another user's. */
const replaceMetric = command(
  "replaceMetric",
  fc.record({ metric, against: fc.constantFrom("now", "past", "none"), other: user }),
  ({ metric: plain, against, other }) =>
    async (model, store) => {
      const own = await store.events.ofUser(other);
      const metric = { ...plain, events: own.at(-1)?.arrival ?? 999_999 };
      const now = model.metrics.get(metric.user)?.revision ?? null;
      const revision = { now, past: model.past[0] ?? -1, none: null }[against];
      const first = now === null && (metric.source === "set" || (own.length > 0 && other === metric.user));
      const result = await store.metrics.replace(metric, revision);
      if (revision === null ? first : revision === now) keep(model, metric, result as number);
      else expect(result).toBeNull();
    },
);

const removeMetric = command("removeMetric", user, (user) => async (model, store) => {
  expect(await store.metrics.remove(user)).toBe(model.metrics.delete(user));
});

const stale = command("stale", model, (name) => async (model, store) => {
  const users = [...model.metrics.values()].filter(({ metric }) => metric.model !== name && metric.source === "fitted");
  const sorted = users.map(({ metric }) => metric.user).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(await store.metrics.staleUsers(name, { limit: 99 })).toEqual(sorted);
});

const feedback: fc.Arbitrary<NewFeedback> = fc.record({
  recommendation: fc.constantFrom("r1", "r2"),
  user: fc.option(user),
  item: itemId,
  action: fc.constantFrom("shown", "clicked"),
  model,
});

const addFeedback = command("addFeedback", fc.array(feedback, { maxLength: 4 }), (all) => async (model, store) => {
  let accepted = 0;
  for (const one of all) {
    const said = ({ user, recommendation, item, action }: NewFeedback) => [user, recommendation, item, action].join();
    if (model.feedback.some((earlier) => said(earlier) === said(one))) continue;
    model.feedback.push(one);
    accepted++;
  }
  expect(await store.feedback.add(all)).toEqual({ accepted, duplicates: all.length - accepted });
  const total = (await store.feedback.counts()).reduce((sum, { count }) => sum + count, 0);
  expect(total).toBe(model.feedback.length);
});

const deleteUser = command("deleteUser", user, (user) => async (model, store) => {
  const others = <T extends { user: string | null }>(all: T[]) => all.filter((one) => one.user !== user);
  const before = { events: model.events.length, feedback: model.feedback.length };
  model.events = others(model.events);
  model.feedback = others(model.feedback);
  expect(await store.deleteUser(user)).toEqual({
    events: before.events - model.events.length,
    feedback: before.feedback - model.feedback.length,
    metrics: model.metrics.delete(user) ? 1 : 0,
  });
});

export function describeAgainstModel(fresh: () => Place): void {
  describe("any sequence of operations", () => {
    test("does what it does to arrays and maps", async () => {
      const all = [
        addEvents,
        readUser,
        readAll,
        putItems,
        removeItems,
        setMetric,
        replaceMetric,
        removeMetric,
        stale,
        addFeedback,
        deleteUser,
      ];
      await fc.assert(
        fc.asyncProperty(fc.commands(all, { size: "+2", maxCommands: 60 }), async (commands) => {
          await using store = await openAt(fresh());
          const start = () => ({
            model: { events: [], items: [], metrics: new Map(), past: [], feedback: [] },
            real: store,
          });
          await fc.asyncModelRun(start, commands);
        }),
        { numRuns: 25 },
      );
    });
  });
}

// What the SQL steps compute, in plain code on small worlds: the obvious way, event by event. Tests compare every table with it.
import { createHash } from "node:crypto";
import type { Config } from "../config/schema.ts";
import type { Row } from "../database.ts";
import type { Event } from "./world.ts";

interface Interaction {
  user: string;
  item: string;
  rating: number;
  time: number;
}

type Role = "train" | "validation" | "test";

export const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** Ids in the order of their bytes. */
const byBytes = (ids: Iterable<string>) =>
  [...new Set(ids)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const byHash = (ids: Iterable<string>, prefix: string) =>
  [...ids].sort((a, b) => (md5(prefix + a) < md5(prefix + b) ? -1 : 1));

/** Every table of the dataset by its file, rows in the order of the file. `described`: the ids of the item file. */
export function referenceTables(
  rows: readonly Event[],
  described: readonly string[],
  config: Config,
): Record<string, Row[]> {
  const interactions = deduplicated(rows);
  const users = byBytes(rows.map(([user]) => user));
  const items = byBytes([...rows.map(([, item]) => item), ...described]);
  const userIndex = new Map(users.map((id, k) => [id, k]));
  const itemIndex = new Map(items.map((id, k) => [id, k]));
  const u = (id: string) => userIndex.get(id) as number;
  const i = (id: string) => itemIndex.get(id) as number;

  const every = rows.map(([user, item, rating, time]) => ({ user, item, rating, time }));
  const { cut, itemRole, userRole } = split(interactions, every, users, config, i);
  const before = deduplicated(rows.filter(([, , , time]) => time < cut)); // what is done again at or after T changes nothing before it
  const training = inOrder(
    before.filter(({ user, item }) => itemRole.get(item) === "train" && userRole.get(user) === "train"),
    u,
    i,
  );
  const trained = new Set(training.map(({ item }) => item));
  const mean = sum(training) / training.length;
  const { shrinkage } = config.statistics;

  const tables: Record<string, Row[]> = {
    "items.parquet": items.map((id) => {
      const role = itemRole.get(id);
      return {
        item_index: i(id),
        item_id: id,
        role: trained.has(id) ? "train" : role === "test" || role === "validation" ? role : "unseen",
        described: described.includes(id),
      };
    }),
    "users.parquet": users.map((id) => ({ user_index: u(id), user_id: id, role: userRole.get(id) as Role })),
    "train/interactions.parquet": training.map(({ user, item, rating, time }) => ({
      user_index: u(user),
      item_index: i(item),
      rating,
      time,
    })),
    "train/items.parquet": groups(training, "item", i).map(([id, own]) => ({
      item_index: i(id),
      ratings: own.length,
      mean_rating: sum(own) / own.length,
      shrunk_mean: (sum(own) + shrinkage * mean) / (own.length + shrinkage),
      first_seen: least(own),
      last_seen: Math.max(...own.map(({ time }) => time)),
    })),
    "train/users.parquet": groups(training, "user", u).map(([id, own]) => ({
      user_index: u(id),
      events: own.length,
      mean_rating: sum(own) / own.length,
    })),
    "train/pairs.parquet": pairs(groups(training, "user", u), config).map(([user, anchor, positive]) => ({
      user_index: u(user),
      anchor: i(anchor),
      positive: i(positive),
    })),
  };
  Object.assign(tables, itemTruths({ test: interactions, validation: before }, { cut, itemRole, userRole }, config, i));
  if (config.split.by === "users") tables["truth/users.parquet"] = userTruths(interactions, userRole, config, { u, i });
  return tables;
}

/** The last in time wins; in one second the higher rating. */
function deduplicated(rows: readonly Event[]): Interaction[] {
  const kept = new Map<string, Interaction>();
  for (const [user, item, rating, time] of rows) {
    const key = JSON.stringify([user, item]);
    const before = kept.get(key);
    if (!before || time > before.time || (time === before.time && rating > before.rating)) {
      kept.set(key, { user, item, rating, time });
    }
  }
  return [...kept.values()];
}

interface Split {
  cut: number;
  itemRole: Map<string, Role>;
  userRole: Map<string, Role>;
}

type Index = (id: string) => number;

function split(
  interactions: readonly Interaction[],
  every: readonly Interaction[],
  users: readonly string[],
  { split: rule, seed }: Config,
  i: Index,
): Split {
  const everybody = new Map(users.map((id): [string, Role] => [id, "train"]));
  const seen = groups(every, "item", i).map(([id, own]): [string, number] => [id, least(own)]);
  const never = Number.POSITIVE_INFINITY;
  switch (rule.by) {
    case "none":
      return { cut: never, itemRole: new Map(seen.map(([id]) => [id, "train"])), userRole: everybody };
    case "time": {
      const cut = newestFrom(seen, rule.fraction);
      const earlier = seen.filter(([, time]) => time < cut);
      const since = newestFrom(earlier, rule.fraction);
      const role = (time: number): Role => (time >= cut ? "test" : time >= since ? "validation" : "train");
      return { cut, itemRole: new Map(seen.map(([id, time]) => [id, role(time)])), userRole: everybody };
    }
    case "random": {
      const drawn = byHash(
        seen.map(([id]) => id),
        `${seed}:item:`,
      );
      const tests = share(rule.fraction, drawn.length);
      const both = share(2 * rule.fraction, drawn.length);
      const role = (k: number): Role => (k < tests ? "test" : k < both ? "validation" : "train");
      return { cut: never, itemRole: new Map(drawn.map((id, k) => [id, role(k)])), userRole: everybody };
    }
    case "users": {
      const [fewest, most] = rule.userEvents;
      const eligible = groups(interactions, "user", (id) => users.indexOf(id))
        .filter(([, own]) => own.length >= fewest && own.length <= most)
        .map(([id]) => id);
      const wanted = Math.min(rule.users, Math.ceil(eligible.length / 10));
      const userRole = new Map(everybody);
      byHash(eligible, `${seed}:user:`).forEach((id, k) => {
        if (k < 2 * wanted) userRole.set(id, k < wanted ? "test" : "validation");
      });
      const rest = every.filter(({ user }) => userRole.get(user) === "train");
      const seenByRest = groups(rest, "item", i).map(([id, own]): [string, number] => [id, least(own)]);
      const since = newestFrom(seenByRest, rule.fraction);
      const itemRole = new Map(
        seenByRest.map(([id, time]): [string, Role] => [id, time >= since ? "validation" : "train"]),
      );
      return { cut: never, itemRole, userRole };
    }
  }
}

/** ⌊fraction·n⌋ without the noise of binary fractions. */
const share = (fraction: number, n: number) => Math.floor(Math.round(fraction * n * 1e9) / 1e9);

/** The time from which an item counts among the newest `fraction`. */
function newestFrom(seen: readonly (readonly [string, number])[], fraction: number): number {
  const times = seen.map(([, time]) => time).sort((a, b) => a - b);
  return times[share(1 - fraction, times.length)] ?? Number.POSITIVE_INFINITY;
}

function pairs(
  histories: readonly [string, Interaction[]][],
  { pairs: rule, seed }: Config,
): [string, string, string][] {
  const cap = Math.max(1, Math.min(rule.perUser, Math.floor(rule.total / histories.length)));
  return histories.flatMap(([user, own]) => {
    const slots = own.length * rule.window;
    const kept = Math.min(slots, cap);
    const start = Number.parseInt(md5(`${seed}:pairs:${user}`).slice(0, 8), 16) % slots;
    return Array.from({ length: kept }, (_, k) => Math.floor((k * slots + start) / kept)).flatMap((slot) => {
      const anchor = Math.floor(slot / rule.window);
      const positive = own[anchor + (slot % rule.window) + 1];
      return positive ? [[user, own[anchor].item, positive.item] as [string, string, string]] : [];
    });
  });
}

function itemTruths(
  worlds: Record<"test" | "validation", readonly Interaction[]>,
  { itemRole, userRole }: Split,
  { truth, seed }: Config,
  i: Index,
): Record<string, Row[]> {
  const tables: Record<string, Row[]> = {
    "truth/queries.parquet": [],
    "truth/co-interaction.parquet": [],
    "truth/affinity.parquet": [],
    "truth/items.parquet": [],
  };
  for (const role of ["test", "validation"] as const) {
    const world =
      role === "test"
        ? worlds.test
        : worlds.validation.filter(
            ({ user, item }) => itemRole.has(item) && itemRole.get(item) !== "test" && userRole.get(user) === "train",
          );
    const drawn = byHash(
      [...itemRole].filter(([, own]) => own === role).map(([id]) => id),
      `${seed}:query:`,
    ).slice(0, truth.maxQueries);
    const degree = new Map(groups(world, "item", i).map(([id, own]) => [id, own.length]));
    for (const query of drawn.sort((a, b) => i(a) - i(b))) {
      tables["truth/queries.parquet"].push({ item_index: i(query), role });
      const own = world.filter(({ item }) => item === query);
      if (own.length > 0) {
        tables["truth/items.parquet"].push({
          role,
          item_index: i(query),
          ratings: own.length,
          mean_rating: sum(own) / own.length,
          first_seen: least(own),
        });
      }
      const common = new Map<string, { seconds: number; users: number }>();
      for (const { user, time } of own) {
        for (const other of world) {
          if (other.user !== user || other.item === query) continue;
          const before = common.get(other.item) ?? { seconds: Number.POSITIVE_INFINITY, users: 0 };
          common.set(other.item, {
            seconds: Math.min(before.seconds, Math.abs(time - other.time)),
            users: before.users + 1,
          });
        }
      }
      const found = [...common].sort(([a], [b]) => i(a) - i(b));
      for (const [item, { seconds }] of found) {
        tables["truth/co-interaction.parquet"].push({ role, query: i(query), item: i(item), seconds });
      }
      const n = (id: string) => degree.get(id) as number;
      found
        .filter(([, { users }]) => users >= truth.minCommonUsers)
        .map(([item, { users }]) => ({ item, users, affinity: users / Math.sqrt(n(query) * n(item)) }))
        .sort((a, b) => b.affinity - a.affinity || (md5(a.item) < md5(b.item) ? -1 : 1))
        .slice(0, truth.neighbours)
        .forEach(({ item, users, affinity }, k) => {
          const row = { role, query: i(query), item: i(item), rank: k + 1, affinity, common_users: users };
          tables["truth/affinity.parquet"].push(row);
        });
    }
  }
  for (const file of ["truth/co-interaction.parquet", "truth/affinity.parquet"]) {
    tables[file].sort((a, b) => (a.query as number) - (b.query as number)); // items and ranks keep their order
  }
  return tables;
}

function userTruths(
  interactions: readonly Interaction[],
  userRole: Map<string, Role>,
  { split: { support } }: Config,
  { u, i }: { u: Index; i: Index },
): Row[] {
  return (["test", "validation"] as const).flatMap((role) =>
    groups(
      inOrder(
        interactions.filter(({ user }) => userRole.get(user) === role),
        u,
        i,
      ),
      "user",
      u,
    ).flatMap(([user, own]) =>
      own.map(({ item, rating, time }, k) => ({
        role,
        user_index: u(user),
        item_index: i(item),
        rating,
        time,
        part: k < share(support, own.length) ? "support" : "query",
      })),
    ),
  );
}

function inOrder(interactions: readonly Interaction[], u: Index, i: Index): Interaction[] {
  return [...interactions].sort((a, b) => u(a.user) - u(b.user) || a.time - b.time || i(a.item) - i(b.item));
}

/** Interactions by user or item, in the order of the index. */
function groups(interactions: readonly Interaction[], key: "user" | "item", index: Index): [string, Interaction[]][] {
  const found = new Map<string, Interaction[]>();
  for (const event of interactions) found.set(event[key], [...(found.get(event[key]) ?? []), event]);
  return [...found].sort(([a], [b]) => index(a) - index(b));
}

const sum = (events: readonly Interaction[]) => events.reduce((total, { rating }) => total + rating, 0);
const least = (events: readonly Interaction[]) => Math.min(...events.map(({ time }) => time));

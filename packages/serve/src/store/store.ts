// Everything that lasts, in one place: items put at run time, events, metrics of users, and what the server must know of itself.
import { fileURLToPath } from "node:url";
import { NearkinError } from "@nearkin/core";
import { type ActivationStore, activationStore } from "./activations.ts";
import { type AllowanceStore, allowanceStore } from "./allowances.ts";
import { steadyClock } from "./arrivals.ts";
import { type ChangeStore, changeStore } from "./changes.ts";
import type { SqlDatabase } from "./database.ts";
import { type EventStore, eventStore } from "./events.ts";
import { type FeedbackStore, feedbackStore } from "./feedback.ts";
import { type ImportStore, importStore } from "./imports.ts";
import { type ItemStore, itemStore } from "./items.ts";
import { type KeyStore, keyStore, type SecretStore, secretStore } from "./keys.ts";
import { type LibsqlOptions, openLibsql } from "./libsql.ts";
import { type MetricStore, metricStore } from "./metrics.ts";
import { MIGRATIONS, migrate, schemaVersion } from "./migrations.ts";
import type { PostgresOptions } from "./postgres.ts";
import { EVENTS_PER_USER } from "./quota.ts";
import { type ReplicaStore, replicaStore } from "./replicas.ts";
import {
  type DeletedUser,
  deleteUser,
  finishErasures,
  type ListedUser,
  listUsers,
  type UserPlace,
  type UsersToFit,
  usersToFit,
} from "./users.ts";
import { type VectorStore, vectorStore } from "./vectors.ts";

export interface StoreOptions extends LibsqlOptions, PostgresOptions {
  /** The time in milliseconds since 1970. @default Date.now, and for what arrives in a PostgreSQL the clock of that */
  now?: () => number;
  /** Makes the tables if there are none; false refuses such a place. @default true */
  make?: boolean;
  /** Events that one user may have, imports aside, and as many entries of feedback. @default 100000 */
  eventsPerUser?: number;
}

/** What several servers over one store tell each other. */
export interface SharedStore {
  readonly changes: ChangeStore;
  readonly replicas: ReplicaStore;
  readonly allowances: AllowanceStore;
  /** Hears of changes as they come, while its connection holds. */
  readonly listen: NonNullable<SqlDatabase["listen"]>;
}

export interface Store extends AsyncDisposable {
  readonly kind: SqlDatabase["kind"];
  /** What to call it in messages; without a password. */
  readonly place: string;
  readonly items: ItemStore;
  readonly vectors: VectorStore;
  readonly events: EventStore;
  readonly metrics: MetricStore;
  readonly feedback: FeedbackStore;
  readonly activations: ActivationStore;
  readonly keys: KeyStore;
  readonly secrets: SecretStore;
  readonly imports: ImportStore;
  /** null where a store has one server. */
  readonly shared: SharedStore | null;
  /** Deletes everything of a user: readers see all of it or nothing. A fit that is under way does not bring them back. */
  deleteUser(user: string): Promise<DeletedUser>;
  /** Continues deletions of users that a server left unfinished when it ended. */
  finishErasures(): Promise<void>;
  /**
   * Users with events that no metric was fitted to yet, and none set by hand, among the next `limit` users in the order of their ids, behind
   * the user `after`. What is left to fit behind an import or a server, whether or not it was stopped in between.
   */
  usersToFit(options: { after?: string; limit: number }): Promise<UsersToFit>;
  /**
   * Users with a metric of their own, those fitted to the most items first, then all others with events by their ids; behind `after`. A page
   * that is not full is the last.
   */
  listUsers(options: { after?: UserPlace | undefined; limit: number }): Promise<ListedUser[]>;
  /** Whether it answers: throws where not. */
  ping(): Promise<void>;
  /** What the database was given is still done; what waits behind it is refused. */
  close(): Promise<void>;
}

/**
 * Opens a store, made where there is none: a path or a `file:` address for libsql, `postgres://…` for PostgreSQL.
 *
 * A server has its file to itself. A command beside it opens the file with `exclusive: false`: it reads and writes a transaction at a time. It
 * brings the tables of an older version up to date only where no server has the file.
 */
export async function openStore(location: string, { make = true, ...options }: StoreOptions = {}): Promise<Store> {
  const database = await openDatabase(location, { ...options, make });
  try {
    if (!make) await refuseEmpty(database);
    await migrate(database);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return storeOver(database, options);
}

/** The store over a database whose tables are up to date. */
export function storeOver(
  database: SqlDatabase,
  { now: clock, eventsPerUser = EVENTS_PER_USER }: Pick<StoreOptions, "now" | "eventsPerUser"> = {},
): Store {
  const now = clock ?? Date.now;
  const arrival = !clock && database.kind === "postgres" ? () => null : steadyClock(now);
  const close = async () => database[Symbol.asyncDispose]();
  return {
    kind: database.kind,
    place: database.place,
    items: itemStore(database, now),
    vectors: vectorStore(database),
    events: eventStore(database, { now: arrival, quota: eventsPerUser }),
    metrics: metricStore(database, now),
    feedback: feedbackStore(database, { now: arrival, quota: eventsPerUser }),
    activations: activationStore(database, now),
    keys: keyStore(database, now),
    secrets: secretStore(database, now),
    imports: importStore(database, { now, arrival }),
    shared: database.listen && {
      changes: changeStore(database),
      replicas: replicaStore(database),
      allowances: allowanceStore(database),
      listen: database.listen,
    },
    deleteUser: (user) => deleteUser(database, user),
    finishErasures: () => finishErasures(database),
    usersToFit: (options) => usersToFit(database, options),
    listUsers: (options) => listUsers(database, options),
    async ping() {
      await database.run([{ sql: "SELECT 1" }]);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function refuseEmpty(database: SqlDatabase): Promise<void> {
  if ((await schemaVersion(database)) > 0) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `store: ${database.place} has no tables of Nearkin; name the store that the server was started with`,
  );
}

async function openDatabase(
  location: string,
  { make, ...options }: LibsqlOptions & PostgresOptions & { make: boolean },
): Promise<SqlDatabase> {
  if (/^postgres(ql)?:/.test(location)) {
    const { openPostgres } = await import("./postgres.ts"); // its driver is some MB that a server with a file does without
    return openPostgres(location, options);
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(location) && !location.startsWith("file:")) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `store: a store is a path, file:… or postgres://…, got ${location.split(":")[0]}:…`,
    );
  }
  const path = location.startsWith("file:") ? pathOf(location) : location;
  if (options.exclusive !== false) return openLibsql(path, options);
  const beside = await openLibsql(path, options);
  const version = await schemaVersion(beside).catch(async (error) => {
    await beside[Symbol.asyncDispose]();
    throw error;
  });
  if (version >= MIGRATIONS.length || (version === 0 && !make)) return beside;
  // Tables must not change under a server that runs.
  await beside[Symbol.asyncDispose]();
  {
    await using alone = await openLibsql(path, { ...options, exclusive: true });
    await migrate(alone);
  }
  return openLibsql(path, options);
}

/** `file:///abs`, and also `file:relative`, which is no URL but often written. */
function pathOf(location: string): string {
  return location.startsWith("file://") ? fileURLToPath(location) : location.slice("file:".length);
}

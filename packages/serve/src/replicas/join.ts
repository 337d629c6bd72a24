// One of several servers on a store. What each of them holds in memory, and how it is kept in step:
//
//   items in the catalogue      by their versions: those above the last one known here are read
//   users' events and metrics   forgotten when one has changed, read again when asked for
//   keys                        doubted when one was revoked, read again when shown
//   the signing secret          read again when it was replaced
//   the active model            followed, one server at a time
//   rows of items               moved by the store's events, in the order of their arrival
//   users to fit                fitted where their events came; what a server leaves behind is fitted by whoever finds it dead
//   texts to encode             encoded by whoever comes to them first, and looked for in the store by the others
//   requests a caller has left  leased from the store, see access/leased-buckets.ts
//
// All else is read from the store each time, or the same everywhere: events, feedback, vectors of texts.
import { randomBytes } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { SigningSecrets } from "../access/signing.ts";
import type { ServeConfig } from "../config.ts";
import type { ServerContext } from "../http/context.ts";
import { isAway } from "../store/errors.ts";
import type { Look } from "../store/replicas.ts";
import type { SharedStore } from "../store/store.ts";
import { ChangeFeed } from "./feed.ts";
import { ModelFollower } from "./model-follower.ts";
import { isOurs } from "./share.ts";

export interface JoinOptions
  extends Pick<ServerContext, "models" | "writer" | "users" | "keys" | "refresh" | "rowUpdates" | "metrics"> {
  signing: SigningSecrets;
  shared: SharedStore;
  config: Pick<ServeConfig, "lookEvery" | "listen">;
  log: Pick<FastifyBaseLogger, "info" | "warn" | "error">;
  /** Events were imported by a command beside the servers. */
  onImported: () => void;
  /** A server is gone: the users it had to fit are ours. */
  onInherited: () => void;
}

export interface Replicas extends AsyncDisposable {
  /** Of this one. */
  readonly id: string;
  /** How many are alive, this one included. */
  readonly alive: number;
  /** Whether all of them know of this one. */
  readonly settled: boolean;
  /** performance.now() up to which all that others have changed is known here. */
  readonly synced: number;
  /** Whether it hears of changes as they come, and not only by the clock. */
  readonly listening: boolean;
  /** Why another model is served here than the one activated last; null where that is served, or just being opened. */
  readonly problem: string | null;
  /** Whether a user who became stale for all servers at once is this one's to fit. */
  readonly isOurs: (user: string) => boolean;
  /** A user was fitted here. */
  fitted(user: string): void;
  /** Users who were fitted here with a model that others had already left: each once. */
  fittedBehind(): readonly string[];
}

/** ms for each second between looks until all others have looked. */
const SETTLED = 3000;
/** Users that are remembered as fitted with an old model; of more, some wait for their next event. */
const MOST_BEHIND = 10_000;

/** Looks for the first time, before anything is read from the store into memory, and keeps in step from then on. */
export async function joinReplicas(options: JoinOptions): Promise<Replicas> {
  const { shared, signing, models, writer, users, keys, refresh, rowUpdates, metrics, config, log } = options;
  const id = randomBytes(8).toString("hex");
  const joined = performance.now();
  const behind = new Set<string>();
  let listening = false;
  let catchingUp: Promise<void> | undefined;

  const follower = new ModelFollower({
    id,
    models,
    replicas: shared.replicas,
    onFollowed: () => {
      metrics.models.swapped("followed");
      log.info({ model: models.current?.model.id }, "followed to the model that another server activated");
    },
    onProblem: (problem) => {
      metrics.replicas.behind(problem !== null);
      if (problem !== null) log.warn({ problem }, "the active model is not served here");
    },
  });

  const catchUp = ({ positions }: Look): void => {
    const served = models.current;
    if (!served || served.version >= positions.items || catchingUp) return;
    catchingUp = writer
      .catchUp()
      .then(
        (count) => metrics.replicas.caughtUp(count),
        (error: unknown) => {
          if (!isAway(error)) log.error({ err: error }, "items of other servers were not taken over");
        },
      )
      .finally(() => {
        catchingUp = undefined; // what failed, the next look finds again
      });
  };

  const feed = await ChangeFeed.start({
    id,
    shared,
    model: () => models.current?.model.id ?? null,
    every: config.lookEvery * 1000,
    listen: config.listen,
    onUsers: (changed) => {
      if (changed === null) users.forgetAll();
      else for (const user of changed) users.forget(user);
      rowUpdates.notice();
    },
    onDeleted: () => rowUpdates.readAnew(),
    onKeysChanged: () => {
      keys.doubt();
      return signing.reload();
    },
    onImported: options.onImported,
    onInherited: () => {
      log.info("a server on the store is gone; users it had left to fit are fitted here");
      options.onInherited();
    },
    onLook: (look) => {
      metrics.replicas.looked(look.alive.length);
      if (!models.current) return; // it is just being opened, at the state of the store
      catchUp(look);
      follower.look(look);
    },
    onListening: (now) => {
      if (listening && !now) log.warn("no longer listening for changes of other servers; looking by the clock");
      listening = now;
      metrics.replicas.listening(now);
    },
    onError: (error) => log.error({ err: error }, "what other servers changed was not looked at"),
  });

  return {
    id,
    get alive() {
      return feed.alive.length;
    },
    get settled() {
      return performance.now() - joined > SETTLED * config.lookEvery;
    },
    get synced() {
      return feed.synced;
    },
    get listening() {
      return listening;
    },
    get problem() {
      return follower.problem;
    },
    isOurs: (user) => {
      const model = models.current?.model.id;
      // those with another model have not come to it yet, or cannot
      const others = feed.alive.filter((one) => one.id !== id && one.model === model);
      return isOurs(user, id, others);
    },
    fitted: (user) => {
      if (follower.behind && behind.size < MOST_BEHIND) behind.add(user);
    },
    fittedBehind: () => {
      const all = [...behind];
      behind.clear();
      return all;
    },
    async [Symbol.asyncDispose]() {
      await follower[Symbol.asyncDispose]();
      await feed.close({ unfinished: refresh.busy });
      await catchingUp;
    },
  };
}

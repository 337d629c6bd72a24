// What handlers work with, and what a handler is.
import type { RouteAnswer, RouteInput, RouteName, Routes } from "@nearkin/client/contract";
import type { Caller } from "../access/caller.ts";
import type { KeyRing } from "../access/key-ring.ts";
import type { BrowserTokens } from "../access/tokens.ts";
import type { RowUpdates } from "../catalogue/row-updates.ts";
import type { ItemWriter } from "../catalogue/writer.ts";
import type { ServeConfig } from "../config.ts";
import type { FairQueue, Turn } from "../fair-queue.ts";
import type { ActiveModels } from "../models/active.ts";
import type { Replicas } from "../replicas/join.ts";
import type { ResultsFolder } from "../results/folder.ts";
import type { Recommendations } from "../search/recommendation.ts";
import type { Store } from "../store/store.ts";
import type { TextVectors } from "../texts/vectors.ts";
import type { RefreshQueue } from "../users/refresh.ts";
import type { UsersThread } from "../users/thread.ts";
import type { Users } from "../users/users.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Metrics } from "./metrics.ts";
import type { OwnAnswer } from "./own-answer.ts";

export interface ServerContext {
  readonly version: string;
  readonly started: number;
  readonly store: Store;
  readonly models: ActiveModels;
  readonly writer: ItemWriter;
  readonly texts: TextVectors;
  readonly users: Users;
  readonly usersThread: UsersThread;
  readonly refresh: RefreshQueue;
  readonly rowUpdates: RowUpdates;
  /** Filters that must read the catalogue, and searches of titles. */
  readonly filterQueue: FairQueue;
  /** Explanations that read the whole catalogue on this thread. */
  readonly explainQueue: FairQueue;
  /** Files of models that are sent. */
  readonly modelFileQueue: FairQueue;
  /** Who may read files of models. */
  readonly modelFiles: ServeConfig["modelFiles"];
  readonly recommendations: Recommendations;
  readonly keys: KeyRing;
  readonly tokens: BrowserTokens;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
  /** Others on the store; undefined where there can be none. */
  replicas?: Replicas;
  /** undefined where the server was given none. */
  readonly results: ResultsFolder | undefined;
}

/** A request, checked, and who asks. */
export type Asked<Name extends RouteName> = RouteInput<Name> & {
  readonly caller: Caller;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
};

/** What is no JSON may come with headers of its own. */
type Answer<Name extends RouteName> =
  | RouteAnswer<Name>
  | (Routes[Name] extends { readonly produces: string } ? OwnAnswer : never);

export type Handler<Name extends RouteName> = (
  context: ServerContext,
  asked: Asked<Name>,
) => Promise<Answer<Name>> | Answer<Name>;

export type Handlers<Names extends RouteName = RouteName> = { readonly [Name in Names]: Handler<Name> };

/** The user of a request; one that is left out by a browser with a token is the token's. */
export const userOf = (caller: Caller, user: string | undefined): string | undefined =>
  user ?? (caller.kind === "token" ? caller.user : undefined);

/** Turn of a request: a token's is its user's, a key's is the key's. For all queues but that of the users thread. */
export const turnOf = (caller: Caller, signal: AbortSignal): Turn => ({
  caller: caller.kind === "token" ? `token ${caller.key} ${caller.user}` : caller.kind === "key" ? caller.key : "",
  signal,
});

/** Turn at the users thread, where every user has a share of their own, whoever asks about them. */
export const userTurn = (user: string, signal: AbortSignal): Turn => ({ caller: `user ${user}`, signal });

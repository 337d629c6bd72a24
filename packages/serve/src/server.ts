// The server: everything put together, started, and ended in order.
import { availableParallelism } from "node:os";
import { type Encoder, openEncoder } from "@nearkin/data/encoders";
import fastify, { type FastifyInstance } from "fastify";
import packageJson from "../package.json" with { type: "json" };
import { KeyRing } from "./access/key-ring.ts";
import { LeasedBuckets } from "./access/leased-buckets.ts";
import { RequestLimits, sameForAll } from "./access/limits.ts";
import { needsKeys } from "./access/local.ts";
import { inNetworks } from "./access/networks.ts";
import { SigningSecrets } from "./access/signing.ts";
import { BrowserTokens } from "./access/tokens.ts";
import { RowUpdates } from "./catalogue/row-updates.ts";
import { ItemWriter } from "./catalogue/writer.ts";
import { Closers } from "./closers.ts";
import { type ServeConfig, type ServeConfigInput, serveConfigSchema } from "./config.ts";
import { FairQueue } from "./fair-queue.ts";
import type { ServerContext } from "./http/context.ts";
import { drain } from "./http/drain.ts";
import { installFoundations } from "./http/foundations.ts";
import { Lifecycle } from "./http/lifecycle.ts";
import { createMetrics } from "./http/metrics.ts";
import { readPage } from "./http/page/files.ts";
import { PAGE_ROUTE, registerPage } from "./http/page/routes.ts";
import { registerRoutes } from "./http/register.ts";
import { serverOptions } from "./http/server-options.ts";
import { ActiveModels } from "./models/active.ts";
import { ModelFolders } from "./models/folders.ts";
import { Served } from "./models/served.ts";
import { joinReplicas, type Replicas } from "./replicas/join.ts";
import { ResultsFolder } from "./results/folder.ts";
import { Recommendations } from "./search/recommendation.ts";
import { isAway } from "./store/errors.ts";
import { observedStore } from "./store/observed.ts";
import { openStore, type Store, type StoreOptions } from "./store/store.ts";
import type { UsersToFit } from "./store/users.ts";
import { TextVectors } from "./texts/vectors.ts";
import { ImportWatch } from "./users/import-watch.ts";
import { RefreshQueue } from "./users/refresh.ts";
import { UsersThread } from "./users/thread.ts";
import { Users } from "./users/users.ts";

const STALE_PAGE = 500; // users
const MAX_IDS_LOGGED = 10;
const MAX_EXPLANATIONS_WAITING = 32; // each takes up to a second at a million items

export interface ServeOptions extends ServeConfigInput {
  /** Model folders, or folders that hold some. */
  models: readonly string[];
  /** Opens a text encoder by its name. @default those of @nearkin/data */
  openEncoder?: (name: string) => Promise<Encoder>;
  /** ms until all events after training may be read again, as after a deletion. @default 60000 */
  readAnewAfter?: number;
  /** Further options of the store, such as the schema on PostgreSQL. */
  storeOptions?: StoreOptions;
}

export interface NearkinServer extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly context: ServerContext;
  readonly config: ServeConfig;
  /** Whether requests must show keys. */
  readonly withKeys: boolean;
  /** Listens; the address. */
  listen(): Promise<string>;
  /** Drains and closes; safe to call twice. */
  close(): Promise<void>;
}

/** Opens the store and the model; requests are answered once `listen` is called, or by `app.inject`. */
export async function createServer({
  models: places,
  openEncoder: open = (name) => openEncoder(name, { threads: 1, background: true }),
  storeOptions = {},
  readAnewAfter,
  ...input
}: ServeOptions): Promise<NearkinServer> {
  const config = serveConfigSchema.parse(input);
  const parts = new Closers();
  try {
    return await assemble(config, { places, open, storeOptions, readAnewAfter, parts });
  } catch (error) {
    await parts.close().catch(() => {}); // the first failure says more
    throw error;
  }
}

async function assemble(
  config: ServeConfig,
  {
    places,
    open,
    storeOptions,
    readAnewAfter,
    parts,
  }: {
    places: readonly string[];
    open: (name: string) => Promise<Encoder>;
    storeOptions: StoreOptions;
    readAnewAfter: number | undefined;
    parts: Closers;
  },
): Promise<NearkinServer> {
  const withKeys = needsKeys(config.host, config.keys === "auto" ? undefined : config.keys === "on");
  const isProxy = inNetworks(config.trustProxy);
  const metrics = createMetrics();
  const store = parts.add(
    observedStore(
      await openStore(config.store, { eventsPerUser: config.eventsPerUser, ...storeOptions }),
      metrics.store,
    ),
  );
  const lifecycle = new Lifecycle(["model"]);
  const app = fastify(
    serverOptions({
      logs: config.log === "silent" ? false : { level: config.log },
      patience: { requestMs: config.requestTimeout * 1000 },
      bodyLimit: config.bodyLimit,
      trustProxy: config.trustProxy.length > 0 ? isProxy : undefined,
    }),
  );
  const failed = (what: string) => (error: unknown) => app.log.error({ err: error }, what);
  const texts: TextVectors = parts.add(
    new TextVectors({
      store: store.vectors,
      open,
      shared: store.shared !== null,
      onEncoded: (encoder, done) => {
        if (!models.current) return; // the first model asks anew when it answers
        writer.encoded(encoder, done).catch(failed("items were not completed"));
      },
      onFailure: (encoder, error) => app.log.warn({ encoder, err: error }, "texts were not encoded"),
      onBatch: (count, seconds) => metrics.encoder.encoded(count, seconds),
      onStarted: (bytes) => metrics.encoder.resident(bytes),
    }),
  );
  const usersThread = parts.add(new UsersThread());
  const writer: ItemWriter = parts.add(
    new ItemWriter({
      store,
      vectors: texts,
      withServed: (use) => models.change(use),
      queue: config.queue,
      onLacking: ({ model, withoutRoom, unreadable }) => {
        const first = (ids: ReadonlySet<string>) => ({ count: ids.size, first: [...ids].slice(0, MAX_IDS_LOGGED) });
        const lacking = { model: model.id, withoutRoom: first(withoutRoom), unreadable: first(unreadable) };
        if (withoutRoom.size > 0) app.log.error(lacking, "items of the store have no room: the server is not ready");
        else if (unreadable.size > 0) app.log.warn(lacking, "items of the store cannot be read by this model");
        else app.log.info(lacking, "all items of the store are in the catalogue");
      },
    }),
  );
  const cacheFor = store.kind === "postgres" ? config.userCache * 1000 : Number.POSITIVE_INFINITY;
  let replicas: Replicas | undefined; // others on the store, where there can be any
  const synced = () => replicas?.synced ?? Number.NEGATIVE_INFINITY;
  const users = new Users({ store, thread: usersThread, cacheFor, synced });
  const models: ActiveModels = parts.add(
    new ActiveModels({
      folders: new ModelFolders(places),
      store,
      open: (path) => openServed(path),
      close: async (served) => {
        try {
          await usersThread.forget(served.key);
        } finally {
          await served.close(); // a thread that was lost has forgotten it anyway
        }
      },
      alone: (run) => writer.exclusively(run),
      replay: (served) => writer.replay(served),
      onSwap: (served) => {
        metrics.models.active(served.model.id);
        writer.resume(served);
        usersChanged(served);
        rowUpdates.notice();
      },
      onError: failed("an old model was not closed"),
    }),
  );
  const rowUpdates = parts.add(
    new RowUpdates({
      store,
      models,
      onAdded: metrics.events.foldedIn,
      ...(readAnewAfter === undefined ? {} : { anewAfter: readAnewAfter }),
      onError: (error) => {
        if (!isAway(error)) failed("events after training were not folded into the catalogue")(error);
      },
    }),
  );
  const fit = async (user: string): Promise<void> => {
    await models.with((served) => users.refresh(served, user));
    replicas?.fitted(user);
  };
  const refresh: RefreshQueue = parts.add(
    new RefreshQueue(fit, {
      delay: config.refreshDelay,
      stale: () => staleUsers(store, models.current),
      passes: isAway,
      onRefreshed: (lag) => metrics.users.refreshed(lag / 1000),
      onFailure: (error) => {
        metrics.users.failed();
        failed("a user's metric was not fitted")(error);
      },
    }),
  );
  const usersChanged = (served: Served): void => {
    users.forgetAll();
    if (!served.model.personalizes) return;
    refresh.follow(() => staleUsers(store, served, replicas?.isOurs));
    for (const user of replicas?.fittedBehind() ?? []) refresh.add(user);
  };
  const keys = new KeyRing(store.keys, { onError: failed("when a key was used was not noted, or is not known") });
  parts.add({ [Symbol.asyncDispose]: () => keys.settle() });
  const signing = await SigningSecrets.open(store.secrets);
  const tokens = new BrowserTokens(keys, { secrets: () => signing.of("tokens") });
  const sharedBuckets = store.shared
    ? new LeasedBuckets({
        lease: store.shared.allowances.lease,
        servers: () => replicas?.alive ?? 1,
        settled: () => replicas?.settled ?? false,
        onAlone: metrics.access.countedAlone,
      })
    : undefined;
  const context: ServerContext = {
    version: packageJson.version,
    started: performance.now(),
    store,
    models,
    writer,
    texts,
    users,
    usersThread,
    refresh,
    rowUpdates,
    // each filter under way holds a bit for every word and row: 25 MB at a million items
    filterQueue: new FairQueue({ concurrency: 4, concurrencyOfCaller: 2, limit: config.queue }),
    explainQueue: new FairQueue({ limit: Math.min(config.queue, MAX_EXPLANATIONS_WAITING) }),
    modelFileQueue: new FairQueue({ concurrency: 16, concurrencyOfCaller: 4, limit: 64 }), // a model has four large files
    modelFiles: config.modelFiles,
    recommendations: new Recommendations(() => signing.of("lists")),
    keys,
    tokens,
    metrics,
    lifecycle,
    results: config.results === undefined ? undefined : new ResultsFolder(config.results),
  };
  await installFoundations(app, {
    guard: {
      door: withKeys
        ? { kind: "keys", ring: keys, tokens }
        : { kind: "local", hosts: config.names, origins: config.origins },
      publicRoutes: ["health", PAGE_ROUTE, ...config.open.flatMap((name) => OPEN[name])],
      ...limitsOf(config, withKeys, sharedBuckets),
    },
    metrics,
    lifecycle,
    origins: config.origins,
    connections: { most: config.connections, mostPerAddress: config.connectionsPerAddress, isProxy },
  });
  registerRoutes(app, context, config);
  registerPage(app, config.page === undefined ? undefined : await readPage(config.page));
  const onImported = () => {
    rowUpdates.notice();
    if (models.current) usersChanged(models.current);
  };
  if (store.shared) {
    const { shared } = store;
    replicas = await joinReplicas({ ...context, signing, shared, config, log: app.log, onImported, onInherited });
    await signing.reload(); // what was replaced before the first look is not told of
    context.replicas = replicas;
    parts.add(replicas);
  }
  await models.start({ alone: replicas === undefined || replicas.alive === 1 });
  finishErasures();
  if (!replicas) parts.add(new ImportWatch({ imports: store.imports, onImported, onLook: () => signing.reload() }));
  lifecycle.ready("model");
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= drain(app, lifecycle, {
      graceMs: config.drain * 1000,
      finishMs: config.grace * 1000,
      closings: [{ name: "parts", close: () => parts.close() }],
    }).then(() => {});
    return closing;
  };
  const listen = () => app.listen({ host: config.host, port: config.port });
  return { app, context, config, withKeys, listen, close, [Symbol.asyncDispose]: close };

  /** Users whom a server that is gone had left to fit, or to delete: anybody's. */
  function onInherited(): void {
    finishErasures();
    refresh.follow(() => staleUsers(store, models.current));
  }

  function finishErasures(): void {
    store.finishErasures().catch((error) => {
      if (!lifecycle.draining) failed("a user's deletion was not finished; the next start continues it")(error);
    });
  }

  async function openServed(path: string): Promise<Served> {
    const { spareItems, queue, threads = Math.min(8, availableParallelism()) } = config;
    const { graphFrom, graphFolder } = config;
    const onGraphProblem = failed("the graph is not used");
    const onScan = (queries: number, time: number) => metrics.scans.batch(queries, time / 1000);
    const options = {
      threads,
      spareItems,
      storedItems: await store.items.count(),
      queue,
      encode: (some: readonly string[], encoder: string) => texts.encode(some, encoder),
      onScan,
      graphFrom,
      graphFolder,
      onGraphProblem,
    };
    const served = await Served.open(path, options);
    served.onItems = (change) => rowUpdates.itemsChanged(change);
    served.onDecision = (way) => metrics.graph.decided(way.replaceAll(" ", "_"));
    try {
      await served.startGraph(options);
      await usersThread.open(served.share());
      return served;
    } catch (error) {
      await served.close();
      throw error;
    }
  }
}

/** As configured; left open, only who comes with keys is limited. */
function limitsOf(
  { rate }: ServeConfig,
  withKeys: boolean,
  shared: LeasedBuckets | undefined,
): { limits?: RequestLimits } {
  if (rate === undefined) return withKeys ? { limits: new RequestLimits({}, { shared }) } : {};
  return { limits: new RequestLimits(sameForAll(rate), { shared }) };
}

const OPEN = {
  readyz: ["ready"],
  metrics: ["metrics"],
  docs: ["docs", "openApi"],
  reports: ["getReport"],
} as const;

/** Users whose metric was fitted under another model, or before their last events: a server that ended may have left them waiting. */
async function* staleUsers(
  store: Store,
  served: Served | undefined,
  isOurs: (user: string) => boolean = () => true,
): AsyncGenerator<string> {
  if (!served?.model.personalizes) return;
  for (let after = ""; ; ) {
    const page = await store.metrics.staleUsers(served.model.id, { after, limit: STALE_PAGE });
    if (page.length === 0) break;
    yield* page.filter(isOurs);
    after = page[page.length - 1];
  }
  for (let after: string | null = ""; after !== null; ) {
    const { users, next }: UsersToFit = await store.usersToFit({ after, limit: STALE_PAGE });
    yield* users.filter(isOurs);
    after = next;
  }
}

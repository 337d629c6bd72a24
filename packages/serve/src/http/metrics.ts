// What the server measures of itself, in the format of Prometheus. Each server has a registry of its own.
//
// Others are handed plain functions and never see prom-client. Every label takes values from a list known beforehand, or from a
// `bounded` set that stops growing: no id of a user or an item can become a label.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AuthFailure } from "../access/guard.ts";
import type { RouteScope } from "../access/scopes.ts";

export interface MetricsOptions {
  /** Measures the process too: CPU, memory, garbage collection, event loop. @default true */
  process?: boolean;
}

export type Metrics = ReturnType<typeof createMetrics>;

const REQUEST_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const SHORT_SECONDS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];
const LAG_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300];
const BATCH = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Those that the contract names; any other is a text of the caller's own, which may hold an id. */
const ACTIONS = new Set(["shown", "clicked", "liked", "dismissed", "bought"]);
const MOST_NAMES = 64;

/** All instruments of one server. */
export function createMetrics({ process: withProcess = true }: MetricsOptions = {}) {
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry });
  const make = instruments(registry);
  return {
    /** What /metrics answers with. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
    http: httpInstruments(make),
    access: accessInstruments(make),
    scans: scanInstruments(make),
    graph: graphInstruments(make),
    events: eventInstruments(make),
    users: userInstruments(make),
    items: itemInstruments(make),
    encoder: encoderInstruments(make),
    models: modelInstruments(make),
    replicas: replicaInstruments(make),
    store: storeInstruments(make),
  };
}

type Make = ReturnType<typeof instruments>;

function instruments(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter<L>({ name, help, labelNames: [...labelNames], registers }),
    gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge<L>({ name, help, labelNames: [...labelNames], registers }),
    histogram: <L extends string = never>(
      name: string,
      help: string,
      buckets: readonly number[],
      labelNames: readonly L[] = [],
    ) => new Histogram<L>({ name, help, buckets: [...buckets], labelNames: [...labelNames], registers }),
  };
}

/** The name itself, while there are few of them; then "other". */
function bounded(most = MOST_NAMES): (name: string) => string {
  const seen = new Set<string>();
  return (name) => {
    if (seen.has(name)) return name;
    if (seen.size >= most) return "other";
    seen.add(name);
    return name;
  };
}

function httpInstruments(make: Make) {
  const seconds = make.histogram("http_request_duration_seconds", "Time to answer a request", REQUEST_SECONDS, [
    "route",
    "method",
    "status",
  ]);
  const inFlight = make.gauge("http_requests_in_flight", "Requests being answered");
  const routes = bounded(128);
  return {
    started: () => inFlight.inc(),
    /** `route` is the route's name; of the status, the class is kept. */
    finished(route: string, method: string, status: number, took: number): void {
      inFlight.dec();
      const known = METHODS.has(method) ? method : "other";
      seconds.observe({ route: routes(route), method: known, status: `${Math.floor(status / 100)}xx` }, took);
    },
  };
}

function accessInstruments(make: Make) {
  const failures = make.counter("nearkin_auth_failures_total", "Requests that did not get past the door", ["reason"]);
  const forbidden = make.counter("nearkin_forbidden_total", "Requests of known callers beyond what they may do");
  const limited = make.counter("nearkin_rate_limited_total", "Requests answered 429", ["scope"]);
  const alone = make.counter(
    "nearkin_rate_alone_total",
    "Requests held to this server's part of a limit, as the store gave no answer",
  );
  const refused = make.counter("nearkin_connections_refused_total", "Connections beyond a limit", ["reason"]);
  return {
    connectionRefused: (reason: "address" | "all") => refused.inc({ reason }),
    authFailure: (reason: AuthFailure) => failures.inc({ reason: reason.replace(" ", "_") }),
    forbidden: () => forbidden.inc(),
    rateLimited: (scope: RouteScope | "failures") => limited.inc({ scope }),
    countedAlone: () => alone.inc(),
  };
}

function scanInstruments(make: Make) {
  const batches = make.counter("nearkin_scan_batches_total", "Passes over the catalogue");
  const queries = make.counter("nearkin_scan_queries_total", "Queries answered by a pass over the catalogue");
  const queue = make.gauge("nearkin_scan_queue_length", "Queries waiting for a pass");
  const size = make.histogram("nearkin_scan_batch_size", "Queries that shared a pass", BATCH);
  const seconds = make.histogram("nearkin_scan_duration_seconds", "Time of a pass", SHORT_SECONDS);
  return {
    /** One pass that answered so many queries. */
    batch(answered: number, took: number): void {
      batches.inc();
      queries.inc(answered);
      size.observe(answered);
      seconds.observe(took);
    },
    queued: (length: number) => queue.set(length),
  };
}

function graphInstruments(make: Make) {
  const recall = make.gauge(
    "nearkin_graph_recall",
    "Share of the exact neighbours that the graph found when last sampled",
  );
  const decisions = make.counter("nearkin_graph_decisions_total", "Ways that queries were answered", ["way"]);
  const ways = bounded(16);
  return {
    recall: (share: number) => recall.set(share),
    /** `way`: a word for how a query was answered, such as graph, exact or fallback. */
    decided: (way: string) => decisions.inc({ way: ways(way) }),
  };
}

function eventInstruments(make: Make) {
  const accepted = make.counter("nearkin_events_accepted_total", "Events stored");
  const duplicates = make.counter("nearkin_events_duplicate_total", "Events that were there already");
  const foldedIn = make.counter(
    "nearkin_events_folded_in_total",
    "Events after training that were folded into rows, again where all are read anew",
  );
  const feedback = make.counter("nearkin_feedback_total", "What users did with what they were shown", ["action"]);
  return {
    stored(fresh: number, repeated: number): void {
      accepted.inc(fresh);
      duplicates.inc(repeated);
    },
    foldedIn: (count: number) => foldedIn.inc({}, count),
    feedback: (action: string, count = 1) => feedback.inc({ action: ACTIONS.has(action) ? action : "other" }, count),
  };
}

function userInstruments(make: Make) {
  const queue = make.gauge("nearkin_user_refresh_queue_length", "Users whose metric waits to be refreshed");
  const lag = make.histogram(
    "nearkin_user_refresh_lag_seconds",
    "From a user's event to the metric that knows it",
    LAG_SECONDS,
  );
  const failures = make.counter("nearkin_user_refresh_failures_total", "Refreshes that failed");
  return {
    queued: (length: number) => queue.set(length),
    refreshed: (lagSeconds: number) => lag.observe(lagSeconds),
    failed: () => failures.inc(),
  };
}

function itemInstruments(make: Make) {
  const put = make.counter("nearkin_items_put_total", "Items added or replaced");
  const deleted = make.counter("nearkin_items_deleted_total", "Items deleted");
  const pending = make.gauge("nearkin_items_pending_texts", "Items whose texts wait to be encoded");
  const room = make.gauge("nearkin_items_room_left", "New items that can still be put");
  const withoutRoom = make.gauge("nearkin_items_without_room", "Items of the store that the catalogue has no room for");
  const unreadable = make.gauge("nearkin_items_unreadable", "Items of the store that the active model cannot read");
  return {
    put: (count: number) => put.inc(count),
    deleted: (count: number) => deleted.inc(count),
    pendingTexts: (count: number) => pending.set(count),
    roomLeft: (count: number) => room.set(count),
    lacking(items: { withoutRoom: number; unreadable: number }): void {
      withoutRoom.set(items.withoutRoom);
      unreadable.set(items.unreadable);
    },
  };
}

function encoderInstruments(make: Make) {
  const texts = make.counter("nearkin_encoder_texts_total", "Texts encoded");
  const seconds = make.histogram("nearkin_encoder_duration_seconds", "Time to encode a list of texts", SHORT_SECONDS);
  const resident = make.gauge(
    "nearkin_encoder_resident_bytes",
    "By how much the process grew when its encoder started",
  );
  return {
    encoded(count: number, took: number): void {
      texts.inc(count);
      seconds.observe(took);
    },
    resident: (bytes: number) => resident.set(bytes),
  };
}

function modelInstruments(make: Make) {
  const info = make.gauge("nearkin_model_info", "The active model", ["id"]);
  const swaps = make.counter("nearkin_model_swaps_total", "Changes of the active model", ["outcome"]);
  return {
    /** Only the active model has a series. */
    active(id: string): void {
      info.reset();
      info.set({ id }, 1);
    },
    swapped: (outcome: "activated" | "rolled_back" | "followed" | "refused") => swaps.inc({ outcome }),
  };
}

function replicaInstruments(make: Make) {
  const alive = make.gauge(
    "nearkin_replicas",
    "Servers on the store that are alive, this one included; 0 where a store has one",
  );
  const looks = make.counter("nearkin_replica_looks_total", "Looks at what other servers have changed");
  const age = make.gauge("nearkin_replica_look_age_seconds", "Since the last look at what other servers have changed");
  const listening = make.gauge(
    "nearkin_replica_listening",
    "Whether changes of other servers are heard of as they come",
  );
  const items = make.counter("nearkin_replica_items_total", "Items taken over that other servers have put or deleted");
  const behind = make.gauge("nearkin_model_behind", "Whether another model is active than this server can serve");
  return {
    looked(replicas: number): void {
      alive.set(replicas);
      looks.inc();
    },
    age: (seconds: number) => age.set(seconds),
    listening: (now: boolean) => listening.set(now ? 1 : 0),
    caughtUp: (count: number) => items.inc(count),
    behind: (now: boolean) => behind.set(now ? 1 : 0),
  };
}

function storeInstruments(make: Make) {
  const seconds = make.histogram("nearkin_store_call_duration_seconds", "Time of a call to the store", SHORT_SECONDS, [
    "call",
  ]);
  const failures = make.counter("nearkin_store_failures_total", "Calls to the store that failed", ["call"]);
  const calls = bounded();
  return {
    /** `call` is the name of the store's method. */
    called: (call: string, took: number) => seconds.observe({ call: calls(call) }, took),
    failed: (call: string) => failures.inc({ call: calls(call) }),
  };
}

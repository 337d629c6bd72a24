// The door, as Fastify hooks. Who asks is settled before the body is read; whose data is touched, once the handler's own input is known.
//
// With keys, an unauthenticated request reaches /healthz and the files of the page, which hold no data, and nothing else: unknown paths
// are answered 401 like known ones, so nobody can feel for routes. Without keys, see local.ts.

import { once } from "node:events";
import { NearkinError } from "@nearkin/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../http/api-error.ts";
import type { Caller } from "./caller.ts";
import { type Credential, readCredential } from "./credentials.ts";
import type { KeyRing } from "./key-ring.ts";
import type { RequestLimits } from "./limits.ts";
import { type LocalOptions, type LocalRefusal, localDoor } from "./local.ts";
import { allows, isScope, type RouteScope, type Scope } from "./scopes.ts";
import type { BrowserTokens } from "./tokens.ts";

/** Why an authentication failed; the labels of a metric. */
export type AuthFailure =
  | "missing"
  | "malformed"
  | "unknown"
  | "wrong secret"
  | "revoked"
  | "expired"
  | "bad token"
  | LocalRefusal["reason"];

/** What the guard reports of its work. */
interface GuardMetrics {
  authFailure(reason: AuthFailure): void;
  forbidden(): void;
  /** `failures`: a failed authentication, answered 429 since there were too many from its address. */
  rateLimited(scope: RouteScope | "failures"): void;
}

export interface GuardOptions {
  /** Keys, or a door for this machine alone. */
  door:
    | { readonly kind: "keys"; readonly ring: KeyRing; readonly tokens?: BrowserTokens }
    | ({ readonly kind: "local" } & LocalOptions);
  /**
   * Names of the routes that answer without a key. All others ask for one, also those whose scope is `public`: how far a server shows its
   * readiness, its metrics or its documentation is for whoever runs it to decide. @default ["health"]
   */
  publicRoutes?: readonly string[];
  /** What callers may ask; left out, there is no limit. */
  limits?: RequestLimits;
  /** Tells if more than half of the connections are taken: then those of anonymous callers are closed after each answer. @default never */
  isCrowded?: () => boolean;
  metrics?: GuardMetrics;
}

const ANONYMOUS: Caller = { kind: "anonymous" };
const LOCAL: Caller = { kind: "local" };
const CHALLENGE = 'Bearer realm="nearkin"';
/** Probes of balancers and supervisors: one that is refused takes a healthy server out of service. */
const UNLIMITED: ReadonlySet<string | undefined> = new Set(["health", "ready"]);
const SMALL_BODY = 65_536; // bytes that a refused request may still send; beyond, the connection is closed

const silent: GuardMetrics = { authFailure: () => {}, forbidden: () => {}, rateLimited: () => {} };

/** Puts the guard before every route of the app, unknown paths included. Call before routes are registered. */
export function installGuard(
  app: FastifyInstance,
  { door, publicRoutes = ["health"], limits, isCrowded = () => false, metrics = silent }: GuardOptions,
): void {
  const open = new Set(publicRoutes);
  const identify = door.kind === "keys" ? keysDoor(door, limits, metrics) : localIdentify(door, metrics);

  app.decorateRequest("caller");
  app.addHook("onRoute", ({ config, method, url }) => {
    if (config?.tokens === true && config.user === undefined) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `guard: ${method} ${url} takes tokens, so it must say whose data it touches`,
      );
    }
  });

  app.addHook("onRequest", async (request, reply) => {
    request.caller = ANONYMOUS;
    const { config } = request.routeOptions;
    const isOpen = config.name !== undefined && open.has(config.name);
    const scope = isOpen ? "public" : config.scope === "public" ? "read" : config.scope;
    try {
      request.caller = await identify(request, scope);
      const beyond = scope === "public" ? undefined : beyondScope(request, scope);
      if (beyond !== undefined) {
        metrics.forbidden();
        throw beyond;
      }
      if (request.caller === ANONYMOUS && isCrowded()) reply.header("connection", "close");
      if (UNLIMITED.has(config.name)) return;
      const counted = scope ?? "read";
      const tooMany = await limits?.count(request, reply, counted);
      if (tooMany !== undefined) {
        metrics.rateLimited(counted);
        throw tooMany;
      }
    } catch (error) {
      await closeRefused(error, request, reply);
      throw error;
    }
  });

  app.addHook("preHandler", async (request) => {
    if (request.caller.kind !== "token") return;
    const named = request.routeOptions.config.user?.(request);
    const users = named === undefined ? [] : typeof named === "string" ? [named] : named;
    const own = request.caller.user;
    if (users.some((user) => user !== undefined && user !== own)) {
      metrics.forbidden();
      throw new ApiError("FORBIDDEN", "This token reaches the data of its own user only.");
    }
  });
}

type Identify = (request: FastifyRequest, scope: RouteScope | undefined) => Promise<Caller>;

function localIdentify(options: LocalOptions, metrics: GuardMetrics): Identify {
  const refusal = localDoor(options);
  return async (request) => {
    const refused = refusal(request.raw, request.raw.socket);
    if (refused === undefined) return LOCAL;
    metrics.authFailure(refused.reason);
    throw new ApiError(refused.reason === "host" ? "MISDIRECTED" : "FORBIDDEN", refused.message);
  };
}

function keysDoor(
  { ring, tokens }: { readonly ring: KeyRing; readonly tokens?: BrowserTokens },
  limits: RequestLimits | undefined,
  metrics: GuardMetrics,
): Identify {
  return async (request, scope) => {
    if (scope === "public") return ANONYMOUS;
    const credential = readCredential(request.headers);
    // A key that is not in memory costs a read of the store. After too many failures of its address it waits for one with others: it may be
    // a good key that shares the address of a proxy with strangers.
    const isStranger = credential.kind === "key" && !ring.knows(credential.key.id);
    const inBatch = isStranger && limits?.hasFailedOften(request) === true;
    const found = await lookUp(credential, { ring, tokens, inBatch }).catch((cause) => {
      throw cannotCheck(cause);
    });
    if (!("failure" in found)) return found;
    metrics.authFailure(found.failure);
    const tooMany = isGuess(credential, found.failure) ? limits?.countFailure(request) : undefined;
    if (tooMany === undefined) throw unauthenticated(found.failure);
    metrics.rateLimited("failures");
    throw tooMany;
  };
}

/** Tells if a failure counts as a guess at a key. A forged token costs no look into the store, and stale ones come from pages that were left open. */
function isGuess({ kind }: Credential, failure: AuthFailure): boolean {
  return kind !== "token" && (failure === "malformed" || failure === "unknown" || failure === "wrong secret");
}

async function lookUp(
  credential: Credential,
  { ring, tokens, inBatch }: { ring: KeyRing; tokens: BrowserTokens | undefined; inBatch: boolean },
): Promise<Caller | { readonly failure: AuthFailure }> {
  if (credential.kind === "none") return { failure: "missing" };
  if (credential.kind === "key") {
    const verdict = await ring.verify(credential.key, { inBatch });
    if ("failure" in verdict) return verdict;
    return { kind: "key", key: verdict.record.id, scopes: verdict.record.scopes.filter(isScope) };
  }
  if (credential.kind === "token" && tokens !== undefined) {
    const verdict = await tokens.verify(credential.token);
    if ("failure" in verdict) return verdict;
    const { key, user, scopes } = verdict.claims;
    return { kind: "token", key, user, scopes };
  }
  return { failure: "malformed" };
}

/** The answer does not say which part was wrong: an id that exists must look like one that does not. */
function unauthenticated(failure: AuthFailure): ApiError {
  if (failure === "missing") {
    return new ApiError("UNAUTHENTICATED", "Send a key as `Authorization: Bearer nk_…` or `X-API-Key: nk_…`.", {
      headers: { "www-authenticate": CHALLENGE },
    });
  }
  return new ApiError("UNAUTHENTICATED", "The key or token is not valid: it is mistyped, expired or revoked.", {
    headers: { "www-authenticate": `${CHALLENGE}, error="invalid_token"` },
  });
}

/** The store did not answer: whether the key is good is not known, so it does not open the door. */
function cannotCheck(cause: unknown): ApiError {
  return new ApiError("STORE_UNAVAILABLE", "Keys cannot be checked at present; try again.", {
    cause,
    headers: { "retry-after": "1" },
  });
}

/** What a caller is refused with who is known, but may not do this. */
function beyondScope({ caller, routeOptions, is404 }: FastifyRequest, scope: Scope | undefined): ApiError | undefined {
  if (caller.kind === "token" && routeOptions.config.tokens !== true) {
    return new ApiError("FORBIDDEN", "Browser tokens do not reach this: use a key, from a server.");
  }
  if (caller.kind !== "key" && caller.kind !== "token") return undefined;
  const wanted = scope ?? "admin"; // a route that does not say is not for everyone
  if (is404 || allows(caller.scopes, wanted)) return undefined; // a key may learn that there is nothing here
  return new ApiError("FORBIDDEN", `This ${caller.kind} does not have the scope "${wanted}".`, {
    headers: { "www-authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${wanted}"` },
  });
}

/**
 * Closes the connection of whoever is refused (401, 429), and of a body that is not worth receiving. A small body is received first: a client that
 * still sends when its connection closes may miss the answer.
 */
async function closeRefused(error: unknown, { headers, raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const bytes = Number(headers["content-length"] ?? 0);
  const isLarge = headers["transfer-encoding"] !== undefined || bytes > SMALL_BODY;
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 429);
  if (!isLarge && !isRefused) return;
  reply.header("connection", "close");
  if (!isLarge && bytes > 0) await once(raw.resume(), "end").catch(() => {}); // rejects if the client goes away
}

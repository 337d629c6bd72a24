// How much each kind of caller may ask, and who a caller is for that purpose.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../http/api-error.ts";
import type { LeasedBuckets } from "./leased-buckets.ts";
import { type Allowance, addressBlock, type Rate, TokenBuckets, type TokenBucketsOptions } from "./rate-limit.ts";
import type { RouteScope } from "./scopes.ts";

/** Rates by what is asked and by whom; each key, user or address has its own buckets. null: as much as they like. */
export interface Limits {
  /** Of routes that anyone reaches, by address. */
  public: Rate | null;
  /** By key. */
  read: Rate | null;
  events: Rate | null;
  admin: Rate | null;
  /** By user, for requests made with a browser's token. */
  tokenRead: Rate | null;
  tokenEvents: Rate | null;
  /** Failed authentications, by address. */
  failures: Rate;
}

const defaultLimits: Readonly<Limits> = {
  public: { perSecond: 50, burst: 100 },
  read: { perSecond: 200, burst: 400 },
  events: { perSecond: 100, burst: 200 },
  admin: { perSecond: 20, burst: 100 },
  tokenRead: { perSecond: 10, burst: 50 },
  tokenEvents: { perSecond: 5, burst: 30 },
  failures: { perSecond: 0.2, burst: 20 },
};

/** The same for whoever asks whatever; failed authentications are counted as ever. */
export const sameForAll = (rate: Rate | null): Omit<Limits, "failures"> => ({
  public: rate,
  read: rate,
  events: rate,
  admin: rate,
  tokenRead: rate,
  tokenEvents: rate,
});

export interface RequestLimitsOptions extends TokenBucketsOptions {
  /**
   * Buckets of keys and tokens that several servers share. What is counted by address each counts for itself: behind a balancer all addresses are the
   * balancer's, and who asks whether a server is well must not need its store. @default each server counts for itself
   */
  shared?: LeasedBuckets | undefined;
}

/** Counts requests, answers 429 for those beyond. */
export class RequestLimits {
  readonly #limits: Limits;
  readonly #buckets: TokenBuckets;
  readonly #shared: LeasedBuckets | undefined;

  constructor(limits: Partial<Limits> = {}, { shared, ...buckets }: RequestLimitsOptions = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#buckets = new TokenBuckets(buckets);
    this.#shared = shared;
  }

  /** Counts a request, and tells the caller what is left. What it is refused with, where it is one too many. */
  async count(request: FastifyRequest, reply: FastifyReply, scope: RouteScope): Promise<ApiError | undefined> {
    const { caller } = request;
    let buckets: TokenBuckets | LeasedBuckets = this.#shared ?? this.#buckets;
    let name: string;
    let rate: Rate | null;
    if (caller.kind === "key") {
      name = `key ${scope} ${caller.key}`;
      rate = this.#limits[scope];
    } else if (caller.kind === "token") {
      name = `token ${scope} ${caller.key} ${caller.user}`;
      rate = scope === "events" ? this.#limits.tokenEvents : this.#limits.tokenRead;
    } else {
      buckets = this.#buckets;
      name = `address ${scope} ${addressBlock(request.ip)}`;
      rate = this.#limits[scope];
    }
    if (rate === null) return undefined;
    const allowance = await buckets.take(name, rate);
    reply.header("ratelimit-limit", String(rate.burst));
    reply.header("ratelimit-remaining", String(allowance.remaining));
    reply.header("ratelimit-reset", String(allowance.resetSeconds));
    return allowance.allowed ? undefined : tooMany("Too many requests", allowance);
  }

  /** Tells if the address of a request has failed too often of late. Counts nothing. */
  hasFailedOften(request: FastifyRequest): boolean {
    return !this.#buckets.peek(`failures ${addressBlock(request.ip)}`, this.#limits.failures).allowed;
  }

  /** Counts a failed authentication. What it is refused with, where there were too many. */
  countFailure(request: FastifyRequest): ApiError | undefined {
    const allowance = this.#buckets.take(`failures ${addressBlock(request.ip)}`, this.#limits.failures);
    return allowance.allowed ? undefined : tooMany("Too many failed authentications", allowance);
  }
}

function tooMany(what: string, { retrySeconds }: Allowance): ApiError {
  return new ApiError("TOO_MANY_REQUESTS", `${what}: try again in ${retrySeconds} s.`, {
    headers: { "retry-after": String(retrySeconds) },
  });
}

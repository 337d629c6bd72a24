// Token buckets that several servers share. A fifth of each is divided among the servers for good: whoever asks little is counted there, and costs the
// store nothing. The rest lies in the store: a server leases some requests of it at a time, and counts those out by itself. A request waits for the store
// only where nothing is leased, together with all others who wait; a caller who has used everything up is refused without asking.
//
// What is leased is good for a moment only, and the bucket in the store holds as much less as fills in that time. So in any t seconds no more than
// burst + t·perSecond requests pass on all servers together, as with one: those that pass in t seconds were granted in t + lifetime seconds, which is
// at most capacity + (t + lifetime)·perSecond = burst + t·perSecond. (Where a lease would be shorter than the store's answer takes, as with a burst
// of 1, what is on its way from the store comes on top.)
//
// While the store is away each server has its part of that rest too. The sum holds then as well; only across the change from the one to the other a caller
// may get one burst more, and a fifth of one where the number of servers changes.
import { inTime } from "../in-time.ts";
import type { LeaseRequest, Lease as StoredLease } from "../store/allowances.ts";
import { keyOf } from "../store/rows.ts";
import { together } from "../store/together.ts";
import { type Allowance, type Rate, TokenBuckets } from "./rate-limit.ts";

export interface LeasedBucketsOptions {
  /** Leases from the store, for several callers at once. */
  lease: (requests: readonly LeaseRequest[]) => Promise<readonly StoredLease[]>;
  /** Servers that share the buckets, this one included. */
  servers: () => number;
  /** Whether all of them know of this one. @default always */
  settled?: () => boolean;
  /** Callers remembered, those idle longest forgotten first. @default 20000 */
  most?: number;
  /** ms that a request waits for the store. @default 500 */
  patience?: number;
  /** Told of each request that was counted by this server alone, as the store gave no answer. */
  onAlone?: () => void;
  /** Milliseconds that never go back. @default performance.now */
  now?: () => number;
}

/** The share of a bucket that is divided among the servers, where each gets a request or more: less than one would never pass. */
const DIVIDED = 0.2;
/** s that a lease is good for at most, and the share of a burst that may fill meanwhile. */
const LONGEST = 1;
const SHARE = 0.1;
/** Of what the store holds, one server leases at most this share beyond what is waited for. */
const MOST_LEASED = 0.25;
const REFUSAL = 100; // ms that an empty bucket is left alone, or half of what it takes to fill
const AT_ONCE = 5; // ms from an answer of the store to the requests that waited for it
const AWAY = 500; // ms until a store that was away is asked again
const CALLERS = 200; // in one statement

/** What one server has of one caller's bucket. */
interface Portion {
  left: number;
  /** When it is no longer good. */
  until: number;
  /** Requests that it has let pass. */
  used: number;
  /** What the store had left. */
  stored: number;
  /** Until then there is nothing to lease. */
  emptyUntil: number;
  waiting: number;
  leasing: Promise<void> | undefined;
}

interface Lease extends StoredLease {
  /** When it was asked for: it cannot have been granted earlier. */
  readonly sent: number;
}

export class LeasedBuckets {
  readonly #options: Required<LeasedBucketsOptions>;
  readonly #portions = new Map<string, Portion>(); // least recently used first
  readonly #lease: (request: LeaseRequest) => Promise<Lease>;
  readonly #own: TokenBuckets; // of the part that is divided
  readonly #alone: TokenBuckets; // of the rest, while the store is away
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor({
    most = 20_000,
    patience = 500,
    now = () => performance.now(),
    settled = () => true,
    onAlone = () => {},
    ...options
  }: LeasedBucketsOptions) {
    this.#options = { most, patience, now, settled, onAlone, ...options };
    this.#own = new TokenBuckets({ most, now });
    this.#alone = new TokenBuckets({ most, now });
    this.#lease = together((requests) => this.#leaseAll(requests), { sizeOf: () => 1, most: CALLERS });
  }

  /** Takes one request out of the named bucket, if there is one in it. */
  take(name: string, rate: Rate): Allowance | Promise<Allowance> {
    const { servers, settled } = this.#options;
    const ownRate = partOf(rate, DIVIDED / servers());
    const isDivided = ownRate.burst >= 1;
    if (isDivided && settled()) {
      const own = this.#own.take(name, ownRate);
      if (own.allowed) return { ...own, remaining: own.remaining + Math.floor(this.#portions.get(name)?.stored ?? 0) };
    }
    const rest = isDivided ? partOf(rate, 1 - DIVIDED) : rate;
    const portion = this.#portionOf(name);
    return this.#takeLeased(portion, rest) ?? this.#takeStored(name, portion, rest);
  }

  #portionOf(name: string): Portion {
    const known = this.#portions.get(name);
    const portion = known ?? {
      left: 0,
      until: Number.NEGATIVE_INFINITY,
      used: 0,
      stored: 0,
      emptyUntil: Number.NEGATIVE_INFINITY,
      waiting: 0,
      leasing: undefined,
    };
    if (known) this.#portions.delete(name); // and in again, as the most recently used
    this.#portions.set(name, portion);
    if (this.#portions.size > this.#options.most) {
      const [oldest] = this.#portions.keys();
      this.#portions.delete(oldest);
    }
    return portion;
  }

  #takeLeased(portion: Portion, { perSecond, burst }: Rate): Allowance | undefined {
    const now = this.#options.now();
    const allowed = portion.left >= 1 && now < portion.until;
    if (!allowed && now >= portion.emptyUntil) return undefined;
    if (allowed) {
      portion.left--;
      portion.used++;
    }
    const level = allowed ? Math.min(burst, portion.left + portion.stored) : 0;
    return {
      allowed,
      remaining: Math.floor(level),
      resetSeconds: Math.ceil((burst - level) / perSecond),
      retrySeconds: allowed ? 0 : Math.ceil((portion.emptyUntil - now) / 1000),
    };
  }

  async #takeStored(name: string, portion: Portion, rate: Rate): Promise<Allowance> {
    const { now, servers, onAlone } = this.#options;
    portion.waiting++;
    try {
      while (now() >= this.#awayUntil) {
        portion.leasing ??= this.#fill(name, portion, rate).finally(() => {
          portion.leasing = undefined;
        });
        await portion.leasing;
        const taken = this.#takeLeased(portion, rate);
        if (taken) return taken;
      }
    } catch {
      this.#awayUntil = now() + AWAY; // whatever is wrong with the store, callers are not to blame
    } finally {
      portion.waiting--;
    }
    onAlone();
    const part = partOf(rate, 1 / servers());
    return this.#alone.take(name, { ...part, burst: Math.max(1, part.burst) });
  }

  async #fill(name: string, portion: Portion, { perSecond, burst }: Rate): Promise<void> {
    const { now } = this.#options;
    const lifetime = Math.min(LONGEST, (SHARE * (burst - 1)) / perSecond); // s
    const capacity = burst - lifetime * perSecond;
    // as much as the last lease was used for, and more where it was used up before its time; of a caller who was idle nothing is known
    const asked = now();
    const idle = asked - portion.until > 4000 * lifetime;
    const expected = idle || 1000 * lifetime <= AT_ONCE ? 0 : portion.used * (asked < portion.until ? 2 : 1);
    const wanted = Math.max(1, portion.waiting, Math.min(expected, MOST_LEASED * capacity));
    // by a hash: a token's caller is a user, whose id is nobody's to keep
    const request = {
      name: keyOf(name),
      wanted: Math.min(Math.ceil(wanted), Math.floor(capacity)),
      perSecond,
      capacity,
    };
    const { granted, left, sent } = await this.#lease(request);
    const arrived = now();
    portion.left = granted;
    portion.used = 0;
    portion.stored = left;
    portion.until = Math.max(sent + 1000 * lifetime, arrived + AT_ONCE);
    if (granted > 0) return;
    const next = (1000 * (1 - left)) / perSecond;
    portion.emptyUntil = arrived + Math.max(next, Math.min(REFUSAL, (500 * capacity) / perSecond));
  }

  async #leaseAll(requests: readonly LeaseRequest[]): Promise<Lease[]> {
    const { lease, patience, now } = this.#options;
    const sent = now();
    const leases = await inTime(lease(requests), patience, () => new Error(`no lease within ${patience} ms`));
    return leases.map((one) => ({ ...one, sent }));
  }
}

const partOf = ({ perSecond, burst }: Rate, share: number): Rate => ({
  perSecond: perSecond * share,
  burst: burst * share,
});

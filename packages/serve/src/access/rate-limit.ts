// Token buckets in memory: each caller has one, holding `burst` requests at most and filling at `perSecond`. Those that several servers share are in
// leased-buckets.ts.

/** How much one caller may ask. */
export interface Rate {
  /** Requests a second, in the long run. */
  perSecond: number;
  /** Requests at once, after a pause. */
  burst: number;
}

/** What became of one request. */
export interface Allowance {
  readonly allowed: boolean;
  /** Whole requests left at this moment. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next request is allowed, rounded up; 0 where it is now. */
  readonly retrySeconds: number;
}

const WHOLE = 1 - 1e-9; // one request, less what rounding may have taken while the bucket filled

interface Bucket {
  level: number;
  at: number;
}

export interface TokenBucketsOptions {
  /** Callers remembered. Whoever was idle longest is forgotten first, and then starts with a full bucket. @default 20000 */
  most?: number;
  /** Milliseconds that never go back. @default performance.now */
  now?: () => number;
}

/** Buckets by name; every call is O(1), memory is bounded. */
export class TokenBuckets {
  readonly #most: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>(); // least recently used first

  constructor({ most = 20_000, now = () => performance.now() }: TokenBucketsOptions = {}) {
    this.#most = most;
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one request out of the named bucket, if there is one in it. */
  take(name: string, rate: Rate): Allowance {
    const bucket = this.#fill(name, rate);
    const allowed = bucket.level >= WHOLE;
    if (allowed) bucket.level = Math.max(0, bucket.level - 1);
    return allowance(allowed, bucket.level, rate);
  }

  /** What `take` would say, with nothing taken. */
  peek(name: string, rate: Rate): Allowance {
    const bucket = this.#buckets.get(name);
    const level = bucket === undefined ? rate.burst : this.#levelNow(bucket, rate);
    return allowance(level >= WHOLE, level, rate);
  }

  #fill(name: string, rate: Rate): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = { level: rate.burst, at: this.#now() };
      if (this.#buckets.size >= this.#most) {
        const [oldest] = this.#buckets.keys();
        this.#buckets.delete(oldest);
      }
    } else {
      bucket.level = this.#levelNow(bucket, rate);
      bucket.at = this.#now();
      this.#buckets.delete(name); // and in again, as the most recently used
    }
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #levelNow({ level, at }: Bucket, { perSecond, burst }: Rate): number {
    return Math.min(burst, level + ((this.#now() - at) / 1000) * perSecond);
  }
}

function allowance(allowed: boolean, level: number, { perSecond, burst }: Rate): Allowance {
  return {
    allowed,
    remaining: Math.floor(level),
    resetSeconds: Math.ceil((burst - level) / perSecond),
    retrySeconds: allowed ? 0 : Math.ceil((1 - level) / perSecond),
  };
}

/**
 * The address under which an unknown caller is counted: an IPv4 address as it is, an IPv6 address by its first 64 bits, as one household
 * has all the rest to choose from.
 *
 * @example
 * addressBlock("2001:db8::7") // => "2001:db8:0:0"
 */
export function addressBlock(ip: string): string {
  if (!ip.includes(":")) return ip;
  if (ip.includes(".")) return ip.slice(ip.lastIndexOf(":") + 1); // ::ffff:192.0.2.1 is an IPv4 address
  const [head, tail] = ip.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const last = tail === "" ? 0 : tail.split(":").length;
    while (groups.length < 8 - last) groups.push("0");
    if (groups.length < 4) groups.push(...tail.split(":")); // only where the tail is longer than four groups
  }
  return groups.slice(0, 4).join(":");
}

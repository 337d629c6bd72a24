// Users whose metric is out of date, and when each is fitted anew. Many events of one user in a short while are one fit; a user whose events
// come while their fit runs is fitted once more. Users that only a change of model made stale wait until nobody else does, and so do those who come when
// the queue is full: the store knows them.

export interface RefreshOptions {
  /** ms from a user's first event to their fit: what comes meanwhile is the same fit. @default 100 */
  delay?: number;
  /** Fits under way at once. @default 2 */
  concurrency?: number;
  /** ms before a fit that failed is tried again; doubled each time. @default 500 */
  retryDelay?: number;
  /** How often a fit is tried. @default 5 */
  attempts?: number;
  /** Users that may wait by name. @default 100_000 */
  limit?: number;
  /** All users whose metric is out of date, as the store knows them: asked for after more than `limit` have waited. @default none */
  stale?: () => AsyncIterable<string>;
  /** Errors that pass by themselves, such as a store that is away: tried again for as long as it takes. @default none */
  passes?: (error: unknown) => boolean;
  /** Told when a user's fit has failed for the last time. */
  onFailure?: (error: unknown) => void;
  /** Told after each fit: ms from the first event that asked for it; for users read from the store, from when they were read. */
  onRefreshed?: (lag: number) => void;
}

/** ms between two attempts at most. */
const MAX_RETRY_DELAY_MS = 8000;

interface Waiting {
  since: number;
  due: number;
  attempt: number;
}

export class RefreshQueue implements AsyncDisposable {
  readonly #refresh: (user: string) => Promise<void>;
  readonly #options: Required<RefreshOptions>;
  readonly #waiting = new Map<string, Waiting>(); // in the order of asking
  readonly #running = new Map<string, Promise<void>>();
  #users: () => AsyncIterable<string> = nobody;
  #backlog: AsyncIterator<string> | undefined;
  #backlogStep: Promise<void> | undefined;
  #backlogRetry: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakes = Number.POSITIVE_INFINITY; // when the timer does
  #overflowed = false;
  #closed = false;

  constructor(refresh: (user: string) => Promise<void>, options: RefreshOptions = {}) {
    this.#refresh = refresh;
    this.#options = {
      delay: 100,
      concurrency: 2,
      retryDelay: 500,
      attempts: 5,
      limit: 100_000,
      stale: nobody,
      passes: () => false,
      onFailure: () => {},
      onRefreshed: () => {},
      ...options,
    };
  }

  /** Users that wait for a fit, or are in one. */
  get size(): number {
    return this.#waiting.size + this.#running.size;
  }

  /** Whether anybody waits or is in a fit, the backlog included. */
  get busy(): boolean {
    const backlog = [this.#backlog, this.#backlogStep, this.#backlogRetry];
    return this.size > 0 || this.#overflowed || backlog.some((part) => part !== undefined);
  }

  /** Whether the user waits for a fit, or is in one. */
  has(user: string): boolean {
    return this.#waiting.has(user) || this.#running.has(user);
  }

  /** ms that the longest waiting one has waited. */
  get lag(): number {
    const [first] = this.#waiting.values();
    return first ? performance.now() - first.since : 0;
  }

  /** The user's metric is out of date. */
  add(user: string): void {
    if (this.#closed || this.#waiting.has(user)) return;
    if (this.#waiting.size >= this.#options.limit) {
      this.#overflowed = true;
      return;
    }
    const now = performance.now();
    const due = now + this.#options.delay;
    this.#waiting.set(user, { since: now, due, attempt: 0 });
    // a batch brings a thousand users: looking through all that wait for each of them would hold up the server
    if (this.#wakes > due) this.#plan();
  }

  /** The user is gone: nothing is to be fitted any more. A fit under way ends by itself. */
  drop(user: string): void {
    this.#waiting.delete(user);
  }

  /** Users to fit when no other waits, in place of an earlier backlog. Asked for anew where the list broke off. */
  follow(users: () => AsyncIterable<string>): void {
    void this.#backlog?.return?.();
    clearTimeout(this.#backlogRetry);
    this.#backlogRetry = undefined;
    this.#users = users;
    this.#backlog = users()[Symbol.asyncIterator]();
    this.#plan();
  }

  /** Resolves when nobody waits any more, the backlog included. */
  async idle(): Promise<void> {
    while (this.busy && !this.#closed) {
      await (this.#backlogStep ?? Promise.race([...this.#running.values(), pause(5)]));
    }
  }

  /** Waits for the fits under way; those that have not begun are left to whoever starts next. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#backlogRetry);
    this.#waiting.clear();
    const backlog = this.#backlog;
    this.#backlog = undefined;
    await Promise.all([...this.#running.values(), this.#backlogStep]);
    await backlog?.return?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #plan(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#wakes = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [user, entry] of this.#waiting) {
      if (this.#running.size >= this.#options.concurrency) return; // the end of a fit plans again
      if (this.#running.has(user)) continue;
      if (entry.due > now) next = Math.min(next, entry.due);
      else this.#run(user, entry);
    }
    if (this.#waiting.size === 0 && this.#running.size === 0) {
      if (this.#overflowed) {
        this.#overflowed = false;
        this.follow(this.#options.stale);
      } else this.#stepBacklog();
    }
    if (next === Number.POSITIVE_INFINITY) return;
    this.#wakes = next;
    this.#timer = setTimeout(() => this.#plan(), Math.max(1, next - now));
  }

  #run(user: string, { since, attempt }: Waiting): void {
    this.#waiting.delete(user);
    const { attempts, retryDelay, passes, onFailure, onRefreshed } = this.#options;
    const done = this.#refresh(user)
      .then(
        () => onRefreshed(performance.now() - since),
        (error: unknown) => {
          if (attempt + 1 >= attempts && !passes(error)) onFailure(error);
          else if (!this.#closed && !this.#waiting.has(user)) {
            const due = performance.now() + Math.min(retryDelay * 2 ** attempt, MAX_RETRY_DELAY_MS);
            this.#waiting.set(user, { since, due, attempt: attempt + 1 });
          }
        },
      )
      .finally(() => {
        this.#running.delete(user);
        this.#plan();
      });
    this.#running.set(user, done);
  }

  #stepBacklog(): void {
    const backlog = this.#backlog;
    if (!backlog || this.#backlogStep) return;
    this.#backlogStep = backlog
      .next()
      .then(
        ({ done, value }) => {
          if (done && this.#backlog === backlog) this.#backlog = undefined;
          else if (!done && !this.#closed && !this.#waiting.has(value) && !this.#running.has(value)) {
            const now = performance.now();
            this.#run(value, { since: now, due: now, attempt: 0 });
          }
        },
        (error: unknown) => {
          const { passes, retryDelay, onFailure } = this.#options;
          if (!passes(error)) onFailure(error);
          if (this.#backlog !== backlog) return;
          this.#backlog = undefined;
          if (passes(error) && !this.#closed)
            this.#backlogRetry = setTimeout(() => this.follow(this.#users), retryDelay);
        },
      )
      .finally(() => {
        this.#backlogStep = undefined;
        this.#plan();
      });
  }
}

async function* nobody(): AsyncGenerator<string> {}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

// How a server keeps in step with others on its store: it looks how far the store is, when another announces a change and by the clock in any case,
// and hands on what is new. What it was told of up to its last look holds as of that look.
//
// A look that fails changes nothing: the next one begins where the last good one was.
import { inTime } from "../in-time.ts";
import { KEPT, type Positions } from "../store/changes.ts";
import { isAway, StoreError } from "../store/errors.ts";
import type { Look, Replica } from "../store/replicas.ts";
import type { SharedStore } from "../store/store.ts";

export interface FeedOptions {
  /** Of this server, among those on the store. */
  id: string;
  shared: SharedStore;
  /** The model that it serves now. */
  model: () => string | null;
  /** ms between looks where nothing is announced. */
  every: number;
  /** Whether to listen for announcements. */
  listen: boolean;
  /** Users of whom something has changed; null: of any. */
  onUsers: (users: readonly string[] | null) => void;
  /** A user may have been deleted. */
  onDeleted: () => void;
  /** A key was revoked, or the signing secret replaced. If it rejects, the next look tells again. */
  onKeysChanged: () => Promise<void>;
  onImported: () => void;
  /** A server is gone, and what it had left to do is ours. */
  onInherited: () => void;
  /** Told after every look: what is compared with what the server has itself. */
  onLook: (look: Look) => void;
  onListening: (listening: boolean) => void;
  /** A mistake of ours: a store that is away is none. */
  onError: (error: unknown) => void;
  /** ms for an answer: a connection that hangs must not keep us from trying another. @default 5000 */
  patience?: number;
}

/** ms between two looks, however many changes are announced. */
const LEAST_GAP = 100;
/** Looks that are left to hang: each keeps a connection, of which requests need some too. */
const MOST_HANGING = 2;
const PRUNE_EVERY = 30_000; // ms
/** ms by the database's clock that nobody looked: what was forgotten by the store meanwhile could be missing. */
const LONG = KEPT / 2;

export class ChangeFeed implements AsyncDisposable {
  readonly #options: Required<FeedOptions>;
  #last: Look | undefined;
  #synced = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #again = false;
  #asked = 0; // looks without an answer yet
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listener: AsyncDisposable | undefined;
  #pruned = performance.now();
  #closed = false;

  private constructor(options: FeedOptions) {
    this.#options = { patience: 5000, ...options };
  }

  /** Looks for the first time, then goes on. What is read from the store from now on is newer than where it begins. */
  static async start(options: FeedOptions): Promise<ChangeFeed> {
    const feed = new ChangeFeed(options);
    await feed.#compare();
    feed.#plan(options.every);
    if (options.listen) {
      const { onListening } = options;
      feed.#listener = options.shared.listen({ onNotice: () => feed.#notice(), onListening });
    }
    return feed;
  }

  /** performance.now() of the last good look: what is in memory and was not told of is as of then, or later. */
  get synced(): number {
    return this.#synced;
  }

  /** The servers on the store, this one included. */
  get alive(): readonly Replica[] {
    return this.#last?.alive ?? [];
  }

  /** Leaves the store in good order. */
  async close({ unfinished }: { unfinished: boolean }): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#listener?.[Symbol.asyncDispose]();
    await this.#looking;
    const { shared, id } = this.#options;
    await shared.replicas.leave(id, { unfinished }).catch(() => {}); // then it is taken for dead
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close({ unfinished: true });
  }

  #notice(): void {
    if (this.#looking) this.#again = true;
    else this.#plan(Math.max(0, this.#synced + LEAST_GAP - performance.now()));
  }

  #plan(wait: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#looking = this.#compare()
        .catch((error: unknown) => {
          if (!isAway(error)) this.#options.onError(error);
        })
        .finally(() => {
          this.#looking = undefined;
          this.#plan(this.#again ? LEAST_GAP : this.#options.every);
          this.#again = false;
        });
    }, wait);
    this.#timer.unref(); // a server has other reasons to live
  }

  async #compare(): Promise<void> {
    const { shared, model, onLook } = this.#options;
    const started = performance.now();
    const look = await this.#look();
    if (this.#last) await this.#tell(this.#last, look);
    this.#last = look;
    this.#synced = started;
    onLook(look);
    // who has no model yet could do nothing for the dead
    if (look.dead && model() !== null && (await shared.replicas.bury()) > 0) this.#options.onInherited();
    if (started - this.#pruned > PRUNE_EVERY) {
      this.#pruned = started;
      await Promise.all([shared.changes.prune(), shared.allowances.prune()]);
    }
  }

  async #look(): Promise<Look> {
    const { id, shared, model, patience } = this.#options;
    if (this.#asked >= MOST_HANGING) throw new StoreError("unreachable", "has left the last looks without an answer");
    this.#asked++;
    const looking = shared.replicas.look(id, model()).finally(() => this.#asked--);
    return inTime(looking, patience, () => new StoreError("unreachable", `gave no answer for ${patience} ms`));
  }

  async #tell(last: Look, look: Look): Promise<void> {
    const { shared, onUsers, onDeleted, onKeysChanged, onImported } = this.#options;
    const moved = (kind: keyof Positions) => look.positions[kind] !== last.positions[kind];
    if (look.time - last.time > LONG) onUsers(null);
    else if (moved("events") || moved("metrics")) {
      onUsers(await shared.changes.usersBetween(last.positions, look.positions));
    }
    if (look.time - last.time > LONG || (moved("metrics") && (await shared.changes.hasDepartures(last.positions))))
      onDeleted();
    if (moved("keys")) await onKeysChanged();
    if (moved("imported")) onImported();
  }
}

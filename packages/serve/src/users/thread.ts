// The users thread, seen from the server: what users/worker.ts computes, as promises.
import type { LiftedItem, PersonalPrediction, SuggestedQuestion, UserMetric } from "@nearkin/core";
import { FairQueue, type Turn } from "../fair-queue.ts";
import { ThreadCalls } from "../threads/calls.ts";
import { startThread } from "../threads/start.ts";
import type { SharedCatalogue, UserRows } from "./worker.ts";

export class UsersThread implements AsyncDisposable {
  readonly #catalogues = new Map<number, SharedCatalogue>();
  readonly #calls: ThreadCalls;
  readonly #queue = new FairQueue();

  constructor() {
    this.#calls = new ThreadCalls("users' metrics", () => {
      const worker = startThread("users/worker", { name: "nearkin users" });
      // a thread that takes the place of a lost one must know the catalogues too; call 0 is nobody's
      for (const payload of this.#catalogues.values()) worker.postMessage({ call: 0, kind: "open", payload });
      return worker;
    });
  }

  /** Calls that wait or are under way. */
  get pending(): number {
    return this.#queue.size;
  }

  async open(catalogue: SharedCatalogue): Promise<void> {
    const running = this.#calls.started;
    this.#catalogues.set(catalogue.key, catalogue);
    if (running) await this.#calls.call("open", catalogue);
  }

  /** Calls on it that are under way are still answered. */
  async forget(key: number): Promise<void> {
    this.#catalogues.delete(key);
    if (this.#calls.started) await this.#calls.call("close", { key });
  }

  metric(key: number, user: UserRows, turn?: Turn): Promise<UserMetric> {
    return this.#queue.run(() => this.#calls.call("metric", { key, user }), turn);
  }

  /** `evidence` names rows in place of ids. */
  predict(
    key: number,
    user: UserRows,
    item: LiftedItem,
    { metric, turn }: { metric: { weights: Float64Array; offset: number }; turn?: Turn },
  ): Promise<Omit<PersonalPrediction, "missing">> {
    return this.#queue.run(() => this.#calls.call("predict", { key, user, item, metric }), turn);
  }

  /** Ids are rows. */
  questions(
    key: number,
    user: UserRows,
    { candidates, k, turn }: { candidates: Int32Array; k: number; turn?: Turn },
  ): Promise<SuggestedQuestion[]> {
    return this.#queue.run(() => this.#calls.call("questions", { key, user, candidates, k }), turn);
  }

  close(): Promise<void> {
    this.#queue.close();
    return this.#calls.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

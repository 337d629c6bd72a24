// A model that another server has activated: this one follows, one server at a time, so that the others answer at full speed meanwhile. One that
// has no such folder, or cannot open it, says so, goes on with what it has, and tries again: the folder may be on its way. Servers that were started
// without it make theirs the active one when the last that had it is gone for good, as when a fleet is replaced by one with a new model.
import { setTimeout as delay } from "node:timers/promises";
import type { ActiveModels } from "../models/active.ts";
import { isAway } from "../store/errors.ts";
import type { Look, ReplicaStore } from "../store/replicas.ts";

export interface ModelFollowerOptions {
  id: string;
  models: Pick<ActiveModels, "current" | "sequence" | "follow" | "adopt">;
  replicas: Pick<ReplicaStore, "takeTurn" | "giveTurn">;
  /** Told when it cannot follow, once for each reason, and with null when it no longer has to. */
  onProblem: (problem: string | null) => void;
  onFollowed: () => void;
  /** ms until a folder that was missing or broken is looked for again. @default 5000 */
  retry?: number;
  /** ms without a server that has the active model until that is given up: one that is only started again comes back sooner. @default 60000 */
  orphanAfter?: number;
}

const TURN = "model";

export class ModelFollower implements AsyncDisposable {
  readonly #options: Required<ModelFollowerOptions>;
  #following: Promise<void> | undefined;
  #wanted: number | undefined;
  #problem: string | null = null;
  #notBefore = Number.NEGATIVE_INFINITY;
  #orphanSince: number | undefined;
  #closed = false;

  constructor(options: ModelFollowerOptions) {
    this.#options = { retry: 5000, orphanAfter: 60_000, ...options };
  }

  /** Why another model is served than the one activated last, where it is not just about to follow. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether another model was activated than the one that is served. */
  get behind(): boolean {
    return this.#wanted !== undefined && this.#wanted > this.#options.models.sequence;
  }

  look({ activation, alive }: Pick<Look, "activation" | "alive">): void {
    if (!activation || this.#closed) return;
    if (activation.sequence !== this.#wanted) this.#notBefore = Number.NEGATIVE_INFINITY; // another model: it may be there
    this.#wanted = activation.sequence;
    if (!this.behind) {
      this.#say(null);
      return;
    }
    const givenUp = this.#isGivenUp(alive);
    if (this.#following || (!givenUp && performance.now() < this.#notBefore)) return;
    this.#following = (givenUp ? this.#adopt() : this.#follow(activation)).finally(() => {
      this.#following = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#following;
  }

  /** Whether all servers serve what this one was started with, and for long enough: nobody has the active model any more. */
  #isGivenUp(alive: Look["alive"]): boolean {
    const { models, orphanAfter } = this.#options;
    const own = models.current?.model.id;
    const isOrphan = this.#problem !== null && models.sequence === 0 && alive.every(({ model }) => model === own);
    this.#orphanSince = isOrphan ? (this.#orphanSince ?? performance.now()) : undefined;
    return this.#orphanSince !== undefined && performance.now() - this.#orphanSince >= orphanAfter;
  }

  async #follow(activation: NonNullable<Look["activation"]>): Promise<void> {
    const { id, models, replicas, onFollowed, retry } = this.#options;
    try {
      if (!(await replicas.takeTurn(TURN, id))) return; // the next look asks again
      try {
        if (await models.follow(activation)) onFollowed();
        this.#say(null);
      } finally {
        await this.#giveTurn();
      }
    } catch (error) {
      if (isAway(error)) return; // so will the next look
      this.#notBefore = performance.now() + retry;
      this.#say((error as Error).message);
    }
  }

  async #adopt(): Promise<void> {
    try {
      await this.#options.models.adopt();
      this.#say(null);
    } catch {
      // another was faster, or the store is away: the next look tells
    }
  }

  /** Given back for certain: others wait for it for as long as we live. */
  async #giveTurn(): Promise<void> {
    while (!this.#closed) {
      try {
        return await this.#options.replicas.giveTurn(TURN, this.#options.id);
      } catch (error) {
        if (!isAway(error)) throw error;
        await delay(500, undefined, { ref: false });
      }
    }
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

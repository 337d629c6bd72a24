// The model that answers, and how another takes its place: opened and checked beside it, brought to the store's items, then swapped in one
// step. Requests under way finish with the model they began with; if anything fails, the old one goes on as if nothing had been asked.
// Which one is active lies in the store: servers that share it follow whichever of them was asked.
import { ApiError } from "../http/api-error.ts";
import type { Store } from "../store/store.ts";
import type { ModelFolder, ModelFolders } from "./folders.ts";
import { Leased } from "./lease.ts";
import type { Served } from "./served.ts";

const REMEMBERED = 100; // activations that are looked back at

export interface ActiveModelsOptions {
  folders: ModelFolders;
  store: Store;
  open: (path: string) => Promise<Served>;
  /** Closes what nobody holds any more. */
  close: (served: Served) => Promise<void>;
  /** Runs while no item changes: the last changes reach the new model, then it answers. */
  alone: <T>(run: () => Promise<T>) => Promise<T>;
  /** Brings a model to the store's items. */
  replay: (served: Served) => Promise<unknown>;
  /** Told of a model that answers now. */
  onSwap: (served: Served) => void;
  /** Told when closing an old one failed: nobody else hears of it. */
  onError: (error: unknown) => void;
}

export class ActiveModels implements AsyncDisposable {
  readonly #options: ActiveModelsOptions;
  #current: Leased<Served> | undefined;
  #switching: string | undefined;
  #following: Promise<unknown> | undefined;
  #sequence = 0;
  readonly #retiring = new Set<Promise<void>>();

  constructor(options: ActiveModelsOptions) {
    this.#options = options;
  }

  /** The one that answers. */
  get current(): Served | undefined {
    return this.#current?.value;
  }

  /** Number of the activation that the model which answers comes from; 0 where it was not activated. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Runs with the model that answers, which stays open until then. A row stays the same item's, or nobody's. */
  async with<R>(use: (served: Served) => Promise<R> | R): Promise<R> {
    const current = this.#open();
    const { freed } = current.value.catalogue;
    const epoch = freed.enter();
    try {
      return await current.with(use);
    } finally {
      freed.leave(epoch);
    }
  }

  /** The same for changes of items: rows that they free can be given out before they end. */
  change<R>(use: (served: Served) => Promise<R>): Promise<R> {
    return this.#open().with(use);
  }

  list(): Promise<ModelFolder[]> {
    return this.#options.folders.list();
  }

  find(name: string): Promise<ModelFolder> {
    return this.#options.folders.find(name);
  }

  /** Ids by the time they were activated, the last first, each as often as it was. */
  async history(): Promise<{ id: string; folder: string }[]> {
    const list = await this.#options.store.activations.list({ limit: REMEMBERED });
    return list.map(({ model, folder }) => ({ id: model, folder }));
  }

  /** The model that rollback goes back to: the last activated before the one that is active, whether or not this server has followed yet. */
  async previous(): Promise<string | null> {
    const history = await this.history();
    return history.find(({ id }) => id !== history[0].id)?.id ?? null;
  }

  /**
   * At the start: what was active last, if it is still there, else the first folder that can be served. A server that is `alone` activates that one
   * for good; beside others it says that it has not what they serve.
   */
  async start({ alone }: { alone: boolean }): Promise<Served> {
    const folders = await this.list();
    const usable = folders.filter(({ problems }) => problems.length === 0);
    const last = await this.#options.store.activations.active();
    const first = usable.find(({ id }) => id === last?.model) ?? usable[0];
    if (!first) {
      const found = folders.map(({ folder, problems }) => `${folder} (${problems.join("; ")})`).join(", ");
      const nowhere = `no model.json in ${this.#options.folders.places.join(", ")}, nor in a folder right inside`;
      throw new ApiError("BAD_MODEL", `there is no model to serve: ${found || nowhere}`);
    }
    if (first.id === last?.model) return this.#switch(first, last.sequence);
    try {
      return await this.#switch(first, last === null || alone ? "record" : this.#sequence);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "CONFLICT" || last) throw error;
      return this.start({ alone }); // another started at the same time, with another model: that one counts
    }
  }

  /** Another server has activated a model: it answers here too from now on, where its folder is here. False where it does already. */
  async follow({ model, sequence }: { model: string; sequence: number }): Promise<boolean> {
    if (sequence <= this.#sequence) return false;
    if (model === this.current?.model.id) {
      this.#sequence = sequence;
      return false;
    }
    const folder = (await this.list()).find(({ id, problems }) => id === model && problems.length === 0);
    if (!folder) {
      throw new ApiError(
        "UNKNOWN_MODEL",
        `the model ${model.slice(0, 12)} is active, and no folder of this server has it; copy it there, or activate another`,
      );
    }
    if (this.#switching !== undefined) return false; // somebody asks for another: that one counts
    const following = this.#switch(folder, sequence);
    this.#following = following
      .catch(() => {})
      .finally(() => {
        this.#following = undefined;
      });
    await following;
    return true;
  }

  /** What answers here becomes the active model: nobody has the one that was. */
  async adopt(): Promise<void> {
    await this.with(async (served) => {
      this.#sequence = await this.#record(served);
    });
  }

  /** Another model takes the place of the one that answers. The same one is opened again, from its folder. */
  async activate(name: string): Promise<{ folder: ModelFolder; previous: string | null }> {
    const folder = await this.find(name);
    await this.#following; // a change that nobody here asked for is no conflict
    const previous = this.current?.model.id ?? null;
    await this.#switch(folder, "record");
    return { folder, previous };
  }

  async rollback(): Promise<{ folder: ModelFolder; previous: string | null }> {
    const target = await this.previous();
    if (target === null) throw new ApiError("CONFLICT", "there is no model to go back to: only one was ever active");
    return this.activate(target);
  }

  /** Waits for requests, then closes all. */
  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    if (current) this.#retire(current);
    await Promise.all(this.#retiring);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): Leased<Served> {
    if (this.#current) return this.#current;
    throw new ApiError("NOT_READY", "no model is open; try again", { headers: { "retry-after": "1" } });
  }

  /** @param activation its number, or that it is to be recorded as a new one */
  async #switch(folder: ModelFolder, activation: number | "record"): Promise<Served> {
    if (this.#switching !== undefined) {
      throw new ApiError("CONFLICT", `the model ${this.#switching} is being activated; wait for it`);
    }
    this.#switching = folder.folder;
    const { open, close, alone, replay, onSwap } = this.#options;
    try {
      const served = await open(folder.path);
      try {
        await replay(served); // most of it, while items may still change
        await alone(async () => {
          await replay(served);
          this.#sequence = activation === "record" ? await this.#record(served) : activation;
          const old = this.#current;
          this.#current = new Leased(served, () => close(served));
          if (old) this.#retire(old);
        });
      } catch (error) {
        await close(served);
        throw error;
      }
      onSwap(served);
      return served;
    } finally {
      this.#switching = undefined;
    }
  }

  /** The number of the activation. */
  async #record({ model, path }: Served): Promise<number> {
    const { activations } = this.#options.store;
    const last = await activations.active();
    const recorded = await activations.activate(model.id, path, last?.sequence ?? 0);
    if (recorded) return recorded.sequence;
    const other = await activations.active();
    if (other?.model === model.id) return other.sequence; // servers that start together want the same
    throw new ApiError(
      "CONFLICT",
      "another server has activated a model meanwhile; look at GET /v1/models, then decide again",
    );
  }

  #retire(old: Leased<Served>): void {
    const closing: Promise<void> = old
      .retire()
      .catch(this.#options.onError)
      .finally(() => this.#retiring.delete(closing));
    this.#retiring.add(closing);
  }
}

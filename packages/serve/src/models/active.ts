// The model that answers, and how another takes its place: opened and checked beside it, brought to the store's items, then swapped in one
// step. Requests under way finish with the model they began with; if anything fails, the old one goes on as if nothing had been asked.
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
  readonly #retiring = new Set<Promise<void>>();

  constructor(options: ActiveModelsOptions) {
    this.#options = options;
  }

  /** The one that answers. */
  get current(): Served | undefined {
    return this.#current?.value;
  }

  /** Runs with the model that answers, which stays open until then. */
  async with<R>(use: (served: Served) => Promise<R> | R): Promise<R> {
    if (this.#current) return this.#current.with(use);
    throw new ApiError("NOT_READY", "no model is open; try again", { headers: { "retry-after": "1" } });
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

  /** The model that rollback goes back to. */
  async previous(): Promise<string | null> {
    const current = this.current?.model.id;
    return (await this.history()).find(({ id }) => id !== current)?.id ?? null;
  }

  /** At the start: what was active last, if it is still there, else the first folder that can be served. */
  async start(): Promise<Served> {
    const folders = await this.list();
    const usable = folders.filter(({ problems }) => problems.length === 0);
    const [last] = await this.history();
    const first = usable.find(({ id }) => id === last?.id) ?? usable[0];
    if (!first) {
      const found = folders.map(({ folder, problems }) => `${folder} (${problems.join("; ")})`).join(", ");
      const nowhere = `no model.json in ${this.#options.folders.places.join(", ")}, nor in a folder right inside`;
      throw new ApiError("BAD_MODEL", `there is no model to serve: ${found || nowhere}`);
    }
    return this.#switch(first, first.id !== last?.id);
  }

  /** Another model takes the place of the one that answers. The same one is opened again, from its folder. */
  async activate(name: string): Promise<{ folder: ModelFolder; previous: string | null }> {
    const folder = await this.find(name);
    const previous = this.current?.model.id ?? null;
    await this.#switch(folder, true);
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

  async #switch(folder: ModelFolder, record: boolean): Promise<Served> {
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
          if (record) await this.#record(served, folder);
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

  async #record({ model }: Served, { path }: ModelFolder): Promise<void> {
    const { activations } = this.#options.store;
    const last = await activations.active();
    if (await activations.activate(model.id, path, last?.sequence ?? 0)) return;
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

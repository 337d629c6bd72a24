// Imports that a command makes beside the server, into the same store: what is remembered of users is old then, and so are their metrics.
import type { ImportStore } from "../store/imports.ts";

export interface ImportWatchOptions {
  imports: Pick<ImportStore, "list">;
  /** Events were imported since this was last told. */
  onImported: () => void;
  /** Runs at every look: what else a command may have changed. */
  onLook?: () => Promise<void>;
  /** ms between looks. @default 2000 */
  every?: number;
}

export class ImportWatch implements AsyncDisposable {
  readonly #options: ImportWatchOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #accepted: number | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ImportWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.every ?? 2000);
    this.#timer.unref(); // a server has other reasons to live
    this.#look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    this.#looking ??= this.#compare()
      .catch(() => {}) // a store that is away is told of by whoever needs it; the next look finds what came meanwhile
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #compare(): Promise<void> {
    await this.#options.onLook?.();
    const accepted = (await this.#options.imports.list()).reduce((sum, one) => sum + one.accepted, 0);
    const before = this.#accepted;
    this.#accepted = accepted;
    if (before !== undefined && accepted !== before) this.#options.onImported();
  }
}

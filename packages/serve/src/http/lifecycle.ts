// Whether the server should be sent requests: not before everything is loaded, and not any more once it is to stop.

/** What /readyz answers. */
export interface Readiness {
  readonly ready: boolean;
  /** What it waits for, or that it is stopping. */
  readonly reasons: readonly string[];
}

/** Alive is always; ready is when nothing is waited for. */
export class Lifecycle {
  readonly #waiting = new Map<string, string>();
  #draining = false;

  /** Starts out waiting for these parts, each of which calls `ready`. */
  constructor(parts: readonly string[] = []) {
    for (const part of parts) this.#waiting.set(part, `${part}: starting`);
  }

  /** A part can do its work (again). */
  ready(part: string): void {
    this.#waiting.delete(part);
  }

  /** A part cannot do its work; `reason` is shown to whoever asks /readyz. */
  notReady(part: string, reason: string): void {
    this.#waiting.set(part, `${part}: ${reason}`);
  }

  /** The server is stopping: it still answers, but wants no more requests. There is no way back. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  readiness(): Readiness {
    const reasons = this.#draining ? ["stopping"] : [...this.#waiting.values()];
    return { ready: reasons.length === 0, reasons };
  }
}

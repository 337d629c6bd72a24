// A connection that hears of announcements, opened again for as long as it takes where it is lost. Nobody may rely on it alone: whoever listens
// also looks by the clock.
import pg from "pg";

export interface ListenerOptions {
  channel: string;
  /** Somebody has announced a change, in their own name; undefined: nobody listened for a while, so something may have been missed. */
  onNotice: (from: string | undefined) => void;
  onListening: (listening: boolean) => void;
}

/** ms until a lost connection is opened again, doubled each time. */
const FIRST_DELAY = 100;
const MAX_RETRY_DELAY_MS = 5000;
const CONNECT_TIMEOUT = 5000;

export class PostgresListener implements AsyncDisposable {
  readonly #url: string;
  readonly #options: ListenerOptions;
  #client: pg.Client | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #closed = false;

  constructor(url: string, options: ListenerOptions) {
    this.#url = url;
    this.#options = options;
    void this.#open();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #open(): Promise<void> {
    const { channel, onNotice, onListening } = this.#options;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: "nearkin listening",
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
    });
    this.#client = client;
    client.on("error", () => this.#lost(client)); // of a connection that was open; one that never was rejects below
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload }) => onNotice(payload));
    try {
      await client.connect();
      await client.query(`LISTEN "${channel}"`);
      if (this.#client !== client) return;
      this.#failures = 0;
      onListening(true);
      onNotice(undefined);
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return; // closed, or known already
    this.#client = undefined;
    this.#options.onListening(false);
    client.end().catch(() => {});
    if (this.#closed) return;
    const wait = Math.min(FIRST_DELAY * 2 ** this.#failures++, MAX_RETRY_DELAY_MS) * (0.5 + Math.random());
    this.#retry = setTimeout(() => void this.#open(), wait);
    this.#retry.unref();
  }
}

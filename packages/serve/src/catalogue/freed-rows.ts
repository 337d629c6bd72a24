// Rows of deleted items, kept from reuse until every request that may know them has ended (epoch-based reclamation): a row in a filter's bitmap or
// in a list must not become another item's while a request works with it.

/** Requests that entered between two deletions, and the rows that were freed at its end. */
interface Epoch {
  readers: number;
  readonly rows: number[];
}

export class FreedRows {
  readonly #free: number[] = [];
  readonly #epochs: Epoch[] = [{ readers: 0, rows: [] }]; // oldest first; requests enter the last
  #resting = 0;
  #wake: (() => void)[] = [];

  /** Rows that can be given out. */
  get size(): number {
    return this.#free.length;
  }

  /** Rows that requests under way may still know. */
  get resting(): number {
    return this.#resting;
  }

  /** A request begins; it hands back what it gets when it ends. */
  enter(): Epoch {
    const epoch = this.#epochs[this.#epochs.length - 1];
    epoch.readers++;
    return epoch;
  }

  leave(epoch: Epoch): void {
    epoch.readers--;
    this.#release();
  }

  /** Nobody who enters from now on can come to know these rows. */
  add(rows: readonly number[]): void {
    if (rows.length === 0) return;
    for (const row of rows) this.#epochs[this.#epochs.length - 1].rows.push(row);
    this.#resting += rows.length;
    this.#epochs.push({ readers: 0, rows: [] });
    this.#release();
  }

  take(): number | undefined {
    return this.#free.pop();
  }

  /** Resolves when some of the resting rows can be given out. */
  released(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  #release(): void {
    const before = this.#resting;
    while (this.#epochs.length > 1 && this.#epochs[0].readers === 0) {
      const { rows } = this.#epochs.shift() as Epoch;
      for (const row of rows) this.#free.push(row);
      this.#resting -= rows.length;
    }
    if (this.#resting === before) return;
    for (const resolve of this.#wake.splice(0)) resolve();
  }
}

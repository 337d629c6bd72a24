// What was opened is closed in the reverse order, also where opening the rest fails. (Node 20 has no AsyncDisposableStack.)

export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  /** Closed with the others, after those that come later. */
  add<T extends AsyncDisposable>(part: T): T {
    this.#closers.push(async () => part[Symbol.asyncDispose]());
    return part;
  }

  /** Every one is tried; the first that fails is thrown. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse())
      await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

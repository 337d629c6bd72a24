// What requests use until the last of them lets go: a model that was swapped out is closed only then, so that a swap fails no request.

export class Leased<T> {
  readonly value: T;
  readonly #close: () => Promise<void>;
  #users = 0;
  #retired: { promise: Promise<void>; resolve: () => void } | undefined;

  constructor(value: T, close: () => Promise<void>) {
    this.value = value;
    this.#close = close;
  }

  /** Requests that hold it. */
  get users(): number {
    return this.#users;
  }

  /** Runs `use` with the value held. */
  async with<R>(use: (value: T) => Promise<R> | R): Promise<R> {
    this.#users++;
    try {
      return await use(this.value);
    } finally {
      this.#users--;
      if (this.#users === 0) this.#retired?.resolve();
    }
  }

  /** Closes the value once nobody holds it. Only who can no longer be asked may be retired. */
  async retire(): Promise<void> {
    if (!this.#retired) {
      let resolve = () => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#retired = { promise: promise.then(this.#close), resolve };
      if (this.#users === 0) resolve();
    }
    await this.#retired.promise;
  }
}

// Many small writes as few large ones. Whoever comes while a write is under way waits for it, and then goes together with all others who came:
// one flush to disk for all of them, and on PostgreSQL one turn.

export interface TogetherOptions<T> {
  /** How much one brings. */
  sizeOf: (one: T) => number;
  /** Beyond this they go apart again. */
  most: number;
}

/** A function that hands its argument to `write`, with others' where there are any, and gives its own of the results. */
export function together<T, R>(
  write: (all: readonly T[]) => Promise<readonly R[]>,
  { sizeOf, most }: TogetherOptions<T>,
): (one: T) => Promise<R> {
  const waiting: { one: T; resolve: (result: R) => void; reject: (error: unknown) => void }[] = [];
  let writing = false;

  async function work(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      let size = 0;
      let count = 0;
      do size += sizeOf(waiting[count++].one);
      while (count < waiting.length && size + sizeOf(waiting[count].one) <= most);
      const some = waiting.splice(0, count);
      try {
        const results = await write(some.map(({ one }) => one));
        some.forEach(({ resolve }, i) => {
          resolve(results[i]);
        });
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    writing = false;
  }

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject });
      if (!writing) void work();
    });
}

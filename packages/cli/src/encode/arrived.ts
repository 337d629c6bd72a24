// A stream in batches that nobody waits for: each is what has arrived while the one before was worked on.

/** At most `most` at once, and read ahead. Where the source pauses, what is there is given without waiting for more. */
export async function* arrived<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T[]> {
  const queue: T[] = [];
  let stopped = false;
  let ended = false;
  let failure: { reason: unknown } | undefined;
  let more = () => {};
  let room = () => {};
  const read = async () => {
    try {
      for await (const one of source) {
        queue.push(one);
        more();
        if (queue.length >= most && !stopped) {
          await new Promise<void>((resume) => {
            room = resume;
          });
        }
        if (stopped) break;
      }
    } catch (reason) {
      failure = { reason };
    }
    ended = true;
    more();
  };
  void read();
  try {
    for (;;) {
      if (queue.length === 0 && !ended) {
        await new Promise<void>((resume) => {
          more = resume;
        });
      }
      await new Promise((turn) => setImmediate(turn)); // the rest of the piece that the first came in
      if (queue.length > 0) {
        const batch = queue.splice(0);
        room();
        yield batch;
      } else if (ended) break;
    }
    if (failure) throw failure.reason;
  } finally {
    stopped = true;
    room();
  }
}

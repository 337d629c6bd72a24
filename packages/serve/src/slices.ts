// Long work on the main thread, in slices: requests are answered between them.

/** Work that yields wherever it may pause, every millisecond or less. */
export type Slices<T = void> = Generator<undefined, T>;

/** Rows that are read between two yields. */
export const SLICE_ROWS = 4096;
const SLICE_MS = 5;

/** Runs the work in slices of a few milliseconds. Rejects with the signal's reason if the caller leaves between two of them. */
export async function inSlices<T>(work: Slices<T>, signal?: AbortSignal): Promise<T> {
  for (let end = performance.now() + SLICE_MS; ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() < end) continue;
    await new Promise((resume) => setImmediate(resume));
    signal?.throwIfAborted();
    end = performance.now() + SLICE_MS;
  }
}

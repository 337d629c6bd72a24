import { NearkinApiError } from "./error.ts";

interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** Every entry of every page, one after the other; a page is asked for when the one before is used up. */
export async function* entriesOf<Entry>(
  read: (cursor: string | undefined) => Promise<Page<Entry>>,
  first: string | undefined,
): AsyncGenerator<Entry, void, void> {
  let cursor = first;
  for (;;) {
    const { entries, next } = await read(cursor);
    yield* entries;
    if (next === null) return;
    if (next === cursor) {
      throw new NearkinApiError("BAD_ANSWER", "a page names itself as the next", { status: 200 });
    }
    cursor = next;
  }
}

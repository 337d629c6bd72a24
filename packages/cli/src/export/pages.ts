// What a store holds, page after page: the next one is under way while one is written, and no more than two are in memory.

/** Events and feedback are numbered as they arrive. */
interface Arrived {
  readonly arrival: number;
}

const PAGE = 5000;

export async function* pagesOf<T extends Arrived>(
  page: (options: { after: number; limit: number }) => Promise<T[]>,
  since: number,
): AsyncGenerator<T[]> {
  let reading = page({ after: since, limit: PAGE });
  try {
    for (;;) {
      const rows = await reading;
      const last = rows.at(-1);
      if (!last) return;
      reading = page({ after: last.arrival, limit: PAGE });
      reading.catch(() => {}); // its turn to be heard comes
      yield rows;
    }
  } finally {
    await reading.catch(() => {}); // a store is not closed under its reader
  }
}

/** ISO 8601, which says more than a number: `prepare` would take milliseconds before March 1973 for seconds. */
export function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds} ms` : date.toISOString();
}

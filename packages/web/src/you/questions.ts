// Which item is asked about: the most telling first, but never another one under the eyes of who is reading.

export interface Asking {
  /** What is shown; undefined while it is not known. */
  readonly shown: string | undefined;
  /** What comes next, the most telling first. */
  readonly queue: readonly string[];
}

export const NOT_ASKED: Asking = { shown: undefined, queue: [] };

/** Better questions have come: what is shown stays. */
export function withQueue({ shown }: Asking, queue: readonly string[]): Asking {
  const next = shown ?? queue[0];
  return { shown: next, queue: queue.filter((item) => item !== next) };
}

/** An answer makes other questions better: none is shown until they are there. */
export const answered = ({ shown, queue }: Asking, item: string): Asking =>
  shown === item ? { shown: undefined, queue: [] } : { shown, queue: queue.filter((one) => one !== item) };

/** Who does not know an item has told nothing: the next best question is at hand. */
export function passed({ shown, queue }: Asking, item: string): Asking {
  const rest = queue.filter((one) => one !== item);
  return shown === item ? { shown: rest[0], queue: rest.slice(1) } : { shown, queue: rest };
}

// What a user met, each item once.

/** Items with their ratings in the order of time; an item that was met again counts where it was met last. */
export function lastMet(items: ArrayLike<number>, ratings: ArrayLike<number>): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  for (let i = 0; i < items.length; i++) {
    last.delete(items[i]); // a map keeps the place of the first
    last.set(items[i], ratings[i]);
  }
  return last;
}

// What becomes of the nearest items when the draft changes: which rise, which fall, and which comes first instead.
import type { NamedItem } from "./asked.ts";

export interface Movement {
  readonly item: NamedItem;
  /** Its place now, from 1. */
  readonly from: number;
  /** Its place then; undefined where it is farther down than was asked. */
  readonly to: number | undefined;
}

export interface Moves {
  /** Of the first items those that move, the farthest first. */
  readonly moved: readonly Movement[];
  /** What would come first, where that is another one. */
  readonly first: NamedItem | undefined;
}

/** Places from 1 by id. */
export const placesOf = (order: readonly NamedItem[]): ReadonlyMap<string, number> =>
  new Map(order.map(({ id }, i) => [id, i + 1]));

/** From the order as it is to another; `watched` of the first items are looked at. */
export function movesBetween(now: readonly NamedItem[], then: readonly NamedItem[], watched: number): Moves {
  const places = placesOf(then);
  const moved = now
    .slice(0, watched)
    .map((item, i): Movement => ({ item, from: i + 1, to: places.get(item.id) }))
    .filter(({ from, to }) => from !== to)
    .toSorted((a, b) => distance(b) - distance(a) || a.from - b.from);
  const first = then.length > 0 && then[0].id !== now[0]?.id ? then[0] : undefined;
  return { moved, first };
}

const distance = ({ from, to }: Movement): number =>
  to === undefined ? Number.POSITIVE_INFINITY : Math.abs(to - from);

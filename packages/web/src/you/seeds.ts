import type { Rated } from "./notes.ts";

/** What a list goes out from: what was asked for, or the best rated one, of equals the last. Undefined without ratings. */
export function seedOf(ratings: readonly Rated[], asked: string | null): Rated | undefined {
  const [best] = ratings.toSorted((a, b) => b.rating - a.rating || b.time - a.time);
  return ratings.find(({ item }) => item === asked) ?? best;
}

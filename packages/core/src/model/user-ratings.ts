// What a user met and rated, as it comes from outside: checked, and with rows in place of ids.
import { NearkinError } from "../errors.ts";
import type { UserItems } from "../personal/user.ts";
import { shown } from "./answers.ts";
import type { ItemDirectory } from "./items.ts";

/** One item of a user. */
export interface UserRating {
  /** Id. */
  readonly item: string;
  /** Left out, or null, where the item was met but not rated. */
  readonly rating?: number | null;
}

/** Rows and ratings in the order given. Unknown ids, items named twice and ratings that are no numbers are refused, with the place. */
export function userItems(items: Pick<ItemDirectory, "indexOf">, ratings: readonly UserRating[]): UserItems {
  if (!Array.isArray(ratings)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `ratings: expected a list such as [{ item: "…", rating: 4 }], the oldest first, got ${shown(ratings)}`,
    );
  }
  const places = new Map<number, number>();
  const values = new Float64Array(ratings.length);
  for (let i = 0; i < ratings.length; i++) {
    const one: UserRating | null = ratings[i]; // by place: `forEach` passes over holes
    const { item, rating } = one ?? {};
    if (typeof item !== "string") {
      throw new NearkinError(
        "BAD_ARGUMENT",
        typeof item === "number"
          ? `ratings[${i}]: ids are text: { item: "${item}" }, got the number`
          : `ratings[${i}]: expected { item: "an id", rating?: number }, got ${shown(one)}`,
      );
    }
    if (rating != null && (typeof rating !== "number" || !Number.isFinite(rating))) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `ratings[${i}]: the rating of "${item}" is ${shown(rating)}; give a finite number, or leave it out`,
      );
    }
    const row = items.indexOf(item);
    const before = places.get(row);
    if (before !== undefined) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `ratings[${i}]: "${item}" stands at ${before} already; give each item once, with the rating that counts`,
      );
    }
    places.set(row, i);
    values[i] = rating ?? Number.NaN;
  }
  return { items: Int32Array.from(places.keys()), ratings: values };
}

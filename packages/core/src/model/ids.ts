// Ids are what the outside world calls things, indices the rows they have in our arrays. The compiler keeps the two apart, and
// items from users; one `Vocabulary` converts.
import { NearkinError } from "../errors.ts";

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** What the outside world calls an item. */
export type ItemId = Branded<string, "ItemId">;
/** What the outside world calls a user. */
export type UserId = Branded<string, "UserId">;
/** Row of an item: 0 … n − 1. */
export type ItemIndex = Branded<number, "ItemIndex">;
/** Row of a user: 0 … users − 1. */
export type UserIndex = Branded<number, "UserIndex">;

/** Ids and their dense indices, both ways. The order of the ids is the order of the indices, and never changes. */
export class Vocabulary<Id extends string, Index extends number> {
  readonly ids: readonly Id[];
  readonly #indices = new Map<string, Index>();

  /**
   * An id that comes twice is refused.
   *
   * @example
   * const items = new Vocabulary(["tt0111161", "tt0068646"]);
   * items.index("tt0068646") // => 1
   * items.id(0) // => "tt0111161"
   * items.index("tt9999999") // => undefined
   */
  constructor(ids: Iterable<Id>) {
    this.ids = Array.from(ids);
    for (let i = 0; i < this.ids.length; i++) {
      const id = this.ids[i];
      if (typeof id !== "string") {
        throw new NearkinError("BAD_ARGUMENT", `vocabulary: id ${i} must be a text, got ${typeof id}`);
      }
      const first = this.#indices.get(id);
      if (first !== undefined) {
        throw new NearkinError("BAD_ARGUMENT", `vocabulary: "${id}" comes twice, at ${first} and ${i}; ids are unique`);
      }
      this.#indices.set(id, i as Index);
    }
  }

  get size(): number {
    return this.ids.length;
  }

  /** The index of an id, or undefined for one that is not here. */
  index(id: Id): Index | undefined {
    return this.#indices.get(id);
  }

  /** The id of an index; an index outside [0, size) throws. */
  id(index: Index): Id {
    if (!Number.isInteger(index) || index < 0 || index >= this.ids.length) {
      throw new NearkinError("INDEX_OUT_OF_RANGE", `vocabulary: index ${index} is outside [0, ${this.ids.length})`);
    }
    return this.ids[index];
  }
}

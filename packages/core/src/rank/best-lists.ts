// The best of what was offered, for many lists at once and in arrays that are made once. A list is a heap with its worst entry on top: what does
// not enter costs one comparison, what does log k, however long lists are.
// q lists of at most k entries

/** Higher scores are better, then smaller hashes, then smaller items: the order of `comesBefore`. */
export class BestLists {
  /** k */
  readonly size: number;
  /** (q, k) Best first once a list is sorted. */
  readonly items: Int32Array;
  /** (q, k) */
  readonly scores: Float64Array;
  /** (q) */
  readonly counts: Int32Array;
  readonly #hashes: Uint32Array;

  /** @param hashes By item: what orders equal scores */
  constructor(lists: number, size: number, hashes: Uint32Array) {
    this.size = size;
    this.items = new Int32Array(lists * size);
    this.scores = new Float64Array(lists * size);
    this.counts = new Int32Array(lists);
    this.#hashes = hashes;
  }

  /** The score of the last entry; −∞ until the list is full. */
  worst(list: number): number {
    return this.counts[list] === this.size ? this.scores[list * this.size] : Number.NEGATIVE_INFINITY;
  }

  /** Whether it entered. */
  offer(list: number, item: number, score: number): boolean {
    const { size, counts, items, scores } = this;
    const top = list * size;
    if (counts[list] < size) {
      this.#rise(top, counts[list]++, item, score);
      return true;
    }
    if (!this.#isBefore(item, score, items[top], scores[top])) return false;
    this.#sink(top, size, item, score);
    return true;
  }

  clear(list: number): void {
    this.counts[list] = 0;
  }

  /** Best first, in place. The list then is no heap any more: nothing can be offered before it is cleared. */
  sort(list: number): void {
    const { items, scores } = this;
    const top = list * this.size;
    for (let last = this.counts[list] - 1; last > 0; last--) {
      const item = items[top + last];
      const score = scores[top + last];
      items[top + last] = items[top];
      scores[top + last] = scores[top];
      this.#sink(top, last, item, score);
    }
  }

  /** Puts an entry at `place` of the heap that begins at `top`, or above it. */
  #rise(top: number, place: number, item: number, score: number): void {
    const { items, scores } = this;
    let at = place;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(items[top + parent], scores[top + parent], item, score)) break;
      items[top + at] = items[top + parent];
      scores[top + at] = scores[top + parent];
      at = parent;
    }
    items[top + at] = item;
    scores[top + at] = score;
  }

  /** Puts an entry in the place of the worst of `count`, or below it. */
  #sink(top: number, count: number, item: number, score: number): void {
    const { items, scores } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      const other = child + 1;
      if (
        other < count &&
        this.#isBefore(items[top + child], scores[top + child], items[top + other], scores[top + other])
      ) {
        child = other;
      }
      if (!this.#isBefore(item, score, items[top + child], scores[top + child])) break;
      items[top + at] = items[top + child];
      scores[top + at] = scores[top + child];
      at = child;
    }
    items[top + at] = item;
    scores[top + at] = score;
  }

  #isBefore(a: number, x: number, b: number, y: number): boolean {
    if (x !== y) return x > y;
    const hashes = this.#hashes;
    return hashes[a] !== hashes[b] ? hashes[a] < hashes[b] : a < b;
  }
}

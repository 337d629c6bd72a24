// Keeps forecasts honest: by how much the lists that were compared with the exact scan fall short of what was expected of them.

/** Lists that count fully; older ones fade, so that a catalogue that changes is judged by how it is now. */
const MEMORY = 400;
/** Before so many lists were compared nothing is concluded. */
const FEWEST = 20;
const CONFIDENCE = 1.645; // one-sided, 95 %

export class Shortfall {
  #lists = 0;
  #weight = 0;
  #recall = 0;
  #gap = 0;
  #gapSquare = 0;

  /** A list had this recall where `expected` was forecast. */
  observe(recall: number, expected: number): void {
    const keep = 1 - 1 / MEMORY;
    const gap = expected - recall;
    this.#lists++;
    this.#weight = this.#weight * keep + 1;
    this.#recall = this.#recall * keep + recall;
    this.#gap = this.#gap * keep + gap;
    this.#gapSquare = this.#gapSquare * keep + gap * gap;
  }

  /** Lists compared in all. */
  get lists(): number {
    return this.#lists;
  }

  /** Mean recall of late; null before the first list. */
  get recall(): number | null {
    return this.#lists === 0 ? null : this.#recall / this.#weight;
  }

  /**
   * What forecasts are to be lowered by: the mean gap, once it is more than chance, else 0. Never below 0: that lists do better than
   * forecast is no licence.
   */
  get value(): number {
    if (this.#lists < FEWEST) return 0;
    const mean = this.#gap / this.#weight;
    const variance = Math.max(0, this.#gapSquare / this.#weight - mean * mean);
    const error = Math.sqrt(variance / this.#weight);
    return mean > CONFIDENCE * error ? mean : 0;
  }
}

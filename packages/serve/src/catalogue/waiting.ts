// Which items wait for which text.

const normal = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export class WaitingTexts {
  readonly #ids = new Map<string, Set<string>>();

  add(encoder: string, text: string, id: string): void {
    const key = `${encoder} ${normal(text)}`;
    const ids = this.#ids.get(key);
    if (ids) ids.add(id);
    else this.#ids.set(key, new Set([id]));
  }

  /** The items that waited for these texts, each once; they no longer do. */
  take(encoder: string, texts: readonly string[]): string[] {
    const found = new Set<string>();
    for (const text of texts) {
      const key = `${encoder} ${normal(text)}`;
      for (const id of this.#ids.get(key) ?? []) found.add(id);
      this.#ids.delete(key);
    }
    return [...found];
  }

  /** Texts that somebody waits for. */
  get size(): number {
    return this.#ids.size;
  }
}

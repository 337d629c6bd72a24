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

  /** The items that wait for these texts, each once. */
  waitingFor(encoder: string, texts: readonly string[]): string[] {
    return [...new Set(texts.flatMap((text) => [...(this.#ids.get(`${encoder} ${normal(text)}`) ?? [])]))];
  }

  /** Nobody waits for these any more. */
  drop(encoder: string, texts: readonly string[]): void {
    for (const text of texts) this.#ids.delete(`${encoder} ${normal(text)}`);
  }

  /** Texts that somebody waits for. */
  get size(): number {
    return this.#ids.size;
  }
}

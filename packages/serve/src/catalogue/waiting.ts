// Which items wait for which text.

const normal = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export class WaitingTexts {
  readonly #ids = new Map<string, Map<string, Set<string>>>(); // by encoder and text

  add(encoder: string, text: string, id: string): void {
    const texts = this.#ids.get(encoder) ?? new Map<string, Set<string>>();
    this.#ids.set(encoder, texts);
    const ids = texts.get(normal(text));
    if (ids) ids.add(id);
    else texts.set(normal(text), new Set([id]));
  }

  /** The items that wait for these texts, each once. */
  waitingFor(encoder: string, texts: readonly string[]): string[] {
    return [...new Set(texts.flatMap((text) => [...(this.#ids.get(encoder)?.get(normal(text)) ?? [])]))];
  }

  /** Nobody waits for these any more. */
  drop(encoder: string, texts: readonly string[]): void {
    for (const text of texts) this.#ids.get(encoder)?.delete(normal(text));
  }

  /** Texts that somebody waits for. */
  get size(): number {
    let sum = 0;
    for (const texts of this.#ids.values()) sum += texts.size;
    return sum;
  }

  /** The same, by encoder. */
  *texts(): Generator<[encoder: string, texts: string[]]> {
    for (const [encoder, texts] of this.#ids) if (texts.size > 0) yield [encoder, [...texts.keys()]];
  }
}

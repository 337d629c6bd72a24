// The library's front door in Node: a model folder in, a model out. Nothing but the folder is needed, not even the dataset.
import {
  type EncodeTexts,
  type Model,
  NearkinError,
  type OpenModelOptions,
  openModel as openParts,
} from "@nearkin/core";
import type { Encoder } from "@nearkin/data/encoders";
import { readFolder } from "@nearkin/serve/folder";

/**
 * Opens a model folder. Texts of drafts are encoded by the encoder that the model was made with, which is loaded when the first draft
 * with such a text comes.
 *
 *   await using model = await openModel("models/films");
 *   const { items } = await model.similar("tt0111161", { k: 5, explain: true });
 */
export async function openModel(folder: string, options: OpenModelOptions = {}): Promise<Model> {
  const encoders = new LazyEncoders();
  try {
    return await openParts(readFolder(folder), { encode: encoders.encode, onClose: encoders.close, ...options });
  } catch (cause) {
    if (!(cause instanceof NearkinError) || cause.code !== "BAD_MODEL" || cause.message.includes(folder)) throw cause;
    throw new NearkinError("BAD_MODEL", `${folder}: ${cause.message}`, { cause });
  }
}

/** Encoders by name, opened when first asked for. */
class LazyEncoders {
  readonly #opened = new Map<string, Promise<Encoder>>();

  readonly encode: EncodeTexts = async (texts, name) => {
    const { openEncoder } = await import("@nearkin/data/encoders");
    let opening = this.#opened.get(name);
    if (!opening) {
      opening = openEncoder(name, { threads: 1 }); // a draft has a text or two
      this.#opened.set(name, opening);
      opening.catch(() => this.#opened.delete(name)); // it may be installed meanwhile
    }
    const encoder = await opening;
    const vectors = await encoder.encode(texts).catch((error: unknown) => {
      this.#opened.delete(name); // a thread that was lost does not come back
      throw error;
    });
    const d = encoder.dimensions;
    return texts.map((_, i) => vectors.slice(i * d, (i + 1) * d));
  };

  readonly close = async (): Promise<void> => {
    for (const opening of this.#opened.values()) await (await opening).close();
    this.#opened.clear();
  };
}

// The library's front door in Node: a model folder in, a model out. Nothing but the folder is needed, not even the dataset.
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type EncodeTexts,
  type Model,
  NearkinError,
  type OpenModelOptions,
  openModel as openParts,
  type ReadModelFile,
} from "@nearkin/core";
import type { Encoder } from "@nearkin/data/encoders";

const PIECE = 2 ** 30; // one read of Node takes at most 2 GiB, and so does readFile

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

/** Reads the files of a model folder. */
export function readFolder(folder: string): ReadModelFile {
  return async (name) => {
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) {
      throw new NearkinError(
        "BAD_MODEL",
        `${folder} ${found ? "is not" : "does not exist; expected"} a folder that nearkin train wrote`,
      );
    }
    try {
      await using file = await open(join(folder, name));
      const { size } = await file.stat();
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(bytes, at, Math.min(PIECE, size - at), at);
        if (bytesRead === 0) throw new Error("it became shorter while being read");
        at += bytesRead;
      }
      return bytes;
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new Error(code === "ENOENT" ? `there is no ${join(folder, name)}` : `${join(folder, name)}: ${message}`, {
        cause,
      });
    }
  };
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

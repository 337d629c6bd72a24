// An encoder that is quick, or as slow as one likes, and remembers what it was given.
import type { Encoder } from "../encoder.ts";

export interface ToyEncoder extends Encoder {
  /** Every text that was encoded, in order. */
  readonly seen: string[];
}

/** Vectors of three numbers: length, first and last character, at norm 1. */
export function toyEncoder({ model = "toy-1", delay = 0, onText = (_text: string) => {} } = {}): ToyEncoder {
  const seen: string[] = [];
  const close = async () => {};
  return {
    name: "toy",
    model,
    dimensions: 3,
    seen,
    async encode(texts, { signal, onProgress } = {}) {
      const out = new Float32Array(texts.length * 3);
      for (const [i, text] of texts.entries()) {
        signal?.throwIfAborted();
        if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
        seen.push(text);
        onText(text);
        out.set(toyVector(text), i * 3);
        onProgress?.(i + 1);
      }
      return out;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function toyVector(text: string): number[] {
  const vector = [text.length, text.charCodeAt(0), text.charCodeAt(text.length - 1)];
  const norm = Math.hypot(...vector);
  return vector.map((value) => Math.fround(value / norm));
}

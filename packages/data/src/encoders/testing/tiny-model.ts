// A model folder for @huggingface/transformers with ten words and four dimensions, made on the spot.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "@nearkin/core";
import { gatherModel } from "./onnx.ts";

export const WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "sleeps", "runs", "far"];
export const WIDTH = 4;
/** Tokens at most, [CLS] and [SEP] included. */
export const LONGEST = 8;

/** Writes the folder and gives the table of hidden states, (words, width). */
export function writeTinyModel(folder: string): Float32Array {
  const random = new Random(7);
  const table = Float32Array.from({ length: WORDS.length * WIDTH }, () => random.normal());
  mkdirSync(join(folder, "onnx"), { recursive: true });
  writeFileSync(join(folder, "onnx", "model.onnx"), gatherModel(table, WIDTH));
  const json = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
  json("config.json", {
    model_type: "bert",
    hidden_size: WIDTH,
    vocab_size: WORDS.length,
    max_position_embeddings: LONGEST,
  });
  json("tokenizer_config.json", {
    tokenizer_class: "PreTrainedTokenizer",
    model_max_length: 512,
    pad_token: "[PAD]",
    unk_token: "[UNK]",
    cls_token: "[CLS]",
    sep_token: "[SEP]",
  });
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  json("tokenizer.json", {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: WORDS.slice(0, 4).map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Whitespace" },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      pair: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    decoder: null,
    model: { type: "WordLevel", vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])), unk_token: "[UNK]" },
  });
  return table;
}

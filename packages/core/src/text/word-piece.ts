// WordPiece (Schuster & Nakajima, 2012; Devlin et al., 2019): a word becomes the longest piece of the vocabulary that begins it, then the
// longest that goes on from there; a word that cannot be put together is unknown as a whole. Reads Hugging Face's tokenizer.json.
import { NearkinError } from "../errors.ts";
import { bertWordSplitter } from "./bert-words.ts";

export interface WordPiece {
  /** How many pieces there are: ids lie below it. */
  readonly size: number;
  /** Writes [CLS], the text's pieces and [SEP] to `out` from `offset` on, `most` in all, and returns how many. */
  encode(text: string, out: Int32Array, offset: number, most: number): number;
}

interface TokenizerFile {
  normalizer?: {
    type?: string;
    clean_text?: boolean;
    handle_chinese_chars?: boolean;
    strip_accents?: boolean | null;
    lowercase?: boolean;
  };
  pre_tokenizer?: { type?: string };
  added_tokens?: { id: number; content: string }[];
  model?: {
    type?: string;
    vocab?: Record<string, number>;
    unk_token?: string;
    continuing_subword_prefix?: string;
    max_input_chars_per_word?: number;
  };
}

/** The tokenizer of an uncased BERT, from the bytes of its tokenizer.json. Throws `BAD_FILE` for anything else. */
export function readWordPiece(bytes: Uint8Array): WordPiece {
  const { vocabulary, added, unknown, prefix, longestWord } = read(bytes);
  const wordsOf = bertWordSplitter();
  const first = new Map<string, number>(); // pieces that begin a word
  const next = new Map<string, number>(); // pieces that go on, without their prefix
  let longest = 1; // characters of a piece
  for (const [piece, id] of Object.entries(vocabulary)) {
    const goesOn = piece.startsWith(prefix);
    const bare = goesOn ? piece.slice(prefix.length) : piece;
    (goesOn ? next : first).set(bare, id);
    longest = Math.max(longest, bare.length);
  }
  const idOf = (piece: string): number => {
    const id = vocabulary[piece];
    if (id === undefined) throw bad(`the vocabulary has no ${piece}`);
    return id;
  };
  const [begin, end, unknownId] = [idOf("[CLS]"), idOf("[SEP]"), idOf(unknown)];
  const marks = new Map(added.map(({ content, id }) => [content, id]));
  const markPattern =
    marks.size > 0 ? new RegExp(`(${[...marks.keys()].sort(byLength).map(escaped).join("|")})`) : undefined;

  /** Writes the pieces of one word, up to `limit`; returns where the next one goes. */
  function putWord(word: string, out: Int32Array, at: number, limit: number): number {
    if (word.length > longestWord && [...word].length > longestWord) {
      out[at] = unknownId;
      return at + 1;
    }
    let to = at;
    for (let start = 0; start < word.length; ) {
      let stop = Math.min(word.length, start + longest);
      let id: number | undefined;
      for (const pieces = start === 0 ? first : next; stop > start; stop--) {
        id = pieces.get(word.slice(start, stop));
        if (id !== undefined) break;
      }
      if (id === undefined) {
        out[at] = unknownId;
        return at + 1;
      }
      if (to < limit) out[to] = id; // what lies beyond is still looked at: it decides whether the word is known
      to++;
      start = stop;
    }
    return Math.min(to, limit);
  }

  return {
    size: Object.values(vocabulary).reduce((most, id) => Math.max(most, id + 1), 0),
    encode(text, out, offset, most) {
      const limit = offset + most - 1; // room for [SEP]
      let at = offset;
      out[at++] = begin;
      // A text may name the vocabulary's own marks, "[MASK]" say: they are taken as they stand.
      for (const part of markPattern?.test(text) ? text.split(markPattern) : [text]) {
        const mark = marks.get(part);
        if (mark !== undefined && at < limit) out[at++] = mark;
        if (mark !== undefined) continue;
        for (const word of wordsOf(part)) {
          if (at >= limit) break;
          at = putWord(word, out, at, limit);
        }
      }
      out[at++] = end;
      return at - offset;
    },
  };
}

function read(bytes: Uint8Array) {
  let file: TokenizerFile;
  try {
    file = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.slice())); // a copy: TextDecoder refuses shared memory
  } catch (cause) {
    throw bad("it is not JSON; it may be cut short", { cause });
  }
  const { normalizer, model, added_tokens: added = [] } = file ?? {};
  const isUncased =
    normalizer?.type === "BertNormalizer" &&
    normalizer.clean_text === true &&
    normalizer.handle_chinese_chars === true &&
    normalizer.lowercase === true &&
    (normalizer.strip_accents ?? true) &&
    file.pre_tokenizer?.type === "BertPreTokenizer";
  if (!isUncased) throw bad("expected the normalizer and pre-tokenizer of an uncased BERT");
  const vocabulary = model?.vocab;
  if (model?.type !== "WordPiece" || typeof vocabulary !== "object" || vocabulary === null) {
    throw bad(`expected a WordPiece model with a vocabulary, got ${JSON.stringify(model?.type)}`);
  }
  if (!Object.values(vocabulary).every((id) => Number.isSafeInteger(id) && id >= 0)) {
    throw bad("the ids of its vocabulary must be whole numbers");
  }
  const { unk_token: unknown = "[UNK]", continuing_subword_prefix: prefix = "##" } = model;
  return { vocabulary, added, unknown, prefix, longestWord: model.max_input_chars_per_word ?? 100 };
}

const byLength = (a: string, b: string) => b.length - a.length;
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
const bad = (text: string, options?: ErrorOptions) => new NearkinError("BAD_FILE", `tokenizer: ${text}`, options);

// A text as BERT's uncased vocabularies see it (Devlin et al., 2019; BertNormalizer and BertPreTokenizer of the library `tokenizers`): control
// characters go, ideographs stand alone, accents go, letters are lowered, and every punctuation mark is a word.
import { normalizeText } from "./normalize.ts";
import { characters, FORMAT, NONSPACING_MARKS, PUNCTUATION } from "./unicode-8.ts";

/** Puts together what takes a text apart; the patterns are made here, so that who never does pays nothing. */
export function bertWordSplitter(): (text: string) => readonly string[] {
  const plain = /^[\t\n\r -~]*$/; // ASCII: nothing to clean, nothing to strip
  const plainWord = /[!-/:-@[-`{-~]|[0-9a-z]+/g;
  // Control characters but for tabs and ends of lines, layout, private use, lone surrogates, and what stands for a damaged character.
  const removed = new RegExp(`[^\\P{Cc}\\t\\n\\r]|[${characters(FORMAT)}\\p{Co}\\p{Cs}\\uFFFD]`, "gu");
  const space = /\p{White_Space}/gu;
  // The blocks that the vocabularies were made with; one begins at U+2B920 where Unicode's begins at U+2B820.
  const ideograph =
    /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
  const accent = new RegExp(`[${characters(NONSPACING_MARKS)}]`, "gu");
  const mark = `!-\\/:-@\\[-\`{-~${characters(PUNCTUATION)}`; // ASCII's symbols are punctuation here, other symbols are not
  const word = new RegExp(`[${mark}]|[^ ${mark}]+`, "gu");

  return (text) => {
    if (plain.test(text)) return text.toLowerCase().match(plainWord) ?? [];
    const spaced = text.replace(removed, "").replace(space, " ").replace(ideograph, " $& ");
    const bare = normalizeText(spaced, "NFD").replace(accent, "");
    // Letter by letter, so a final sigma is one like any other.
    return bare.replaceAll("Σ", "σ").toLowerCase().match(word) ?? [];
  };
}

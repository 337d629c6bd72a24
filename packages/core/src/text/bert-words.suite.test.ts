// Here and in the browser: a text must have the same words everywhere, whichever version of Unicode JavaScript knows.
import { describe, expect, test } from "vitest";
import { bertWordSplitter } from "./bert-words.ts";
import { characters, FORMAT, NONSPACING_MARKS, PUNCTUATION } from "./unicode-8.ts";

const wordsOf = bertWordSplitter();

describe("words of a text", () => {
  test.each<[string, string, string[]]>([
    ["nothing", "", []],
    ["only space", " \t\n\u00a0\u3000\u2028 ", []],
    ["case and punctuation", "Don't STOP—now!", ["don", "'", "t", "stop", "—", "now", "!"]],
    ["every symbol of ASCII by itself", "a$b+c<d=e>f^g`h|i~j", [..."a$b+c<d=e>f^g`h|i~j"]],
    ["other symbols stay in their word", "5€ x→y", ["5€", "x→y"]],
    ["accents, composed or not", "Ñandú cafe\u0301 Ångström", ["nandu", "cafe", "angstrom"]],
    ["letters that only look accented", "Łódź øre Straße", ["łodz", "øre", "straße"]],
    ["dotted and dotless i", "İstanbul ISI ı", ["istanbul", "isi", "ı"]],
    ["a final sigma like any other", "ΣΊΣΥΦΟΣ", ["σισυφοσ"]],
    ["ideographs alone, kana together", "東京タワーx", ["東", "京", "タワーx"]],
    ["Hangul in its parts", "한글", ["한글".normalize("NFD")]],
    ["control and layout characters go", "a\u0000b\u0007c\u200bd\u00ade\ufefff", ["abcdef"]],
    ["ends of lines are space, a next-line character is none", "a\nb\rc\td\u0085e", ["a", "b", "c", "de"]],
    ["private use and damaged characters go", "a\ue000b\ufffdc", ["abc"]],
    ["half a pair of surrogates goes", "a\ud83db\ude00c", ["abc"]],
    ["emoji stay, without what joins them", "👩\u200d🚀x ❤\ufe0f", ["👩🚀x", "❤"]],
    ["unassigned characters stay", "a\u0378b", ["a\u0378b"]],
    ["Greek question mark is a semicolon", "τι\u037e", ["τι", ";"]],
  ])("%s", (_, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test("what Unicode 8 did not know is neither accent nor punctuation, what it took otherwise is as it was", () => {
    expect(wordsOf("a\u{1e944}b")).toEqual(["a\u{1e944}b"]); // a mark since Unicode 9
    expect(wordsOf("a\u2e43b")).toEqual(["a\u2e43b"]); // punctuation since Unicode 9
    expect(wordsOf("a\u166db")).toEqual(["a", "\u166d", "b"]); // a symbol since Unicode 12
    expect(wordsOf("a\u1734b")).toEqual(["ab"]); // a spacing mark since Unicode 14
  });

  test.each([
    ["NONSPACING_MARKS", NONSPACING_MARKS, /\p{Mn}/u, 1567, ["1734", "1171e"]],
    ["PUNCTUATION", PUNCTUATION, /\p{P}/u, 717, ["166d", "111c9"]],
    ["FORMAT", FORMAT, /\p{Cf}/u, 150, []],
  ] as const)("%s is a part of today's class, but for what was moved", (_, ranges, today, count, moved) => {
    const then = new RegExp(`[${characters(ranges)}]`, "u");
    const all = Array.from({ length: 0x110000 }, (_, code) => code).filter(
      (code) => (code < 0xd800 || code > 0xdfff) && then.test(String.fromCodePoint(code)),
    );
    expect(all).toHaveLength(count);
    const others = all.filter((code) => !today.test(String.fromCodePoint(code)));
    expect(
      others.map((code) => code.toString(16)).filter((code) => !(moved as readonly string[]).includes(code)),
    ).toEqual([]);
  });
});

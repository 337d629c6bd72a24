// Made-up plots, the same for the same seed.
import { Random } from "@nearkin/core";

const WORDS =
  "a the of and young detective returns to her home town after war finds secret family murder love story city night train escape revenge friend brother king lost island robot journey future dream stranger letter".split(
    " ",
  );

/** `count` texts of 30 to 60 words. */
export function plots(count: number, seed = 1): string[] {
  const random = new Random(seed);
  const word = () => WORDS[random.below(WORDS.length)];
  return Array.from({ length: count }, () => Array.from({ length: 30 + random.below(31) }, word).join(" "));
}

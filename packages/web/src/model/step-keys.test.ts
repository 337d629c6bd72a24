import { expect, test } from "vitest";
import { stepAfterKey } from "./step-keys.ts";

test.each([
  ["ArrowRight", 3, 4],
  ["ArrowLeft", 0, 0],
  ["ArrowUp", 19, 19],
  ["PageUp", 3, 13],
  ["PageDown", 3, 0],
  ["Home", 7, 0],
  ["End", 7, 19],
  ["Tab", 7, undefined],
  ["a", 7, undefined],
])("%s at %i goes to %s of 20", (key, from, to) => expect(stepAfterKey(key, from, 20)).toBe(to));

import { expect, test } from "vitest";
import { readBars } from "./progress-bar.ts";

test.each([
  ["[Stage 3:====>    (12 + 2) / 40]", { progress: { done: 12, tasks: 40 }, rest: "" }],
  [
    "[Stage 1:>  (0 + 1) / 4][Stage 2:=>(3 + 1) / 8]26/11/16 WARN later",
    { progress: { done: 3, tasks: 8 }, rest: "26/11/16 WARN later" },
  ],
  [
    "[PATH_NOT_FOUND] [Stage 3:> (1 + 2) / 3]",
    { progress: undefined, rest: "[PATH_NOT_FOUND] [Stage 3:> (1 + 2) / 3]" },
  ],
  ["", { progress: undefined, rest: "" }],
])("%s", (line, read) => expect(readBars(line)).toEqual(read));

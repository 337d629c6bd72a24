import { describe, expect, test } from "vitest";
import { differingSettings, flatSettings, settingText } from "./settings.ts";

const a = { preset: "fast", channels: null, stages: ["siamese", "ssl"], siamese: { window: 5, steps: 400 }, seed: 1 };
const b = { preset: "fast", channels: null, stages: ["siamese"], siamese: { window: 20, steps: 400 }, old: true };

test("sections are opened, lists are not", () => {
  expect(flatSettings(a)).toEqual([
    { key: "preset", value: "fast" },
    { key: "channels", value: null },
    { key: "stages", value: ["siamese", "ssl"] },
    { key: "siamese.window", value: 5 },
    { key: "siamese.steps", value: 400 },
    { key: "seed", value: 1 },
  ]);
});

describe("differingSettings", () => {
  test("lists what differs, and what only one has", () => {
    expect(differingSettings(a, b)).toEqual([
      { key: "stages", a: ["siamese", "ssl"], b: ["siamese"] },
      { key: "siamese.window", a: 5, b: 20 },
      { key: "seed", a: 1, b: undefined },
      { key: "old", a: undefined, b: true },
    ]);
  });

  test("is empty for the same", () => expect(differingSettings(a, structuredClone(a))).toEqual([]));

  test("null is a value, and not what is missing", () => {
    expect(differingSettings({ clip: null }, {})).toEqual([{ key: "clip", a: null, b: undefined }]);
  });
});

test.each([
  [undefined, "not known then"],
  [null, "none"],
  [true, "yes"],
  [["siamese", "ssl"], "siamese, ssl"],
  [4096, "4,096"],
  [0.001, "0.001"],
  ["vfe", "vfe"],
])("%s is written %s", (value, text) => expect(settingText(value)).toBe(text));

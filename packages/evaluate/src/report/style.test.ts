import { expect, test } from "vitest";
import { dark, light, type Palette } from "./style.ts";

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(a: string, b: string): number {
  const [low, high] = [a, b].map(luminance).sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test.each([
  ["light", light],
  ["dark", dark],
] as [string, Palette][])(
  "%s: text at 4.5 : 1 on every ground it stands on, marks of figures at 3 : 1",
  (_, palette) => {
    const pairs = [
      ...["ink", "muted", "accent", "better", "worse"].flatMap((text) => [
        [text, "paper", 4.5],
        [text, "panel", 4.5],
      ]),
      ...["ink", "muted", "better", "worse"].map((text) => [text, "own", 4.5]),
      ["notice-ink", "notice", 4.5],
      ...Array.from({ length: 8 }, (_, series) => [`series-${series}`, "panel", 3]),
    ] as [string, string, number][];
    const low = pairs.filter(([text, ground, least]) => contrast(palette[text], palette[ground]) < least);
    expect(low).toEqual([]);
  },
);

test("both palettes have the same tokens", () => {
  expect(Object.keys(dark)).toEqual(Object.keys(light));
});

// The colours of tokens.css: text can be read, controls can be seen, and channels told apart, in both themes.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(([, name, light, dark]) => [
    name,
    { light, dark },
  ]),
);

type Theme = "light" | "dark";
type Triple = readonly [number, number, number];

function linear(name: string, theme: Theme): Triple {
  const hex = tokens.get(name)?.[theme];
  if (!hex) throw new Error(`tokens.css has no colour --${name}`);
  const [r, g, b] = [1, 3, 5].map((i) => {
    const value = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
}

const luminance = ([r, g, b]: Triple) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** WCAG 2.2's contrast ratio. */
function contrast(a: string, b: string, theme: Theme): number {
  const [dark, light] = [luminance(linear(a, theme)), luminance(linear(b, theme))].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

type Square = readonly [Triple, Triple, Triple];

/** Full loss of one kind of cone, on linear RGB: Machado, Oliveira and Fernandes 2009. */
const sights: Record<string, Square> = {
  "all cones": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function see(colour: Triple, rows: Square): Triple {
  const [r, g, b] = rows.map((row) => Math.max(0, row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2]));
  return [r, g, b];
}

/** Where equal steps look equally large: Ottosson 2020. */
function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const grounds = ["paper", "surface", "sunken"];
const text: [string, string[]][] = [
  ["ink", [...grounds, "accent-wash", "danger-wash", "caution-wash"]],
  ["ink-soft", [...grounds, "danger-wash"]],
  ["accent", ["paper", "surface", "accent-wash"]],
  ["accent-strong", ["paper", "surface", "accent-wash"]],
  ["on-accent", ["accent", "accent-strong"]],
  ["danger", ["paper", "surface", "danger-wash"]],
  ["caution", ["paper", "surface", "caution-wash"]],
];
const channels = [...tokens.keys()].filter((name) => name.startsWith("channel-"));

describe.each(["light", "dark"] as const)("%s", (theme) => {
  test.each(text)("--%s can be read where it stands (4.5 : 1)", (name, behind) => {
    for (const ground of behind) expect(contrast(name, ground, theme), ground).toBeGreaterThanOrEqual(4.5);
  });

  test.each(["edge", "accent", ...channels])("--%s can be seen (3 : 1)", (name) => {
    for (const ground of ["paper", "surface"]) expect(contrast(name, ground, theme), ground).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.keys(sights))("channels are told apart: %s", (sight) => {
    const seen = channels.map((name) => oklab(see(linear(name, theme), sights[sight])));
    const apart = seen.flatMap((a, i) => seen.slice(0, i).map((b) => Math.hypot(...a.map((value, c) => value - b[c]))));
    expect(channels.length).toBe(8);
    expect(Math.min(...apart)).toBeGreaterThan(0.08); // four times what is just seen side by side
  });
});

// What a model is called in tables: its preset, and what was changed. Models with one label differ in the seed alone, and are put together.
import { createHash } from "node:crypto";
import type { Model } from "@nearkin/core";
import { type Preset, presets } from "@nearkin/train";

/** Longer lists of changes are cut, and told apart by a hash. */
const SHOWN = 3;

export function modelLabel({ parts }: Pick<Model, "parts">): string {
  const { preset = "", stages = [], ...config } = parts.config as { preset?: string; stages?: string[]; ssl?: object };
  if (stages.length > 0 && !stages.includes("ssl")) delete config.ssl; // settings of what was not run change nothing
  const some = stages.length > 0 && !(stages.includes("siamese") && stages.includes("ssl"));
  const changes = [
    ...(some ? [stages.join(", ")] : []),
    ...(Object.hasOwn(presets, preset) ? differences(config, presets[preset as Preset]) : []),
    ...(typeof parts.notes.from === "string" ? [`from ${parts.notes.from.slice(0, 6)}`] : []),
  ];
  const name = preset || parts.name;
  if (changes.length === 0) return name;
  if (changes.length <= SHOWN) return `${name} (${changes.join(", ")})`;
  const hash = createHash("sha256").update(changes.join()).digest("hex").slice(0, 4);
  return `${name} (${changes.slice(0, SHOWN - 1).join(", ")}, ${changes.length - SHOWN + 1} more, ${hash})`;
}

/** `key value` of what differs from the preset, but the seed. Keys that an older model does not have were as the preset has them. */
function differences(config: object, preset: object, path = ""): string[] {
  return Object.entries(config).flatMap(([name, value]): string[] => {
    const key = path === "" ? name : `${path}.${name}`;
    const usual = (preset as Record<string, unknown>)[name];
    if (key === "seed") return [];
    if (isSection(value) && isSection(usual)) return differences(value, usual, key);
    const text = JSON.stringify(value);
    return text === JSON.stringify(usual) ? [] : [`${key} ${typeof value === "string" ? value : text}`];
  });
}

const isSection = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

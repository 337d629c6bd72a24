// The settings of the paper's experiments: the preset `paper` and SPE's own, what suits the sample, and what a file changes.
import { type PaperChoices, type PaperSettings, resolvePaperSettings } from "@nearkin/evaluate";
import { readConfigFile } from "./training-config.ts";

/** On the sample: few steps of small batches, so that 75 trainings are a matter of minutes. */
export const sampleChoices = {
  train: {
    siamese: { steps: 100, batch: 128, validateEvery: 50 },
    ssl: { steps: 150, batch: 256, inducing: 64, validateEvery: 25 },
    personal: { users: 20, steps: 20, iterations: 200 },
  },
  spe: { steps: 150, batch: 128, negativeDraws: 128, validateEvery: 50 },
} as const satisfies PaperChoices;

/** Settings of `file` go over those of `base`, key by key. `note` is told what the user may not expect. */
export function paperConfig(
  file: string | undefined,
  { base = {}, note }: { base?: PaperChoices; note: (text: string) => void },
): PaperSettings {
  if (file === undefined) return resolvePaperSettings(base, "the paper's experiments");
  const { train, spe } = readConfigFile(file, ["spe"]);
  if (train === undefined && spe === undefined) {
    note(`${file} has no section train: and no section spe:, so that nothing is changed`);
  }
  return resolvePaperSettings({ train: over(base.train, train), spe: over(base.spe, spe) }, file);
}

/** Objects are merged, everything else is replaced: what is wrong with it, the schema says. */
function over(base: unknown, given: unknown): unknown {
  if (given === undefined) return base;
  if (!isObject(base) || !isObject(given)) return given;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(given)])];
  return Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(given, key) ? over(base[key], given[key]) : base[key]]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

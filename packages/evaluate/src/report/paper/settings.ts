// What may be changed of the paper's experiments: the preset `paper` of the trainings, and the settings of SPE. Seeds, stages and the preset are
// the experiments' own.
import { NearkinError } from "@nearkin/core";
import { presets, resolveTrainConfig, type TrainConfig, type TrainConfigInput } from "@nearkin/train";
import { resolveSpeSettings } from "../../baselines/spe/settings.ts";
import type { SpeSettings } from "../../baselines/spe.ts";
import type { SettingChange } from "./paper-report.ts";

/** As a file has them; not checked yet. */
export interface PaperChoices {
  readonly train?: unknown;
  readonly spe?: unknown;
}

/** All settings. */
export interface PaperSettings {
  readonly train: Omit<TrainConfig, "seed" | "stages">;
  /** Without `standOff` validation items choose it. */
  readonly spe: Omit<Required<SpeSettings>, "seed" | "standOff"> & Pick<SpeSettings, "standOff">;
}

/** Throws a `BAD_CONFIG` that begins with `where`. */
export function resolvePaperSettings({ train = {}, spe = {} }: PaperChoices, where: string): PaperSettings {
  const { seed: _, stages: __, ...settings } = trainSettings(train, `${where}: train`);
  return { train: settings, spe: speSettings(spe, `${where}: spe`) };
}

/** As `reproducePaper` takes them. */
export const paperOptions = ({ train, spe }: PaperSettings): { config: TrainConfigInput; spe: SpeSettings } => ({
  config: train,
  spe,
});

function trainSettings(given: unknown, where: string): TrainConfig {
  if (isObject(given)) {
    const problems = [
      ...("preset" in given && given.preset !== "paper"
        ? [`preset: the paper's experiments have the preset paper, got ${JSON.stringify(given.preset)}`]
        : []),
      ...("seed" in given ? ["seed: several are taken; name them with --seeds"] : []),
      ...("stages" in given ? ["stages: the experiments choose them; leave it out"] : []),
    ];
    if (problems.length > 0) throw new NearkinError("BAD_CONFIG", `${where}: ${problems.join("; ")}`);
  }
  const config = resolveTrainConfig(given, { preset: "paper", where });
  const idle = (["siamese", "ssl"] as const).filter((stage) => config[stage].steps === 0);
  if (idle.length === 0) return config;
  const problems = idle.map((stage) => `${stage}.steps: expected at least 1, got 0`);
  throw new NearkinError(
    "BAD_CONFIG",
    `${where}: ${problems.join("; ")}; a stage without steps measures nothing that could be compared`,
  );
}

function speSettings(given: unknown, where: string): PaperSettings["spe"] {
  if (!isObject(given)) throw new NearkinError("BAD_CONFIG", `${where}: expected keys and values`);
  const { seed: _, ...usual } = resolveSpeSettings({});
  const problems = Object.entries(given).flatMap(([key, value]) => {
    if (key === "seed") return ["seed: several are taken; name them with --seeds"];
    if (!Object.hasOwn(usual, key)) {
      return [`unknown key ${JSON.stringify(key)}; expected some of ${Object.keys(usual).join(", ")}`];
    }
    const type = typeof usual[key as keyof typeof usual];
    return typeof value === type ? [] : [`${key}: expected a ${type}, got ${JSON.stringify(value)}`];
  });
  if (problems.length > 0) throw new NearkinError("BAD_CONFIG", `${where}: ${problems.join("; ")}`);
  try {
    const { seed: __, standOff, ...settings } = resolveSpeSettings(given);
    return "standOff" in given ? { ...settings, standOff } : settings;
  } catch (cause) {
    const { message } = cause as Error;
    throw new NearkinError("BAD_CONFIG", `${where}: ${message.replace(/^spe: /, "")}`, { cause });
  }
}

/** In the order of the settings. */
export function settingChanges({ train, spe }: PaperSettings): SettingChange[] {
  return [...changed(train, presets.paper, "train"), ...changed(spe, resolveSpeSettings({}), "spe")];
}

function changed(own: object, usual: object, path: string): SettingChange[] {
  return Object.entries(own).flatMap(([name, value]): SettingChange[] => {
    const before: unknown = (usual as Record<string, unknown>)[name];
    const key = `${path}.${name}`;
    if (isObject(value) && isObject(before)) return changed(value, before, key);
    if (key === "spe.standOff") return [{ key, value, usual: "chosen by validation items" }];
    return JSON.stringify(value) === JSON.stringify(before) ? [] : [{ key, value, usual: before }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The configuration of a training run: a preset, the section train: of a file, and what the command line changes.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { parseConfig, parseYaml } from "@nearkin/data";
import { type Preset, resolveTrainConfig, type TrainConfig, trainConfigSchema } from "@nearkin/train";

export interface TrainingConfigFlags {
  preset?: Preset;
  config?: string;
  seed?: number;
  stages?: TrainConfig["stages"];
}

/** `note` is told what the user may not expect. */
export function trainingConfig(flags: TrainingConfigFlags, note: (text: string) => void): TrainConfig {
  const { config: file, preset, seed, stages } = flags;
  const found = file === undefined ? {} : trainSection(file);
  const section = found === undefined ? {} : found;
  const where = file === undefined ? "the command line" : `${file}: train`;
  const changed = isObject(section)
    ? { ...section, ...(seed === undefined ? {} : { seed }), ...(stages === undefined ? {} : { stages }) }
    : section; // what is wrong with it, is said below
  const config = resolveTrainConfig(changed, { where, ...(preset ? { preset } : {}) });
  if (found === undefined) note(`${file} has no section train:, so the preset ${config.preset} is used as it is`);
  return config;
}

/** What stands under `train:`; undefined where the file has no such section. */
function trainSection(path: string): unknown {
  const file = readConfigFile(path);
  return Object.hasOwn(file, "train") ? file.train : undefined;
}

/** A nearkin.yaml by its sections; `more` are sections that only one command has. */
export function readConfigFile(path: string, more: readonly string[] = []): Record<string, unknown> {
  const file = parseYaml(readText(path), path);
  if (file === null || file === undefined) return {}; // nothing but comments
  if (!isObject(file)) {
    throw new NearkinError("BAD_CONFIG", `${path}: expected keys and values, with a section train:, got ${kind(file)}`);
  }
  const problems = Object.keys(file)
    .filter((key) => !more.includes(key))
    .flatMap((key) => keyProblem(key));
  if (problems.length > 0) throw new NearkinError("BAD_CONFIG", `${path}: ${problems.join("; ")}`);
  return file;
}

/** A key that nearkin.yaml does not have: the schema of the data knows the nearest one. */
function keyProblem(key: string): string[] {
  try {
    parseConfig({ [key]: undefined, interactions: { files: "any" } }, "");
    return [];
  } catch (error) {
    if (Object.hasOwn(trainConfigSchema.shape, key)) return [`${key} belongs under train:`];
    return [(error as Error).message.replace(/^: /, "")];
  }
}

function readText(path: string): string {
  let bytes: Uint8Array;
  try {
    if (statSync(path).isDirectory()) {
      throw new NearkinError("BAD_CONFIG", `${path} is a folder; name the file, such as ${join(path, "nearkin.yaml")}`);
    }
    bytes = readFileSync(path);
  } catch (cause) {
    if (cause instanceof NearkinError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const missing = code === "ENOENT" || code === "ENOTDIR";
    throw new NearkinError("BAD_CONFIG", `${path}: ${missing ? "there is no such file" : message}`, { cause });
  }
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {} // other bytes than UTF-8
  throw new NearkinError("BAD_CONFIG", `${path} is no text file in UTF-8; expected a nearkin.yaml`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kind(value: unknown): string {
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

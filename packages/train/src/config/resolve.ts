// From a preset and what the user wrote to the whole configuration, or to one BAD_CONFIG error that names every problem by its path.
import { NearkinError } from "@nearkin/core";
import { describeProblems } from "@nearkin/data";
import { presets } from "./presets.ts";
import { type Preset, type TrainConfig, trainConfigSchema } from "./schema.ts";

/**
 * The preset with the given parts replaced. `where` names them in errors.
 *
 * @example
 * resolveTrainConfig({ siamese: { steps: 50 } }, { preset: "fast" }).siamese.batch // => 512
 */
export function resolveTrainConfig(
  given: unknown = {},
  { preset, where = "train" }: { preset?: Preset; where?: string } = {},
): TrainConfig {
  if (!isObject(given)) throw new NearkinError("BAD_CONFIG", `${where}: expected keys and values, got ${kind(given)}`);
  const name = preset ?? given.preset ?? "default";
  if (typeof name !== "string" || !Object.hasOwn(presets, name)) {
    const known = Object.keys(presets).join(", ");
    throw new NearkinError("BAD_CONFIG", `${where}: preset: expected one of ${known}, got ${JSON.stringify(name)}`);
  }
  const merged = merge(presets[name as Preset], { ...given, preset: name });
  const parsed = trainConfigSchema.safeParse(merged);
  if (!parsed.success) {
    throw new NearkinError("BAD_CONFIG", `${where}: ${describeProblems(parsed.error, trainConfigSchema).join("; ")}`);
  }
  const problems = [...contradictions(parsed.data)];
  if (problems.length > 0) throw new NearkinError("BAD_CONFIG", `${where}: ${problems.join("; ")}`);
  return parsed.data;
}

/** What each value allows and all of them together do not. */
function* contradictions(config: TrainConfig): Generator<string> {
  const { stages, model, ssl } = config;
  if (new Set(stages).size < stages.length) yield "stages: each may stand there once";
  if (stages.indexOf("ssl") === 0 && stages.length > 1) yield "stages: siamese comes before ssl";
  if (model.ratingChannel && stages.includes("ssl")) {
    yield "model.ratingChannel: a kernel that predicts the mean rating must not see it (the optimum is degenerate); run the stage siamese alone";
  }
  if (stages.includes("ssl") && model.link === "sigmoid" && ["vfe", "fitc", "pitc"].includes(ssl.likelihood)) {
    yield `ssl.likelihood: ${ssl.likelihood} needs a positive semi-definite kernel, and the sigmoid link has none; use dtc or exact, or another link`;
  }
  if (stages.includes("ssl") && ssl.mode === "channel") {
    if (ssl.target !== "factors") {
      yield "ssl.mode: the channel is made of factors; set ssl.target to factors, or the mode to towers";
    }
    if (model.link === "sigmoid") {
      yield "ssl.mode: a channel needs a positive semi-definite kernel for predictions, and the sigmoid link has none; use the mode towers, or another link";
    }
  }
  if (ssl.inducing > ssl.batch && ssl.likelihood !== "exact") yield "ssl.inducing: more than ssl.batch";
}

/** Objects are merged key by key, everything else is replaced. */
function merge(base: unknown, given: unknown): unknown {
  if (!isObject(base) || !isObject(given)) return given === undefined ? base : given;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(given)) merged[key] = merge(base[key], value);
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kind(value: unknown): string {
  return value === null ? "nothing" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

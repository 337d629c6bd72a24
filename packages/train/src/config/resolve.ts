// From a preset and what the user wrote to the whole configuration, or to one BAD_CONFIG error that names every problem by its path.
import { NearkinError } from "@nearkin/core";
import { describeProblems } from "@nearkin/data";
import { z } from "zod";
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
  const chosen = preset ?? given.preset ?? "default";
  const name = isPreset(chosen) ? chosen : "default"; // the rest is judged all the same
  const merged = merge(presets[name], { ...given, preset: name });
  const parsed = trainConfigSchema.safeParse(merged);
  const problems = isPreset(chosen) ? [] : [unknownPreset(chosen)];
  if (parsed.error) problems.push(...describeProblems(parsed.error, trainConfigSchema));
  const config = parsed.error ? withoutUnknown(merged, parsed.error) : parsed.data;
  if (config && isPreset(chosen)) problems.push(...contradictions(config, given));
  if (problems.length > 0 || !config) throw new NearkinError("BAD_CONFIG", `${where}: ${problems.join("; ")}`);
  return config;
}

function isPreset(name: unknown): name is Preset {
  return typeof name === "string" && Object.hasOwn(presets, name);
}

function unknownPreset(name: unknown): string {
  const expected = `preset: expected one of ${Object.keys(presets).join(", ")}, got ${JSON.stringify(name)}`;
  if (typeof name !== "string") return expected;
  // The suggestion for a mistyped key serves a mistyped name.
  const names = z.strictObject(
    Object.fromEntries(Object.keys(presets).map((known) => [known, z.unknown().optional()])),
  );
  const { error } = names.safeParse({ [name]: true });
  const suggestion = error && describeProblems(error, names)[0].match(/; did you mean .*$/s)?.[0];
  return `${expected}${suggestion ?? ""}`;
}

/** The configuration without keys that do not exist, where nothing else is wrong with it: what remains can be judged. */
function withoutUnknown(merged: unknown, { issues }: z.ZodError): TrainConfig | undefined {
  const config = structuredClone(merged);
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") return undefined;
    const at = issue.path.reduce((inner, key) => (inner as Record<PropertyKey, unknown>)[key], config);
    for (const key of issue.keys) delete (at as Record<string, unknown>)[key];
  }
  return trainConfigSchema.safeParse(config).data;
}

const NEEDS_PSD: readonly string[] = ["vfe", "fitc", "pitc"];

/** What each value allows and all of them together do not. `given`: what the user wrote. */
function* contradictions(config: TrainConfig, given: Record<string, unknown>): Generator<string> {
  const { stages, model } = config;
  if (new Set(stages).size < stages.length) yield "stages: each may stand there once";
  if (stages.indexOf("ssl") === 0 && stages.length > 1) yield "stages: siamese comes before ssl";
  if (!stages.includes("ssl")) return;
  if (model.ratingChannel) {
    yield "model.ratingChannel: a kernel that predicts the mean rating must not see it (the optimum is degenerate); run the stage siamese alone";
  }
  yield* kernelContradictions(config);
  yield* sizeContradictions(config, isObject(given.ssl) ? given.ssl : {});
}

function* kernelContradictions({ model, ssl }: TrainConfig): Generator<string> {
  if (model.link === "sigmoid" && NEEDS_PSD.includes(ssl.likelihood)) {
    yield `ssl.likelihood: ${ssl.likelihood} needs a positive semi-definite kernel, and the sigmoid link has none; use dtc or exact, or another link`;
  }
  if (model.weights === "signed" && ssl.mode === "towers" && NEEDS_PSD.includes(ssl.likelihood)) {
    yield `ssl.likelihood: ${ssl.likelihood} needs a positive semi-definite kernel, and a negative weight leaves none; use dtc or exact, or set model.weights to softplus`;
  }
  if (ssl.mode !== "channel") return;
  if (ssl.target !== "factors") {
    yield "ssl.mode: the channel is made of factors; set ssl.target to factors, or the mode to towers";
  }
  if (model.link === "sigmoid") {
    yield "ssl.mode: a channel needs a positive semi-definite kernel for predictions, and the sigmoid link has none; use the mode towers, or another link";
  }
  if (model.weights === "signed") {
    yield "ssl.mode: a channel needs a positive semi-definite kernel for predictions, and a negative weight leaves none; set model.weights to softplus, or use the mode towers with the likelihood dtc or exact";
  }
}

/** Names where a value comes from that the user did not write. */
function* sizeContradictions({ preset, ssl }: TrainConfig, given: Record<string, unknown>): Generator<string> {
  if (ssl.likelihood === "exact" || ssl.inducing <= ssl.batch) return;
  const origin = (key: string) => (given[key] === undefined ? ` (preset ${preset})` : "");
  const sizes = `ssl.inducing is ${ssl.inducing}${origin("inducing")}, more than ssl.batch ${ssl.batch}${origin("batch")}`;
  if (given.inducing === undefined) yield `${sizes}: set it too`;
  else yield `${sizes}: ${given.batch === undefined ? "set ssl.batch too" : "lower it, or raise ssl.batch"}`;
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

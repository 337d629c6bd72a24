// How a model was trained, read from its folder: model.json has what was set and what came out, training.json the curves, timing.json how long it
// took. Folders of earlier versions have neither of the last two, and the answer says so.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type RouteAnswer, routes } from "@nearkin/client/contract";
import { z } from "zod";
import type { ModelFolder } from "./folders.ts";
import { badModel } from "./model-files.ts";

type Training = RouteAnswer<"getTraining">;

const LARGEST = 8 * 2 ** 20; // bytes of a file that is read whole

const { shape } = routes.getTraining.response;
const stage = shape.stages.element.shape;
const figures = z.record(z.string(), z.number());

const manifest = z.object({
  id: z.string(),
  dataset: z.object(shape.dataset.shape),
  tools: shape.tools,
  engine: z.object({ kind: z.string(), reproducible: z.boolean(), library: z.string().optional() }),
  config: shape.settings,
  seeds: shape.seeds,
  metric: z.object({
    temperature: z.number(),
    popularity: z.number(),
    signalVariance: z.number(),
    noise: z.object({ variance: z.number(), perRating: z.number() }),
    rating: z.object({ centre: z.number(), scale: z.number() }),
  }),
  stages: z.array(z.object({ name: stage.name, steps: stage.steps, best: stage.best, metrics: figures })),
  warnings: z.array(z.object(shape.warnings.element.shape)),
  notes: z.object({
    from: z.string().nullish(),
    selection: z.object(shape.selection.unwrap().shape).nullish(),
  }),
});

const curves = z.object({
  format: z.literal("nearkin-training"),
  version: z.literal(1),
  model: z.string(),
  stages: z.array(z.object({ name: z.string(), curves: stage.curves.unwrap() })),
});

const timing = z.object({
  format: z.literal("nearkin-timing"),
  version: z.literal(1),
  model: z.string(),
  ...shape.timing.unwrap().shape,
  stages: z.array(z.object({ name: z.string(), seconds: z.number().min(0) })),
});

/** Reads it all; throws `BAD_MODEL` where model.json does not say. */
export async function readTraining(folder: ModelFolder): Promise<Training> {
  if (folder.problems.length > 0) throw badModel(folder, folder.problems.join("; "));
  const found = await readPart(folder, "model.json", manifest);
  if ("problem" in found) throw badModel(folder, found.problem);
  const { id, config, metric, stages, warnings, notes, engine, ...rest } = found.value;
  const missing: string[] = [];
  const history = await readBeside("training.json", "curves", curves);
  const times = await readBeside("timing.json", "times", timing);
  return {
    model: id,
    folder: folder.folder,
    ...rest,
    engine: { ...engine, library: engine.library ?? null },
    settings: config,
    noise: { ...metric.noise, signal: metric.signalVariance },
    rating: metric.rating,
    temperature: metric.temperature,
    popularity: metric.popularity,
    stages: stages.map((one) => ({
      ...one,
      curves: history?.stages.find(({ name }) => name === one.name)?.curves ?? null,
      seconds: times?.stages.find(({ name }) => name === one.name)?.seconds ?? null,
    })),
    warnings,
    from: notes.from ?? null,
    selection: notes.selection ?? null,
    timing: times
      ? { started: times.started, seconds: times.seconds, resumed: times.resumed, cores: times.cores }
      : null,
    missing,
  };

  /** A file that an earlier version did not write; what is wrong with it is said, and the rest answered. */
  async function readBeside<T extends { model: string }>(file: string, what: string, schema: z.ZodType<T>) {
    const part = await readPart(folder, file, schema);
    if ("problem" in part) missing.push(`${what}: ${part.problem}`);
    else if (part.value.model === id) return part.value;
    else missing.push(`${what}: ${file} is of another model`);
    return undefined;
  }
}

async function readPart<T>(
  { path }: ModelFolder,
  file: string,
  schema: z.ZodType<T>,
): Promise<{ value: T } | { problem: string }> {
  try {
    const { size } = await stat(join(path, file));
    if (size > LARGEST) return { problem: `${file} has ${size} bytes, more than the ${LARGEST} that are read` };
    const { data, error } = schema.safeParse(JSON.parse(await readFile(join(path, file), "utf8")));
    return error ? { problem: `${file}: ${z.prettifyError(error).split("\n")[0]}` } : { value: data };
  } catch (cause) {
    if (cause instanceof SyntaxError) return { problem: `${file} is not JSON` };
    const { code } = cause as NodeJS.ErrnoException;
    return {
      problem:
        code === "ENOENT"
          ? `the folder has no ${file}; models trained from now on have one`
          : `${file} cannot be read (${code})`,
    };
  }
}

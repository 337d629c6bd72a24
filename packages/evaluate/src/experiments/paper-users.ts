// The paper's Q2 from the data on: the preset `paper` trained on a split by users, once for each seed, and refitted to its held-out users.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, type Model, NearkinError, openModel } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";
import { engineName, resolveTrainConfig, type TrainConfigInput, type TrainEvent, train } from "@nearkin/train";
import type { ResultCache } from "./cache.ts";
import { measurePersonalisation, type PersonalisationEvent, type PersonalisationResult } from "./personalisation.ts";

export interface PaperUsersOptions {
  cache: ResultCache;
  seeds: readonly number[];
  /** Changes to the preset `paper`. */
  config?: TrainConfigInput;
  signal?: AbortSignal;
  onEvent?: (event: PaperUsersEvent) => void;
}

export type PaperUsersEvent =
  | PersonalisationEvent
  | { readonly event: "training"; readonly seed: number; readonly detail: TrainEvent };

/** Trainings are kept in the cache, and so are refits: stopped, it goes on. */
export async function reproducePersonalisation(
  engine: Engine,
  dataset: Dataset,
  { cache, seeds, config = {}, signal, onEvent }: PaperUsersOptions,
): Promise<PersonalisationResult> {
  checkUsers(dataset);
  const folders: string[] = [];
  for (const seed of seeds) {
    signal?.throwIfAborted();
    const own = resolveTrainConfig({ ...config, preset: "paper", seed });
    const key = { what: "users' model", dataset: dataset.manifest.id, config: own, engine: engineName(engine) };
    const out = cache.path(`model-users-${seed}`, key, "");
    folders.push(out);
    if (existsSync(join(out, "model.json"))) continue;
    await train(dataset, own, {
      out,
      engine,
      resume: existsSync(`${out}.partial`),
      force: true,
      ...(signal ? { signal } : {}),
      onEvent: (detail) => onEvent?.({ event: "training", seed, detail }),
    });
  }
  const { personal } = resolveTrainConfig({ ...config, preset: "paper" });
  return measurePersonalisation(dataset, {
    models: folders.map((folder) => () => openFolder(folder, engine)),
    cache,
    steps: personal.iterations,
    ...(signal ? { signal } : {}),
    ...(onEvent ? { onEvent } : {}),
  });
}

/** Before hours of training. */
export function checkUsers({ folder, manifest }: Dataset): void {
  const { by } = (manifest.config.split ?? {}) as { by?: string };
  if (by !== "users") {
    throw new NearkinError(
      "BAD_DATASET",
      `${folder} is split by ${by ?? "nothing"}: personal metrics are measured on held-out users; prepare it with --split users`,
    );
  }
  if (manifest.ratings.kind === "implicit") {
    throw new NearkinError("BAD_DATASET", `${folder} has no ratings: the paper's personal metrics are fitted to them`);
  }
}

const openFolder = (folder: string, engine: Engine): Promise<Model> =>
  openModel(async (name) => new Uint8Array(await readFile(join(folder, name))), { engine });

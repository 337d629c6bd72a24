// Two models, the second of which is to take the place of the first. They are opened one after the other: never both at once.
import type { Engine } from "@nearkin/core";
import { type MetricName, modelLabel } from "@nearkin/evaluate";
import { openAskedModel } from "../model-flags.ts";
import { factsOf, type ModelFacts, type Moves, movesBetween } from "./facts.ts";
import { type Gate, type GateOptions, gatesOf } from "./gates.ts";
import { listsOf, type Stability, sampleItems, stabilityOf } from "./lists.ts";
import { type Quality, qualityOf } from "./quality.ts";

export interface Comparison {
  readonly old: ModelFacts;
  readonly new: ModelFacts;
  readonly moves: Moves;
  readonly stability: Stability;
  /** null without an evaluation. */
  readonly quality: Quality | null;
  readonly gates: readonly Gate[];
  readonly passed: boolean;
}

export interface CompareOptions extends GateOptions {
  engine: Engine;
  /** Items whose lists are compared, drawn from the old model's; those that the new one lacks are passed over. */
  sample: number;
  seed: number;
  /** Items that were deleted at run time. */
  deleted: ReadonlySet<string>;
  /** What `nearkin evaluate --out` wrote of the run that chose the new model's steps. */
  evaluation?: { text: string; path: string; metric: MetricName; truth?: string | undefined } | undefined;
  /** What is under way. */
  onStep?: (text: string) => void;
}

export async function compareModels(
  oldFolder: string,
  newFolder: string,
  options: CompareOptions,
): Promise<Comparison> {
  const { engine, evaluation, onStep } = options;
  onStep?.(`neighbours in ${oldFolder} …`);
  const before = await lookAtOld(oldFolder, engine, options);
  onStep?.(`neighbours in ${newFolder} …`);
  await using model = await openAskedModel(newFolder, engine);
  const fresh = factsOf(model, newFolder);
  const newLists = listsOf(model, before.lists.queries);
  const moves = movesBetween({
    old: before.facts,
    new: fresh,
    oldIds: before.ids,
    isNew: (id) => model.items.ids.index(id as (typeof model.items.ids.ids)[number]) !== undefined,
    deleted: options.deleted,
  });
  const stability = stabilityOf(before.lists, newLists);
  const quality = evaluation && qualityOf(evaluation.text, { facts: fresh, label: modelLabel(model) }, evaluation);
  const gates = gatesOf({ old: before.facts, new: fresh, moves, stability, newLists, quality }, options);
  return {
    old: before.facts,
    new: fresh,
    moves,
    stability,
    quality: quality ?? null,
    gates,
    passed: gates.every(({ passed }) => passed),
  };
}

/** Everything that is asked of the old model; it is closed again. */
async function lookAtOld(folder: string, engine: Engine, options: Pick<CompareOptions, "sample" | "seed">) {
  await using model = await openAskedModel(folder, engine);
  return {
    facts: factsOf(model, folder),
    ids: model.items.ids.ids,
    lists: listsOf(model, sampleItems(model, options)),
  };
}

// What there is to say of one model, in a form that outlives it: models are compared one after the other, not side by side in memory.
import type { Model, ModelDataset } from "@nearkin/core";
import type { Selection } from "@nearkin/train";

export interface ModelFacts {
  readonly folder: string;
  readonly id: string;
  readonly name: string;
  readonly dataset: ModelDataset;
  readonly items: number;
  readonly channels: readonly ChannelFacts[];
  /** Whether it can learn a user's own metric, and predict ratings. */
  readonly personalizes: boolean;
  readonly predictsRatings: boolean;
  /** Figures on validation items of the run that chose the steps, by stage; empty where none were held out. */
  readonly validation: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The dataset of that run; null where it is the model's own. */
  readonly chosenOn: string | null;
  /** The model that it started from. */
  readonly from: string | null;
}

interface ChannelFacts {
  readonly name: string;
  readonly type: string;
  /** h */
  readonly weight: number;
}

export function factsOf(model: Model, folder: string): ModelFacts {
  const { dataset, channels, notes, stages } = model.parts;
  const { selection, from } = notes as { selection?: Selection | null; from?: string | null };
  const own = Object.fromEntries(stages.map(({ name, metrics }) => [name, metrics]));
  const measured = Object.entries(selection?.metrics ?? own).filter(([, metrics]) => metrics.hr !== undefined);
  return {
    folder,
    id: model.id,
    name: model.name,
    dataset,
    items: model.items.size,
    channels: channels.map(({ name, transform }) => ({ name, type: transform.type, weight: model.weights[name] })),
    personalizes: model.personalizes,
    predictsRatings: model.predictsRatings,
    validation: Object.fromEntries(measured),
    chosenOn: selection?.dataset ?? null,
    from: from ?? null,
  };
}

/** Items and channels that one has and the other has not. */
export interface Moves {
  readonly gained: number;
  readonly lost: number;
  /** Of the lost: those that were deleted at run time, and are meant to be gone. */
  readonly deleted: number;
  /** Some of the lost that nobody deleted. */
  readonly examples: readonly string[];
  readonly channels: { readonly gained: readonly string[]; readonly lost: readonly string[] };
  readonly abilitiesLost: readonly string[];
}

const EXAMPLES = 5;

export interface MoveInputs {
  old: ModelFacts;
  new: ModelFacts;
  /** Ids of the old model. */
  oldIds: readonly string[];
  /** Whether the new model has an id. */
  isNew: (id: string) => boolean;
  deleted: ReadonlySet<string>;
}

export function movesBetween({ old, new: fresh, oldIds, isNew, deleted }: MoveInputs): Moves {
  const gone = oldIds.filter((id) => !isNew(id));
  const missed = gone.filter((id) => !deleted.has(id));
  const names = ({ channels }: ModelFacts) => channels.map(({ name }) => name);
  const less = (a: readonly string[], b: readonly string[]) => a.filter((name) => !b.includes(name));
  return {
    gained: fresh.items - (oldIds.length - gone.length),
    lost: gone.length,
    deleted: gone.length - missed.length,
    examples: missed.slice(0, EXAMPLES),
    channels: { gained: less(names(fresh), names(old)), lost: less(names(old), names(fresh)) },
    abilitiesLost: [
      ...(old.personalizes && !fresh.personalizes ? ["users' own metrics"] : []),
      ...(old.predictsRatings && !fresh.predictsRatings ? ["predicted ratings"] : []),
    ],
  };
}

// Who answers what is asked of a draft: the worker that holds the model where it can read all of it, else the server, which has the encoders.
import type { MissingChannel, Prediction } from "@nearkin/client";
import { client } from "../api/client.ts";
import { noting } from "../engine/active-model.ts";
import type { WorkerCalls } from "../engine/messages.ts";
import type { ExplainedItem } from "../engine/similarity.ts";
import type { Cells } from "./draft.ts";
import type { StudioForm } from "./form.ts";

export interface Neighbours {
  readonly items: readonly ExplainedItem[];
  /** Channels without a value, with the reason. */
  readonly missing: readonly MissingChannel[];
}

export interface Rating {
  readonly mean: number;
  /** Of the mean. */
  readonly deviation: number;
  /** Of one rating to come. */
  readonly observationDeviation: number;
}

export interface DraftQuestions {
  readonly place: "browser" | "server";
  /** The nearest, with reasons. */
  neighbours(cells: Cells, k: number, signal: AbortSignal): Promise<Neighbours>;
  /** Ids of the nearest, best first. */
  order(cells: Cells, k: number, signal: AbortSignal): Promise<readonly NamedItem[]>;
  /** Null where the model predicts none. */
  rating(cells: Cells, signal: AbortSignal): Promise<Rating | null>;
}

export interface NamedItem {
  readonly id: string;
  readonly title: string | null;
}

const namesOf = (items: readonly NamedItem[]): NamedItem[] => items.map(({ id, title }) => ({ id, title }));

export const byServer: DraftQuestions = {
  place: "server",
  async neighbours(cells, k, signal) {
    const asked = [{ draft: { ...cells } }];
    const { items, missing } = noting(await client.similar(asked, { k, explain: true, history: 0 }, { signal }));
    return { items: items.map(({ contributions = [], ...rest }) => ({ ...rest, contributions })), missing };
  },
  async order(cells, k, signal) {
    return namesOf((await client.similar([{ draft: { ...cells } }], { k, history: 0 }, { signal })).items);
  },
  async rating(cells, signal): Promise<Prediction["catalogue"]> {
    return (await client.predict({ draft: { ...cells } }, { evidence: 0 }, { signal })).catalogue;
  },
};

export const byWorker = (calls: WorkerCalls): DraftQuestions => ({
  place: "browser",
  neighbours: (cells, k) => calls.draftNeighbours(cells, k),
  order: (cells, k) => calls.draftOrder(cells, k),
  rating: (cells) => calls.draftRating(cells),
});

/** Whether a model alone can read these: none of the texts waits for an encoder. */
export const readableHere = ({ fields }: StudioForm, cells: Cells): boolean =>
  fields.every((field) => field.kind !== "text" || !field.encoded || !Object.hasOwn(cells, field.channel));

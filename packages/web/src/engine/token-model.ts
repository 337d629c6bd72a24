// The model that answers, as far as a user's token may know it: which models there are is for keys alone, but every answer names the one that
// made it, and its files are for tokens too.
import type { ModelInfo } from "@nearkin/client";
import { client } from "../api/client.ts";
import { readManifest } from "../api/model-files.ts";

export async function modelForToken(): Promise<ModelInfo> {
  const { model } = await client.items.list({ limit: 1 });
  return infoOf(model, await readManifest(model));
}

/** What is read of model.json. */
interface Manifest {
  readonly name: string;
  readonly counts: { readonly items: number };
  readonly dataset: NonNullable<ModelInfo["dataset"]>;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly metric: { readonly weights: Readonly<Record<string, number>> };
  readonly channels: readonly {
    readonly name: string;
    readonly transform: { readonly type: ModelInfo["channels"][number]["type"] };
  }[];
  readonly posterior: unknown;
  readonly personal?: unknown;
}

/** What the server says of a model, from the model's own words. */
export function infoOf(id: string, manifest: unknown): ModelInfo {
  const { name, counts, dataset, fields = {}, metric, channels, posterior, personal } = manifest as Manifest;
  return {
    id,
    folder: name,
    name,
    active: true,
    items: counts.items,
    channels: channels.map((channel) => ({
      name: channel.name,
      type: channel.transform.type,
      weight: metric.weights[channel.name],
    })),
    fields: Object.keys(fields),
    unreadable: 0,
    personalizes: personal !== undefined,
    predictsRatings: posterior !== null,
    dataset: { id: dataset.id, name: dataset.name, simulated: dataset.simulated },
    problems: [],
  };
}

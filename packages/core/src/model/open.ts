// Opening a model: its rows go into an engine's memory, or into several when one does not hold them.
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { decodeModel, type ReadModelFile } from "./decode.ts";
import type { EncodeTexts } from "./draft.ts";
import { Model } from "./model.ts";
import type { ModelParts } from "./parts.ts";
import { planRows } from "./room.ts";
import { ensembleRowLayout } from "./scaling.ts";

const SHARD_BYTES = 3 * 2 ** 30; // of the 4 GiB that a memory can have

export interface OpenModelOptions {
  /** What computes; it stays open when the model closes. Models on one engine close in the reverse order of opening. @default one of its own */
  engine?: Engine;
  /** Encodes texts of drafts. Without it, text channels with an external encoder are missing in drafts that bring no vector. */
  encode?: EncodeTexts;
  /** Called when the model has closed: to close what encodes. */
  onClose?: () => Promise<void>;
  /** Bytes of rows in one memory; the rest goes to engines of its own. @default 3 GiB */
  shardBytes?: number;
  /** Room for so many more rows behind the model's own (`model.room`). What is not written takes no memory. @default 0 */
  spareRows?: number;
}

/**
 * Opens a model from the bytes of its files, or from its parts.
 *
 *   await using model = await openModel(async (name) => new Uint8Array(await (await fetch(`/model/${name}`)).arrayBuffer()));
 *   const { items } = await model.similar("tt0111161", { k: 5, explain: true });
 */
export async function openModel(
  source: ReadModelFile | ModelParts,
  { engine, encode, onClose, shardBytes = SHARD_BYTES, spareRows = 0 }: OpenModelOptions = {},
): Promise<Model> {
  const parts = typeof source === "function" ? await decodeModel(source) : source;
  const own: Engine[] = [];
  const open = async () => {
    const opened = await createEngine();
    own.push(opened);
    return opened;
  };
  try {
    const main = engine ?? (await open());
    const { width } = ensembleRowLayout(parts.ensemble);
    const plan = planRows({ count: parts.catalogue.ids.length, width }, { shardBytes, spareRows });
    const engines = [main];
    while (engines.length < plan.shards + (plan.apart ? 1 : 0)) engines.push(await open());
    return new Model(parts, { engines, own, plan, encode, onClose });
  } catch (error) {
    for (const opened of own) await opened.close();
    throw error;
  }
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, encodeModel, type ModelParts } from "@nearkin/core";
import { type TinyModelOptions, tinyModel } from "@nearkin/core/testing";

/** Writes a small model that nobody trained, and returns what is in it. */
export async function writeTinyModel(folder: string, options: TinyModelOptions = {}): Promise<ModelParts> {
  await using engine = await createEngine({ workers: 1 });
  const parts = tinyModel(engine, options);
  await writeModelFolder(folder, parts);
  return parts;
}

export async function writeModelFolder(folder: string, parts: ModelParts): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of await encodeModel(parts)) writeFileSync(join(folder, name), bytes);
}

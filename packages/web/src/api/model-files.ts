// The files of a model, for opening it here: what there is, and their bytes.
import type { ModelFiles } from "@nearkin/client";
import { client } from "./client.ts";

/** What a page may download of a model. */
export const listModelFiles = (model: string): Promise<ModelFiles> => client.models.files(model);

/** All files by name. They never change, so that the browser's cache may answer. */
export async function downloadModel({ id, files }: ModelFiles): Promise<Map<string, ArrayBuffer>> {
  const bytes = files.map(async ({ name }): Promise<[string, ArrayBuffer]> => {
    const { buffer } = await client.models.file(id, name);
    return [name, buffer];
  });
  return new Map(await Promise.all(bytes));
}

/** What a model says of itself: model.json, which is small also where the model is not. */
export async function readManifest(model: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await client.models.file(model, "model.json")));
}

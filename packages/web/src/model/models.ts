// Which models there are, by what they are called in an address.
import type { ModelInfo } from "@nearkin/client";
import { client } from "../api/client.ts";
import { loaded } from "../api/loaded.ts";

/** As many letters of an id as tell models apart, for people and in addresses. */
const SHORT = 12;

export const shortId = (id: string): string => id.slice(0, SHORT);

/** All that the server knows. */
export const modelList = () => loaded("models", () => client.models.list());

/** How it was trained. */
export const trainingOf = (name: string) => loaded(`training ${name}`, () => client.models.training(name));

/** What a model is called in an address: folders that cannot be read have no id. */
export const nameOf = ({ id, folder }: Pick<ModelInfo, "id" | "folder">): string =>
  id === null ? folder : shortId(id);

export const modelPath = (model: Pick<ModelInfo, "id" | "folder">): string =>
  `/model/${encodeURIComponent(nameOf(model))}`;

export const comparePath = (a: Pick<ModelInfo, "id" | "folder">, b: Pick<ModelInfo, "id" | "folder">): string =>
  `/model/compare?a=${encodeURIComponent(nameOf(a))}&b=${encodeURIComponent(nameOf(b))}`;

/** By its folder, its id, or the beginning of it, as the server finds them. */
export function findModel(models: readonly ModelInfo[], name: string | null): ModelInfo | undefined {
  if (!name) return undefined;
  const byFolder = models.find(({ folder }) => folder === name);
  if (byFolder) return byFolder;
  const [first, ...others] = name.length < 8 ? [] : models.filter(({ id }) => id?.startsWith(name));
  return others.every(({ id }) => id === first.id) ? first : undefined; // copies of a folder are one and the same model
}

// The files of a model, for opening it here: what there is, and their bytes.
import { NearkinApiError } from "@nearkin/client";
import { authorizedFetch } from "./session.ts";

interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ModelFiles {
  readonly files: readonly ModelFile[];
  /** Bytes of all of them. */
  readonly total: number;
}

const placeOf = (model: string): string => `/v1/models/${encodeURIComponent(model)}/files`;

/** What a page may download of a model. */
export async function listModelFiles(model: string): Promise<ModelFiles> {
  const response = await fetched(placeOf(model));
  return response.json() as Promise<ModelFiles>;
}

/** All files by name. They never change, so that the browser's cache may answer. */
export async function downloadModel(model: string, { files }: ModelFiles): Promise<Map<string, ArrayBuffer>> {
  const bytes = files.map(async ({ name }): Promise<[string, ArrayBuffer]> => {
    const response = await fetched(`${placeOf(model)}/${encodeURIComponent(name)}`);
    return [name, await response.arrayBuffer()];
  });
  return new Map(await Promise.all(bytes));
}

async function fetched(path: string): Promise<Response> {
  const response = await authorizedFetch(path);
  if (response.ok) return response;
  const code = response.status === 404 ? "NOT_FOUND" : "BAD_ANSWER";
  throw new NearkinApiError(code, `GET ${path}: ${response.status}`, { status: response.status });
}

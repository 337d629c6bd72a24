// The last small model that was opened here, kept by the browser so that the page works without a server: its files, and what the server said
// of it. Nothing about any user is among them. Gone with a sign-out, and where the server asks for a key that is not there.
import type { ModelInfo } from "@nearkin/client";

const NAME = "nearkin-model";
const INFO = "/kept-model/info";
const fileAt = (name: string): string => `/kept-model/files/${encodeURIComponent(name)}`;

export interface KeptModel {
  readonly info: ModelInfo;
  readonly files: Map<string, ArrayBuffer>;
}

/** What of the browser's store is needed. */
export type KeptIn = Pick<CacheStorage, "open" | "delete">;

/** Undefined where the browser keeps nothing for this page, as on pages without encryption, or where its user has said so. */
function store(): KeptIn | undefined {
  try {
    return globalThis.caches;
  } catch {
    return undefined;
  }
}

/** Keeps a model in place of the one before. Where there is no room, none is kept. */
export async function keepModel({ info, files }: KeptModel, at: KeptIn | undefined = store()): Promise<void> {
  if (!at) return;
  try {
    if ((await keptInfo(at))?.id === info.id) return; // the files of an id never change
    await at.delete(NAME);
    const cache = await at.open(NAME);
    for (const [name, bytes] of files) await cache.put(fileAt(name), new Response(bytes));
    const names = [...files.keys()];
    await cache.put(INFO, Response.json({ info, names })); // last: what is there is whole
  } catch {
    await forgetModel(at);
  }
}

export async function keptModel(at: KeptIn | undefined = store()): Promise<KeptModel | undefined> {
  if (!at) return undefined;
  try {
    const cache = await at.open(NAME);
    const kept = await read(cache);
    if (!kept) return undefined;
    const files = await Promise.all(
      kept.names.map(async (name): Promise<[string, ArrayBuffer]> => {
        const response = await cache.match(fileAt(name));
        if (!response) throw new Error(`${name} is not there`);
        return [name, await response.arrayBuffer()];
      }),
    );
    return { info: kept.info, files: new Map(files) };
  } catch {
    await forgetModel(at);
    return undefined;
  }
}

export async function forgetModel(at: KeptIn | undefined = store()): Promise<void> {
  await at?.delete(NAME).catch(() => false); // storage is refused: nothing is there either
}

const keptInfo = async (at: KeptIn): Promise<ModelInfo | undefined> => (await read(await at.open(NAME)))?.info;

async function read(cache: Cache): Promise<{ info: ModelInfo; names: string[] } | undefined> {
  const response = await cache.match(INFO);
  return response?.json();
}

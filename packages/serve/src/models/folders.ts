// The model folders that a server may serve: those it was given, and those inside of them. What a list shows is in model.json alone; the rest of
// a folder is read, and checked, when it is to be activated.
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type RouteAnswer, routes } from "@nearkin/client/contract";
import { z } from "zod";
import { ApiError } from "../http/api-error.ts";

const MANIFEST = "model.json";

type Channel = RouteAnswer<"getModel">["channels"][number];
const { name: channelName, type: channelType } = routes.getModel.response.shape.channels.element.shape;

/** As much of model.json as a list shows, and nothing that it could not show. */
const manifest = z.object({
  format: z.literal("nearkin-model"),
  id: z.string().min(1),
  name: z.string(),
  dataset: z.object({ id: z.string(), name: z.string(), simulated: z.boolean() }),
  counts: z.object({ items: z.int().min(0) }),
  metric: z.object({ weights: z.record(z.string(), z.number()) }),
  channels: z.array(z.object({ name: channelName, transform: z.object({ type: channelType }) })),
  posterior: z.unknown().nullable(),
  personal: z.unknown().optional(),
});

export interface ModelFolder {
  /** Absolute. */
  readonly path: string;
  /** Its own name: what the API shows. */
  readonly folder: string;
  /** null where model.json cannot be read. */
  readonly id: string | null;
  readonly name: string | null;
  readonly items: number | null;
  readonly channels: readonly Readonly<Channel>[];
  readonly personalizes: boolean;
  readonly predictsRatings: boolean;
  readonly dataset: { readonly id: string; readonly name: string; readonly simulated: boolean } | null;
  readonly problems: readonly string[];
}

export class ModelFolders {
  readonly #places: readonly string[];

  /** @param places model folders, or folders that hold some */
  constructor(places: readonly string[]) {
    this.#places = places.map((place) => resolve(place));
  }

  /** Where models are looked for. */
  get places(): readonly string[] {
    return this.#places;
  }

  /** All of them as they are now, in the order given, those inside of one by name. */
  async list(): Promise<ModelFolder[]> {
    const paths = (await Promise.all(this.#places.map(foldersIn))).flat();
    return Promise.all([...new Set(paths)].map(describe));
  }

  /** By id, a beginning of it of at least 8 characters, or the folder's name. */
  async find(name: string): Promise<ModelFolder> {
    const all = await this.list();
    const found = all.filter(({ id, folder }) => folder === name || (name.length >= 8 && id?.startsWith(name)));
    const ids = new Set(found.map(({ id, path }) => id ?? path));
    if (ids.size === 1) return found[0];
    const known = all.map(({ folder, id }) => `${folder}${id ? ` (${id.slice(0, 12)})` : ""}`).join(", ");
    throw new ApiError(
      "UNKNOWN_MODEL",
      found.length === 0
        ? `no model has the id or folder "${name.slice(0, 80)}"; there are ${known || "none"}`
        : `"${name.slice(0, 80)}" is more than one model; there are ${known}`,
    );
  }
}

/** A folder with a model.json, or those right inside of it that have one. */
async function foldersIn(place: string): Promise<string[]> {
  if (await isFile(join(place, MANIFEST))) return [place];
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const inside = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map((entry) => join(place, entry.name))
    .sort();
  const isModel = await Promise.all(inside.map((folder) => isFile(join(folder, MANIFEST))));
  return inside.filter((_, i) => isModel[i]);
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() ?? false;

async function describe(path: string): Promise<ModelFolder> {
  const folder = basename(path);
  try {
    const read = manifest.parse(JSON.parse(await readFile(join(path, MANIFEST), "utf8")));
    return {
      path,
      folder,
      id: read.id,
      name: read.name,
      items: read.counts.items,
      channels: read.channels.map(({ name, transform }) => ({
        name,
        type: transform.type,
        weight: read.metric.weights[name] ?? 0,
      })),
      personalizes: read.personal !== undefined,
      predictsRatings: read.posterior != null,
      dataset: read.dataset,
      problems: [],
    };
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error).split("\n")[0] : (error as Error).message;
    const none = { id: null, name: null, items: null, channels: [], dataset: null };
    return {
      path,
      folder,
      ...none,
      personalizes: false,
      predictsRatings: false,
      problems: [`${MANIFEST}: ${problem}`],
    };
  }
}

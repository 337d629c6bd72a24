// The files that a model is opened from, to be given out. Names are a fixed list, and nothing else of a folder can be had: what else lies there,
// such as metrics of users that somebody wrote beside, stays there.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RouteAnswer } from "@nearkin/client/contract";
import { routes } from "@nearkin/client/contract";
import { z } from "zod";
import { ApiError } from "../http/api-error.ts";
import type { ModelFolder } from "./folders.ts";

const MANIFEST = "model.json";

const { name } = routes.getModelFile.params.shape;
/** As much of model.json as says what else there is. A file that may not be given out is a model that cannot be opened elsewhere. */
const manifest = z.object({
  id: z.string().min(1),
  files: z.array(
    z.object({ name: name.exclude([MANIFEST]), bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
});

export interface ModelFiles extends RouteAnswer<"listModelFiles"> {
  /** model.json as it was read for the list. */
  readonly manifest: Uint8Array;
}

/** Lists the files of a model; throws `BAD_MODEL` where they cannot be known. */
export async function modelFiles(folder: ModelFolder): Promise<ModelFiles> {
  if (folder.problems.length > 0) throw badModel(folder, folder.problems.join("; "));
  const bytes = await readFile(join(folder.path, MANIFEST)).catch((cause) => {
    throw badModel(folder, `${MANIFEST} cannot be read`, { cause });
  });
  const { data, error } = manifest.safeParse(parsed(bytes));
  if (error) throw badModel(folder, `${MANIFEST}: ${z.prettifyError(error).split("\n")[0]}`);
  const own = {
    name: MANIFEST,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  } as const;
  const files = [own, ...data.files];
  return {
    id: data.id,
    folder: folder.folder,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    files,
    manifest: bytes,
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

export const badModel = ({ folder }: ModelFolder, problem: string, options?: ErrorOptions): ApiError =>
  new ApiError("BAD_MODEL", `${folder}: ${problem}`, options);

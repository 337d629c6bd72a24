// What a model's folder holds: the files to open it from, and how it was trained.
import { join } from "node:path";
import { badModel, modelFiles } from "../../models/model-files.ts";
import { readTraining } from "../../models/training.ts";
import { ApiError } from "../api-error.ts";
import { type Handlers, turnOf } from "../context.ts";
import { OwnAnswer } from "../own-answer.ts";

/** By its id the bytes never change; a folder may become another model. Either way they are for those who may read. */
const FOR_GOOD = "private, max-age=31536000, immutable";
const ASK_AGAIN = "private, no-cache";

export const modelFolderHandlers: Handlers<"listModelFiles" | "getModelFile" | "getTraining"> = {
  listModelFiles: async ({ models }, { params }) => {
    const { manifest: _, ...files } = await modelFiles(await models.find(params.id));
    return files;
  },

  getModelFile: async ({ models, modelFiles: readers, modelFileQueue: queue }, { params, caller, signal }) => {
    const { id, name } = params;
    if (name !== "model.json" && (readers === "off" || (readers === "keys" && caller.kind === "token"))) {
      const whom = readers === "off" ? "nobody" : "keys only, from a server";
      throw new ApiError("FORBIDDEN", `By its setting modelFiles, this server gives files of models to ${whom}.`);
    }
    const folder = await models.find(id);
    const { files, manifest, ...model } = await modelFiles(folder);
    const file = files.find((one) => one.name === name);
    if (!file) throw badModel(folder, `its model.json does not list ${name}`);
    const { bytes, sha256 } = file;
    const problem = (what: string, options?: ErrorOptions) => badModel(folder, `${name} ${what}`, options);
    const stored = { path: join(folder.path, name), bytes, problem, queue, turn: turnOf(caller, signal) };
    return new OwnAnswer(name === "model.json" ? manifest : stored, {
      etag: `"${sha256}"`,
      "cache-control": model.id === id ? FOR_GOOD : ASK_AGAIN,
    });
  },

  getTraining: async ({ models }, { params }) => readTraining(await models.find(params.id)),
};

// The files that a model is opened from, for pages that compute by themselves. All of a model is in them but its training; nothing of any
// user is: what a model knows of users is how they differ, as a mean and a covariance.
import { z } from "zod";
import { modelId, text, total } from "./ids.ts";
import { strict } from "./strict.ts";

/** Every file that is given out, and no other. */
const modelFileNames = [
  "model.json",
  "weights.safetensors",
  "items.safetensors",
  "transforms.safetensors",
  "catalogue.json",
] as const;

const fileName = z.enum(modelFileNames).describe(`One of ${modelFileNames.join(", ")}.`);

export const givenModel = text(512).describe(
  "The model's id, the beginning of it that no other has (8 characters or more), or its folder's name.",
);

export const modelFileParams = strict({ id: givenModel, name: fileName });

export const modelFilesAnswer = strict({
  id: modelId,
  folder: z.string().describe("Name of its folder."),
  bytes: total.describe("Of all files together."),
  files: z
    .array(
      strict({
        name: fileName,
        bytes: total,
        sha256: z.string().describe("Of its bytes, in hexadecimal; also the file's ETag."),
      }).meta({ id: "ModelFile", description: "A file of a model." }),
    )
    .describe("All of them, to be opened with `openModel` of @nearkin/core."),
}).meta({ id: "ModelFiles", description: "The files that a model is opened from." });

/** As OpenAPI 3.1 says bytes. */
export const modelFileBytes = z
  .string()
  .meta({ description: "The bytes of the file.", contentMediaType: "application/octet-stream" });

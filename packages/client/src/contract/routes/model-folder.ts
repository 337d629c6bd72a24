import { exampleModel } from "../examples.ts";
import { givenModel, modelFileBytes, modelFileParams, modelFilesAnswer } from "../model-files.ts";
import { route } from "../route.ts";
import { strict } from "../strict.ts";
import { trainingAnswer } from "../training.ts";

const params = strict({ id: givenModel });

const sha256 = "3f0a3c8a1f6f6a4d9b8c7e5d4c3b2a190f8e7d6c5b4a39281706f5e4d3c2b1a0";

/** What a model's folder holds. */
export const modelFolderRoutes = {
  listModelFiles: route({
    method: "GET",
    path: "/v1/models/{id}/files",
    scope: "read",
    tokens: true,
    idempotent: true,
    tag: "models",
    summary: "Files to open a model from",
    description:
      "What a page needs to compute by itself with @nearkin/core: names, sizes and hashes. Nothing of any user is in these files, and no other file of the folder can be had.",
    params,
    response: modelFilesAnswer,
    errors: ["UNKNOWN_MODEL", "BAD_MODEL"],
    examples: [
      {
        summary: "Of the sample",
        params: { id: "marquee-model" },
        response: {
          id: exampleModel,
          folder: "marquee-model",
          bytes: 1_482_113,
          files: [
            { name: "model.json", bytes: 21_408, sha256 },
            { name: "weights.safetensors", bytes: 301_552, sha256 },
            { name: "items.safetensors", bytes: 704_240, sha256 },
            { name: "transforms.safetensors", bytes: 262_400, sha256 },
            { name: "catalogue.json", bytes: 192_513, sha256 },
          ],
        },
      },
    ],
  }),

  getModelFile: route({
    method: "GET",
    path: "/v1/models/{id}/files/{name}",
    scope: "read",
    tokens: true,
    idempotent: true,
    tag: "models",
    summary: "A file of a model",
    description:
      "Its bytes, with their sha256 as ETag. Asked for by the model's whole id they never change, and may be kept for good; by the folder's name, they are to be asked for anew (`if-none-match`). The server's setting `modelFiles` may keep all but model.json from tokens, or from everybody (403 `FORBIDDEN`).",
    params: modelFileParams,
    response: modelFileBytes,
    produces: "application/octet-stream",
    errors: ["UNKNOWN_MODEL", "BAD_MODEL"],
    examples: [],
  }),

  getTraining: route({
    method: "GET",
    path: "/v1/models/{id}/training",
    scope: "read",
    tokens: false,
    idempotent: true,
    tag: "models",
    summary: "How a model was trained",
    description:
      "Settings, curves, noise, warnings and times, as the model's folder keeps them; `missing` says what an older folder does not.",
    params,
    response: trainingAnswer,
    errors: ["UNKNOWN_MODEL", "BAD_MODEL"],
    examples: [
      {
        summary: "Of the sample, in short",
        params: { id: "marquee-model" },
        response: {
          model: exampleModel,
          folder: "marquee-model",
          dataset: { id: "c41f", name: "marquee", simulated: true },
          tools: { "@nearkin/train": "0.1.0" },
          engine: { kind: "wasm", reproducible: true, library: null },
          settings: { preset: "fast", seed: 1 },
          seeds: { train: 1 },
          noise: { variance: 0.21, perRating: 0.9, signal: 0.34 },
          rating: { centre: 3.4, scale: 1 },
          temperature: 0.1,
          popularity: 0.25,
          stages: [
            {
              name: "siamese",
              steps: 200,
              best: 150,
              metrics: { hr: 0.31, mrr: 0.47, ndcg: 0.52, queries: 36 },
              curves: {
                every: 100,
                points: [
                  { step: 100, loss: 3.9, nll: null, noise: null, weights: { genres: 0.9, plot: 0.6 } },
                  { step: 200, loss: 3.4, nll: null, noise: null, weights: { genres: 1.02, plot: 0.74 } },
                ],
                validation: [{ step: 150, hr: 0.31, mrr: 0.47, ndcg: 0.52, holdoutNll: null }],
              },
              seconds: 11.4,
            },
          ],
          warnings: [],
          from: null,
          selection: null,
          timing: { started: Date.UTC(2026, 2, 1), seconds: 31.2, resumed: false, cores: 2 },
          missing: [],
        },
      },
    ],
  }),
} as const;

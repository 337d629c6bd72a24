// What those who run a server ask: models, evaluations, the index, keys and tokens, health.
import type {
  EvaluationResults,
  IndexInfo,
  KeyRequest,
  Measurement,
  MeasureOptions,
  ModelFile,
  ModelFiles,
  ModelInfo,
  TokenRequest,
  Training,
} from "../contract/types.ts";
import type { AnswerTo, Call } from "./call.ts";
import type { CallOptions } from "./transport.ts";

/** For what loads a model, sends one, or asks about many items; ms. */
const PATIENT = { timeout: 120_000 };

export function modelCalls(call: Call) {
  return {
    list: (using?: CallOptions): Promise<AnswerTo<"GET /v1/models">> => call("GET /v1/models", {}, using),

    /** By id, or by folder. */
    get: (id: string, using?: CallOptions): Promise<ModelInfo> =>
      call("GET /v1/models/{id}", { params: { id } }, using),

    /** Changes to a model: it is loaded and checked first, so an attempt has two minutes unless you say otherwise. */
    activate: (id: string, using?: CallOptions): Promise<AnswerTo<"POST /v1/models/{id}/activate">> =>
      call("POST /v1/models/{id}/activate", { params: { id } }, { ...PATIENT, ...using }),

    /** Goes back to the model before. Not sent again where no answer comes: look at `list` then. */
    rollback: (using?: CallOptions): Promise<AnswerTo<"POST /v1/models/rollback">> =>
      call("POST /v1/models/rollback", { once: true }, { ...PATIENT, ...using }),

    /** Checks a model without changing to it. */
    validate: (id: string, using?: CallOptions): Promise<AnswerTo<"POST /v1/models/{id}/validate">> =>
      call("POST /v1/models/{id}/validate", { params: { id } }, { ...PATIENT, ...using }),

    /** Files to open a model from, with `openModel` of @nearkin/core. */
    files: (id: string, using?: CallOptions): Promise<ModelFiles> =>
      call("GET /v1/models/{id}/files", { params: { id } }, using),

    /** The bytes of one of them; by the model's whole id, browsers keep it. */
    file: (id: string, name: ModelFile["name"], using?: CallOptions): Promise<Uint8Array<ArrayBuffer>> =>
      call("GET /v1/models/{id}/files/{name}", { params: { id, name }, as: "bytes" }, { ...PATIENT, ...using }),

    /** How it was trained: settings, curves, noise, warnings, times. */
    training: (id: string, using?: CallOptions): Promise<Training> =>
      call("GET /v1/models/{id}/training", { params: { id } }, using),
  };
}

export function evaluationCalls(call: Call) {
  return {
    /** What is in the server's folder of results, the newest first. */
    list: (using?: CallOptions): Promise<AnswerTo<"GET /v1/evaluations">> => call("GET /v1/evaluations", {}, using),

    get: (name: string, using?: CallOptions): Promise<EvaluationResults> =>
      call("GET /v1/evaluations/{name}", { params: { name } }, using),

    /** The page beside it, as HTML. */
    report: (name: string, using?: CallOptions): Promise<string> =>
      call("GET /reports/{name}", { params: { name }, as: "text" }, using),
  };
}

export function indexCalls(call: Call) {
  return {
    get: (using?: CallOptions): Promise<IndexInfo> => call("GET /v1/index", {}, using),

    /** Recall of the graph against the exact scan, and the time that each takes. */
    measure: (options: MeasureOptions = {}, using?: CallOptions): Promise<Measurement> =>
      call("POST /v1/index/measure", { body: options }, { ...PATIENT, ...using }),
  };
}

export function accessCalls(call: Call) {
  return {
    tokens: {
      /** Signs a token for the page of one user. */
      create: (request: TokenRequest, using?: CallOptions): Promise<AnswerTo<"POST /v1/tokens">> =>
        call("POST /v1/tokens", { body: request }, using),
    },
    keys: {
      list: (using?: CallOptions): Promise<AnswerTo<"GET /v1/keys">> => call("GET /v1/keys", {}, using),

      /** Makes a key; the answer shows it this once. Not sent again where no answer comes: look at `list` then. */
      create: (request: KeyRequest, using?: CallOptions): Promise<AnswerTo<"POST /v1/keys">> =>
        call("POST /v1/keys", { body: request, once: true }, using),

      delete: (id: string, using?: CallOptions): Promise<AnswerTo<"DELETE /v1/keys/{id}">> =>
        call("DELETE /v1/keys/{id}", { params: { id } }, using),
    },
  };
}

export function systemCalls(call: Call) {
  return {
    /** Whether the process lives. */
    health: (using?: CallOptions): Promise<AnswerTo<"GET /healthz">> => call("GET /healthz", {}, using),

    /** Whether it can answer; throws `NOT_READY` where it cannot. */
    ready: (using?: CallOptions): Promise<AnswerTo<"GET /readyz">> => call("GET /readyz", {}, using),

    /** Measurements in the text format of Prometheus. */
    metrics: (using?: CallOptions): Promise<string> => call("GET /metrics", { as: "text" }, using),

    /** The API as OpenAPI 3.1. */
    openApi: (using?: CallOptions): Promise<AnswerTo<"GET /openapi.json">> => call("GET /openapi.json", {}, using),
  };
}

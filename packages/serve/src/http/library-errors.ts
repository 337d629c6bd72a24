// How errors of the library are answered: one table, and every code is in it.
import type { ApiErrorCode } from "@nearkin/client/contract";
import type { ErrorCode } from "@nearkin/core";

/**
 * What a caller is told. Where it can be mended by the caller, the message is passed on; where it may pass, the code alone; the rest is
 * ours to mend. Routes check their input first, so shapes, indices and matrices that do not fit are our mistake, not the caller's.
 */
export const libraryErrors: Readonly<Record<ErrorCode, ApiErrorCode>> = {
  BAD_ARGUMENT: "BAD_REQUEST",
  BAD_VALUE: "BAD_REQUEST",
  UNKNOWN_ITEM: "UNKNOWN_ITEM",
  MODEL_EXISTS: "CONFLICT",
  BAD_MODEL: "BAD_MODEL",
  ENCODER_UNAVAILABLE: "UNSUPPORTED",
  BUSY: "BUSY",
  OUT_OF_MEMORY: "BUSY",
  ENGINE_CLOSED: "NOT_READY",
  STORE_UNAVAILABLE: "STORE_UNAVAILABLE",
  ENGINE_UNAVAILABLE: "INTERNAL",
  WORKER_FAILED: "INTERNAL",
  SHAPE_MISMATCH: "INTERNAL",
  NOT_POSITIVE_DEFINITE: "INTERNAL",
  NOT_FINITE: "INTERNAL",
  INDEX_OUT_OF_RANGE: "INTERNAL",
  SCOPE_CLOSED: "INTERNAL",
  BAD_FILE: "INTERNAL",
  DOWNLOAD_FAILED: "INTERNAL",
  BAD_CONFIG: "INTERNAL",
  BAD_SOURCE: "INTERNAL",
  TOO_MANY_REJECTS: "INTERNAL",
  DATASET_EXISTS: "INTERNAL",
  BAD_DATASET: "INTERNAL",
  BAD_STORE: "INTERNAL",
};

/** Told in place of the error's own message. */
export const toldInstead: Readonly<Partial<Record<ApiErrorCode, string>>> = {
  UNSUPPORTED: "This server cannot encode texts: its encoder is not installed.",
  BUSY: "Too much is going on; try again.",
  NOT_READY: "The server is starting or stopping; try again.",
  STORE_UNAVAILABLE: "The store cannot be reached; try again.",
};

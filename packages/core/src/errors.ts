/** Every code a Nearkin error can carry. The list in docs/errors.md is checked against it. */
export type ErrorCode =
  | "SHAPE_MISMATCH"
  | "BAD_ARGUMENT"
  | "NOT_POSITIVE_DEFINITE"
  | "NOT_FINITE"
  | "INDEX_OUT_OF_RANGE"
  | "OUT_OF_MEMORY"
  | "SCOPE_CLOSED"
  | "ENGINE_CLOSED"
  | "ENGINE_UNAVAILABLE"
  | "WORKER_FAILED"
  | "BAD_FILE"
  | "BAD_VALUE"
  | "ENCODER_UNAVAILABLE"
  | "DOWNLOAD_FAILED"
  | "BAD_CONFIG"
  | "BAD_SOURCE"
  | "TOO_MANY_REJECTS"
  | "DATASET_EXISTS"
  | "BAD_DATASET"
  | "MODEL_EXISTS"
  | "BAD_MODEL"
  | "UNKNOWN_ITEM"
  | "BUSY"
  | "STORE_UNAVAILABLE"
  | "BAD_STORE";

/**
 * An error with a stable code: what was expected, what came, what to try.
 *
 * @example
 * new NearkinError("BAD_ARGUMENT", "scan: k must be at least 1, got 0").code // => "BAD_ARGUMENT"
 */
export class NearkinError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NearkinError";
    this.code = code;
  }
}

const MAX_SHOWN_CHARACTERS = 80;

/** A refused value as an error shows it: as JSON, and of a long one the beginning. */
export function shown(value: unknown): string {
  const cut = typeof value === "string" ? value.slice(0, MAX_SHOWN_CHARACTERS) : value;
  const text = JSON.stringify(cut) ?? String(cut);
  if (cut !== value) return `${text}…`;
  return typeof value === "string" || text.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
}

/** A matrix is not positive definite: which pivot failed, how far jitter went, what the likely cause is. */
export class NotPositiveDefiniteError extends NearkinError {
  /** 1-based order of the first leading minor that is not positive. */
  readonly pivot: number;
  /** Value of that pivot, before its square root. */
  readonly value: number;
  /** Absolute jitters that were added to the diagonal and did not help, in order; 0 = as given. */
  readonly jitters: readonly number[];
  constructor(message: string, details: { pivot: number; value: number; jitters: readonly number[] }) {
    super("NOT_POSITIVE_DEFINITE", message);
    this.name = "NotPositiveDefiniteError";
    this.pivot = details.pivot;
    this.value = details.value;
    this.jitters = details.jitters;
  }
}

import type { ApiErrorCode } from "../errors.ts";

/**
 * What can go wrong on this side: no answer at all (`UNREACHABLE`), none in time (`TIMED_OUT`), or one that is not of this API (`BAD_ANSWER`),
 * such as a proxy's page.
 */
export type ClientErrorCode = ApiErrorCode | "UNREACHABLE" | "TIMED_OUT" | "BAD_ANSWER";

interface ErrorDetails {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  readonly field?: string | undefined;
  readonly nearest?: readonly { readonly id: string; readonly title: string | null }[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** A request that failed. `code` is stable; the message is for people. */
export class NearkinApiError extends Error {
  readonly code: ClientErrorCode;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** The place in the request, such as `items[0].draft.year`. */
  readonly field: string | undefined;
  /** Items that may have been meant. */
  readonly nearest: readonly { readonly id: string; readonly title: string | null }[];
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** Milliseconds after which the server says to try again. */
  readonly retryAfter: number | undefined;

  constructor(code: ClientErrorCode, message: string, details: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = "NearkinApiError";
    this.code = code;
    this.status = details.status;
    this.field = details.field;
    this.nearest = details.nearest ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** The error that an answer tells; `text` is its body. */
export function errorOf(response: Response, text: string): NearkinApiError {
  const { status, headers } = response;
  const retryAfter = retryAfterOf(headers.get("retry-after"));
  const told = parsed(text)?.error;
  const requestId = told?.requestId ?? headers.get("x-request-id") ?? undefined;
  if (typeof told?.code === "string" && typeof told.message === "string") {
    const { code, message, field, nearest } = told;
    return new NearkinApiError(code, message, { status, field, nearest, requestId, retryAfter });
  }
  const start = text.replaceAll(/\s+/g, " ").trim().slice(0, 100);
  const message = `expected an error of the API, got status ${status}${start && `: ${start}`}; does the url lead to a Nearkin server?`;
  return new NearkinApiError("BAD_ANSWER", message, { status, requestId, retryAfter });
}

interface Told {
  readonly code?: ApiErrorCode;
  readonly message?: string;
  readonly field?: string;
  readonly nearest?: NearkinApiError["nearest"];
  readonly requestId?: string;
}

function parsed(text: string): { error?: Told } | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds; the header counts seconds, or names a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

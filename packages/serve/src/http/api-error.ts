// Errors as the API answers them. Codes and statuses are those of the contract.
import { type ApiErrorCode, statusOf } from "@nearkin/client/contract";

/** An item that may have been meant. */
export interface NamedItem {
  readonly id: string;
  readonly title: string | null;
}

export interface ApiErrorOptions extends ErrorOptions {
  /** Which field of the request is at fault: `events[3].user`. */
  field?: string;
  /** Items that may have been meant. */
  nearest?: readonly NamedItem[];
  /** Headers that belong to the answer. */
  headers?: Readonly<Record<string, string>>;
}

/** A refusal: its code, and in its message what the caller can do about it. The message goes to the caller, never into a log. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly nearest: readonly NamedItem[] | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  constructor(code: ApiErrorCode, message: string, { field, nearest, headers, ...options }: ApiErrorOptions = {}) {
    super(message, options);
    this.name = "ApiError";
    this.code = code;
    this.status = statusOf(code);
    this.field = field;
    this.nearest = nearest;
    this.headers = headers;
  }
}

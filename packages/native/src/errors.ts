import { NearkinError } from "@nearkin/core";

/** OpenBLAS cannot be used here. Code ENGINE_UNAVAILABLE; the message is the reason and the remedy. */
export class OpenBlasUnavailableError extends NearkinError {
  /** What is wrong. */
  readonly reason: string;
  /** What would help. */
  readonly remedy: string;
  constructor(reason: string, remedy: string, options?: ErrorOptions) {
    super("ENGINE_UNAVAILABLE", `${reason}; ${remedy}`, options);
    this.name = "OpenBlasUnavailableError";
    this.reason = reason;
    this.remedy = remedy;
  }
}

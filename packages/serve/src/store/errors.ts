// What can go wrong with a store, whichever database is behind it.
import { NearkinError } from "@nearkin/core";

/** Why a store cannot be used now (`STORE_UNAVAILABLE`). */
type Unavailable =
  /** Another server has the file, or another process writes to it for too long. */
  | "locked"
  | "full"
  | "read-only"
  /** The database does not answer, or hung up. */
  | "unreachable"
  /** What was deleted is still in the write-ahead log, since another process reads the file. It is removed when that ends. */
  | "log-held"
  /** The database answers, and does not let us in. */
  | "refused"
  | "closed";

/** Why a store is none for us (`BAD_STORE`). */
type Bad =
  /** Somebody else's tables. */
  | "foreign"
  /** Written by a later version. */
  | "newer"
  | "damaged"
  /** The database does not keep what it acknowledges. */
  | "unsafe";

export type StoreReason = Unavailable | Bad;

export interface StoreErrorOptions extends ErrorOptions {
  uncertain?: boolean;
}

/** The store cannot do what was asked; nothing it has acknowledged is lost. */
export class StoreError extends NearkinError {
  readonly reason: StoreReason;
  /**
   * The answer to a write was lost: it was done whole or not at all, and we do not know which. Sending it again is safe for what has a key
   * of its own, such as events.
   */
  readonly uncertain: boolean;
  constructor(reason: StoreReason, message: string, { uncertain = false, ...options }: StoreErrorOptions = {}) {
    super(isBad(reason) ? "BAD_STORE" : "STORE_UNAVAILABLE", `store: ${message}`, options);
    this.name = "StoreError";
    this.reason = reason;
    this.uncertain = uncertain;
  }
}

function isBad(reason: StoreReason): reason is Bad {
  return reason === "foreign" || reason === "newer" || reason === "damaged" || reason === "unsafe";
}

/** The store cannot be used now, and may be later. */
export function isAway(error: unknown): boolean {
  return error instanceof StoreError && error.code === "STORE_UNAVAILABLE" && error.reason !== "closed";
}

/** A statement that the database does not accept. Outside of the constraints that we lean on, a mistake of ours. */
export class SqlError extends Error {
  /** The kind of constraint that the rows would break; null: the statement itself is wrong. */
  readonly constraint: "unique" | "check" | null;
  constructor(constraint: SqlError["constraint"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SqlError";
    this.constraint = constraint;
  }
}

export function breaks(error: unknown, constraint: "unique" | "check"): boolean {
  return error instanceof SqlError && error.constraint === constraint;
}

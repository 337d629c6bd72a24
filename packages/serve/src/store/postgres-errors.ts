// What PostgreSQL's error codes mean to a store.
import pg from "pg";
import { SqlError, StoreError, type StoreReason } from "./errors.ts";

const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const INVALID_PASSWORD = "28P01";
const TOO_MANY_CONNECTIONS = "53300";
const QUERY_CANCELED = "57014";

/** By SQLSTATE, whole or its class. */
const REASONS: Readonly<Record<string, readonly [StoreReason, string]>> = {
  "08": ["unreachable", "does not answer; start it, or look at the address"],
  "57014": ["unreachable", "took longer than it is allowed to"],
  "57P": ["unreachable", "is stopping or starting; wait for it"],
  "53100": ["full", "has no room left on its disk; make room, and try again"],
  "53200": ["unreachable", "is out of memory"],
  "53300": ["refused", "has no connection to spare; raise its max_connections, or put a pooler before it"],
  "55P03": ["locked", "is locked by somebody else for too long"],
  "25006": ["read-only", "can only be read: is it a standby?"],
  "28": ["refused", "does not let us in; look at user and password"],
  "3D000": ["refused", "is not there; create the database first"],
  "42501": ["refused", "does not allow this user to do that; grant it, or name another schema"],
  XX: ["damaged", "says that it is damaged; look at its log, and restore a copy"],
};

const QUERY_TIMED_OUT = "Query read timeout"; // the driver's own words
const PASSWORD_MISSING = /^SASL: .*password must be/;

function codeOf(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code;
  return PASSWORD_MISSING.test(messageOf(error)) ? INVALID_PASSWORD : undefined;
}

/** It has as many connections as it takes, or as it takes of us. */
export function isCrowded(error: unknown): boolean {
  return codeOf(error) === TOO_MANY_CONNECTIONS;
}

/** No answer came for as long as we wait for one: asking again at once would take as long. */
export function isTimedOut(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELED || messageOf(error) === QUERY_TIMED_OUT;
}

/** The transaction was undone for the sake of another one: it may be tried again. */
export function isRolledBack(error: unknown): boolean {
  const code = codeOf(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/** Anything but an answer of the database; or an answer that says goodbye. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || code.startsWith("08") || code.startsWith("57P");
}

export function toStoreError(cause: unknown, place: string, uncertain: boolean): StoreError | SqlError {
  const said = messageOf(cause);
  const code = codeOf(cause) ?? (isTimedOut(cause) ? QUERY_CANCELED : "08");
  if (code === "23505") return new SqlError("unique", said, { cause });
  if (code === "23514") return new SqlError("check", said, { cause });
  const found = [code, code.slice(0, 3), code.slice(0, 2)].find((prefix) => prefix in REASONS);
  if (found === undefined) return new SqlError(null, said, { cause });
  const [reason, sentence] = REASONS[found];
  const doubt = uncertain ? "; whether the write was done is not known: send it again" : "";
  return new StoreError(reason, `${place} ${sentence}${doubt} (${said})`, { cause, uncertain });
}

/** Node gathers the failures of several addresses in an error without a message of its own. */
function messageOf(cause: unknown): string {
  const { message, code, errors } = cause as { message?: string; code?: string; errors?: { message: string }[] };
  return message || errors?.[0]?.message || code || String(cause);
}

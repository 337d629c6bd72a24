// The one door to a database. Behind it is libsql (./libsql.ts) or PostgreSQL (./postgres.ts); before it is SQL that both understand.
//
// Tables are written `nearkin.events`: the schema's own name is put there on PostgreSQL, nothing on libsql. Parameters are written $1, $2, ….
import { NearkinError } from "@nearkin/core";

export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface SqlStatement {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
  /** ms that PostgreSQL may take to answer, where it is to be more than `queryTimeout`. */
  readonly timeout?: number;
}

export interface SqlDatabase extends AsyncDisposable {
  readonly kind: "libsql" | "postgres";
  /** What to call it in messages: a path, or an address without its password. */
  readonly place: string;
  /** Where the tables are; null on libsql, where the file is theirs alone. */
  readonly schema: string | null;
  /**
   * Runs a list as one transaction: all of it or nothing, durable when the promise resolves. The rows that each statement gives, in order.
   * Throws `StoreError`, or `SqlError` where a constraint does not hold.
   */
  run(statements: readonly SqlStatement[]): Promise<SqlRow[][]>;
  /** Something was written that other servers hold in memory: they are told, where there can be any. */
  changed(): void;
  /**
   * Resolves when what was deleted before is gone from the files beside the tables too: the write-ahead log of libsql is emptied. On PostgreSQL
   * nothing is done: VACUUM and the archives of its log decide.
   */
  scrub(): Promise<void>;
  /** Hears of what others have changed; null where there are no others. */
  readonly listen: ((options: ListenOptions) => AsyncDisposable) | null;
}

export interface ListenOptions {
  /** Something has changed, or may have while nobody listened. */
  onNotice: () => void;
  /** Whether it listens: told when that changes. */
  onListening: (listening: boolean) => void;
}

// A lone surrogate is no character: written as UTF-8 it becomes U+FFFD, and two ids become one. SQLite cuts a text at NUL, PostgreSQL
// refuses it.
const NO_TEXT = /\0|[\ud800-\udfff]/u;

/** Throws `BAD_ARGUMENT` for a value that would not come back as it went in. */
export function checkValues(values: readonly SqlValue[]): void {
  for (const value of values) {
    if (typeof value === "string") {
      if (NO_TEXT.test(value)) throw badValue("a text must be Unicode without NUL or lone surrogates", value);
    } else if (typeof value === "number" && !Number.isFinite(value)) {
      throw badValue("a number must be finite", value);
    }
  }
}

function badValue(rule: string, value: string | number): NearkinError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : value;
  return new NearkinError("BAD_ARGUMENT", `store: ${rule}, got ${shown}`);
}

// What SQLite's result codes mean to a store. The number is what counts: the library has names for some of them only.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { SqlError, StoreError } from "./errors.ts";

/** An error as the thread posts it. */
export interface Fault {
  message: string;
  /** SQLite's extended result code, whose low byte is the kind; absent where the file could not even be opened. */
  rawCode?: number;
  /** Another server has the file: this process, where it said so. */
  owned?: boolean;
  owner?: number;
}

const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
const CONSTRAINT_CHECK = 275;
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

export function toStoreError({ message, rawCode, owned, owner }: Fault, place: string): StoreError | SqlError {
  const cause = new Error(rawCode === undefined ? message : `${message} (${rawCode})`);
  if (owned) {
    const who = owner === undefined ? "another server" : `another server (process ${owner})`;
    return new StoreError("locked", `${who} has ${place}; end it, or name another file`, { cause });
  }
  if (rawCode === CONSTRAINT_UNIQUE || rawCode === CONSTRAINT_PRIMARYKEY)
    return new SqlError("unique", message, { cause });
  if (rawCode === CONSTRAINT_CHECK) return new SqlError("check", message, { cause });
  const kind = rawCode === undefined ? CANTOPEN : rawCode & 0xff;
  switch (kind === IOERR && isFull(place) ? FULL : kind) {
    case BUSY:
    case LOCKED:
      return new StoreError("locked", `another process is writing to ${place}; wait for it, or end it`, { cause });
    case FULL:
      return new StoreError("full", `the disk of ${place} is full; make room, and try again`, { cause });
    case IOERR:
      return new StoreError("unreachable", `the disk of ${place} fails (${message})`, { cause });
    case READONLY:
    case PERM:
      return new StoreError("read-only", `${place} cannot be written to; look at the permissions of file and folder`, {
        cause,
      });
    case CANTOPEN:
      return new StoreError("refused", `${place} cannot be opened; it must be a file that we may read and write`, {
        cause,
      });
    case NOTADB:
      return new StoreError(
        "foreign",
        `${place} is no database, or a damaged one; name another file, or restore a copy`,
        { cause },
      );
    case CORRUPT:
      return new StoreError("damaged", `${place} is damaged (${message}); restore a copy`, { cause });
    default:
      return new SqlError(null, message, { cause });
  }
}

/** A full disk shows as a failed write, or as a file that cannot grow. */
function isFull(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(place));
    return bavail * bsize < 1 << 20;
  } catch {
    return false;
  }
}

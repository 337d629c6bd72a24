// Which users a batch is for: all who have training events, or those of a list.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { NearkinError } from "@nearkin/core";

export interface AskedUsers {
  readonly ids: readonly string[];
  /** Of a list: lines that named a user once more. */
  readonly repeated: number;
  /** "all", or a hash of the ids. */
  readonly identity: string;
}

/** `which`: "all", or a file with an id on each line. */
export async function askedUsers(which: string, all: Iterable<string>): Promise<AskedUsers> {
  if (which === "all") return { ids: [...all], repeated: 0, identity: which };
  const named = (await readList(which))
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  const ids = [...new Set(named)];
  const identity = createHash("sha256").update(ids.join("\n")).digest("hex");
  return { ids, repeated: named.length - ids.length, identity };
}

async function readList(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--users: expected all, or a file with an id on each line; ${path} cannot be read`,
      { cause },
    );
  }
}

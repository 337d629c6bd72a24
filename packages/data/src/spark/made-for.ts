// What tables in a storage were made for. A storage outlives a run, and others may have written to it since: their tables are not taken for ours.
import { createHash } from "node:crypto";
import { NearkinError } from "@nearkin/core";
import type { Database } from "../database.ts";
import type { Sources } from "../prepare/read.ts";
import { sparkText } from "./dialect.ts";

export interface MadeFor {
  /** Stands for the script, wherever its tables and files are, and for the columns it takes. */
  script: string;
  /** Stands for the run, with its files: the key of its work folder. A script that is run elsewhere has none. */
  run: string;
}

/** The table that a script begins with: what fails half-way has changed the tables too. */
export const MADE_FOR = "made_for";

export const madeForQuery = ({ script, run }: MadeFor): string =>
  `SELECT ${sparkText(script)} AS script, ${sparkText(run)} AS run`;

export function scriptKey(sql: string, { interactions, items }: Sources): string {
  const columns = [interactions.columns, items?.columns, items?.fields];
  return createHash("sha256")
    .update(JSON.stringify([sql, columns]))
    .digest("hex");
}

/** Refuses tables of another run or, where no run is asked for, of another script. */
export async function checkMadeFor(database: Database, { script, run }: MadeFor, folder: string): Promise<void> {
  const made = await database.row<{ script: string; run: string }>(`SELECT script, run FROM ${MADE_FOR}`);
  if (run === "" ? made.script === script : made.run === run) return;
  throw new NearkinError(
    "BAD_DATASET",
    `${folder} holds the tables of ${run === "" ? "a script with other settings" : "another run"}; ` +
      (run === ""
        ? "run the script that --dry-run prints for these, and copy what it has written"
        : "give each run a --storage of its own, and start this one again without --resume"),
  );
}

// What tables in a storage were made for. A storage outlives a run, and others may have written to it since: their tables are not taken for ours.
import { createHash } from "node:crypto";
import { NearkinError } from "@nearkin/core";
import type { Database } from "../database.ts";
import type { Sources } from "../prepare/read.ts";
import { hashFile, type SourceFile } from "../sources/files.ts";
import { exactly, parquetAt, sparkText } from "./dialect.ts";

export interface MadeFor {
  /** Stands for the script, wherever its tables and files are, and for the columns it takes. */
  script: string;
  /** Stands for the run, with its files: the key of its work folder. A script that is run elsewhere has none. */
  run: string;
}

/** The table that a script begins with: what fails half-way has changed the tables too. */
export const MADE_FOR = "made_for";

/** What lies beside staged files, and stands for those that were staged: the column `inputs`. */
export const INPUTS = "inputs.parquet";

/** What was staged is looked up by the script itself: others may stage theirs between a run and its resumption. */
export const madeForQuery = ({ script, run }: MadeFor, staged: string): string =>
  `SELECT ${sparkText(script)} AS script, ${sparkText(run)} AS run, inputs FROM ${parquetAt(exactly(`${staged}/${INPUTS}`))}`;

/** Files of more bytes are told apart by their size: to hash them takes as long as to read them. */
const HASHED = 64e6;

export async function inputsKey(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) {
    const { bytes } = file;
    hash.update(`${bytes} ${bytes < HASHED ? (await hashFile(file)).sha256 : ""}\n`);
  }
  return hash.digest("hex");
}

export function scriptKey(sql: string, { interactions, items }: Sources): string {
  const columns = [interactions.columns, items?.columns, items?.fields];
  return createHash("sha256")
    .update(JSON.stringify([sql, columns]))
    .digest("hex");
}

/** Refuses tables of another run or, where no run is asked for, of another script; and those of other files. */
export async function checkMadeFor(
  database: Database,
  { script, run, inputs }: MadeFor & { inputs: string },
  folder: string,
): Promise<void> {
  const made = await database.row<{ script: string; run: string; inputs: string }>(
    `SELECT script, run, inputs FROM ${MADE_FOR}`,
  );
  const refuse = (what: string, advice: string) => {
    throw new NearkinError("BAD_DATASET", `${folder} holds the tables of ${what}; ${advice}`);
  };
  if (run !== "") {
    if (made.run === run && made.inputs === inputs) return;
    refuse("another run", "give each run a --storage of its own, and start this one again without --resume");
  }
  if (made.script !== script) {
    refuse(
      "a script with other settings",
      "run the script that --dry-run prints for these, and copy what it has written",
    );
  }
  if (made.inputs !== inputs) {
    refuse("other files", "stage these with --stage-only, run the script again, and copy what it has written");
  }
}

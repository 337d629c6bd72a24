// Events from files, in batches. How far an import is gets written together with each batch: stopped anywhere, it goes on from there, and what
// is done is not done again.
import { type JsonObject, NearkinError } from "@nearkin/core";
import { type ArrivalClock, acceptedOf, arrivalStatements, countLast } from "./arrivals.ts";
import { checkId } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";
import { breaks } from "./errors.ts";
import { type AddedEvents, addedEvents, EVENTS, eventRows, type NewEvent } from "./events.ts";

export interface Import {
  /** What is imported: a name that is another one when the content is. */
  source: string;
  /** How far it is, in the importer's own words; "" at the start. */
  cursor: string;
  /** Events accepted so far, and those that were there before. */
  accepted: number;
  duplicates: number;
  /** When all was done, in milliseconds since 1970; null: not yet. */
  finished: number | null;
  /** What the importer had to say at the end. */
  counts: JsonObject | null;
}

export interface ImportBatch {
  /** Where the batch begins: the cursor of the last one, "" for the first. */
  from: string;
  /** Where the next one begins. */
  to: string;
  events: readonly NewEvent[];
}

export interface ImportStore {
  get(source: string): Promise<Import | null>;
  /** All imports, by source. */
  list(): Promise<Import[]>;
  /** Adds a batch and moves the cursor, both or neither. Throws `BUSY` where the cursor is not at `from`: another importer is at work. */
  add(source: string, batch: ImportBatch): Promise<AddedEvents>;
  /** Notes that all is done; the first time counts. */
  finish(source: string, counts: JsonObject): Promise<Import>;
}

const COLUMNS = "source, import_cursor, accepted, duplicates, finished, counts";
const START = `INSERT INTO nearkin.imports (source, import_cursor, accepted, duplicates, misplaced) VALUES ($1, '', 0, 0, 0)
  ON CONFLICT (source) DO NOTHING`;
const WRITTEN = countLast("events", "(SELECT value FROM nearkin.counters WHERE name = 'events')", "$4");
const ADVANCE = `UPDATE nearkin.imports SET
    misplaced = CASE WHEN import_cursor = $2 AND finished IS NULL THEN 0 ELSE 1 END,
    import_cursor = $3,
    accepted = accepted + (${WRITTEN}),
    duplicates = duplicates + CAST($4 AS BIGINT) - (${WRITTEN})
  WHERE source = $1`;

export function importStore(
  database: SqlDatabase,
  { now, arrival }: { now: () => number; arrival: ArrivalClock },
): ImportStore {
  const select = `SELECT ${COLUMNS} FROM nearkin.imports`;
  const byName = (source: string) => ({ sql: `${select} WHERE source = $1`, values: [source] });

  return {
    async get(source) {
      checkId("a source", source);
      const [[row]] = await database.run([byName(source)]);
      return row ? readImport(row) : null;
    },

    async list() {
      return (await database.run([{ sql: `${select} ORDER BY source` }]))[0].map(readImport);
    },

    async add(source, { from, to, events }) {
      checkId("a source", source);
      const rows = eventRows(events, arrival());
      const advance = { sql: ADVANCE, values: [source, from, to, events.length] };
      try {
        const results = await database.run([
          ...arrivalStatements(database, EVENTS, rows),
          { sql: START, values: [source] },
          advance,
        ]);
        database.changed();
        return addedEvents(events, acceptedOf([rows], results)[0]);
      } catch (error) {
        if (!breaks(error, "check")) throw error;
        throw new NearkinError(
          "BUSY",
          `store: the import of ${source} is not at ${JSON.stringify(from)}; another one is at work, or done`,
          {
            cause: error,
          },
        );
      }
    },

    async finish(source, counts) {
      checkId("a source", source);
      const sql = "UPDATE nearkin.imports SET finished = $2, counts = $3 WHERE source = $1 AND finished IS NULL";
      const [, , [row]] = await database.run([
        { sql: START, values: [source] },
        { sql, values: [source, now(), JSON.stringify(counts)] },
        byName(source),
      ]);
      return readImport(row);
    },
  };
}

function readImport(row: SqlRow): Import {
  return {
    source: row.source as string,
    cursor: row.import_cursor as string,
    accepted: row.accepted as number,
    duplicates: row.duplicates as number,
    finished: row.finished as number | null,
    counts: row.counts === null ? null : (JSON.parse(row.counts as string) as JsonObject),
  };
}

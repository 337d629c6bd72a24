// Which model serves: the last one activated. Going back to a model is a further activation.
import { checkId, checkPage, checkWhole } from "./checks.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";

export interface Activation {
  /** From 1, without gaps. */
  sequence: number;
  model: string;
  folder: string;
  /** Milliseconds since 1970. */
  time: number;
}

export interface ActivationStore {
  /** The last activation; null where there was none. */
  active(): Promise<Activation | null>;
  /** The first activation of a model; null where it was never active. */
  firstOf(model: string): Promise<Activation | null>;
  /** The last activations, newest first. */
  list(options: { limit: number }): Promise<Activation[]>;
  /** Activates a model where the last activation is still number `expected` (0: none yet); null where another came between. */
  activate(model: string, folder: string, expected: number): Promise<Activation | null>;
}

const COLUMNS = "sequence, model_id, folder, time";

export function activationStore(database: SqlDatabase, now: () => number): ActivationStore {
  const list: ActivationStore["list"] = async ({ limit }) => {
    checkPage({ limit });
    const sql = `SELECT ${COLUMNS} FROM nearkin.activations ORDER BY sequence DESC LIMIT $1`;
    return (await database.run([{ sql, values: [limit] }]))[0].map(readActivation);
  };

  return {
    list,

    async active() {
      return (await list({ limit: 1 }))[0] ?? null;
    },

    async firstOf(model) {
      checkId("a model", model);
      const sql = `SELECT ${COLUMNS} FROM nearkin.activations WHERE model_id = $1 ORDER BY sequence LIMIT 1`;
      const [[row]] = await database.run([{ sql, values: [model] }]);
      return row ? readActivation(row) : null;
    },

    async activate(model, folder, expected) {
      checkId("a model", model);
      checkWhole("expected", expected);
      // Two at once want the same number: the later of them meets the row of the earlier.
      const sql = `INSERT INTO nearkin.activations (${COLUMNS})
        SELECT CAST($1 AS BIGINT) + 1, $2, $3, CAST($4 AS BIGINT)
        WHERE (SELECT COALESCE(MAX(sequence), 0) FROM nearkin.activations) = CAST($1 AS BIGINT)
        ON CONFLICT (sequence) DO NOTHING RETURNING ${COLUMNS}`;
      const [[row]] = await database.run([{ sql, values: [expected, model, folder, now()] }]);
      if (row) database.changed();
      return row ? readActivation(row) : null;
    },
  };
}

function readActivation(row: SqlRow): Activation {
  return {
    sequence: row.sequence as number,
    model: row.model_id as string,
    folder: row.folder as string,
    time: row.time as number,
  };
}

// The tables of a dataset, made by DuckDB: the steps that are SQL, in order, top to bottom. Each has a file in ../../sql.
import type { Config } from "../config/schema.ts";
import type { Database } from "../database.ts";
import { checkTraining } from "./check-training.ts";
import { catalogueFields, cleanParameters, NEVER, splitParameters, truthParameters } from "./parameters.ts";
import { checkRows, readInteractions, readItems } from "./read.ts";
import { checkRejects } from "./rejects.ts";
import type { Reporter } from "./reporter.ts";
import { sqlStep } from "./sql.ts";
import type { Outcome, RunContext } from "./steps.ts";
import { makeSuspects } from "./suspects.ts";

/** Steps that are reported. */
export const DUCKDB_STEPS = 15;

export async function duckdbTables(context: RunContext, reporter: Reporter): Promise<Outcome["rows"]> {
  const { config, work, sources } = context;
  const { database } = work;
  const sql = (name: string, parameters?: Parameters<typeof sqlStep>[1]) => () =>
    database.run(sqlStep(name, parameters));
  const cleaning = { ...cleanParameters(config, sources.interactions.columns), rowNumber: "" };
  const rowsOf = (table: string, words: string) => [`(SELECT COUNT(*) FROM ${table})`, words];

  await reporter.step(
    "interactions",
    "read interactions",
    () => readInteractions(database, sources.interactions, sqlStep("clean-interactions", cleaning)),
    rowsOf("checked_interactions", "rows"),
  );
  await reporter.step("items", "read items", () => readItems(database, sources.items), rowsOf("read_items", "rows"));
  await reporter.step("check", "check rows", () => checkRows(database));
  const rows = await checkRejects(database, sources, config.rejectLimit);
  await reporter.step("sort-ids", "sort ids", sql("sort-ids"));
  await reporter.step(
    "index",
    "number users and items",
    async () => {
      await database.run("CREATE VIEW numbered_user_ids AS SELECT rowid AS row_number, * FROM user_ids");
      await database.run("CREATE VIEW numbered_item_ids AS SELECT rowid AS row_number, * FROM item_ids");
      await sql("index")();
      await database.run("DROP VIEW numbered_user_ids; DROP VIEW numbered_item_ids");
      await database.run("DROP TABLE user_ids; DROP TABLE item_ids");
    },
    rowsOf("users", "users"),
  );
  await reporter.step(
    "number-interactions",
    "number interactions",
    async () => {
      await sql("number-interactions", { hasTime: sources.interactions.columns.time !== undefined })();
      // The largest table, and all text: no step needs it any more.
      await database.run("DROP VIEW numbered_interactions; DROP TABLE checked_interactions");
    },
    rowsOf("indexed_interactions", "interactions"),
  );
  await reporter.step(
    "deduplicate",
    "keep the last interaction of a user with an item",
    async () => {
      await makeSuspects(database);
      await sql("deduplicate", { before: "", timeLimit: NEVER })();
    },
    ["(SELECT COALESCE(SUM(copies - 1), 0) FROM duplicated)", "duplicates"],
  );
  await reporter.step("first-seen", "first interactions", sql("first-seen"), rowsOf("first_seen", "items"));
  await reporter.step(
    "split",
    `split: ${config.split.by}`,
    sql(`split-${config.split.by}`, splitParameters(config)),
    rowsOf("item_role WHERE role <> 'train'", "items held out"),
  );
  await reporter.step(
    "training",
    "training histories",
    async () => {
      // T as a number: engines plan a comparison with it far better than one with a table of one row.
      const { limit } = await database.row<{ limit: string }>('SELECT CAST(time_limit AS VARCHAR) AS "limit" FROM cut');
      await sql("deduplicate", { before: "_before", timeLimit: limit })();
      await sql("training")();
    },
    rowsOf("training", "interactions"),
  );
  await reporter.step("statistics", "item and user statistics", async () => {
    // `rowid` counts up along the whole table, which is ordered by user and time.
    await database.run("CREATE VIEW history AS SELECT rowid AS event, * FROM training");
    await sql("statistics", { shrinkage: config.statistics.shrinkage })();
  });
  await checkTraining(database, config);
  await reporter.step(
    "pairs",
    `pairs within ${config.pairs.window} steps`,
    () => makePairs(database, config),
    rowsOf("pairs", "pairs"),
  );
  await reporter.step("matrix", "degrees of the user × item matrix", sql("matrix"));
  await reporter.step(
    "truth",
    "truths of held-out items",
    () => makeTruth(database, config),
    rowsOf("queries", "query items"),
  );
  await reporter.step(
    "catalogue",
    "catalogue",
    sql("catalogue", { fields: catalogueFields(sources) }),
    rowsOf("catalogue", "items"),
  );
  return rows;
}

async function makePairs(database: Database, { pairs, seed }: Config): Promise<void> {
  const { users, longest } = await database.row<{ users: number; longest: number }>(
    "SELECT COUNT(*) AS users, MAX(events) AS longest FROM user_statistics",
  );
  const most = Math.min(pairs.perUser, Math.floor(pairs.total / users), longest * pairs.window);
  const perUser = Math.max(1, most);
  await database.run(`CREATE TEMP TABLE counter AS SELECT range AS k FROM range(${perUser})`);
  await database.run(
    sqlStep("pairs", { window: pairs.window, perUser, seed, counter: "JOIN counter ON counter.k < capped.kept" }),
  );
  await database.run("DROP TABLE counter");
}

async function makeTruth(database: Database, config: Config): Promise<void> {
  const { items, users } = truthParameters(config);
  await database.run(sqlStep("truth-items", items));
  if (config.split.by === "users") await database.run(sqlStep("truth-users", users));
}

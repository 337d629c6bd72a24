// Preparation as one script for Spark: every step that is SQL, from the staged sources to the tables that become the dataset. It asks nothing
// back on its way, so that it can be run by any platform that runs Spark SQL.
import type { Config } from "../config/schema.ts";
import { catalogueFields, cleanParameters, NEVER, splitParameters, truthParameters } from "../prepare/parameters.ts";
import type { Sources } from "../prepare/read.ts";
import { type Parameters, sqlStep } from "../prepare/sql.ts";
import { exactly, fileStarts, numberedRows, parquetAt, SparkDialect, sparkColumn, sparkFunctions } from "./dialect.ts";
import { LOST_ROWS } from "./failure.ts";
import { MADE_FOR, type MadeFor, madeForQuery, scriptKey } from "./made-for.ts";
import { INTERACTIONS, ITEMS } from "./stage.ts";

export interface SparkStep {
  readonly name: string;
  readonly title: string;
  readonly sql: string;
}

export interface ScriptPlan {
  /** The run that it is made for; none where it is run elsewhere. */
  run: string;
  config: Config;
  sources: Sources;
  /** Patterns for Parquet files of interactions that Spark reads where they are; none where they are staged. */
  inPlace: readonly string[];
  /** Folder or URL of what Node has put there: items, and interactions that are not Parquet. */
  staged: string;
  /** Folder or URL of the tables. */
  tables: string;
}

/** What the dataset is made from. All others are only on the way. */
export const TABLES = [
  MADE_FOR,
  "source_files",
  "rejected_rows",
  "duplicated",
  "users",
  "items",
  "user_role",
  "cut",
  "training",
  "totals",
  "item_statistics",
  "user_statistics",
  "pairs",
  "matrix_rows",
  "matrix_columns",
  "queries",
  "truth_co_interaction",
  "truth_affinity",
  "truth_item_statistics",
  "catalogue",
] as const;

/** And this one where users are held out. */
export const USER_TABLES = ["truth_users"] as const;

export interface Script {
  steps: SparkStep[];
  /** What its tables will say that they were made for. */
  madeFor: MadeFor;
}

/** The steps, the first of which says what the tables are made for. */
export function sparkScriptFor(plan: ScriptPlan): Script {
  const anywhere = { ...plan, inPlace: plan.inPlace.map(() => ""), staged: "", tables: "" };
  const madeFor = { script: scriptKey(sqlOf(sparkSteps(anywhere)), plan.sources), run: plan.run };
  const mark = new SparkDialect(plan.tables).table(MADE_FOR, madeForQuery(madeFor, plan.staged));
  const steps = sparkSteps(plan).map((step, k) => (k === 0 ? { ...step, sql: mark + step.sql } : step));
  return { steps, madeFor };
}

/** The steps in order, top to bottom: those of duckdb-tables.ts. */
function sparkSteps({ config, sources, inPlace, staged, tables }: Omit<ScriptPlan, "run">): SparkStep[] {
  const dialect = new SparkDialect(tables, ["interactions", ...TABLES]);
  const sql = (name: string, parameters?: Parameters) => dialect.translate(sqlStep(name, parameters));
  const { columns } = sources.interactions;
  const { pairs, split, seed, statistics } = config;
  const truth = truthParameters(config);
  const stagedInteractions = parquetAt(exactly(`${staged}/${INTERACTIONS}`));
  const readInteractions =
    inPlace.length > 0
      ? dialect.table("interaction_files", fileStarts(inPlace)) +
        dialect.view("raw_interactions", cellsInPlace(inPlace, columns))
      : dialect.view(
          "raw_interactions",
          `SELECT _metadata.row_index AS row_number, file, damage, user_id, item_id, rating, time FROM ${stagedInteractions}`,
        );
  const sourceRows =
    inPlace.length > 0
      ? "SELECT COALESCE(SUM(total), 0) FROM interaction_files"
      : `SELECT COUNT(*) FROM ${stagedInteractions}`;
  const items = `SELECT _metadata.row_index AS row_number, * FROM ${parquetAt(exactly(`${staged}/${ITEMS}`))}`;
  return [
    {
      name: "interactions",
      title: "read interactions",
      sql:
        sparkFunctions() +
        readInteractions +
        sql("clean-interactions", { ...cleanParameters(config, columns), rowNumber: ", row_number" }) +
        dialect.view("numbered_interactions", "SELECT * FROM checked_interactions"),
    },
    { name: "items", title: "read items", sql: dialect.view("numbered_items", items) + sql("clean-items") },
    { name: "check", title: "check rows", sql: sql("check") },
    {
      name: "sort-ids",
      title: "sort ids",
      sql: sql("sort-ids") + dialect.numbered("user_ids") + dialect.numbered("item_ids"),
    },
    { name: "index", title: "number users and items", sql: sql("index") },
    {
      name: "number-interactions",
      title: "number interactions",
      sql: sql("number-interactions", { hasTime: columns.time !== undefined }) + noRowIsLost(sourceRows),
    },
    {
      name: "deduplicate",
      title: "keep the last interaction of a user with an item",
      // Whom to suspect is found out by a look along all rows in their order, which Spark does not keep: everybody is.
      sql:
        dialect.view("suspects", "SELECT user_index FROM users") + sql("deduplicate", { before: "", timeLimit: NEVER }),
    },
    { name: "first-seen", title: "first interactions", sql: sql("first-seen") },
    { name: "split", title: `split: ${split.by}`, sql: sql(`split-${split.by}`, splitParameters(config)) },
    {
      name: "training",
      title: "training histories",
      // Who has done nothing twice has done nothing twice before the cut.
      sql:
        dialect.view("suspects", "SELECT DISTINCT user_index FROM duplicated") +
        sql("deduplicate", { before: "_before", timeLimit: "(SELECT time_limit FROM cut)" }) +
        sql("training"),
    },
    {
      name: "statistics",
      title: "item and user statistics",
      sql:
        dialect.numbered("training") +
        // Stored: four queries of this step and the next read it.
        dialect.table(
          "history",
          "SELECT row_number AS event, user_index, item_index, rating, time FROM numbered_training",
        ) +
        sql("statistics", { shrinkage: statistics.shrinkage }),
    },
    {
      name: "pairs",
      title: `pairs within ${pairs.window} steps`,
      sql:
        dialect.table("pair_cap", pairCap(config)) +
        sql("pairs", {
          window: pairs.window,
          perUser: "(SELECT per_user FROM pair_cap)",
          seed,
          counter: "LATERAL VIEW EXPLODE(SEQUENCE(CAST(0 AS BIGINT), kept - 1)) counter AS k",
        }),
    },
    { name: "matrix", title: "degrees of the user × item matrix", sql: sql("matrix") },
    {
      name: "truth",
      title: "truths of held-out items",
      sql: sql("truth-items", truth.items) + (split.by === "users" ? sql("truth-users", truth.users) : ""),
    },
    {
      name: "catalogue",
      title: "catalogue",
      sql: sql("catalogue", { fields: catalogueFields(sources) }),
    },
  ];
}

/**
 * Workers that write to disks of their own make no error: what they wrote is missing. Every row of the source must be there, as an event or as one that is
 * refused.
 */
const noRowIsLost = (sourceRows: string) => `SELECT assert_true(
  (SELECT COUNT(*) FROM indexed_interactions) + (SELECT COUNT(*) FROM rejected_rows WHERE source = 'interactions') = (${sourceRows}),
  '${LOST_ROWS}');
`;

/** What a step prints when it is done, for whoever waits. */
export const DONE = "nearkin step";

export function sqlOf(steps: readonly SparkStep[]): string {
  return steps.map(({ name, title, sql }) => `-- === ${title}\n${sql}SELECT '${DONE} ${name}';\n`).join("\n");
}

/** At most so many pairs of a user: as configured, fewer where all together would be too many. */
function pairCap({ pairs: { perUser, total, window } }: Config): string {
  return `SELECT GREATEST(1, LEAST(${perUser}, CAST(FLOOR(${total} / GREATEST(COUNT(*), 1)) AS BIGINT), MAX(CAST(events AS BIGINT)) * ${window})) AS per_user
FROM user_statistics`;
}

/** Interactions of Parquet files as text, as the cleaning step takes them. */
function cellsInPlace(patterns: readonly string[], columns: Sources["interactions"]["columns"]): string {
  const cell = (column: string | undefined, name: string) =>
    `CAST(${column === undefined ? "NULL" : sparkColumn(column)} AS STRING) AS ${name}`;
  const cells = [
    cell(columns.user, "user_id"),
    cell(columns.item, "item_id"),
    cell(columns.rating, "rating"),
    cell(columns.time, "time"),
  ];
  return numberedRows(patterns, "interaction_files", {
    cells: cells.join(", "),
    columns: `files.first_row + parts.nearkin_row AS row_number,
  files.file,
  CAST(NULL AS STRING) AS damage,
  parts.user_id, parts.item_id, parts.rating, parts.time`,
  });
}

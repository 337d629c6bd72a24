// The steps in order, top to bottom. Those that are SQL have a file each in ../../sql; factors and channels are stages, kept for a resumed
// run whatever became of the tables.
import { createEngine, type Engine, NearkinError } from "@nearkin/core";
import { type Config, foldsOf } from "../config/schema.ts";
import type { Database } from "../database.ts";
import { Catalogue } from "./catalogue.ts";
import type { PrepareEvent } from "./events.ts";
import { writeFactors } from "./factors.ts";
import type { PrepareOptions } from "./prepare.ts";
import { checkRows, readInteractions, readItems, type Sources } from "./read.ts";
import { checkRejects, locateCells, type RowCounts, rejectedRows, tooMany, writeRejects } from "./rejects.ts";
import { sqlStep } from "./sql.ts";
import { makeSuspects } from "./suspects.ts";
import { openTables, truthTables, truthUserTables, writeTable } from "./tables.ts";
import type { WorkFolder } from "./work.ts";
import { type StoredChannel, writeChannel } from "./write-channel.ts";

export interface RunContext {
  config: Config;
  /** Where relative file names of the configuration start. */
  folder: string;
  options: PrepareOptions;
  work: WorkFolder;
  sources: Sources;
  emit: (event: PrepareEvent) => void;
}

/** What the steps leave besides tables and files. */
export interface Outcome {
  rows: Record<"interactions" | "items", RowCounts>;
  /** Surrogate factors that were found. */
  factors: number;
  channels: Map<string, StoredChannel>;
}

/** Later than every time: the largest BIGINT, as the splits without a cut have it. */
const NEVER = "9223372036854775807";

export async function runSteps(context: RunContext): Promise<Outcome> {
  const { config, options, work, sources } = context;
  const { database } = work;
  const fields = sources.items?.fields ?? [];
  const channelNames = Object.keys(config.channels);
  const reporter = new Reporter(context, 16 + channelNames.length + (config.factors.count > 0 ? 1 : 0));
  await database.run(sqlStep("duckdb"));

  /** A step whose outcome is tables; `count` is a query for the figure to report, in `words`. */
  const step = (name: string, title: string, run: () => Promise<void>, [count, words]: readonly string[] = []) =>
    reporter.report(name, title, async () => {
      const kept = (await work.step(name, run)) === "kept";
      if (kept || count === undefined) return { kept, detail: "" }; // its tables may have served their time
      const { n } = await database.row<{ n: number }>(`SELECT ${count} AS n`);
      return { kept, detail: `${n.toLocaleString("en")} ${words}` };
    });
  const sql = (name: string, parameters?: Parameters<typeof sqlStep>[1]) => () =>
    database.run(sqlStep(name, parameters));
  const rowsOf = (table: string, words: string) => [`(SELECT COUNT(*) FROM ${table})`, words];

  await step(
    "interactions",
    "read interactions",
    () => readInteractions(database, config, sources.interactions),
    rowsOf("checked_interactions", "rows"),
  );
  await step("items", "read items", () => readItems(database, sources.items), rowsOf("read_items", "rows"));
  await step("check", "check rows", () => checkRows(database));
  const rows = await checkRejects(database, sources, config.rejectLimit);
  await step("index", "number users and items", sql("index"), rowsOf("users", "users"));
  await step(
    "number-interactions",
    "number interactions",
    async () => {
      await sql("number-interactions", { hasTime: sources.interactions.columns.time !== undefined })();
      // The largest table, and all text: no step needs it any more.
      await database.run("DROP VIEW numbered_interactions; DROP TABLE checked_interactions");
    },
    rowsOf("indexed_interactions", "interactions"),
  );
  await step(
    "deduplicate",
    "keep the last interaction of a user with an item",
    async () => {
      await makeSuspects(database);
      await sql("deduplicate", { before: "", timeLimit: NEVER })();
    },
    ["(SELECT COALESCE(SUM(copies - 1), 0) FROM duplicated)", "duplicates"],
  );
  await step("first-seen", "first interactions", sql("first-seen"), rowsOf("first_seen", "items"));
  await step(
    "split",
    `split: ${config.split.by}`,
    sql(`split-${config.split.by}`, splitParameters(config)),
    rowsOf("item_role WHERE role <> 'train'", "items held out"),
  );
  await step(
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
  await step("statistics", "item and user statistics", async () => {
    // `rowid` counts up along the whole table, which is ordered by user and time.
    await database.run("CREATE VIEW history AS SELECT rowid AS event, * FROM training");
    await sql("statistics", { shrinkage: config.statistics.shrinkage })();
  });
  await checkTraining(database, config);
  await step(
    "pairs",
    `pairs within ${config.pairs.window} steps`,
    () => makePairs(database, config),
    rowsOf("pairs", "pairs"),
  );
  await step("matrix", "degrees of the user × item matrix", sql("matrix"));
  await step("truth", "truths of held-out items", () => makeTruth(database, config), rowsOf("queries", "query items"));
  const fieldColumns = fields.map((_, k) => `,\n  checked_items.field_${k + 1}`).join("");
  await step("catalogue", "catalogue", sql("catalogue", { fields: fieldColumns }), rowsOf("catalogue", "items"));
  await step("tables", "write tables", async () => {
    const truth = [...truthTables, ...(config.split.by === "users" ? truthUserTables : [])];
    for (const { path, sql: query } of [...openTables(fields), ...truth]) {
      await writeTable(database, query, work.path(path));
    }
  });

  const catalogue = await Catalogue.open(database, fields);
  // The strict engine, whatever else there is: its bits are the same everywhere, and a dataset's bytes must be.
  await using engine = await createEngine({
    engine: "wasm",
    ...(options.threads === undefined ? {} : { workers: options.threads }),
  });
  let factors = 0;
  if (config.factors.count > 0) {
    await reporter.report("factors", `${config.factors.count} surrogate factors`, async () => {
      const { result, kept } = await work.stage("factors", () => makeFactors(context, engine, catalogue.itemCount));
      factors = result;
      return { kept, detail: `${factors} factors` };
    });
  }
  const channels = new Map<string, StoredChannel>();
  for (const name of channelNames) {
    await reporter.report(`channel ${name}`, `channel ${name}`, async () => {
      const { result, kept } = await work.stage(`channel-${name}`, () =>
        writeChannel(name, context, catalogue, engine),
      );
      channels.set(name, result);
      return { kept, detail: coverage(result, catalogue.itemCount) };
    });
  }
  await checkCells(context, channels, catalogue.itemCount);
  await step("rejects", "rejects", () => listRejects(context, channels));
  return { rows, factors, channels };
}

/** Says what begins and what is done, and stops between steps when asked to. */
class Reporter {
  readonly #context: RunContext;
  readonly #steps: number;
  #number = 0;

  constructor(context: RunContext, steps: number) {
    this.#context = context;
    this.#steps = steps;
    context.emit({ type: "start", out: context.work.out, steps, resumed: context.work.resumed });
  }

  async report(name: string, title: string, run: () => Promise<{ kept: boolean; detail: string }>): Promise<void> {
    const { options, emit } = this.#context;
    options.signal?.throwIfAborted();
    const place = { name, title, number: ++this.#number, steps: this.#steps };
    emit({ type: "step", ...place });
    const started = performance.now();
    const done = await run();
    emit({ type: "done", ...place, ...done, seconds: (performance.now() - started) / 1000 });
  }
}

function splitParameters({ split, seed }: Config): Parameters<typeof sqlStep>[1] {
  const { by, fraction, fold = 1, users, userEvents } = split;
  if (by === "none") return {};
  if (by === "time") return { fraction };
  if (by === "random") return { fraction, seed, fold, next: fold < foldsOf(fraction) ? fold + 1 : 1 };
  return { fraction, seed, users, leastEvents: userEvents[0], mostEvents: userEvents[1] };
}

async function checkTraining(database: Database, { split }: Config): Promise<void> {
  const { events } = await database.row<{ events: number }>("SELECT events FROM totals");
  if (events > 0) return;
  throw new NearkinError(
    "BAD_SOURCE",
    `no interaction is left for training after the split by ${split.by}: ` +
      "most items were first seen at the same moment, or there are too few; try split: random or none",
  );
}

async function makePairs(database: Database, { pairs, seed }: Config): Promise<void> {
  const { users, longest } = await database.row<{ users: number; longest: number }>(
    "SELECT COUNT(*) AS users, MAX(events) AS longest FROM user_statistics",
  );
  const most = Math.min(pairs.perUser, Math.floor(pairs.total / users), longest * pairs.window);
  const perUser = Math.max(1, most);
  await database.run(`CREATE TEMP TABLE counter AS SELECT range AS k FROM range(${perUser})`);
  await database.run(sqlStep("pairs", { window: pairs.window, perUser, seed }));
  await database.run("DROP TABLE counter");
}

async function makeTruth(database: Database, { truth, split, seed }: Config): Promise<void> {
  const { neighbours, minCommonUsers, maxQueries } = truth;
  await database.run(sqlStep("truth-items", { neighbours, minCommonUsers, maxQueries, seed }));
  if (split.by === "users") await database.run(sqlStep("truth-users", { support: split.support }));
}

function makeFactors({ config, work }: RunContext, engine: Engine, itemCount: number): Promise<number> {
  const { count, passes } = config.factors;
  const path = work.path("train/factors.safetensors");
  return writeFactors(work.database, engine, path, { count, passes, seed: config.seed, itemCount });
}

function coverage({ entry }: StoredChannel, items: number): string {
  const share = items === 0 ? 0 : Math.round((100 * entry.present) / items);
  const unreadable = entry.unreadable > 0 ? `, ${entry.unreadable.toLocaleString("en")} cells unreadable` : "";
  return `${share} % of items${unreadable}`;
}

/** Stops when a channel's cells are worse than the limit allows. */
async function checkCells(
  { config, work, sources }: RunContext,
  channels: Outcome["channels"],
  items: number,
): Promise<void> {
  for (const [name, { bad }] of channels) {
    if (bad.length <= config.rejectLimit * items) continue;
    const located = await locateCells(work.database, sources, bad);
    throw tooMany(`channels.${name}`, bad.length, items, config.rejectLimit, located);
  }
}

async function listRejects({ work, sources }: RunContext, channels: Outcome["channels"]): Promise<void> {
  const { database } = work;
  const bad = [...channels.values()].flatMap((channel) => channel.bad);
  const all = [
    ...(await rejectedRows(database, sources, "interactions")),
    ...(await rejectedRows(database, sources, "items")),
    ...(await locateCells(database, sources, bad)),
  ];
  await writeRejects(database, all, work.scratch("rejects.jsonl"), work.path("rejects.parquet"));
}

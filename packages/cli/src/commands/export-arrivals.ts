// nearkin export events, nearkin export feedback: everything that arrived at a store, in that order.
import type { Store, StoredEvent, StoredFeedback } from "@nearkin/serve/store";
import { Command, InvalidArgumentError } from "commander";
import { wholeNumber } from "../engine.ts";
import { checkOut, turnOf } from "../export/out-file.ts";
import { isoTime, pagesOf } from "../export/pages.ts";
import { openRowTable, TABLE_KINDS, type TableColumn, type TableRow } from "../export/row-table.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { openStoreBeside, type StoreFlag, withStoreFlag } from "../store-flag.ts";
import { StopSignals } from "../training-stop.ts";

interface ArrivalFlags extends StoreFlag {
  out: string;
  since: number;
  json?: boolean;
}

interface EventFlags extends ArrivalFlags {
  types?: readonly string[];
  rated?: boolean;
  ratings: boolean;
}

function withArrivalFlags(command: Command): Command {
  return withStoreFlag(command, "the store of the server")
    .requiredOption("--out <file>", "the file to write, .parquet, .jsonl or .csv; it is replaced when all is done")
    .option(
      "--since <arrival>",
      "only what arrived behind this number, the last one of an earlier file",
      wholeNumber(0),
      0,
    )
    .option("--json", "print how many rows were written, and the number of the last arrival, as JSON");
}

export function exportEventsCommand(output: Output): Command {
  return withArrivalFlags(new Command("events").description("what users did, as nearkin prepare reads interactions"))
    .option("--types <list>", "only events of these types, such as rating,buy", parseTypes)
    .option("--rated", "only events with a rating")
    .option("--no-ratings", "leave out the column rating: to prepare, every event then counts as 1")
    .addHelpText(
      "after",
      `
Columns: user, item, rating (empty where there is none), time (ISO 8601), type, arrival; in the order of arrival. nearkin prepare finds the
first four by their names. It leaves out rows with an empty rating: where only some events have one, choose --rated or --no-ratings.

A file of everything is the right one for training: an increment (--since) keeps events of users who were deleted from the store meanwhile.

Examples:
  $ nearkin export events --store films.db --out events.parquet
  $ nearkin export events --store films.db --rated --out ratings.parquet
  $ nearkin export events --store films.db --since 184020 --out monday.csv`,
    )
    .action((flags: EventFlags) => runEvents(flags, output));
}

export function exportFeedbackCommand(output: Output): Command {
  return withArrivalFlags(new Command("feedback").description("what became of recommendations: shown, clicked, …"))
    .addHelpText(
      "after",
      `
Columns: recommendation, user, item, action, position, time (ISO 8601), model, arrival; in the order of arrival.

Examples:
  $ nearkin export feedback --store films.db --out feedback.parquet`,
    )
    .action(async (flags: ArrivalFlags) => {
      await exportArrivals(
        { what: "feedback", read: (store) => store.feedback.page, columns: FEEDBACK },
        flags,
        output,
      );
    });
}

async function runEvents(flags: EventFlags, output: Output): Promise<void> {
  const { types, rated = false, ratings } = flags;
  const keep = (event: StoredEvent) =>
    (types === undefined || types.includes(event.type)) && (!rated || event.rating !== null);
  let unrated = 0;
  const see = (event: StoredEvent) => {
    if (event.rating === null) unrated++;
  };
  const columns = ratings ? EVENTS : EVENTS.filter(({ name }) => name !== "rating");
  const written = await exportArrivals(
    { what: "events", read: (store) => store.events.page, columns, keep, see },
    flags,
    output,
  );
  if (!ratings || unrated === 0) return;
  const [some, advice] =
    unrated === written ? ["no event has a rating", ""] : [`${count(unrated)} events have no rating`, "--rated or "];
  output.log(`note: ${some}, and nearkin prepare leaves such rows out; export with ${advice}--no-ratings\n`);
}

/** A column, and its cell of a row. */
type Column<T> = TableColumn & { of: (row: T) => string | number | null };

const EVENTS: readonly Column<StoredEvent>[] = [
  { name: "user", type: "text", of: ({ user }) => user },
  { name: "item", type: "text", of: ({ item }) => item },
  { name: "rating", type: "double", of: ({ rating }) => rating },
  { name: "time", type: "text", of: ({ time }) => isoTime(time) },
  { name: "type", type: "text", of: ({ type }) => type },
  { name: "arrival", type: "long", of: ({ arrival }) => arrival },
];

const FEEDBACK: readonly Column<StoredFeedback>[] = [
  { name: "recommendation", type: "text", of: ({ recommendation }) => recommendation },
  { name: "user", type: "text", of: ({ user }) => user },
  { name: "item", type: "text", of: ({ item }) => item },
  { name: "action", type: "text", of: ({ action }) => action },
  { name: "position", type: "long", of: ({ position }) => position },
  { name: "time", type: "text", of: ({ time }) => isoTime(time) },
  { name: "model", type: "text", of: ({ model }) => model },
  { name: "arrival", type: "long", of: ({ arrival }) => arrival },
];

interface Arrivals<T> {
  what: string;
  read: (store: Store) => (options: { after: number; limit: number }) => Promise<T[]>;
  columns: readonly Column<T>[];
  /** @default all */
  keep?: (row: T) => boolean;
  /** Shown every row that is written. */
  see?: (row: T) => void;
}

/** Rows written. */
async function exportArrivals<T extends { arrival: number }>(
  { what, read, columns, keep = () => true, see }: Arrivals<T>,
  { store: place, out, since, json }: ArrivalFlags,
  output: Output,
): Promise<number> {
  const kind = await checkOut(out, TABLE_KINDS);
  await using store = await openStoreBeside(place);
  await using table = await openRowTable(out, kind, columns);
  using stop = new StopSignals();
  const started = performance.now();
  const live = liveLine(output);
  live.show(`${what} of ${store.place} …`);
  let last = since;
  let rows = 0;
  for await (const page of pagesOf(read(store), since)) {
    const kept = page.filter(keep);
    if (see) kept.forEach(see);
    await table.append(kept.map((row): TableRow => columns.map(({ of }) => of(row))));
    rows += kept.length;
    last = page[page.length - 1].arrival;
    await turnOf(stop);
    live.now(`${count(rows)} rows of ${what}`);
  }
  await table.finish();
  const seconds = (performance.now() - started) / 1000;
  live.end(`${count(rows)} rows of ${what} in ${duration(seconds)}; what comes later has --since ${last}`);
  output.write(json ? `${JSON.stringify({ out, rows, last })}\n` : `${out}\n`);
  return rows;
}

const count = (n: number): string => n.toLocaleString("en");

function parseTypes(text: string): string[] {
  const types = text.split(",").map((type) => type.trim());
  if (types.includes("")) throw new InvalidArgumentError("Expected types, such as rating,buy.");
  return types;
}

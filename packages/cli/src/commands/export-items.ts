// nearkin export items: the catalogue as it is served, for the next training.
import { decodeModel } from "@nearkin/core";
import { type Config, parseConfig, resolveSource } from "@nearkin/data";
import { readFolder } from "@nearkin/serve/folder";
import { Command } from "commander";
import { itemColumns } from "../export/item-columns.ts";
import { checkOut, turnOf } from "../export/out-file.ts";
import { openRowTable, TABLE_KINDS } from "../export/row-table.ts";
import { itemTable, readChanges, type ServedFigures, servedItems } from "../export/served-items.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { openStoreBeside, type StoreFlag, withStoreFlag } from "../store-flag.ts";
import { StopSignals } from "../training-stop.ts";

interface ItemFlags extends StoreFlag {
  model: string;
  out: string;
  config?: string;
  withDeleted?: boolean;
  json?: boolean;
}

export function exportItemsCommand(output: Output): Command {
  const command = new Command("items").description("the catalogue as it is served, as nearkin prepare reads items");
  return withStoreFlag(command, "the store of the server")
    .requiredOption("--model <folder>", "the model that is served")
    .requiredOption("--out <file>", "the file to write, .parquet, .jsonl or .csv; it is replaced when all is done")
    .option(
      "--config <file>",
      "the nearkin.yaml that will read the file: it says which column each channel is read from",
    )
    .option("--with-deleted", "items of the model keep their row where they were deleted")
    .option("--json", "print how many rows were written as JSON")
    .addHelpText(
      "after",
      `
The model's own items have the columns that it kept, as they stood in the file; those that were deleted are left out. Items put at run time have
their fields, and what was given for a channel stands in the column that the channel is read from, written as prepare reads it: lists with the
column's separator, numbers with its decimal sign. Every column of the file is there in every row.

An item that was deleted and has events comes into the next dataset by these, without anything that describes it. With --with-deleted it keeps what
the model knows of it, so that what users did with it still says what they like; the server goes on not to show it.

Without --config the model says which column a channel is read from. Where it does not (flags, vectors, models of an earlier version), the
channel has a column of its own name.

Examples:
  $ nearkin export items --store films.db --model models/films --out items.jsonl
  $ nearkin export items --store films.db --model models/films --config nearkin.yaml --out items.parquet`,
    )
    .action((flags: ItemFlags) => runItems(flags, output));
}

async function runItems(flags: ItemFlags, output: Output): Promise<void> {
  const kind = await checkOut(flags.out, TABLE_KINDS);
  const config = flags.config === undefined ? undefined : await readConfig(flags.config);
  await using store = await openStoreBeside(flags.store);
  const { catalogue, channels } = await decodeModel(readFolder(flags.model));
  using stop = new StopSignals();
  const started = performance.now();
  const live = liveLine(output);
  live.show(`items of ${flags.model} and ${store.place} …`);
  const changes = await readChanges(store.items);
  const columns = itemColumns({ catalogue, channels }, config);
  const plan = itemTable(columns, changes);
  await using table = await openRowTable(
    flags.out,
    kind,
    plan.columns.map((name) => ({ name, type: "text" })),
  );
  const figures: ServedFigures = { own: 0, put: 0, undescribed: 0, unwritten: new Map() };
  for await (const { rows, done } of servedItems(
    { catalogue, items: store.items },
    { columns, table: plan, changes, withDeleted: flags.withDeleted === true },
    figures,
  )) {
    await table.append(rows);
    await turnOf(stop);
    live.now(`${count(done)} of ${count(catalogue.ids.length + changes.ids.size)} items`);
  }
  const rows = await table.finish();
  const gone = catalogue.ids.length - figures.own - figures.undescribed;
  live.end(
    `${count(rows)} items in ${duration((performance.now() - started) / 1000)}: ${count(figures.own)} of the model (${count(gone)} were deleted or put anew), ${count(figures.put)} put at run time`,
  );
  for (const note of notes(figures, {
    ...plan,
    guessed: [...changes.channels].filter((name) => columns.guessed.has(name)),
  })) {
    output.log(`note: ${note}\n`);
  }
  output.write(flags.json ? `${JSON.stringify(report(flags.out, rows, figures))}\n` : `${flags.out}\n`);
}

async function readConfig(source: string): Promise<Config> {
  using resolved = await resolveSource(source);
  return parseConfig(resolved.config, resolved.description);
}

const count = (n: number): string => n.toLocaleString("en");

const report = (out: string, rows: number, { own, put, undescribed, unwritten }: ServedFigures) => ({
  out,
  rows,
  own,
  put,
  undescribed,
  unwritten: Object.fromEntries(unwritten),
});

function notes(
  { undescribed, unwritten }: ServedFigures,
  { homeless, guessed }: { homeless: readonly string[]; guessed: readonly string[] },
): string[] {
  return [
    ...(undescribed > 0
      ? [
          `items of the model without a row in the item file have none here either, their events bring them in: ${count(undescribed)}`,
        ]
      : []),
    ...(guessed.length > 0
      ? [
          `the model does not say which columns these channels are read from, so they have columns of their own names: ${guessed.join(", ")}; --config nearkin.yaml says it`,
        ]
      : []),
    ...(homeless.length > 0
      ? [
          `fields that differ from another column in upper and lower case only, or are called like the ids, are left out: ${homeless.join(", ")}`,
        ]
      : []),
    ...Array.from(
      unwritten,
      ([channel, items]) =>
        `values of ${channel} that prepare would not read as such from a cell (a vector in place of a text, or a pattern) are left out, unless a field has them: ${count(items)}`,
    ),
  ];
}

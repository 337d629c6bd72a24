// nearkin import: what the users of a dataset did, into the store of a server.
import { openDataset, shellWord } from "@nearkin/data";
import { Command } from "commander";
import { type ImportedDataset, type ImportProgress, importDataset } from "../import-dataset.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { openStoreBeside, type StoreFlag, shownStore, withStoreFlag } from "../store-flag.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";

interface ImportFlags extends StoreFlag {
  json?: boolean;
}

export function importCommand(output: Output): Command {
  const command = new Command("import")
    .description("bring the histories of a dataset's users into the store of a server")
    .argument("<dataset>", "the folder that nearkin prepare wrote");
  return withStoreFlag(command, "where to; made where there is none")
    .option("--json", "print what was imported as JSON")
    .addHelpText(
      "after",
      `
Every event comes in once: run again, nothing happens; stopped anywhere, the same command goes on. Events that the store has already (the same
user, item, rating and second) are left as they are. A dataset holds out some events for evaluation, and those stay out: to bring in all, import
one that was prepared with --split none, such as the <dataset>-all of nearkin train --final.

The store may be that of a server that runs: it learns of the users, and fits their metrics one after the other.

Examples:
  $ nearkin import datasets/films-all --store films.db
  $ NEARKIN_STORE=postgres://nearkin@db/films nearkin import datasets/films-all`,
    )
    .action((folder: string, flags: ImportFlags) => runImport(folder, flags, output));
}

async function runImport(folder: string, flags: ImportFlags, output: Output): Promise<void> {
  const dataset = await openDataset(folder);
  const live = liveLine(output);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let done = 0;
  using stop = new StopSignals();
  try {
    await using store = await openStoreBeside(flags.store, { make: true });
    live.show(`events of ${dataset.manifest.name} …`);
    let first: number | undefined; // where an earlier run had come to
    const imported = await importDataset(store, dataset, {
      signal: stop.signal,
      onProgress: (progress) => {
        done = progress.done;
        first ??= done - progress.accepted - progress.duplicates;
        live.now(describeProgress(progress, first, seconds()));
      },
    });
    live.end(describeImport(imported, store.place, seconds()));
    if (imported.heldOut > 0 && !imported.before) {
      output.log(
        `note: ${count(imported.heldOut)} events that the dataset holds out for evaluation are not among them; import one prepared with --split none to bring them in too\n`,
      );
    }
    if (flags.json) output.write(`${JSON.stringify({ ...imported, store: store.place })}\n`);
    if (dataset.manifest.simulated) output.log(`The events of ${dataset.manifest.name} are SIMULATED.\n`);
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError(
      `stopped; ${count(done)} of ${count(dataset.manifest.counts.training.interactions)} events are dealt with; go on with: nearkin import ${shellWord(folder)} --store ${shownStore(flags.store)}`,
    );
  }
}

const count = (n: number): string => n.toLocaleString("en");

function describeProgress({ done, total }: ImportProgress, first: number, seconds: number): string {
  const left = done > first ? (seconds / (done - first)) * (total - done) : Number.NaN;
  return `${count(done)} of ${count(total)} events${Number.isNaN(left) ? "" : `, about ${duration(left)} left`}`;
}

function describeImport({ events, accepted, duplicates, leftOut, before }: ImportedDataset, place: string, s: number) {
  if (before) return `${place} has this dataset already: ${count(accepted)} events of it; nothing to do`;
  const known = duplicates > 0 ? `, ${count(duplicates)} were there before` : "";
  const bad = leftOut > 0 ? `, ${count(leftOut)} have ids or times that no store can keep` : "";
  return `${count(events)} events: ${count(accepted)} stored in ${place}${known}${bad}, in ${duration(s)}`;
}

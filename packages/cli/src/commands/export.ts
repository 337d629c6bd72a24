// nearkin export: what a model or a store holds, as files for other programs, `nearkin prepare` among them.
import { Command } from "commander";
import type { Output } from "../output.ts";
import { exportEventsCommand, exportFeedbackCommand } from "./export-arrivals.ts";
import { exportItemsCommand } from "./export-items.ts";
import { exportNeighboursCommand } from "./export-neighbours.ts";

export function exportCommand(output: Output): Command {
  return new Command("export")
    .description("write a file: the neighbours that a model knows, or the events, items and feedback of a server")
    .helpCommand(false)
    .addCommand(exportNeighboursCommand(output))
    .addCommand(exportEventsCommand(output))
    .addCommand(exportItemsCommand(output))
    .addCommand(exportFeedbackCommand(output))
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin export neighbours models/films --out neighbours.parquet            the neighbours of every item
  $ nearkin export events --store films.db --out events.parquet                what users did, for nearkin prepare
  $ nearkin export items --store films.db --model models/films --out items.jsonl   the catalogue as it is served, for nearkin prepare
  $ nearkin export feedback --store films.db --out feedback.csv                what became of recommendations
  $ nearkin export events --help                                               the options of one of them`,
    );
}

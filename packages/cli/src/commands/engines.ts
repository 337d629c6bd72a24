import { Command } from "commander";
import type { Output } from "../output.ts";

interface EnginesOptions {
  /** Print one JSON document instead of a table. */
  json?: boolean;
}

export function enginesCommand(output: Output): Command {
  return new Command("engines")
    .description("what this machine can compute with")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  $ nearkin engines\n  $ nearkin engines --json")
    .action((options: EnginesOptions) => runEngines(options, output));
}

async function runEngines(options: EnginesOptions, output: Output): Promise<void> {
  output.write(options.json ? "[]\n" : "engines\n");
}

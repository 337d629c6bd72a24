// What a dataset folder holds, and what looks wrong with it. Changes nothing.
import { formatInspection, inspectDataset, openDataset } from "@nearkin/data";
import { Command } from "commander";
import type { Output } from "../output.ts";

interface InspectFlags {
  /** Print one JSON document instead of a report. */
  json?: boolean;
  /** Compare the hash of every file first. */
  verify?: boolean;
}

export function inspectCommand(output: Output): Command {
  return new Command("inspect")
    .description("what a dataset holds, and what looks wrong with it")
    .argument("<dataset>", "the folder that nearkin prepare wrote")
    .option("--json", "print JSON")
    .option("--verify", "compare every file with its hash first")
    .addHelpText(
      "after",
      `
Warnings have codes that stay, such as LEAK_RATING_CHANNEL; they do not change the exit code.

Examples:
  $ nearkin inspect films-dataset
  $ nearkin inspect films-dataset --verify
  $ nearkin inspect films-dataset --json | jq -r '.warnings[].code'`,
    )
    .action((folder: string, flags: InspectFlags) => runInspect(folder, flags, output));
}

async function runInspect(folder: string, flags: InspectFlags, output: Output): Promise<void> {
  const verified = flags.verify === true;
  const dataset = await openDataset(folder, { verify: verified });
  const inspection = await inspectDataset(dataset);
  if (flags.json) {
    output.write(`${JSON.stringify({ ...inspection, verified }, null, 2)}\n`);
    return;
  }
  const files = dataset.manifest.files.length;
  output.write(
    `${formatInspection(inspection)}${verified ? `\nVerified: all ${files} files have their hashes.\n` : ""}`,
  );
}

// nearkin sample: the files of the built-in sample, to look at and to try the other commands on.
import { existsSync, readdirSync } from "node:fs";
import { NearkinError } from "@nearkin/core";
import { shellWord, writeMarquee } from "@nearkin/data";
import { Command } from "commander";
import { wholeNumber } from "../engine.ts";
import type { Output } from "../output.ts";

interface SampleFlags {
  seed?: number;
  force?: boolean;
}

export function sampleCommand(output: Output): Command {
  return new Command("sample")
    .description("write the files of the built-in sample marquee: real films, SIMULATED users and ratings")
    .argument("[folder]", "where to write them", "marquee")
    .option("--seed <n>", "of the simulation (default: the sample's own)", wholeNumber(0))
    .option("--force", "write into a folder that is not empty")
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin sample my-films
  $ nearkin init my-films --out my-films/nearkin.yaml
  $ nearkin prepare my-films`,
    )
    .action((folder: string, flags: SampleFlags) => runSample(folder, flags, output));
}

async function runSample(folder: string, { seed, force }: SampleFlags, output: Output): Promise<void> {
  if (!force && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new NearkinError(
      "DATASET_EXISTS",
      `${folder} is not empty; choose another folder, or write into it with --force`,
    );
  }
  const { films, users, ratings } = await writeMarquee(folder, seed === undefined ? {} : { seed });
  output.write(
    `${folder}: ${films.length} real films, ${users.length} SIMULATED users, ${ratings.user.length.toLocaleString("en")} SIMULATED ratings\n` +
      `next   nearkin init ${shellWord(folder)} --out ${shellWord(`${folder}/nearkin.yaml`)}\n`,
  );
}

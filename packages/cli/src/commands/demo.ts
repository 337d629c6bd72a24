import { Command } from "commander";
import type { Output } from "../output.ts";

type DemoOptions = Record<string, never>;

export function demoCommand(output: Output): Command {
  return new Command("demo")
    .description("a short tour that needs no data")
    .addHelpText("after", "\nExamples:\n  $ nearkin demo")
    .action((options: DemoOptions) => runDemo(options, output));
}

async function runDemo(_options: DemoOptions, output: Output): Promise<void> {
  output.write("demo\n");
}

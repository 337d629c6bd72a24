// nearkin <command> [options]. Exit codes: 0 fine, 1 the command failed, 2 the command line was wrong.
import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { compareCommand } from "./commands/compare.ts";
import { demoCommand } from "./commands/demo.ts";
import { downloadCommand } from "./commands/download.ts";
import { encodeCommand } from "./commands/encode.ts";
import { enginesCommand } from "./commands/engines.ts";
import { evaluateCommand } from "./commands/evaluate.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { keysCommand } from "./commands/keys.ts";
import { personalizeCommand } from "./commands/personalize.ts";
import { predictCommand } from "./commands/predict.ts";
import { prepareCommand } from "./commands/prepare.ts";
import { reportCommand } from "./commands/report.ts";
import { sampleCommand } from "./commands/sample.ts";
import { serveCommand } from "./commands/serve.ts";
import { similarCommand } from "./commands/similar.ts";
import { theoryCommand } from "./commands/theory.ts";
import { trainCommand } from "./commands/train.ts";
import { type Output, processOutput } from "./output.ts";
import { type ExitCode, exitCodes, report } from "./report.ts";

/** Runs one command line (without `node` and the script's name) and returns the exit code. Never throws. */
export async function main(args: readonly string[], output: Output = processOutput): Promise<ExitCode> {
  try {
    await createProgram(output).parseAsync([...args], { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    return report(error, output, process.env.NEARKIN_DEBUG === "1");
  }
}

function createProgram(output: Output): Command {
  const program = new Command("nearkin")
    .description('Learns what "similar" means, for a catalogue and for each of its users.')
    .version(packageJson.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin demo                          the whole way on the built-in sample, with a page
  $ nearkin prepare nearkin.yaml          your files to a dataset folder
  $ nearkin train datasets/films          dataset folder to model folder
  $ nearkin similar models/films <item>   similar items, with --explain also why
  $ nearkin serve models/films            over HTTP, for each user; see docs/api.md
  $ nearkin engines                       what this machine can compute with
  $ nearkin help train                    the options of one command

Environment:
  NEARKIN_ENGINE=wasm-relaxed   engine for every command that computes
  NEARKIN_OPENBLAS=/path        the library of the native engine
  NEARKIN_CACHE=/path           where encoded texts are kept
  NEARKIN_STORE=postgres://…    the store of the server, in place of --store
  NEARKIN_MIRROR=https://…      where downloads come from
  NEARKIN_DEBUG=1               print the stack of an error`,
    );
  for (const create of [
    demoCommand,
    sampleCommand,
    downloadCommand,
    initCommand,
    prepareCommand,
    inspectCommand,
    encodeCommand,
    trainCommand,
    evaluateCommand,
    compareCommand,
    reportCommand,
    similarCommand,
    predictCommand,
    personalizeCommand,
    importCommand,
    serveCommand,
    keysCommand,
    exportCommand,
    theoryCommand,
    enginesCommand,
  ])
    program.addCommand(create(output));
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .showHelpAfterError(`Try: ${fullName(command)} --help`)
      .configureOutput({
        writeOut: (text) => output.write(text),
        writeErr: (text) => output.log(text),
        outputError: (text, write) => write(text.replace(/^error: /, "USAGE: ")),
      });
  }
  return program;
}

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

/** "nearkin report paper". */
const fullName = (command: Command): string =>
  [...(command.parent ? [fullName(command.parent)] : []), command.name()].join(" ");

// The whole way on the built-in sample: prepare it, train, measure, train on everything, and serve it with its page. No data, no network.
import type { ModelParts } from "@nearkin/core";
import { shellWord } from "@nearkin/data";
import { resolveTrainConfig, type TrainConfig } from "@nearkin/train";
import { Command } from "commander";
import { checkDemo } from "../demo/check.ts";
import { clearDemo, type DemoFolders, type DemoSettings, demoFolders, isMade, noteMade } from "../demo/folders.ts";
import { freePort } from "../demo/free-port.ts";
import { evaluateSplit, trainFinal, trainSplit } from "../demo/models.ts";
import { prepareSample } from "../demo/sample.ts";
import { bringUsers, openDemo } from "../demo/serve.ts";
import { showModel } from "../demo/show.ts";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { openModel } from "../open-model.ts";
import type { Output } from "../output.ts";
import { duration } from "../progress.ts";
import { readConfigFile } from "../training-config.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";

interface DemoFlags extends EngineFlags {
  seed: number;
  out: string;
  encoder?: string;
  config?: string;
  port?: number;
  fresh?: boolean;
  check?: boolean;
  /** false: --no-serve. */
  serve: boolean;
  /** false: --no-page. */
  page: boolean;
}

const FIRST_PORT = 4173;

/** The simulated users choose each film by the ones just before it, on the same evening. */
const WINDOW = 2;

export function demoCommand(output: Output): Command {
  return withEngineFlags(new Command("demo"))
    .description(
      "prepare the built-in sample, train, measure, and serve it with its page: films similar to others, and why",
    )
    .option("--seed <n>", "of everything drawn by chance", wholeNumber(0), 1)
    .option("--out <folder>", "where dataset, models, results and users go", "nearkin-demo")
    .option("--encoder <name>", "for the plots: minilm, lsa (default: minilm, or lsa where it is not installed)")
    .option("--config <file>", "a nearkin.yaml whose section train: goes before the demo's own settings")
    .option("--port <n>", `port to listen on (default: the first from ${FIRST_PORT} up that is free)`, wholeNumber(1))
    .option("--fresh", "make everything anew, and forget what users did")
    .option("--check", "ask a few questions over HTTP, then end: 0 where all is well, else 1")
    .option("--no-serve", "train and show films on the terminal, nothing else")
    .option("--no-page", "serve the API without the page")
    .addHelpText(
      "after",
      `
The films are real, their users and ratings are simulated: docs/sample.md. A second run with the same settings takes what is there. Ctrl-C ends it.

Examples:
  $ nearkin demo
  $ nearkin demo --engine wasm-relaxed --workers 2
  $ nearkin demo --encoder lsa --out /tmp/demo
  $ nearkin demo --no-serve                            for a terminal without a browser`,
    )
    .action((flags: DemoFlags) => runDemo(flags, output));
}

async function runDemo(flags: DemoFlags, output: Output): Promise<void> {
  const started = performance.now();
  const folders = demoFolders(flags.out);
  await make(folders, flags, output);
  {
    await using model = await openModel(folders.model);
    await showModel(model, output);
  }
  const took = () => duration((performance.now() - started) / 1000);
  if (flags.serve) await serve(folders, { flags, took }, output);
  else output.write(`\nDone in ${took()}. Ask it more:\n${moreLines(folders)}`);
}

/** Dataset, models and results, unless they are there already. */
async function make(folders: DemoFolders, flags: DemoFlags, output: Output): Promise<void> {
  const config = configOf(flags);
  const settings: DemoSettings = {
    encoder: flags.encoder ?? null,
    engine: `${flags.engine} ${flags.policy}`,
    config,
    whole: flags.serve,
  };
  if (flags.fresh) clearDemo(folders);
  else if (isMade(folders, settings)) {
    output.write(`${folders.out} is there, made with the same settings; --fresh makes it anew.\n`);
    return;
  }
  using stop = new StopSignals();
  const { signal } = stop;
  try {
    output.write("1. The sample: 360 real films, and users and ratings that are SIMULATED from tastes we know.\n");
    await prepareSample(folders.dataset, { ...flags, signal }, output);
    signal.throwIfAborted();
    await using engine = await openEngine(flags);
    const making = { folders, engine, config, signal, output };
    output.write(`\n2. Training: what makes two films similar for these users? (preset ${config.preset})\n`);
    const split: ModelParts = await trainSplit(making, flags.serve ? folders.split : folders.model);
    if (flags.serve) {
      output.write("\n3. Evaluation: does it find what goes with films that it has not seen?\n");
      await evaluateSplit(making);
      output.write("\n4. Training once more, on everything: this model is served.\n");
      await trainFinal(making, split);
    }
    noteMade(folders, settings);
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError("stopped; start again with the same command");
  }
}

/** The preset `fast`, with what suits the sample, whose users follow content alone, and what the user says. */
function configOf({ config: file, seed }: DemoFlags): TrainConfig {
  const section = file === undefined ? {} : ((readConfigFile(file).train ?? {}) as { siamese?: object });
  const own = { behavior: { factors: 0 }, ...section, seed, siamese: { window: WINDOW, ...section.siamese } };
  return resolveTrainConfig(own, { preset: "fast", ...(file === undefined ? {} : { where: `${file}: train` }) });
}

async function serve(
  folders: DemoFolders,
  { flags, took }: { flags: DemoFlags; took: () => string },
  output: Output,
): Promise<void> {
  const { onSignals } = await import("@nearkin/serve");
  output.write("\n5. Serving, with the users of the sample.\n");
  const port = flags.port ?? (await freePort(FIRST_PORT));
  const server = await openDemo({ folders, port, page: flags.page }, output);
  let stopping = false;
  let end = () => {};
  const stopped = new Promise<void>((resolve) => {
    end = resolve;
  });
  const off = onSignals(async () => {
    stopping = true;
    output.log("\nstopping …\n");
    await server.close();
    end();
  });
  try {
    await bringUsers(folders, server, output);
    const url = await server.listen();
    if (flags.check) {
      output.write(`\n6. Asking ${url}\n`);
      await checkDemo({ url, page: flags.page }, output);
      return;
    }
    output.write(`\nReady after ${took()}.\n${placeLines(url, server.config.page !== undefined)}${moreLines(folders)}`);
    output.write("Ctrl-C ends it; the same command starts it again in seconds.\n");
    await stopped;
  } catch (error) {
    if (!stopping) throw error;
    await stopped; // what was under way has found its server closed
  } finally {
    off();
    await server.close();
  }
}

/** Where to look, and what to try there. */
function placeLines(url: string, page: boolean): string {
  const api = `  ${url}/docs  every route, to be tried\n  curl '${url}/v1/items/alien-1979/similar?k=5&explain=true'\n`;
  if (!page) return `\n  ${url}\n\n${api}`;
  return (
    `\n  ${url}/\n\nTry there:\n` +
    `  ${url}/items/alien-1979  neighbours and reasons; move the weights, choose a user\n` +
    `  ${url}/you  rate films: your own metric is learned in the browser\n` +
    `  ${url}/studio  a film that does not exist\n` +
    `  ${url}/model  ${url}/evaluation  how it was trained, how well it does\n${api}`
  );
}

function moreLines({ model }: DemoFolders): string {
  const folder = shellWord(model);
  return (
    `  npx nearkin similar ${folder} the-matrix-1999 --explain\n` +
    `  npx nearkin similar ${folder} alien-1979 --weights plot=3x,genres=0.2x\n` +
    `  npx nearkin predict ${folder} alien-1979\n`
  );
}

// A first taste, without data: a Gaussian process recovers how much each metadata channel matters for similarity from
// ratings alone. The world is simulated from weights we know, so what is learned can be held against the truth.
import { availableParallelism } from "node:os";
import { Random } from "@nearkin/core";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { learnWeights, nearest, simulateCatalogue } from "../toy-world.ts";

interface DemoOptions extends EngineFlags {
  seed: number;
}

export function demoCommand(output: Output): Command {
  return withEngineFlags(new Command("demo"))
    .description("learn what similar means in a small simulated catalogue; needs no data")
    .option("--seed <n>", "seed of the simulated items, tastes and noise", wholeNumber(0), 7)
    .addHelpText(
      "after",
      "\nExamples:\n  $ nearkin demo\n  $ nearkin demo --engine wasm-relaxed --workers 2\n  $ nearkin demo --seed 11",
    )
    .action((options: DemoOptions) => runDemo(options, output));
}

async function runDemo(options: DemoOptions, output: Output): Promise<void> {
  const { seed, ...flags } = options;
  const random = new Random(seed);
  const engine = await openEngine(flags);
  try {
    const world = simulateCatalogue(engine, random.split("world"));
    output.write(
      `A simulated catalogue: ${world.itemCount} items with ${world.channels.length} metadata channels, and the ratings of ${world.raterCount}\n` +
        `simulated raters. Similar items are rated alike, but how much each channel counts for "similar"\n` +
        `is hidden. Nearkin's core sees the metadata and the ratings, and learns it.\n\n`,
    );
    const started = performance.now();
    const result = learnWeights(engine, world, (step, steps, nll) => {
      if (step % 20 === 0 || step === steps)
        output.log(
          `step ${String(step).padStart(3)} of ${steps}  negative log-likelihood per rating ${nll.toFixed(4)}\n`,
        );
    });
    const seconds = (performance.now() - started) / 1000;
    output.write(`\nchannel   true weight   learned\n`);
    world.channels.forEach((channel, c) => {
      output.write(
        `${channel.name.padEnd(8)}  ${channel.weight.toFixed(2).padStart(11)}   ${result.weights[c].toFixed(2).padStart(7)}\n`,
      );
    });
    output.write(
      `\nRatings of ${world.itemCount - world.trainCount} items it has not seen, root mean squared error: ${result.rmse.toFixed(3)} with the learned metric,\n` +
        `${result.rmseEqual.toFixed(3)} with equal weights, ${result.rmseMean.toFixed(3)} with the mean rating for all (${world.noise.toFixed(3)} is noise nobody can predict).\n`,
    );
    const item = world.itemCount - 1;
    output.write(`\nMost similar to the unseen item ${item}, and why (each channel's share of the distance):\n`);
    for (const neighbour of nearest(engine, world, result.weights, item, 3)) {
      const why = world.channels
        .map((channel, c) => `${channel.name} ${Math.round(100 * neighbour.shares[c])} %`)
        .join(", ");
      output.write(`  item ${String(neighbour.item).padStart(3)}  distance ${neighbour.distance.toFixed(2)}  ${why}\n`);
    }
    const { kind, workers, library } = engine.info;
    output.write(
      `\n${result.steps} steps in ${seconds.toFixed(1)} s on the engine ${kind}, ${workers} thread${workers === 1 ? "" : "s"}` +
        `${library ? ` (${library})` : ""}. All of it simulated, seed ${seed}.\n`,
    );
    for (const note of engine.info.notes) output.log(`${note}\n`);
    if (workers > availableParallelism())
      output.log(`${workers} threads on ${availableParallelism()} cores get in each other's way\n`);
  } finally {
    await engine.close();
  }
}

// nearkin theory recovery: is the metric found where it is known? A simulation, and a page on it.
import { basename } from "node:path";
import { shellWord } from "@nearkin/data";
import {
  checkReportPath,
  plainTable,
  type RecoveryCell,
  type RecoveryResult,
  type RecoverySettings,
  recoveryDefaults,
  recoveryReport,
  significant,
  simulateRecovery,
  writeRecoveryReport,
} from "@nearkin/evaluate";
import { Command, InvalidArgumentError } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { environmentOf } from "../report-environment.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";
import { counted, wrapped } from "./theory-text.ts";

interface RecoveryFlags extends EngineFlags {
  sizes: number[];
  surrogates: number[];
  runs: number;
  sigma2: number;
  noisy?: boolean;
  epsilon: number;
  out?: string;
  json?: boolean;
}

export function theoryRecoveryCommand(output: Output): Command {
  const { sizes, surrogates, seeds, weights, sigma2, epsilon } = recoveryDefaults;
  const command = new Command("recovery")
    .description("simulate surrogates of a known metric, fit it, and see how far off it is")
    .option("--sizes <list>", "numbers of items", wholeNumbers(2), [...sizes])
    .option("--surrogates <list>", "numbers of surrogates to fit to at once", wholeNumbers(1), [...surrogates])
    .option("--runs <count>", "how many worlds, of the seeds 1 to count", wholeNumber(1), seeds.length)
    .option("--sigma2 <x>", "σ², the noise that the likelihood reckons with", positive, sigma2)
    .option("--noisy", "surrogates have that noise too: r ~ N(0, K* + σ²I) in place of A3's N(0, K*)")
    .option("--epsilon <x>", "ε of Theorem 1", positive, epsilon)
    .option("--out <file>", "write a page, .html; its numbers go beside it, .json");
  return withEngineFlags(command)
    .option("--json", "print the whole result as JSON")
    .addHelpText(
      "after",
      `
Items have ${weights.length} channels, the true weights are ${weights.join(", ")}. Both errors are the largest over pairs of items that no fit has seen, the same for
all; medians over the seeds. With few seeds and one surrogate they need not fall at every step. The defaults take about two minutes on two cores.

Examples:
  $ nearkin theory recovery --out recovery.html
  $ nearkin theory recovery --sizes 50,200,500 --runs 20                    seconds
  $ nearkin theory recovery --sizes 100,200,500 --sigma2 0.1                the likelihood expects noise that is not there`,
    )
    .action((flags: RecoveryFlags) => runRecovery(flags, output));
}

async function runRecovery(flags: RecoveryFlags, output: Output): Promise<void> {
  const started = performance.now();
  if (flags.out !== undefined) await checkReportPath(flags.out); // before minutes of work
  const live = liveLine(output);
  using stop = new StopSignals();
  try {
    await using engine = await openEngine(flags);
    const result = await simulateRecovery(engine, {
      ...settingsOf(flags),
      signal: stop.signal,
      onEvent: ({ seed, n, k, share }) =>
        live.now(`seed ${seed} of ${flags.runs}: n = ${n}, k = ${k}; ${(100 * share).toFixed(0)} % done`),
    });
    live.end(`simulated ${counted(result.fits.length, "fit")} in ${duration((performance.now() - started) / 1000)}`);
    if (flags.out !== undefined) {
      const report = recoveryReport({
        result,
        command: commandLine(flags, engine.info.kind),
        environment: environmentOf(engine),
      });
      const written = await writeRecoveryReport(flags.out, report);
      output.log(`${written.join("\n")}\n`);
    }
    output.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : describe(result));
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError("stopped; nothing was written; the same command begins anew");
  }
}

const settingsOf = ({ sizes, surrogates, runs, sigma2, noisy = false, epsilon }: RecoveryFlags): RecoverySettings => ({
  ...recoveryDefaults,
  sizes,
  surrogates,
  seeds: Array.from({ length: runs }, (_, i) => i + 1),
  sigma2,
  noisy,
  epsilon,
});

function describe({ settings: { surrogates, epsilon, seeds }, cells }: RecoveryResult): string {
  const sizes = [...new Set(cells.map(({ n }) => n))];
  const grid = (value: (cell: RecoveryCell) => string): string =>
    plainTable([
      ["items n", ...surrogates.map((k) => `k = ${k}`)],
      ...sizes.map((n) => [n.toLocaleString("en"), ...cells.filter((cell) => cell.n === n).map(value)]),
    ]);
  const first = cells.filter(({ k }) => k === surrogates[0]);
  return `${[
    `sup|k − k*|/k*, ${seeds.length === 1 ? "of one seed" : `the median of ${counted(seeds.length, "seed")}`}`,
    grid(({ kernel }) => significant(kernel.median)),
    "",
    "sup|D − D*|",
    grid(({ distance }) => significant(distance.median)),
    "",
    wrapped(
      `Theorem 1 with k = ${surrogates[0]}, A1 and A2 at their best: the smallest τ and the largest printed bound of any seed, and how often ε = ${significant(epsilon)} is missed`,
      0,
    ),
    plainTable([
      ["items n", "λ_max", "d", "τ", "printed", "holds", "missed"],
      ...first.map(({ n, lambdaMax, d, leastTau, printed, missed }) => [
        n.toLocaleString("en"),
        significant(lambdaMax),
        significant(d),
        significant(leastTau),
        significant(printed),
        leastTau < 1 ? significant(printed) : "1, vacuous",
        `${(100 * missed).toFixed(0)} %`,
      ]),
    ]),
  ].join("\n")}\n`;
}

/** With everything that changes the result. */
function commandLine(
  { sizes, surrogates, runs, sigma2, noisy, epsilon, out = "recovery.html" }: RecoveryFlags,
  engine: string,
): string {
  return [
    `nearkin theory recovery --sizes ${sizes.join()} --surrogates ${surrogates.join()} --runs ${runs} --sigma2 ${sigma2}`,
    noisy ? "--noisy" : "",
    `--epsilon ${epsilon} --engine ${engine} --out ${shellWord(basename(out))}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function wholeNumbers(least: number): (text: string) => number[] {
  return (text) => {
    const list = text.split(",").map(wholeNumber(least));
    if (new Set(list).size < list.length) throw new InvalidArgumentError("Expected each number once.");
    return list;
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Infinity)) throw new InvalidArgumentError("Expected a number above 0.");
  return value;
}

// nearkin theory bound: Theorems 1 and 2 in numbers, and what of them is true.
import { NearkinError } from "@nearkin/core";
import {
  aboveZero,
  type SpectrumBound,
  significant,
  spectrumBound,
  type TheoremInputs,
  type TheoremOne,
  type TheoremTwo,
  theoremOne,
  theoremTwo,
} from "@nearkin/evaluate";
import { Command, InvalidArgumentError } from "commander";
import { wholeNumber } from "../engine.ts";
import type { Output } from "../output.ts";
import { counted, wrapped } from "./theory-text.ts";

interface BoundFlags {
  n?: number;
  lambdaMax?: number;
  eigenvalues?: number[];
  sigma: number;
  alpha: number;
  d: number;
  epsilon: number;
  delta: number;
  json?: boolean;
}

export function theoryBoundCommand(output: Output): Command {
  return new Command("bound")
    .description("Theorems 1 and 2: the bound as printed, what of it holds, and a sharper one")
    .option("--n <n>", "observations", wholeNumber(1))
    .option("--lambda-max <x>", "λ_max(K*), the largest eigenvalue of the true kernel matrix", number)
    .option("--eigenvalues <list>", "all eigenvalues of K*, such as 2.1,0.7,0.2, in place of both", numbers)
    .requiredOption("--d <x>", "d of A1: d·inf k* ≥ λ_max", number)
    .requiredOption("--alpha <x>", "α of A2: sup|k − k*| ≤ 1 − α/(σ⁴·rᵀr/n)", number)
    .option("--sigma <x>", "σ, the standard deviation of the noise", number, 1)
    .option("--epsilon <x>", "ε, the share by which the kernel may be off", number, 0.5)
    .option("--delta <x>", "δ of Theorem 2: it holds with probability 1 − δ", number, 0.05)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
With τ = σ⁴(1 − c_ε)λ_max/α ≥ 1 the theorem is vacuous: the printed number is no bound, and 1 is all that can be said. A1 and A2 leave τ < 1
to a handful of observations at most.

Examples:
  $ nearkin theory bound --n 200 --alpha 1 --d 4000 --lambda-max 40                  vacuous, and why
  $ nearkin theory bound --n 2 --alpha 4 --d 3 --lambda-max 1.5 --epsilon 0.9        two items far from zero
  $ nearkin theory bound --eigenvalues 1.5,0.5 --alpha 1.2 --d 3 --json`,
    )
    .action((flags: BoundFlags) => runBound(flags, output));
}

function runBound(flags: BoundFlags, output: Output): void {
  const { sigma, alpha, d, epsilon, delta, eigenvalues } = flags;
  const inputs: TheoremInputs = { ...sizesOf(flags), sigma, alpha, d, epsilon };
  const one = theoremOne(inputs);
  const two = theoremTwo({ ...inputs, delta });
  const spectrum =
    eigenvalues && spectrumBound(eigenvalues, { sigma, alpha, epsilon, infKernel: inputs.lambdaMax / d });
  if (flags.json) {
    const result = { inputs: { ...inputs, delta }, theorem1: one, theorem2: two, ...(spectrum ? { spectrum } : {}) };
    output.write(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  const lines = describe({ ...inputs, delta }, { one, two, spectrum });
  output.write(`${lines.map((line) => wrapped(line, INDENT)).join("\n")}\n`);
}

/** n and λ_max, as given or from the eigenvalues. */
function sizesOf({ n, lambdaMax, eigenvalues }: BoundFlags): Pick<TheoremInputs, "n" | "lambdaMax"> {
  if (eigenvalues) {
    if (n === undefined && lambdaMax === undefined)
      return { n: eigenvalues.length, lambdaMax: Math.max(...eigenvalues) };
    throw new NearkinError("BAD_ARGUMENT", "--eigenvalues says what n and λ_max are; leave out --n and --lambda-max");
  }
  if (n === undefined || lambdaMax === undefined) {
    throw new NearkinError("BAD_ARGUMENT", "give --n and --lambda-max, or all --eigenvalues");
  }
  return { n, lambdaMax };
}

interface Bounds {
  one: TheoremOne;
  two: TheoremTwo;
  spectrum: SpectrumBound | undefined;
}

const INDENT = 12; // what is said about a name in front
const CONTINUED = " ".repeat(INDENT);

function describe(
  { alpha, epsilon, delta }: TheoremInputs & { delta: number },
  { one, two, spectrum }: Bounds,
): string[] {
  const tau = alpha === 0 ? significant(one.tau) : aboveZero(one.tau);
  const needed =
    two.observations === null
      ? "no number of observations is enough"
      : `${two.kept ? "kept" : "not kept"}: it takes ${observations(two.observations)}`;
  const { assumption } = spectrum ?? one;
  return [
    `Theorem 1   Pr(sup|k − k*|/k* ≥ ${significant(epsilon)}) ≤ ${boundText(one.bound)}${one.vacuous ? ": vacuous" : ""}`,
    ...one.why.map((reason) => `${CONTINUED}${reason}.`),
    ...one.contradictions.map((reason) => `${CONTINUED}No kernel is like that: ${reason}.`),
    `  τ         ${tau}, with c_ε = ${aboveZero(one.cEpsilon)}`,
    `  sharper   ${boundText(one.sharper)}, from λ_max and tr K* = n; true for every τ`,
    ...(spectrum
      ? [
          `  sharpest  ${boundText(spectrum.chernoff)}, from all eigenvalues; the probability it bounds is ${aboveZero(spectrum.tail)}`,
        ]
      : []),
    `  A2        holds with probability ${boundText(assumption)} at most${spectrum ? `; with the draws in which it fails, ${significant(spectrum.promise)} is the least that can be promised` : ""}`,
    `Theorem 2   |D − D*| ≤ ${significant(two.gap)} with probability ${significant(1 - delta)}: ${needed}`,
    ...(two.leastDelta < 1
      ? [
          `${CONTINUED}By the sharper bound more observations reach δ = ${aboveZero(two.leastDelta)} at best, while α and inf k* stay.`,
        ]
      : []),
  ];
}

/** A bound that is too small for a double: what it is below, is a bound too. */
const boundText = (bound: number): string => (bound === 0 ? "1e−323" : significant(bound));

/** As many as it takes, at least one; in figures where they can be read. */
function observations(least: number): string {
  const whole = Math.max(1, Math.ceil(least));
  return whole < 1e15 ? counted(whole, "observation") : `${significant(whole)} observations`;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("Expected a number.");
  return value;
}

function numbers(text: string): number[] {
  return text.split(",").map((part) => {
    if (part.trim() === "" || !Number.isFinite(Number(part))) {
      throw new InvalidArgumentError("Expected numbers, such as 2.1,0.7,0.2.");
    }
    return Number(part);
  });
}

// nearkin theory lemmas: Lemma 4 by Monte Carlo, Lemma 5 exactly.
import { checkLemma4, checkLemma5, type Lemma4Row, plainTable, significant } from "@nearkin/evaluate";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { counted, wrapped } from "./theory-text.ts";

interface LemmaFlags extends EngineFlags {
  n: number;
  draws: number;
  seed: number;
  json?: boolean;
}

export function theoryLemmasCommand(output: Output): Command {
  const command = new Command("lemmas")
    .description("Lemma 4 by Monte Carlo, Lemma 5 exactly, on matrices by chance")
    .option("--n <n>", "items", wholeNumber(1), 12)
    .option("--draws <n>", "of r, for Lemma 4", wholeNumber(2), 200_000)
    .option("--seed <n>", "of matrices and draws", wholeNumber(0), 1);
  return withEngineFlags(command)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin theory lemmas
  $ nearkin theory lemmas --n 40 --draws 1000000 --seed 2`,
    )
    .action((flags: LemmaFlags) => runLemmas(flags, output));
}

async function runLemmas(flags: LemmaFlags, output: Output): Promise<void> {
  const { n, draws, seed } = flags;
  await using engine = await openEngine(flags);
  const lemma4 = checkLemma4(engine, { n, draws, seed });
  const lemma5 = checkLemma5(engine, { n, seed });
  if (flags.json) {
    output.write(`${JSON.stringify({ n, draws, seed, lemma4, lemma5 }, null, 2)}\n`);
    return;
  }
  const lines = [
    `Lemma 4   E[exp(λrᵀAr)] = |I − 2λAK*|^(−½), where 2λ·λ_max(AK*) < 1; n = ${n}, ${counted(draws, "draw")}`,
    plainTable([
      ["2λ·λ_max(AK*)", "exactly", "by the formula", "by draws", "± one error", "off by errors"],
      ...lemma4.map(cells),
    ]),
    wrapped(
      "          From ½ on the draws have no variance, so that no error can be given; from 1 on the mean is infinite, whatever the formula says.",
      10,
    ),
    "",
    `Lemma 5   (r − r̂)ᵀA(r − r̂) = σ⁴·rᵀS⁻¹AS⁻¹r, S = K + σ²I; ${lemma5.trials} trials`,
    `          any square A: the sides differ by ${significant(lemma5.any, 1)} of themselves at most`,
    `          A = S²/n, as in A2: σ⁴·rᵀr/n whatever K is, to ${significant(lemma5.energy, 1)}`,
  ];
  output.write(`${lines.join("\n")}\n`);
}

const cells = ({ load, mean, printed, monteCarlo, z }: Lemma4Row): string[] => [
  significant(load),
  significant(mean, 5),
  significant(printed, 5),
  significant(monteCarlo.mean, 5),
  z === null ? "–" : significant(monteCarlo.error, 2),
  z === null ? "–" : z.toFixed(1).replace("-", "−"),
];

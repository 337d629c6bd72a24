// nearkin theory: what the paper proves, what of it holds, and what can be measured instead.
import { Command } from "commander";
import type { Output } from "../output.ts";
import { theoryBoundCommand } from "./theory-bound.ts";
import { theoryCertificateCommand } from "./theory-certificate.ts";
import { theoryLemmasCommand } from "./theory-lemmas.ts";
import { theoryRecoveryCommand } from "./theory-recovery.ts";

export function theoryCommand(output: Output): Command {
  return new Command("theory")
    .description("the paper's theorems and lemmas: bounds, certificates, checks, a simulation")
    .helpCommand(false)
    .addCommand(theoryBoundCommand(output))
    .addCommand(theoryCertificateCommand(output))
    .addCommand(theoryLemmasCommand(output))
    .addCommand(theoryRecoveryCommand(output))
    .addHelpText(
      "after",
      `
What each result says, what it assumes and where the paper slips is in docs/theory.md.

Examples:
  $ nearkin theory bound --n 200 --alpha 1 --d 4000 --lambda-max 40       Theorems 1 and 2 in numbers
  $ nearkin theory certificate models/may models/june                     how far two models' distances can be apart
  $ nearkin theory certificate models/films --quantise 8                  the same for rows of 8 bits
  $ nearkin theory lemmas                                                 Lemmas 4 and 5, checked
  $ nearkin theory recovery --out recovery.html                           is the metric found where it is known?`,
    );
}

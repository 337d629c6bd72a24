// nearkin theory certificate: how far the distances of two models, or of a model and a rounded copy, can be apart (Lemmas 2 and 3).
import { type Model, NearkinError } from "@nearkin/core";
import { aboveZero, certifyModels, certifyQuantised, type ModelCertificate, significant } from "@nearkin/evaluate";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { modelEntry, openAskedModel, simulatedLine } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { counted, wrapped } from "./theory-text.ts";

interface CertificateFlags extends EngineFlags {
  quantise?: number;
  pairs: number;
  seed: number;
  json?: boolean;
}

export function theoryCertificateCommand(output: Output): Command {
  const command = new Command("certificate")
    .description("Lemmas 2 and 3: how far the distances of two models, or of a rounded copy, can be apart")
    .argument("<model>", "the folder that nearkin train wrote")
    .argument("[other]", "another, with items in common")
    .option("--quantise <bits>", "in place of another: the same rows in so many bits a number, 2 to 16", wholeNumber(2))
    .option("--pairs <n>", "pairs of items to look at; all, where there are no more", wholeNumber(1), 200_000)
    .option("--seed <n>", "of the sample of pairs", wholeNumber(0), 1);
  return withEngineFlags(command)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
D is the distance t that lists are sorted by, k = exp(−½D). Where no kernel ratio is off by ε or more, no distance is off by more than
2·log(1/(1 − ε)). At ε ≥ 1, where a kernel value doubles, there is no certificate. Of two models the first is the reference.

Examples:
  $ nearkin theory certificate models/may models/june
  $ nearkin theory certificate models/films --quantise 8
  $ nearkin theory certificate models/films --quantise 8 --json | jq .bound`,
    )
    .action((model: string, other: string | undefined, flags: CertificateFlags) =>
      runCertificate({ model, other, ...flags }, output),
    );
}

interface CertificateRun extends CertificateFlags {
  model: string;
  other: string | undefined;
}

async function runCertificate(run: CertificateRun, output: Output): Promise<void> {
  const { model: folder, other, quantise, pairs, seed, json } = run;
  if ((other === undefined) === (quantise === undefined)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "compare the model with another, or with a copy of its own by --quantise: one of them",
    );
  }
  await using engine = await openEngine(run);
  await using model = await openAskedModel(folder, engine);
  await using second = other === undefined ? null : await openAskedModel(other, engine);
  const certificate = second
    ? certifyModels(model, second, { pairs, seed })
    : certifyQuantised(model, quantise as number, { pairs, seed });
  if (json) {
    const against = second ? { other: modelEntry(second) } : { bits: quantise };
    output.write(`${JSON.stringify({ model: modelEntry(model), ...against, ...certificate }, null, 2)}\n`);
    return;
  }
  const compared = `${folder} and ${other ?? `its rows in ${quantise} bits`}`;
  output.write(`${describe(compared, model, certificate).join("\n")}\n`);
  output.log(simulatedLine(model));
}

function describe(compared: string, model: Model, certificate: ModelCertificate): string[] {
  const { pairs, items, exhaustive, epsilon, bound, gap, worst } = certificate;
  const seen = exhaustive
    ? `${pairs === 1 ? "the one pair" : `all ${counted(pairs, "pair")}`} of ${counted(items, "item")}`
    : `${counted(pairs, "random pair")} of ${counted(items, "item")}; the certificate is about ${pairs === 1 ? "this one" : "these"}`;
  const title = (id: string) => model.items.at(model.items.indexOf(id)).title ?? id;
  return [
    `${compared}: ${seen}`,
    `ε = sup|k₂/k₁ − 1|   ${bound !== null && epsilon > 0.999 ? `1 less ${aboveZero(Math.exp(-0.5 * bound))}` : significant(epsilon)}`,
    bound === null
      ? "certified            nothing: ε is not below 1, and Lemma 3 has nothing to say"
      : `certified            |D₂ − D₁| ≤ ${significant(bound, 4)}`,
    worst === null
      ? "measured             no difference"
      : wrapped(
          `measured             |D₂ − D₁| ≤ ${significant(gap, 4)}; ${title(worst.ids[0])} and ${title(worst.ids[1])} are ${significant(worst.distances[0], 4)} and ${significant(worst.distances[1], 4)} apart`,
          21,
        ),
    ...(bound === null || worst === null || !exhaustive
      ? []
      : [`Two items whose distances to a third differ by more than ${significant(2 * bound, 4)} keep their order.`]),
  ];
}

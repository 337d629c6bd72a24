// nearkin report: pages to read, print and pass on.
import { Command } from "commander";
import type { Output } from "../output.ts";
import { reportModelCommand } from "./report-model.ts";
import { reportPaperCommand } from "./report-paper.ts";
import { reportUsersCommand } from "./report-users.ts";

export function reportCommand(output: Output): Command {
  return new Command("report")
    .description("write a page: on a model, on users' own metrics, or on the paper's experiments")
    .helpCommand(false)
    .addCommand(reportModelCommand(output))
    .addCommand(reportUsersCommand(output))
    .addCommand(reportPaperCommand(output))
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin report model models/films --dataset datasets/films   what a model is, how it was trained, how well it does
  $ nearkin report users models/users-* --dataset datasets/users each user's own metric against the one that all share
  $ nearkin report paper --dataset marquee                       SSL against SIAMESE and SPE, and users' own metrics, as in the paper
  $ nearkin report paper --help                                  the options of one of them`,
    );
}

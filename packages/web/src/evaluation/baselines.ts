// What the baselines do, in a sentence each; docs/evaluation.md has the formulas.
import type { Evaluation } from "@nearkin/client";

interface Baseline {
  readonly name: string;
  readonly meaning: string;
}

const baselines: readonly (Baseline & { readonly pattern: RegExp })[] = [
  {
    name: "random",
    pattern: /^random$/,
    meaning: "Items drawn by chance. Of every other figure, only what lies above this one is worth something.",
  },
  { name: "popularity", pattern: /^popularity$/, meaning: "The most popular items, the same for every query." },
  {
    name: "cosine …",
    pattern: /^cosine /,
    meaning: "The angle between items in one channel alone. Nothing is learned.",
  },
  { name: "cosine, summed", pattern: /^cosine, summed$/, meaning: "The same, added up over all channels." },
  {
    name: "uniform weights",
    pattern: /^uniform weights$/,
    meaning: "All channels together, each scaled to count as much as the others.",
  },
  {
    name: "logistic regression",
    pattern: /^logistic regression$/,
    meaning: "Weights that best tell pairs met together from random ones. The channels stay as they are.",
  },
];

/** Those that were measured, and are known here. */
export const baselinesOf = ({ recommenders }: Pick<Evaluation, "recommenders">): Baseline[] =>
  baselines.filter(({ pattern }) => recommenders.some(({ name, kind }) => kind === "baseline" && pattern.test(name)));

// What training warned about, in plain words: what it means, and what to do. Codes stay the same between versions.
import type { Training } from "@nearkin/client";

type Warning = Training["warnings"][number];

export interface Advice {
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

const known: Readonly<Record<string, Advice>> = {
  CHANNEL_COLLAPSED: {
    title: "A channel has collapsed",
    meaning: "All items lie on nearly one point in it: the channel no longer tells them apart.",
    remedy: "Train with less weightDecay or a smaller learningRate, and look at the channel's values.",
  },
  WEIGHT_DIED: {
    title: "A channel no longer counts",
    meaning: "It has less than 1 % of the distance of a typical pair.",
    remedy:
      "Leave it out if it says nothing, or look at its values. If an earlier step was kept, it may still count there.",
  },
  NOISE_SWALLOWS_SIGNAL: {
    title: "Do not rely on predicted ratings",
    meaning: "The metric explains less than 5 % of what mean ratings differ by, so predictions lie near the mean.",
    remedy: "More ratings for each item (ssl.minRatings) or more channels help. Similar items are not affected.",
  },
  RANKING_FALLS: {
    title: "The ranking fell while the likelihood rose",
    meaning:
      "Validation items were ranked worse by a tenth while the fit became better: it learned the ratings by heart.",
    remedy: "More steps will not help. Raise ssl.anchor, ssl.noiseFloor or ssl.dropout.",
  },
  KERNEL_INDEFINITE: {
    title: "The kernel is not positive semi-definite",
    meaning: "It has a negative eigenvalue on random items. This is expected of the preset “paper”.",
    remedy: "With model.link linear or saturating there is none.",
  },
  NO_VALIDATION: {
    title: "Nothing was held out",
    meaning: "No validation items could say which step is best, or how well the model ranks.",
    remedy: "Prepare the dataset with a split, or train with --final.",
  },
};

/** Advice on a warning; one of a later version speaks for itself. */
export function adviceOn({ code, text }: Pick<Warning, "code" | "text">): Advice {
  return known[code] ?? { title: "The training warned", meaning: text, remedy: "" };
}

/** Whether its predicted ratings are hardly more than the mean. */
export const foretellsLittle = ({ warnings }: Pick<Training, "warnings">): boolean =>
  warnings.some(({ code }) => code === "NOISE_SWALLOWS_SIGNAL");

/** Where it arose: "siamese, step 250". */
export const placeOf = ({ stage, step }: Pick<Warning, "stage" | "step">): string =>
  stage === null ? "" : `${stage}, step ${step.toLocaleString("en")}`;

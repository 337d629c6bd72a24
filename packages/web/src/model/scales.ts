// The few numbers beside the weights that training learned, with what they mean.
import type { Training } from "@nearkin/client";
import { decimals, percent, significant } from "../design/numbers.ts";

export interface Scale {
  readonly name: string;
  readonly symbol: string;
  readonly value: string;
  readonly meaning: string;
}

/** Those of the process count only where the model predicts ratings. */
export function learnedScales(
  { noise, rating, temperature, popularity }: Pick<Training, "noise" | "rating" | "temperature" | "popularity">,
  predictsRatings: boolean,
): Scale[] {
  const { variance, perRating, signal } = noise;
  const process: Scale[] = [
    {
      name: "Explained by the metric",
      symbol: "v / (v + σ²)",
      value: percent(signal + variance > 0 ? signal / (signal + variance) : null),
      meaning: "How much of the difference between items' mean ratings their channels can tell. The rest is noise.",
    },
    {
      name: "Noise",
      symbol: "σ",
      value: decimals(Math.sqrt(variance), 2),
      meaning: `What an item has to itself and no channel tells, where mean ratings spread by 1. In units of the ratings: ${decimals(Math.sqrt(variance) * rating.scale, 2)}.`,
    },
    {
      name: "Signal",
      symbol: "√v",
      value: decimals(Math.sqrt(signal), 2),
      meaning: `What the channels can tell, in the same unit. In units of the ratings: ${decimals(Math.sqrt(signal) * rating.scale, 2)}.`,
    },
    {
      name: "Noise of one rating",
      symbol: "s",
      value: decimals(Math.sqrt(perRating), 2),
      meaning:
        "What a single rating adds. It shrinks with the number of ratings: items with few of them are trusted less.",
    },
    {
      name: "Mean rating",
      symbol: "centre",
      value: decimals(rating.centre, 2),
      meaning: "Where predictions lie when nothing is known of an item.",
    },
  ];
  return [
    ...(predictsRatings ? process : []),
    {
      name: "Temperature",
      symbol: "T",
      value: significant(temperature),
      meaning: "How sharply near items are preferred to far ones. Smaller is sharper.",
    },
    {
      name: "Popularity",
      symbol: "β",
      value: decimals(popularity, 2),
      meaning: "How much popularity must count to rank validation items best. 0: similarity alone.",
    },
  ];
}

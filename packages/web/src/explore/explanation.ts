// A neighbour's reasons in words and bars.
import type { Segment } from "../design/bar.tsx";
import { channelColour } from "../engine/active-model.ts";
import type { ExplainedItem, Lift, SimilarQuestion } from "../engine/similarity.ts";

type Contribution = ExplainedItem["contributions"][number];

/** Distances: three digits are enough to compare by. */
export const shown = (value: number): string => value.toFixed(3);

/** The parts of a distance, in the order of the channels. */
export const segmentsOf = (contributions: readonly Contribution[]): Segment[] =>
  contributions.map(({ channel, contribution, unknown }) => ({
    label: channel,
    value: contribution,
    colour: channelColour(channel),
    hatched: unknown !== null,
  }));

/** All of it for those who listen: "Distance 0.212: plot 0.108, director 0.071". */
export function spoken({ distance, contributions }: Pick<ExplainedItem, "distance" | "contributions">): string {
  const parts = contributions
    .filter(({ contribution }) => contribution !== 0)
    .toSorted((a, b) => b.contribution - a.contribution)
    .map(({ channel, contribution }) => `${channel} ${shown(contribution)}`);
  return `Distance ${shown(distance)}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/**
 * The channel that keeps an item from a better place, and that place: "would be #2 with the same plot". Undefined where none does, and where a
 * list was made to differ within itself and nobody says what the rank by score is.
 */
export function holdsBack(
  { rank, scoreRank, contributions }: Pick<ExplainedItem, "rank" | "scoreRank" | "contributions">,
  diversity: number,
): { channel: string; rank: number } | undefined {
  const now = diversity === 0 ? rank : scoreRank;
  if (now === undefined) return undefined;
  const [best] = contributions
    .filter(({ rankWithout }) => rankWithout < now)
    .toSorted((a, b) => a.rankWithout - b.rankWithout || b.contribution - a.contribution);
  return best && { channel: best.channel, rank: best.rankWithout };
}

const MAX_RAISED_BY = 2;

/** Items of the history that add most to the score; none that take from it. */
export const mostRaisedBy = ({ raisedBy = [] }: Pick<ExplainedItem, "raisedBy">): Lift[] =>
  raisedBy.filter(({ lift }) => lift > 0).slice(0, MAX_RAISED_BY);

/** Channels in which an item, or the one it is compared with, has no value. */
export const notKnown = (contributions: readonly Contribution[]): string[] =>
  contributions.filter(({ unknown }) => unknown !== null).map(({ channel }) => channel);

/** Where an item stood before anything was chosen, against where it stands now. */
export type Move = { readonly kind: "up" | "down"; readonly by: number } | { readonly kind: "same" | "new" };

export function moveOf(rank: number, before: number | undefined): Move {
  if (before === undefined) return { kind: "new" };
  if (before === rank) return { kind: "same" };
  return before > rank ? { kind: "up", by: before - rank } : { kind: "down", by: rank - before };
}

/** What a list is ordered by, in words. */
export function orderOf({ popularity, diversity }: Pick<SimilarQuestion, "popularity" | "diversity">): string {
  const parts = [popularity > 0 ? "By distance and popularity" : "By distance"];
  if (popularity < 0) parts.push("against popularity");
  if (diversity > 0) parts.push("made to differ");
  return parts.join(", ");
}

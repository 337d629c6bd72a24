// What the screen says about a metric, a rating, a suggestion: short, and no more than is known.
import type { Influence, Learned, SuggestedItem } from "../engine/personal-calls.ts";
import { type ChannelShare, sharesIn } from "./shares.ts";

/** "4½": a rating beside a title. */
export function stars(rating: number): string {
  const whole = Math.floor(rating);
  const half = rating > whole ? "½" : "";
  return `${whole === 0 && half ? "" : whole}${half}`;
}

/** "4½ stars", to be read aloud. */
export const starsSpoken = (rating: number): string =>
  rating === 0 ? "not rated" : `${stars(rating)} ${rating > 1 ? "stars" : "star"}`;

/** "36 %" */
export const percent = (share: number): string => `${Math.round(100 * share)} %`;

const items = (count: number): string => (count === 1 ? "1 item" : `${count} items`);

export interface Standing {
  readonly title: string;
  readonly text: string;
}

/** What can be said at so many ratings. */
export function standingOf({ metric, most }: Pick<Learned, "metric" | "most">): Standing {
  const { kept, items: count } = metric;
  switch (kept) {
    case null:
      break;
    case "no ratings":
      return {
        title: "Nothing is known of you yet",
        text: "These are the weights that everybody shares. The bands show how far people differ. Two items with different stars are enough to begin.",
      };
    case "a single item":
    case "fewer than two ratings":
      return {
        title: "One item is too few",
        text: "It takes two to tell what sets items apart for you. Rate another one.",
      };
    case "all ratings are the same":
      return {
        title: "All your ratings are the same",
        text: "Nothing follows from that. Give one item more stars than another, and the weights will move.",
      };
    default:
      return { title: "The shared weights are kept", text: `Nothing could be learned from these ratings: ${kept}.` };
  }
  const title = count < 5 ? `A first guess, from ${items(count)}` : `Learned from ${items(count)}`;
  const last = count > most ? ` Of these the last ${most} count for the weights: tastes move on.` : "";
  const sure = count < 5 ? " The bars are wide: every rating narrows them." : "";
  return { title, text: `${sure}${last}`.trim() };
}

const NOTICED = 0.01; // of the whole: less is hardly seen in a list
const NAMED = 2; // channels each way

/** How the user's metric differs from everybody's. */
export function differenceFrom(shares: readonly ChannelShare[]): string {
  const words = compared(
    shares.map(({ channel, base, own }) => ({ channel, change: own - base })),
    NOTICED,
  );
  return words === undefined
    ? "So far you weigh things much as everybody does."
    : `Compared with everybody, you put ${words}.`;
}

/** What a change did, to be read aloud. */
export function updateSaid(before: readonly ChannelShare[], after: readonly ChannelShare[]): string {
  const own = new Map(before.map((one) => [one.channel, one.own]));
  const words = compared(
    after.map((one) => ({ channel: one.channel, change: one.own - (own.get(one.channel) ?? one.own) })),
    NOTICED / 2,
  );
  return words === undefined ? "Metric updated: it hardly changed." : `Metric updated: ${words}.`;
}

/** "more weight on plot and genres, less on year"; undefined where nothing changed by as much. */
function compared(changes: readonly { channel: string; change: number }[], least: number): string | undefined {
  const sorted = changes.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const more = sorted.filter(({ change }) => change >= least).slice(0, NAMED);
  const less = sorted.filter(({ change }) => change <= -least).slice(0, NAMED);
  const names = (list: readonly { channel: string }[]) => list.map(({ channel }) => channel).join(" and ");
  if (more.length > 0 && less.length > 0) return `more weight on ${names(more)}, less on ${names(less)}`;
  if (more.length > 0) return `more weight on ${names(more)}`;
  return less.length > 0 ? `less weight on ${names(less)}` : undefined;
}

export interface Effect {
  readonly channel: string;
  /** Of its share, in parts of the whole. */
  readonly change: number;
}

const FELT = 0.002; // of the whole: below it stands as nothing

/** What a rating did to the weights, the strongest first. Empty where that is next to nothing. */
export function effectsOf({ without }: Influence, weights: Readonly<Record<string, number>>): Effect[] {
  const [now, then] = [sharesIn(weights), sharesIn(without)];
  return [...now]
    .map(([channel, share]) => ({ channel, change: share - (then.get(channel) ?? 0) }))
    .filter(({ change }) => Math.abs(change) >= FELT)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

/** "+2.1" points of a hundred. */
export const points = (change: number): string => {
  const value = (100 * Math.abs(change)).toFixed(1);
  return change < 0 ? `−${value}` : `+${value}`;
};

/** What counts for the weights, by what this model learns from. */
export function countsWhat(target: Learned["target"]): string {
  switch (target) {
    case "choice":
      return "The weights are learned from which items you have met. How much you liked them decides what is suggested.";
    case "preference":
      return "The weights are learned from what you liked, against what you did not, or never met.";
    case "rating":
      return "The weights are learned from your stars: items that you rate alike should be near each other.";
  }
}

const MOVES = 0.03; // stars: less is no reason

/** Why something is suggested: "because you gave Alien 5 and Stalker 4½". */
export function becauseOf({ reasons }: Pick<SuggestedItem, "reasons">): string {
  const name = ({ title, item, rating }: SuggestedItem["reasons"][number]) => `${title ?? item} ${stars(rating)}`;
  const up = reasons.filter(({ contribution }) => contribution >= MOVES).slice(0, 2);
  const down = reasons.filter(({ contribution }) => contribution <= -MOVES).slice(0, 1);
  if (up.length === 0 && down.length === 0) return "Far from all you rated: near your average";
  const against = down.length > 0 ? `${up.length > 0 ? ", " : ""}in spite of ${name(down[0])}` : "";
  const because = up.length > 0 ? `because you gave ${up.map(name).join(" and ")}` : "";
  const text = because + against;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether ratings tell apart what will be liked: two of them, and not all the same. */
export const tellApart = (ratings: readonly { readonly rating: number }[]): boolean =>
  ratings.some(({ rating }) => rating !== ratings[0].rating);

// Reasons in the words of a caller: one entry per channel, exact, in the order of the channels.
import type { Query } from "../rank/query.ts";
import type { Neighbour } from "../rank/similar.ts";

/** What one channel has to do with a distance. */
export interface Contribution {
  readonly channel: string;
  /** d_c: 1 is a typical random pair. */
  readonly distance: number;
  /** h_c */
  readonly weight: number;
  /** h_c·d_c; contributions sum to t, in order and to the last bit. */
  readonly contribution: number;
  /** Its part of t; null where it would mean nothing: a negative weight, or t = 0. */
  readonly share: number | null;
  /** Whose value is not known, so that a stand-in takes its place. */
  readonly unknown: "query" | "item" | "both" | null;
  /** The rank without it: where the item would stand if its distance in this channel were 0, and nothing else changed. */
  readonly rankWithout: number;
}

export function contributionsOf(
  names: readonly string[],
  { items, weights }: Query,
  { neighbour, without, masked }: { neighbour: Neighbour; without: Int32Array; masked: Uint8Array },
): Contribution[] {
  const { item, total, distances, contributions } = neighbour;
  const shares = total > 0 && weights.every((weight) => weight >= 0);
  return names.map((channel, c) => {
    const inQuery = items.some((query) => query.masked[c] === 1);
    const inItem = masked[item * names.length + c] === 1;
    return {
      channel,
      distance: distances[c],
      weight: weights[c],
      contribution: contributions[c],
      share: shares ? contributions[c] / total : null,
      unknown: inQuery && inItem ? "both" : inQuery ? "query" : inItem ? "item" : null,
      rankWithout: without[c],
    };
  });
}

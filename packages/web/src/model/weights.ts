// What each channel is worth: its weight, and its share of the distance of a typical pair.
import type { ModelInfo } from "@nearkin/client";
import { isMeasured, signed } from "../design/numbers.ts";

export interface ChannelShare {
  readonly name: string;
  readonly type: string;
  /** h, as learned. */
  readonly weight: number;
  /** Of the distance of two random items, which are about 1 apart in every channel; negative with a negative weight. */
  readonly share: number;
}

/** In the order of the model's channels. */
export function channelShares(channels: ModelInfo["channels"]): ChannelShare[] {
  const total = channels.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
  return channels.map((channel) => ({ ...channel, share: total > 0 ? channel.weight / total : 0 }));
}

export interface SharePair {
  readonly name: string;
  /** Undefined where the model has no such channel. */
  readonly a: ChannelShare | undefined;
  readonly b: ChannelShare | undefined;
}

/** Two models' channels side by side: those of the first, then what only the second has. */
export function sharePairs(a: ModelInfo["channels"], b: ModelInfo["channels"]): SharePair[] {
  const [first, second] = [channelShares(a), channelShares(b)];
  const names = [...new Set([...first, ...second].map(({ name }) => name))];
  return names.map((name) => ({
    name,
    a: first.find((channel) => channel.name === name),
    b: second.find((channel) => channel.name === name),
  }));
}

/** What the second model has more or less of a channel, in points of a hundred; nothing where one has no such channel. */
export function changeOf({ a, b }: SharePair): string {
  if (!isMeasured(a?.share) || !isMeasured(b?.share)) return "";
  const points = Math.round(100 * (b.share - a.share));
  return `${signed(points, 0)} ${Math.abs(points) === 1 ? "point" : "points"}`;
}

const COLOURS = 8; // that tokens.css has

/** The colour of every channel: the active model's as on every other screen, others take those that are left. */
export function channelColours(active: readonly string[], others: readonly string[]): ReadonlyMap<string, string> {
  const names = [...new Set([...active, ...others])];
  return new Map(names.map((name, place) => [name, `var(--channel-${(place % COLOURS) + 1})`]));
}

// Warnings about channels: one that gives the answer away, and those that say little.
import type { ChannelInspection } from "./inspection.ts";
import { type Check, number, percent, warn } from "./warning.ts";

const CORRELATED = 0.9;

export const leakRatingChannel: Check = ({ inspection }) =>
  inspection.channels
    .filter(({ type }) => type === "number")
    .flatMap((channel) => {
      const { name, columns, ratingCorrelation: rho } = channel;
      const correlated = rho !== null && Math.abs(rho) > CORRELATED;
      const why = correlated
        ? `follows the mean rating of the items (rank correlation ${number(rho)})`
        : `is named like a rating (column ${columns.join(", ")})`;
      return warn(
        "LEAK_RATING_CHANNEL",
        correlated || namedLikeRating(channel),
        () =>
          `channel ${name} ${why}: a metric that sees the ratings it is to predict learns nothing else; leave it out`,
      );
    });

/** average_rating, imdbScore, stars; but not rating_count, nor the content rating of a film. */
function namedLikeRating({ name, columns }: ChannelInspection): boolean {
  return [name, ...columns].some((text) => {
    const words = text
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word !== "");
    const plain = words.join(" ");
    return (
      /(^|\b)(ratings?|stars|scores?|vote average|average vote|avg vote)$/.test(plain) &&
      !/(content|age) rating$/.test(plain)
    );
  });
}

export const constantChannel: Check = ({ inspection }) =>
  inspection.channels.flatMap(({ name, constant }) =>
    warn(
      "CONSTANT_CHANNEL",
      constant,
      () => `channel ${name} has one and the same value for all training items that have any; leave it out`,
    ),
  );

const COVERED = 0.5;

export const lowCoverage: Check = ({ inspection: { channels, counts } }) =>
  channels.flatMap(({ name, type, present, share }) =>
    warn(
      "LOW_COVERAGE",
      type !== "identity" && share < COVERED,
      () =>
        `channel ${name} has a value for ${number(present)} of ${number(counts.items)} items only (${percent(share)})`,
    ),
  );

// What the configuration fills into the steps that are SQL, the same for every engine.
import { type Config, foldsOf } from "../config/schema.ts";
import type { InteractionSource, Sources } from "./read.ts";
import type { Parameters } from "./sql.ts";

/** Later than every time: the largest BIGINT, as the splits without a cut have it. */
export const NEVER = "9223372036854775807";

const ABOVE_ALL = 1e20; // above every time

/** Bounds below which a number counts seconds, ms, µs, ns. */
const timeBounds: Record<Config["interactions"]["timeUnit"], readonly [number, number, number, number]> = {
  auto: [1e11, 1e14, 1e17, ABOVE_ALL],
  s: [1e18, 0, 0, 0], // differences of two must fit 64 bits
  ms: [0, ABOVE_ALL, 0, 0],
  us: [0, 0, ABOVE_ALL, 0],
  ns: [0, 0, 0, ABOVE_ALL],
  iso: [0, 0, 0, 0],
};

/** How the cells of interactions are read. */
export function cleanParameters({ interactions }: Config, columns: InteractionSource["columns"]): Parameters {
  const { timeUnit, ratingRange } = interactions;
  const [secondsBelow, millisecondsBelow, microsecondsBelow, nanosecondsBelow] = timeBounds[timeUnit];
  return {
    hasRating: columns.rating !== undefined,
    hasTime: columns.time !== undefined,
    numericTime: timeUnit !== "iso",
    isoTime: timeUnit === "auto" || timeUnit === "iso",
    secondsBelow,
    millisecondsBelow,
    microsecondsBelow,
    nanosecondsBelow,
    ratingLeast: ratingRange[0],
    ratingMost: ratingRange[1],
  };
}

export function splitParameters({ split, seed }: Config): Parameters {
  const { by, fraction, fold = 1, users, userEvents } = split;
  if (by === "none") return {};
  if (by === "time") return { fraction };
  if (by === "random") return { fraction, seed, fold, next: fold < foldsOf(fraction) ? fold + 1 : 1 };
  return { fraction, seed, users, leastEvents: userEvents[0], mostEvents: userEvents[1] };
}

export function truthParameters({ truth, split, seed }: Config): { items: Parameters; users: Parameters } {
  const { neighbours, minCommonUsers, maxQueries } = truth;
  return { items: { neighbours, minCommonUsers, maxQueries, seed }, users: { support: split.support } };
}

/** The columns that the catalogue keeps of an item's row. */
export function catalogueFields({ items }: Sources): string {
  return (items?.fields ?? []).map((_, k) => `,\n  checked_items.field_${k + 1}`).join("");
}

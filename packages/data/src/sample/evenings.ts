// When a user rates: evenings of a few films, weeks apart. Drawn before any film is chosen, so that the calendar of a user
// depends on that user's stream alone.
import type { Random } from "@nearkin/core";
import { PARAMETERS } from "./parameters.ts";
import { portableExp, portableLog } from "./portable.ts";

const { opening, closing, activity } = PARAMETERS;
const DAY = 86_400;
const DAYS = Math.round((closing - opening) / DAY);
const EVENING = 18 * 3600; // the first rating falls between 18:00 and 21:30, the last before midnight

/** The times of the ratings of each evening, in seconds, ascending. */
export function drawEvenings(random: Random): number[][] {
  const sizes = drawSizes(random);
  return drawDays(random, sizes.length).map((day, k) => {
    let time = opening + day * DAY + EVENING + random.below(3.5 * 3600);
    return Array.from({ length: sizes[k] }, () => {
      time += 30 + random.below(570);
      return time;
    });
  });
}

function drawSizes(random: Random): number[] {
  const wanted = Math.round(portableExp(activity.logMean + activity.logSpread * random.normal()));
  let left = Math.min(Math.max(wanted, activity.least), activity.most);
  const sizes: number[] = [];
  while (left > 0) {
    const size = Math.min(2 + Math.floor(activity.eveningMean * exponential(random)), activity.eveningMost, left);
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

/** Days since the opening, ascending. Some users are still there at the closing; the others came and left at any time. */
function drawDays(random: Random, count: number): number[] {
  const pace = activity.gap * portableExp(activity.gapSpread * random.normal());
  const days = [0];
  while (days.length < count) days.push(days[days.length - 1] + 1 + Math.floor(pace * exponential(random)));
  const span = days[days.length - 1];
  const squeeze = Math.max(1, span / (DAYS - 30)); // nobody is older than the service; two evenings may then fall on one day
  const slack = DAYS - 1 - Math.floor(span / squeeze);
  const current = random.uniform() < activity.current;
  const offset = current ? slack - random.below(Math.min(slack, 30) + 1) : random.below(slack + 1);
  return days.map((day) => offset + Math.floor(day / squeeze));
}

function exponential(random: Random): number {
  return -portableLog(1 - random.uniform());
}

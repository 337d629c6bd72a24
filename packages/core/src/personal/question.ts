// What to ask a user next: the item whose answer is expected to tell most about their weights. What is known of w is a Gaussian with precision
// J = C⁻¹ + n_u·F_u at the user's point; an answer about x makes it J_x, and narrows the posterior by
//
//   gain(x) = P(x)·½(log|J_x| − log|J|)
//
// in nats. P(x) is the chance that the user has met x, under the target `choice`: that they pick it rather than an item that they did not meet.
// A process learns from every answer alike (its Fisher matrix does not depend on what the answer is), so there P = 1.
// P parameters, c candidates

import { portableLog } from "../linalg/random.ts";
import { exp, logistic } from "../metric/exponential.ts";
import { type ChoiceProblem, choiceLogit } from "./choice.ts";
import { choiceProblem } from "./choices.ts";
import { posteriorPrecision } from "./posterior.ts";
import type { PersonalPrior } from "./settings.ts";
import { smallCholesky } from "./small.ts";
import { coordinatesAt, type SharedMetric, type UserItems } from "./user.ts";

/** Of one who has met nothing: items that stand for what they may meet first. */
const FIRST_ITEMS = 8;

export interface Question {
  /** Row of the catalogue. */
  readonly item: number;
  /** Nats. */
  readonly gain: number;
  /** P(x); 1 where every answer counts. */
  readonly chance: number;
}

/** Candidates that the user has not met, the most telling first; equal ones stay in their order. O(c) objectives of one more item. */
export function nextQuestions(
  metric: SharedMetric,
  prior: PersonalPrior,
  {
    user,
    own,
    candidates,
  }: { user: UserItems; own: { weights: Float64Array; popularity: number; offset: number }; candidates: Int32Array },
): Question[] {
  const { target } = prior.settings;
  const point = coordinatesAt(metric, target, own);
  const met = new Set(user.items);
  const asked = Array.from(candidates).filter((item) => !met.has(item));
  // A single item tells nothing yet: of one who has met none, what a first and a second answer tell together.
  const known = user.items.length > 0 ? [user] : asked.slice(0, FIRST_ITEMS).map((item) => withItem(user, item));
  const starts = known.map((start) => ({ start, before: information(start, 0) }));
  return asked.map((item): Question => ({ item, ...worthOf(item) })).sort((a, b) => b.gain - a.gain);

  /** The mean over the starts. */
  function worthOf(item: number): Omit<Question, "item"> {
    const others = starts.filter(({ start }) => !start.items.includes(item));
    let [gain, chance] = [0, others.length > 0 ? 0 : 1];
    for (const { start, before } of others) {
      const own = target === "choice" ? chanceOf(item, start) : 1;
      chance += own / others.length;
      gain += (own * 0.5 * Math.max(0, information(withItem(start, item), 1) - before)) / others.length;
    }
    return { gain, chance };
  }

  /** log|J| */
  function information(known: UserItems, more: number): number {
    const P = point.length;
    const L = smallCholesky(posteriorPrecision(metric, prior, known, { point, more }), P);
    if (!L) throw new Error("a prior's precision, and more, is positive definite");
    let sum = 0;
    for (let i = 0; i < P; i++) sum += 2 * portableLog(L[i * (P + 1)]);
    return sum;
  }

  /** Mean over the user's items of the chance to pick `item` rather than one that stands for all others. */
  function chanceOf(item: number, { items: known }: UserItems): number {
    const { rows, temperature } = metric;
    const items = Int32Array.from([...known.slice(-prior.settings.items), item]);
    const problem = choiceProblem(metric.engine, { rows, items, met: known, pool: prior.pool, temperature, window: 1 });
    const w = [...own.weights, own.popularity];
    let mean = 0;
    for (let i = 0; i + 1 < problem.s; i++) {
      const chosen = choiceLogit(problem, [i, problem.s - 1], w);
      mean += logistic(chosen - typicalLogit(problem, i, w)) / (problem.s - 1);
    }
    return mean;
  }
}

/** log of the mean of e^l over all that was not met. */
function typicalLogit(problem: ChoiceProblem, i: number, w: readonly number[]): number {
  const { s, m, shares } = problem;
  const logits = Array.from({ length: m }, (_, k) => choiceLogit(problem, [i, s + k], w));
  const top = Math.max(...logits);
  let [sum, all] = [0, 0];
  logits.forEach((logit, k) => {
    sum += shares[k] * exp(logit - top);
    all += shares[k];
  });
  return top + portableLog(sum / all);
}

/** The item as the user's last. Its rating is not known yet: the mean of theirs, which no target looks at for its information. */
function withItem({ items, ratings }: UserItems, item: number): UserItems {
  const given = ratings.filter((rating) => !Number.isNaN(rating));
  const mean = given.reduce((sum, rating) => sum + rating / given.length, 0);
  return {
    items: Int32Array.from([...items, item]),
    ratings: Float64Array.from([...ratings, given.length > 0 ? mean : Number.NaN]),
  };
}

// Can what was put in be found again? Only from what a reader of the sample has: ratings, times, film facts; the truth is
// used to score. Choices: a conditional logit of the next film of an evening on its distance to the last one,
//   log P(i | j) = log count_i − Σ_c w_c d_c(j, i) − log Σ_{i'} …  over the films there and unseen.
// Ratings: the likelihood of Eq. 6 for each user's own films.
import { createEngine, type Engine } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FilmDistances, filmDistances, totalDistances } from "./distances.ts";
import { readFilms } from "./films.ts";
import { CHANNELS, type ChannelWeights } from "./parameters.ts";
import { type Marquee, simulateWith } from "./simulate.ts";

interface Step {
  user: number;
  from: number;
  to: number;
  /** Films that were there and unseen. */
  candidates: Int32Array;
}

let engine: Engine;
let marquee: Marquee;
let distances: FilmDistances;
let steps: Step[];
let logCounts: Float64Array;
const uniform: ChannelWeights = { genres: 1, plot: 1, director: 1, country: 1, year: 1 };

beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  const films = await readFilms();
  marquee = simulateWith(engine, films, 1);
  distances = filmDistances(engine, films);
  steps = eveningSteps(marquee, 6);
  logCounts = new Float64Array(films.length);
  for (const film of marquee.ratings.film) logCounts[film]++;
  logCounts = logCounts.map(Math.log);
});
afterAll(() => engine.close());

/** Every `stride`-th pair of films rated one after the other on one evening. */
function eveningSteps({ films, ratings }: Marquee, stride: number): Step[] {
  const added = films.map((film) => Date.parse(film.added) / 1000);
  const found: Step[] = [];
  let seen = new Set<number>();
  for (let k = 0, pairs = 0; k < ratings.film.length; k++) {
    const sameUser = k > 0 && ratings.user[k] === ratings.user[k - 1];
    if (!sameUser) seen = new Set();
    const time = ratings.timestamp[k];
    if (sameUser && time - ratings.timestamp[k - 1] < 3600 && pairs++ % stride === 0) {
      const candidates = Int32Array.from(films.keys()).filter((i) => added[i] <= time && !seen.has(i));
      found.push({ user: ratings.user[k], from: ratings.film[k - 1], to: ratings.film[k], candidates });
    }
    seen.add(ratings.film[k]);
  }
  return found;
}

/** Mean log probability of the films chosen, under weights(user) times a common scale. */
function choiceLikelihood(weights: (user: number) => ChannelWeights, scale: number): number {
  const t = new Float64Array(distances.n);
  let sum = 0;
  for (const { user, from, to, candidates } of steps) {
    totalDistances(t, { distances, weights: weights(user) }, from, -scale);
    let total = 0;
    for (const i of candidates) total += Math.exp(logCounts[i] + t[i]);
    sum += logCounts[to] + t[to] - Math.log(total);
  }
  return sum / steps.length;
}

/** Each metric at its own best scale, so that only the proportions of its weights are compared. */
const bestLikelihood = (weights: (user: number) => ChannelWeights) =>
  Math.max(...[0.25, 0.4, 0.6, 0.8, 1, 1.3, 1.7, 2.2].map((scale) => choiceLikelihood(weights, scale)));

/** The common weights w of the conditional logit, by Newton's method from 0. */
function fitWeights(): number[] {
  const p = CHANNELS.length;
  const d = CHANNELS.map((channel) => distances.channels[channel]);
  const x = new Float64Array(p);
  let w = CHANNELS.map(() => 0);
  for (let round = 0; round < 6; round++) {
    const gradient = new Float64Array(p);
    const hessian = new Float64Array(p * p);
    for (const { from, to, candidates } of steps) {
      const mean = new Float64Array(p);
      const square = new Float64Array(p * p);
      let total = 0;
      for (const i of candidates) {
        let t = 0;
        for (let c = 0; c < p; c++) {
          x[c] = d[c][from * distances.n + i];
          t += w[c] * x[c];
        }
        const weight = Math.exp(logCounts[i] - t);
        total += weight;
        for (let a = 0; a < p; a++) {
          mean[a] += weight * x[a];
          for (let b = 0; b <= a; b++) square[a * p + b] += weight * x[a] * x[b];
        }
      }
      for (let a = 0; a < p; a++) {
        gradient[a] += mean[a] / total - d[a][from * distances.n + to];
        for (let b = 0; b <= a; b++) hessian[a * p + b] += square[a * p + b] / total - (mean[a] * mean[b]) / total ** 2;
      }
    }
    using scope = engine.scope();
    const L = scope.matrix(p, p).write(hessian);
    const step = scope.matrix(p, 1).write(gradient);
    engine.cholesky(L);
    engine.solveCholesky(step, L);
    w = w.map((x, c) => x + Math.max(-0.7, Math.min(0.7, step.get(c, 0)))); // a full first step overshoots
  }
  return w;
}

describe("choices", () => {
  test("true personal weights explain them better than base weights, those better than equal ones, those than none", () => {
    const personal = bestLikelihood((user) => marquee.users[user].weights);
    const base = bestLikelihood(() => marquee.parameters.taste.baseWeights);
    const equal = bestLikelihood(() => uniform);
    const none = choiceLikelihood(() => uniform, 0);
    expect(personal - base).toBeGreaterThan(0.1);
    expect(base - equal).toBeGreaterThan(0.02);
    expect(equal - none).toBeGreaterThan(0.2);
  });

  test("a fit that knows nothing of users finds the order of the base weights", () => {
    const fitted = fitWeights();
    const base = CHANNELS.map((channel) => marquee.parameters.taste.baseWeights[channel]);
    const order = (x: readonly number[]) => CHANNELS.map((_, c) => c).sort((a, b) => x[b] - x[a]);
    expect(order(fitted)).toEqual(order(base));
  });
});

describe("ratings", () => {
  test("true personal weights have a higher likelihood (Eq. 6) than base weights, and those of someone else a lower one", () => {
    const { ratings, users, parameters } = marquee;
    const filmMeans = meanRatings(marquee);
    const gains: { base: number; other: number }[] = [];
    for (let u = 0; u < users.length; u++) {
      const start = ratings.user.indexOf(u);
      const end = ratings.user.lastIndexOf(u) + 1;
      if (end - start < 60) continue; // too few to tell metrics apart
      const films = ratings.film.subarray(start, end);
      const r = Float64Array.from(films, (film, k) => ratings.rating[start + k] - filmMeans[film]);
      const own = ratingLoss(films, r, users[u].weights);
      gains.push({
        base: ratingLoss(films, r, parameters.taste.baseWeights) - own,
        other: ratingLoss(films, r, users[(u + 1) % users.length].weights) - own,
      });
    }
    const mean = (x: number[]) => x.reduce((sum, value) => sum + value, 0) / x.length;
    expect(gains.length).toBeGreaterThan(300);
    expect(mean(gains.map((gain) => gain.base))).toBeGreaterThan(0.7);
    expect(mean(gains.map((gain) => (gain.base > 0 ? 1 : 0)))).toBeGreaterThan(0.56);
    expect(mean(gains.map((gain) => gain.other))).toBeGreaterThan(2);
  });
});

function meanRatings({ films, ratings }: Marquee): Float64Array {
  const sums = new Float64Array(films.length);
  const counts = new Float64Array(films.length);
  ratings.film.forEach((film, k) => {
    sums[film] += ratings.rating[k];
    counts[film]++;
  });
  return sums.map((sum, i) => sum / counts[i]);
}

/** ½ log|S| + ½ rᵀS⁻¹r with S = v·exp(−½t) + offset·11ᵀ + σ²I (Eq. 6, and room for a user's own mean). */
function ratingLoss(films: Int32Array, r: Float64Array, weights: ChannelWeights): number {
  const [v, offset, noise] = [0.7, 0.4, 0.2]; // as a reader might guess them; the truth is a little different
  using scope = engine.scope();
  const n = films.length;
  const S = scope.matrix(n, n);
  const t = new Float64Array(distances.n);
  for (let i = 0; i < n; i++) {
    totalDistances(t, { distances, weights }, films[i]);
    for (let j = 0; j < n; j++) S.set(i, j, v * Math.exp(-0.5 * t[films[j]]) + offset + (i === j ? noise : 0));
  }
  engine.cholesky(S);
  const alpha = scope.matrix(n, 1).write(r);
  engine.solveCholesky(alpha, S);
  return 0.5 * engine.logDeterminant(S) + 0.5 * alpha.read().reduce((sum, x, i) => sum + x * r[i], 0);
}

// The last channel of a metric: who met each item (method.md §17). Its factors come in closed form when all stages are over, so no tower can lean on
// them; how they are made, and what the channel weighs beside the others, is chosen by how well validation queries are ranked:
//
//   new      the validation items of the dataset, which nobody met in training
//   known    the last items of some training users, of which the factors that are tried know nothing
//
// n items, k factors, p channels before it
import {
  type BehaviorSettings,
  behaviorFactors,
  blendFactors,
  buildQuery,
  type ContentInput,
  countUsers,
  type FoldInSettings,
  Foresight,
  hostMatrix,
  inverseSoftplus,
  isContent,
  type LiftedRows,
  liftedItem,
  type Matrix,
  type MetItems,
  type ModelHistory,
  paperHitRate,
  paperMrr,
  paperNdcg,
  type Scope,
  scanScores,
} from "@nearkin/core";
import type { TrainEvent } from "../events.ts";
import type { AddedChannel } from "./extend.ts";
import { withChannel } from "./extend.ts";
import { withCatalogue } from "./ranking.ts";
import type { Run } from "./run.ts";
import { holdBack, newQueries, type TrialQuery } from "./trial-queries.ts";

/** What was chosen for the channel. */
export interface BehaviorChoice extends Required<BehaviorSettings> {
  /** κ */
  readonly prior: number;
  /** How far the channel's scores are spread, in units of how far those of all other channels are. */
  readonly strength: number;
  /** What a user's last items weigh together, in units of a query of average length. */
  readonly history: number;
}

/** Settings of the factors. */
type FactorSettings = Omit<BehaviorChoice, "strength" | "history">;

const FIXED = { userLengthExponent: 0.25, session: 10 } as const;

/** Known items are ranked best with much shrinkage and a small exponent, new items with little and a larger one. */
const SETTINGS: readonly FactorSettings[] = [
  { sessionWeight: 0.5, shrinkage: 10, normExponent: 0.4, prior: 3 },
  { sessionWeight: 0.5, shrinkage: 30, normExponent: 0.35, prior: 3 },
  { sessionWeight: 0.5, shrinkage: 100, normExponent: 0.3, prior: 3 },
  { sessionWeight: 0.5, shrinkage: 5, normExponent: 0.5, prior: 3 },
  { sessionWeight: 0, shrinkage: 5, normExponent: 0.5, prior: 3 },
].map((settings) => ({ ...FIXED, ...settings }));

const STRENGTHS = [0.1, 0.3, 1, 3, 10, 30];
const CLOSE = 0.995; // of the best total
/** At most twice what the query weighs: a list of similar items is about the item, whoever asks. */
const HISTORIES = [0, 0.5, 1, 2];
const HISTORY = { decay: 0.9, items: 10 } as const;

/** The choice if there is nothing to choose by. */
const DEFAULT_CHOICE: BehaviorChoice = { ...SETTINGS[0], strength: 1, history: 2 };

const PLACES = 10;
const LEAST_WEIGHT = 1e-6;
/** Cosines of a channel in the regression from content, whose cost grows with their square. */
const COSINES_PER_FACTOR = 4;
const MAX_COSINES = 500;

/** The same run with the channel, and what was chosen for it; undefined if nothing can be learned from who met what. */
export async function withBehavior(
  run: Run,
  scope: Scope,
  options: { chosen: BehaviorChoice | undefined; pause: () => Promise<void>; emit: (event: TrainEvent) => void },
): Promise<{ run: Run; choice: BehaviorChoice; history: ModelHistory; foldIn: FoldInSettings } | undefined> {
  const { config, set } = run;
  const { histories } = set.data;
  if (config.behavior.factors === 0 || histories.items.length === 0) return undefined;
  const choice = options.chosen ?? (await choose(run, options.pause)) ?? DEFAULT_CHOICE;
  const made = madeFactors(run, choice);
  if (!made) return undefined;
  const { vectors, k, missing, transform, scale, weight, foldIn } = made;
  const name = behaviorName(run.model.channels.map((channel) => channel.name));
  const channel: AddedChannel = {
    spec: { name, input: "factors", inputWidth: k, embeddingSize: k },
    transform,
    scale: 1,
    input: { kind: "factors", values: hostMatrix(vectors, set.itemCount, k), missing },
  };
  const whole = withChannel(run, scope, channel);
  const { scales, lengths, standIns } = run.statistics;
  whole.statistics = {
    scales: Float64Array.of(...scales, scale),
    lengths: Float64Array.of(...lengths, 0),
    standIns: [...standIns, new Float64Array(0)],
  };
  const weights = whole.parameters.get("weights") as Matrix;
  weights.set(0, weights.cols - 1, config.model.weights === "softplus" ? inverseSoftplus(weight) : weight);
  options.emit({
    type: "note",
    text: `channel ${name}: who met an item, ${k} factors; shrinkage ${choice.shrinkage}, exponent ${choice.normExponent}, weight ${weight.toPrecision(3)}`,
  });
  // γ·Σ_b w_b ẑ_b beside (h/T)·z_q of a query of average length
  const length = meanLength(run, vectors, k) / Math.sqrt(scale);
  const history = { weight: (choice.history * length * weight) / config.siamese.temperature, ...HISTORY };
  return { run: whole, choice, history, foldIn };
}

/** Mean |v| of some training items. */
function meanLength(run: Run, vectors: Float32Array, k: number): number {
  const items = sampledItems(run);
  return items.reduce((sum, item) => sum + Math.sqrt(squareOf(vectors, item, k)) / items.length, 0);
}

function squareOf(vectors: ArrayLike<number>, item: number, k: number): number {
  let square = 0;
  for (let j = item * k; j < (item + 1) * k; j++) square += vectors[j] * vectors[j];
  return square;
}

/** Factors of all items and what goes with them; undefined if nobody met two items together. */
function madeFactors(run: Run, choice: BehaviorChoice) {
  using scope = run.engine.scope();
  const { transform, ...made } = new FactorMaker(run, scope, run.set.data.histories).make(choice);
  const { vectors, k } = made;
  const scale = k === 0 ? 0 : nearestProduct(run, vectors, k);
  if (!(scale > 0)) return undefined;
  const weight = weightOf(run, vectors, { k, scale, strength: choice.strength });
  return { ...made, transform: transform(), scale, weight };
}

/** What the channel is called: `behavior`, or `behavior2` if the dataset has one of that name, and so on. */
function behaviorName(names: readonly string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? "behavior" : `behavior${i}`;
    if (!names.includes(name)) return name;
  }
}

/** Factors of all items from these histories, under any settings. */
class FactorMaker {
  readonly #run: Run;
  readonly #met: MetItems;
  readonly #counts: Int32Array;
  readonly #names: readonly string[];
  readonly #foresight: Foresight;

  constructor(run: Run, scope: Scope, met: MetItems) {
    const { engine, set } = run;
    const sources = set.channels.flatMap(({ spec: { name }, transform }, c) => {
      const input = set.inputs.channels[c];
      return isContent(input) && transform.type !== "surrogate" ? [{ name, input }] : [];
    });
    this.#run = run;
    this.#met = met;
    this.#names = sources.map(({ name }) => name);
    this.#counts = countUsers(met, set.itemCount);
    const inputs: ContentInput[] = sources.map(({ input }) => input);
    this.#foresight = new Foresight(engine, scope, inputs, {
      met: this.#counts,
      cosines: Math.min(MAX_COSINES, COSINES_PER_FACTOR * run.config.behavior.factors),
      random: run.random.split("behavior", "content"),
    });
  }

  make({ prior, userLengthExponent, session, sessionWeight, shrinkage, normExponent }: FactorSettings) {
    const { engine, config, random, set } = this.#run;
    const found = behaviorFactors(engine, this.#met, {
      ...{ userLengthExponent, session, sessionWeight, shrinkage, normExponent },
      itemCount: set.itemCount,
      rank: config.behavior.factors,
      random: random.split("behavior", "factors"),
    });
    const { vectors, rank: k, squares, evidence, perEvent } = found;
    const means = k === 0 ? vectors : this.#foresight.means(vectors);
    return {
      k,
      /** (n, k) */
      vectors: k === 0 ? vectors : blendFactors({ vectors, means, met: this.#counts, prior }),
      missing: Uint8Array.from(this.#counts, (count) => (count === 0 ? 1 : 0)),
      transform: () => this.#foresight.transform(vectors, this.#names),
      foldIn: {
        ...{ userLengthExponent, session, sessionWeight, normExponent, prior, squares },
        shrinkage: shrinkage * perEvent,
        evidence: Float32Array.from(evidence),
      } satisfies FoldInSettings,
    };
  }
}

const SAMPLED_ITEMS = 50;

/** Some training items, evenly spread. */
function sampledItems({ set: { trainItems } }: Run): number[] {
  const count = Math.min(SAMPLED_ITEMS, trainItems.length);
  return Array.from({ length: count }, (_, i) => trainItems[Math.floor((i * trainItems.length) / count)]);
}

const LONGEST = 256;

/**
 * s: the largest inner product of two items, at which d is 0. The longest are compared with all; two others reach at most the square of the length of the
 * last of these. O(n·k) for each of the longest.
 */
function nearestProduct(run: Run, vectors: Float32Array, k: number): number {
  using scope = run.engine.scope();
  const V = placed(scope, vectors, k);
  const squares = Float64Array.from({ length: run.set.itemCount }, (_, item) => squareOf(vectors, item, k));
  const longest = Array.from(squares.keys())
    .sort((a, b) => squares[b] - squares[a])
    .slice(0, LONGEST);
  let most = 0;
  for (const item of longest) {
    const products = productsOf(run, item, V);
    products[item] = 0;
    for (const product of products) most = Math.max(most, product);
  }
  return most;
}

/** h of the channel with which its scores are `strength` times as far spread as those of the other channels, over some training items. */
function weightOf(
  run: Run,
  vectors: Float32Array,
  { k, scale, strength }: { k: number; scale: number; strength: number },
): number {
  const { content, behavior } = withCatalogue(run, (rows, options) => {
    using scope = run.engine.scope();
    return spreads(run, { rows, options, V: placed(scope, vectors, k) });
  });
  // −h·(1 − v·v′/s)/T varies as h/(s·T) times v·v′
  return behavior > 0 ? (strength * content * scale * run.config.siamese.temperature) / behavior : LEAST_WEIGHT;
}

const placed = (scope: Scope, vectors: Float32Array, k: number): Matrix =>
  scope.matrix(vectors.length / k, k, "f32").write(vectors);

interface Spaces {
  rows: LiftedRows;
  options: Parameters<typeof buildQuery>[2];
  /** (n, k) */
  V: Matrix;
}

/** Standard deviations of scores over some training items as queries and all items. */
function spreads(run: Run, spaces: Spaces): { content: number; behavior: number } {
  const [content, behavior] = [new Moments(), new Moments()];
  for (const item of sampledItems(run)) {
    const scores = scoresOf(run, item, spaces);
    content.add(scores.content);
    behavior.add(scores.behavior);
  }
  return { content: content.deviation, behavior: behavior.deviation };
}

/** Mean over queries of the variance over items. */
class Moments {
  #sum = 0;
  #count = 0;

  add(values: Float32Array): void {
    let [sum, squares] = [0, 0];
    for (const x of values) sum += x;
    const mean = sum / values.length;
    for (const x of values) squares += (x - mean) ** 2;
    this.#sum += squares / values.length;
    this.#count++;
  }

  get deviation(): number {
    return Math.sqrt(this.#sum / Math.max(1, this.#count));
  }
}

/** Of all items, for one query. */
interface Scores {
  readonly content: Float32Array;
  readonly behavior: Float32Array;
  lifts?: Float32Array;
}

/** Scores of all items for one query: −t/T by the other channels, and v·v′. */
function scoresOf(run: Run, item: number, { rows, options, V }: Spaces): Scores {
  const content = new Float32Array(rows.count);
  const query = buildQuery(rows, [liftedItem(rows, item)], options);
  scanScores(rows, query, (first, length, found, at) => content.set(found.subarray(at, at + length), first));
  return { content, behavior: productsOf(run, item, V) };
}

/** v·v′ of an item with all. */
function productsOf({ engine }: Run, item: number, V: Matrix): Float32Array {
  using scope = engine.scope();
  const x = scope.matrix(V.cols, 1, "f32");
  x.data.set(V.data.subarray(V.offset + item * V.cols, V.offset + (item + 1) * V.cols), x.offset);
  const y = scope.matrix(V.rows, 1, "f32");
  engine.gemv(y, V, x);
  return Float32Array.from(y.data.subarray(y.offset, y.offset + V.rows));
}

/** The settings and the strength that rank validation queries best: the sum over the kinds of queries, each in units of its best. */
async function choose(run: Run, pause: () => Promise<void>): Promise<BehaviorChoice | undefined> {
  const { engine, set } = run;
  const { met, known } = holdBack(run);
  const kinds = [newQueries(run), known].filter((queries) => queries.length > 0);
  if (kinds.length === 0) return undefined;
  using scope = engine.scope();
  if (countUsers(met, set.itemCount).every((count) => count === 0)) return undefined;
  const maker = new FactorMaker(run, scope, met);
  const tried: { choice: Omit<BehaviorChoice, "history">; scores: number[] }[] = [];
  for (const settings of SETTINGS) {
    const { vectors, k } = maker.make(settings);
    await pause();
    if (k === 0) return undefined;
    const found = withCatalogue(run, (rows, options) => {
      using own = engine.scope();
      const spaces = { rows, options, V: placed(own, vectors, k) };
      const units = spreads(run, spaces);
      return kinds.map((kind) => tryStrengths(run, kind, spaces, units));
    });
    STRENGTHS.forEach((strength, s) => {
      tried.push({ choice: { ...settings, strength }, scores: found.map((scores) => scores[s]) });
    });
    await pause();
  }
  const best = kinds.map((_, kind) => Math.max(...tried.map(({ scores }) => scores[kind])) || 1);
  const totals = tried.map(({ scores }) => scores.reduce((sum, score, kind) => sum + score / best[kind], 0));
  const enough = CLOSE * Math.max(...totals);
  // Of choices that cannot be told apart, the one in which content says most: it explains more, and answers items that few people met.
  const close = tried.map(({ choice }, i) => ({ choice, total: totals[i] })).filter(({ total }) => total >= enough);
  const [{ choice }] = close.sort((a, b) => a.choice.strength - b.choice.strength || b.total - a.total);
  if (known.length === 0) return { ...choice, history: DEFAULT_CHOICE.history };
  const { vectors, k } = maker.make(choice);
  const scores = withCatalogue(run, (rows, options) => {
    using own = engine.scope();
    return tryHistories(run, known, { rows, options, V: placed(own, vectors, k) }, choice.strength);
  });
  await pause();
  const least = scores.findIndex((score) => score >= CLOSE * Math.max(...scores));
  return { ...choice, history: HISTORIES[least] };
}

/** Mean score of the queries, for each strength. */
function tryStrengths(
  run: Run,
  queries: readonly TrialQuery[],
  spaces: Spaces,
  { content, behavior }: { content: number; behavior: number },
): number[] {
  return meanScores(run, queries, spaces, STRENGTHS.length, (scores, s, total) => {
    const factor = behavior > 0 ? (STRENGTHS[s] * content) / behavior : 0;
    for (let i = 0; i < total.length; i++) total[i] = scores.content[i] + factor * scores.behavior[i];
  });
}

/** Mean score of the queries with what their users met before, for each weight of it. */
function tryHistories(run: Run, queries: readonly TrialQuery[], spaces: Spaces, strength: number): number[] {
  const { V } = spaces;
  const { content, behavior } = spreads(run, spaces);
  const factor = behavior > 0 ? (strength * content) / behavior : 0;
  const vectors = V.data.subarray(V.offset, V.offset + V.rows * V.cols) as Float32Array;
  const length = meanLength(run, vectors, V.cols);
  return meanScores(run, queries, spaces, HISTORIES.length, (scores, h, total, { excluded }) => {
    scores.lifts ??= historyProducts(run, excluded.slice(-HISTORY.items), V);
    const weight = factor * length * HISTORIES[h];
    for (let i = 0; i < total.length; i++) {
      total[i] = scores.content[i] + factor * scores.behavior[i] + weight * scores.lifts[i];
    }
  });
}

/** Σ_b w_b v̂_b·v of all items, v̂ at length 1. */
function historyProducts({ engine }: Run, items: readonly number[], V: Matrix): Float32Array {
  using scope = engine.scope();
  const x = scope.zeros(V.cols, 1, "f32");
  const shares = items.map((_, i) => HISTORY.decay ** (items.length - 1 - i));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const data = V.data.subarray(V.offset, V.offset + V.rows * V.cols);
  items.forEach((item, i) => {
    const length = Math.sqrt(squareOf(data, item, V.cols));
    if (length === 0) return;
    for (let j = 0; j < V.cols; j++) x.data[x.offset + j] += (shares[i] * data[item * V.cols + j]) / (total * length);
  });
  const y = scope.matrix(V.rows, 1, "f32");
  engine.gemv(y, V, x);
  return Float32Array.from(y.data.subarray(y.offset, y.offset + V.rows));
}

/** Mean over queries of the mean of HR, MRR and NDCG, under `count` ways to add scores up. */
function meanScores(
  run: Run,
  queries: readonly TrialQuery[],
  spaces: Spaces,
  count: number,
  add: (scores: Scores, way: number, total: Float32Array, query: TrialQuery) => void,
): number[] {
  const sums = new Array<number>(count).fill(0);
  const total = new Float32Array(spaces.rows.count);
  for (const query of queries) {
    const scores: Scores = scoresOf(run, query.item, spaces);
    for (let way = 0; way < count; way++) {
      add(scores, way, total, query);
      for (const other of query.excluded) total[other] = Number.NEGATIVE_INFINITY;
      total[query.item] = Number.NEGATIVE_INFINITY;
      const list = bestItems(total, PLACES);
      const figures = [paperHitRate, paperMrr, paperNdcg].map((metric) => metric(list, query.relevant));
      sums[way] += figures.reduce((sum, x) => sum + x, 0) / figures.length;
    }
  }
  return sums.map((sum) => sum / Math.max(1, queries.length));
}

/** The `count` items of the highest scores, best first; equal ones by their number. */
function bestItems(scores: Float32Array, count: number): Int32Array {
  const list: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) {
    if (list.length === count && scores[i] <= least) continue;
    if (scores[i] === Number.NEGATIVE_INFINITY) continue;
    let at = list.length;
    while (at > 0 && scores[list[at - 1]] < scores[i]) at--;
    list.splice(at, 0, i);
    if (list.length > count) list.pop();
    if (list.length === count) least = scores[list[count - 1]];
  }
  return Int32Array.from(list);
}

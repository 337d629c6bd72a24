// Lemma 3 between two models, and between a model and a copy of it with fewer bits. The distance is t = Σ_c h_c d_c, which lists are sorted by;
// with one link and offset on both sides |φ(t₂) − φ(t₁)| ≤ |t₂ − t₁| for t ≥ 0, all three links alike, so that the certificate holds for D = φ(t) too.
// p channels, e embedding columns
import { type LiftedItem, type LiftedRows, liftedItem, type Model, NearkinError, Random } from "@nearkin/core";
import { plural } from "../report/numbers.ts";
import { type Certificate, certifyDistances } from "./certificate.ts";
import { checkWhole } from "./checks.ts";

export interface PairSampleOptions {
  /** Pairs to look at: all of them where there are no more than that, else so many by chance. @default 200000 */
  pairs?: number;
  /** Of the sample. @default 1 */
  seed?: number;
}

export interface ModelCertificate extends Certificate {
  /** Items that both know. */
  readonly items: number;
  /** Whether every pair of them was looked at. The certificate is about those that were. */
  readonly exhaustive: boolean;
  /** The pair that is farthest off, by id, and its two distances; null where none differs. */
  readonly worst: {
    readonly ids: readonly [string, string];
    readonly distances: readonly [number, number];
  } | null;
}

/** Between two models, over the items that both have; the first is the reference, k₁. */
export function certifyModels(first: Model, second: Model, options: PairSampleOptions = {}): ModelCertificate {
  const common = first.items.ids.ids.flatMap((id, row) => {
    const other = second.items.ids.index(id);
    return other === undefined ? [] : [{ id, rows: [row, other as number] as const }];
  });
  const [one, two] = [metricOf(first), metricOf(second)];
  return certify(
    common.map(({ id }) => id),
    (a, b) => [one(common[a].rows[0], common[b].rows[0]), two(common[a].rows[1], common[b].rows[1])],
    options,
  );
}

/**
 * Between a model and its copy whose embedding columns are whole multiples of a step each, `bits` bits with the sign: what an index of
 * smaller numbers would hold.
 */
export function certifyQuantised(model: Model, bits: number, options: PairSampleOptions = {}): ModelCertificate {
  checkWhole("bits", bits, 2);
  if (bits > 16) throw new NearkinError("BAD_ARGUMENT", `bits must be at most 16, got ${bits}`);
  const [one, two] = [metricOf(model), metricOf(model, quantiser(model.rows, bits))];
  return certify(model.items.ids.ids, (a, b) => [one(a, b), two(a, b)], options);
}

type PairDistances = (a: number, b: number) => readonly [number, number];

function certify(
  ids: readonly string[],
  distances: PairDistances,
  { pairs = 200_000, seed = 1 }: PairSampleOptions,
): ModelCertificate {
  checkWhole("pairs", pairs);
  const items = ids.length;
  if (items < 2) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `certificate: the models have ${plural(items, "item")} in common; it takes two to be a pair`,
    );
  }
  const exhaustive = (items * (items - 1)) / 2 <= pairs;
  const places = () => (exhaustive ? allPairs(items) : somePairs(items, pairs, seed));
  const certificate = certifyDistances(mapped(places(), ([a, b]) => distances(a, b)));
  const worst = nth(places(), certificate.widest);
  return {
    ...certificate,
    items,
    exhaustive,
    worst: worst && { ids: [ids[worst[0]], ids[worst[1]]], distances: distances(...worst) },
  };
}

type Pair = readonly [number, number];

function* allPairs(n: number): Generator<Pair> {
  for (let a = 1; a < n; a++) for (let b = 0; b < a; b++) yield [a, b];
}

/** Two different items each; the same for the same seed. */
function* somePairs(n: number, count: number, seed: number): Generator<Pair> {
  const random = new Random(seed).split("certificate");
  for (let i = 0; i < count; i++) {
    const a = random.below(n);
    const b = random.below(n - 1);
    yield [a, b < a ? b : b + 1];
  }
}

function* mapped<From, To>(list: Iterable<From>, map: (from: From) => To): Generator<To> {
  for (const one of list) yield map(one);
}

function nth(pairs: Iterable<Pair>, index: number): Pair | null {
  let at = 0;
  for (const pair of pairs) if (at++ === index) return pair;
  return null;
}

/** t between two rows of a model. */
function metricOf(model: Model, change = (item: LiftedItem) => item): (a: number, b: number) => number {
  const { rows } = model;
  const h = model.parts.ensemble.channels.map(({ name }) => model.weights[name]);
  return (a, b) => total(rows, h, [change(liftedItem(rows, a)), change(liftedItem(rows, b))]);
}

/** t = Σ_c h_c·(‖z^c_a − z^c_b‖² + ρ_c for each stand-in): lifted rows are divided by √s_c already. */
function total(
  { layout, lengths }: LiftedRows,
  h: readonly number[],
  [a, b]: readonly [LiftedItem, LiftedItem],
): number {
  let t = 0;
  for (let c = 0; c < layout.channelCount; c++) {
    let distance = (a.masked[c] + b.masked[c]) * lengths[c];
    const end = layout.starts[c] + layout.sizes[c];
    for (let j = layout.starts[c]; j < end; j++) distance += (a.embedding[j] - b.embedding[j]) ** 2;
    t += h[c] * distance;
  }
  return t;
}

/** Each column to the nearest of 2^bits − 1 levels, the outermost at its largest magnitude. */
function quantiser(
  { shards, layout: { embeddingSize: e } }: LiftedRows,
  bits: number,
): (item: LiftedItem) => LiftedItem {
  const steps = new Float64Array(e);
  for (const { rows } of shards) {
    const { data, offset, rowStride } = rows;
    for (let i = 0; i < rows.rows; i++) {
      for (let j = 0; j < e; j++) steps[j] = Math.max(steps[j], Math.abs(data[offset + i * rowStride + j]));
    }
  }
  const levels = 2 ** (bits - 1) - 1;
  for (let j = 0; j < e; j++) steps[j] /= levels;
  const rounded = (value: number, j: number) => (steps[j] === 0 ? 0 : Math.round(value / steps[j]) * steps[j]);
  return (item) => ({ ...item, embedding: item.embedding.map(rounded) });
}

// What the evaluate suite ranks, made up by seed: the lifted rows of a trained model, and the content of a catalogue whose categories
// many items share, as the cosine baselines see it.
// n items, p channels, e embedding columns, q queries
import {
  buildRows,
  type Engine,
  type LiftedRows,
  liftRows,
  Random,
  type RowLayout,
  type RowScaling,
  rowLayout,
  type Scope,
} from "@nearkin/core";
import type { TruthTable } from "@nearkin/evaluate";

export const ITEMS = 160_000;

/** Lifted rows before they lie in an engine's memory, and what the lists are judged by. */
export interface Catalogue {
  layout: RowLayout;
  scaling: RowScaling;
  ids: readonly string[];
  masked: Uint8Array;
  /** (n, w) */
  lifted: Float32Array;
  /** (n) Training events. */
  events: Int32Array;
  /** Different values of the first channel, where it is known. */
  kinds: number;
  truth: TruthTable;
}

const THEMES = 2_000;
const CHANNEL_SIZES = [50, 50, 50, 50];
const CATEGORIES = 64;
const TEXT = 150; // columns
const TRUTH_SIZE = 50;

/** A model's catalogue: four channels of 50 columns, items around 2,000 themes, a tenth of the channels missing. */
export function modelCatalogue(queries: number): Catalogue {
  const random = new Random(21);
  const layout = rowLayout(CHANNEL_SIZES);
  const { embeddingSize: e, channelCount: p } = layout;
  const themes = Float32Array.from({ length: THEMES * e }, () => random.normal());
  const themeOf = Int32Array.from({ length: ITEMS }, () => random.below(THEMES));
  const embeddings = new Float32Array(ITEMS * e);
  for (let i = 0; i < ITEMS; i++) {
    for (let j = 0; j < e; j++) embeddings[i * e + j] = themes[themeOf[i] * e + j] + random.normal();
  }
  const masked = Uint8Array.from({ length: ITEMS * p }, () => (random.below(10) === 0 ? 1 : 0));
  for (let slot = 0; slot < masked.length; slot++) {
    const at = Math.floor(slot / p) * e + layout.starts[slot % p];
    if (masked[slot] === 1) embeddings.fill(0, at, at + layout.sizes[slot % p]);
  }
  const scaling = {
    centres: new Float64Array(e),
    factors: new Float64Array(e).fill(1 / Math.sqrt(4 * CHANNEL_SIZES[0])), // a random pair is at distance 1
    lengths: new Float64Array(p).fill(0.5),
  };
  return catalogueOf(layout, scaling, { embeddings, masked, themeOf, kinds: ITEMS, queries, random });
}

/** Categories as unit vectors, a fiftieth of them missing, beside a text. Items share so many `kinds`, or each draws its own. */
export function contentCatalogue(queries: number, kinds?: number): Catalogue {
  const random = new Random(22);
  const layout = rowLayout([CATEGORIES, TEXT]);
  const { embeddingSize: e, channelCount: p } = layout;
  const shared = kinds === undefined ? undefined : differentCategories(random, kinds);
  const drawn = Array.from({ length: ITEMS }, () => shared?.[random.below(shared.length)] ?? drawCategories(random));
  const embeddings = new Float32Array(ITEMS * e);
  const masked = new Uint8Array(ITEMS * p);
  drawn.forEach((categories, i) => {
    for (let j = CATEGORIES; j < e; j++) embeddings[i * e + j] = random.normal() / Math.sqrt(TEXT);
    if (random.below(50) === 0) masked[i * p] = 1;
    else for (const category of categories) embeddings[i * e + category] = 1 / Math.sqrt(categories.length);
  });
  const scaling = {
    centres: new Float64Array(e),
    factors: new Float64Array(e).fill(Math.SQRT1_2),
    lengths: new Float64Array(p).fill(0.5),
  };
  const themeOf = Int32Array.from(drawn, ([first]) => first);
  const found = new Set(drawn.map((categories) => categories.join())).size;
  return catalogueOf(layout, scaling, { embeddings, masked, themeOf, kinds: found, queries, random });
}

function differentCategories(random: Random, count: number): number[][] {
  const different = new Map<string, number[]>();
  while (different.size < count) {
    const categories = drawCategories(random);
    different.set(categories.join(), categories);
  }
  return [...different.values()];
}

/** One to five of the categories, low numbers more often. */
function drawCategories(random: Random): number[] {
  const count = 1 + random.below(5);
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(Math.floor(random.uniform() ** 2 * CATEGORIES));
  return [...drawn].sort((a, b) => a - b);
}

interface CatalogueDraw {
  embeddings: Float32Array;
  masked: Uint8Array;
  /** (n) Items of one theme are each other's truth. */
  themeOf: Int32Array;
  kinds: number;
  queries: number;
  random: Random;
}

function catalogueOf(layout: RowLayout, scaling: RowScaling, draw: CatalogueDraw): Catalogue {
  const { embeddings, masked, themeOf, kinds, queries, random } = draw;
  const events = Int32Array.from({ length: ITEMS }, () => Math.floor(2 / (random.uniform() + 1e-4)));
  const total = events.reduce((sum, count) => sum + count, 0);
  const logPopularity = Float64Array.from(events, (count) => Math.log(Math.max(count, 1) / total));
  return {
    layout,
    scaling,
    ids: Array.from({ length: ITEMS }, (_, i) => `item ${i}`),
    masked,
    lifted: buildRows(layout, scaling, { embeddings, masked, logPopularity }),
    events,
    kinds,
    truth: truthOf(themeOf, queries),
  };
}

/** Queries evenly spread over the catalogue; the truth of each are items of its theme. */
function truthOf(themeOf: Int32Array, queries: number): TruthTable {
  const byTheme = new Map<number, number[]>();
  themeOf.forEach((theme, item) => {
    const members = byTheme.get(theme);
    if (members) members.push(item);
    else byTheme.set(theme, [item]);
  });
  const asked = Int32Array.from({ length: queries }, (_, r) => Math.floor((r * ITEMS) / queries));
  const sets = Array.from(asked, (query) => {
    const members = (byTheme.get(themeOf[query]) ?? []).slice(0, TRUTH_SIZE);
    return new Set(members.filter((item) => item !== query));
  });
  return { name: "items of the same theme", queries: asked, sets, empty: 0 };
}

/** The catalogue's rows in the engine's memory, for as long as the scope is open. */
export function placeCatalogue(engine: Engine, scope: Scope, catalogue: Catalogue): LiftedRows {
  const { layout, lifted, masked, scaling, ids } = catalogue;
  const rows = scope.matrix(ids.length, layout.width, "f32").write(lifted);
  return liftRows(layout, { shards: [{ engine, rows }], masked, lengths: scaling.lengths, ids });
}

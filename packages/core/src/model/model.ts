// A model, opened: neighbours with reasons, predicted ratings, drafts. Holds the catalogue's rows in an engine's memory until it is closed.
import { NearkinError, shown } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import { ensembleLayout } from "../metric/ensemble.ts";
import { metricWeights } from "../metric/weights.ts";
import { type Parameters, parameterViews } from "../nn/parameters.ts";
import type { SharedMetric } from "../personal/user.ts";
import { counterfactualRanks } from "../rank/counterfactual.ts";
import { DIVERSITY_POOL, diversify } from "../rank/diversity.ts";
import { type HistoryOptions, latestItems } from "../rank/history.ts";
import type { RowLayout, RowScaling } from "../rank/layout.ts";
import { type NeighbourBlock, neighboursOfAll } from "../rank/neighbours.ts";
import { buildQuery, type Query, type QueryOptions } from "../rank/query.ts";
import { type LiftedItem, type LiftedRows, liftedItem, liftRows } from "../rank/rows.ts";
import { type Neighbour, rankExactly, reasons } from "../rank/similar.ts";
import {
  type CandidateOptions,
  checkQuery,
  type EmbedDraftOptions,
  type EmbeddedDraft,
  type Explanation,
  type ItemQuery,
  isEmbedded,
  type MetItem,
  type MetricOptions,
  type ModelSimilarOptions,
  type PersonalMetric,
  type PersonalPosterior,
  type PersonalPrediction,
  type PredictAllOptions,
  type PredictedRating,
  type SimilarItem,
  type SimilarResult,
  type SuggestedQuestion,
} from "./answers.ts";
import { type Candidates, candidatesOf, rowsOf, withoutMet } from "./candidates.ts";
import { channelWeights, type LearnedWeights, queryWeights } from "./channel-weights.ts";
import { closeScopes, hasOpened } from "./close-order.ts";
import { coldLogPopularity } from "./cold-popularity.ts";
import { type Draft, type EncodeTexts, type MissingChannel, readDrafts } from "./draft.ts";
import { embedDrafts } from "./embed-drafts.ts";
import { type Contribution, contributionsOf } from "./explain.ts";
import { inferShapes } from "./infer-shapes.ts";
import { Items } from "./items.ts";
import type { ModelParts } from "./parts.ts";
import { RatingModel, type RatingPredictions } from "./rating.ts";
import { placeRows, type RowPlan, type RowRoom } from "./room.ts";
import { ensembleRowLayout, ensembleScaling } from "./scaling.ts";
import type { FieldShape } from "./shapes.ts";
import type { UserRating } from "./user-ratings.ts";
import { metricOf, posteriorOf, predictionFor, predictionsFor, questionsFor, type UsersOf } from "./users.ts";

/** Where a model lives. */
export interface Placement {
  /** One for each shard, and one more where the room for new rows has its own; the first also embeds and predicts. */
  engines: readonly Engine[];
  /** Those to close with the model. */
  own: readonly Engine[];
  plan: RowPlan;
  encode: EncodeTexts | undefined;
  onClose: (() => Promise<void>) | undefined;
}

/** An opened model. Close it, or hold it with `await using`. */
export class Model implements AsyncDisposable {
  readonly id: string;
  readonly name: string;
  readonly items: Items;
  /** What training handed over, but for the rows, which are in the engine's memory. */
  readonly parts: Omit<ModelParts, "items" | "posterior" | "parameters">;
  /** What computes. */
  readonly engine: Engine;
  /** The catalogue, ready to be ranked: for what is built on a model. */
  readonly rows: LiftedRows;
  /** Where the last of its rows lie, with room for more: for what lets a catalogue grow. */
  readonly room: RowRoom;
  /** log q of an item that nobody has met: what a new row takes. */
  readonly coldLogPopularity: number;
  /** h by channel, as learned. */
  readonly weights: Readonly<Record<string, number>>;
  readonly #learned: LearnedWeights;
  readonly #b: number;
  readonly #own: readonly Engine[];
  readonly #scopes: Scope[] = [];
  readonly #encode: EncodeTexts | undefined;
  readonly #onClose: (() => Promise<void>) | undefined;
  readonly #layout: RowLayout;
  readonly #scaling: RowScaling;
  readonly #parameters: Parameters;
  readonly #rating: RatingModel | undefined;
  #shapes: ReadonlyMap<string, FieldShape> | undefined;
  #closed = false;

  constructor(parts: ModelParts, { engines, own, plan, encode, onClose }: Placement) {
    const { ensemble, items, catalogue, statistics, centres, posterior, parameters, ...rest } = parts;
    this.parts = { ...rest, ensemble, statistics, centres, catalogue };
    this.id = parts.id ?? "";
    this.name = parts.name;
    this.engine = engines[0];
    this.#own = own;
    this.#encode = encode;
    this.#onClose = onClose;
    this.items = new Items(catalogue, items.ratings);
    this.#layout = ensembleRowLayout(ensemble);
    for (const engine of engines) this.#scopes.push(engine.scope());
    try {
      const [scope] = this.#scopes;
      const flat = scope.matrix(parameters.length, 1, parameters instanceof Float32Array ? "f32" : "f64");
      flat.data.set(parameters, flat.offset);
      this.#parameters = parameterViews(ensembleLayout(ensemble), flat);
      const { h, b } = metricWeights(ensemble, this.#parameters);
      this.#learned = { names: ensemble.channels.map(({ name }) => name), h };
      this.#b = b;
      this.weights = this.#named(h);
      this.#scaling = ensembleScaling(ensemble, this.#parameters, { statistics, centres });
      const { lengths } = this.#scaling;
      const { width } = this.#layout;
      const { shards, room } = placeRows(items.rows, { width, engines, scopes: this.#scopes }, plan);
      this.room = room;
      this.rows = liftRows(this.#layout, { shards, masked: items.masked, lengths, ids: catalogue.ids });
      this.coldLogPopularity = coldLogPopularity(this.rows, items.ratings);
      if (posterior) {
        this.#rating = new RatingModel(
          engines[0],
          scope,
          { ...parts, posterior },
          { layout: this.#layout, h, b, lengths },
        );
      }
    } catch (error) {
      for (const scope of this.#scopes) scope.close();
      throw error;
    }
    hasOpened(this);
  }

  /**
   * The items most similar to an item, a draft, or several of them (by their mean distance), best first; never the query itself. Exact:
   * no row that is left out is nearer.
   */
  async similar(query: ItemQuery | readonly ItemQuery[], options: ModelSimilarOptions = {}): Promise<SimilarResult> {
    const { k = 10, explain = false, diversity = 0 } = options;
    const { lifted, missing } = await this.#lift(query);
    const asked = await this.#query(query, lifted, options);
    const candidates = withoutMet(candidatesOf(this.items, options), asked);
    const found = diversity === 0 ? k : Math.max(k, DIVERSITY_POOL);
    const ranked = rankExactly(this.rows, asked, { k: found, ...candidates });
    const shown = diversify(this.rows, asked, ranked, { diversity, k });
    const list = shown.map(({ item }) => reasons(this.rows, asked, item));
    const ranks = explain ? this.#ranksWithout(asked, list, candidates) : undefined;
    const items = list.map((neighbour, i) => ({
      ...this.#describe(neighbour, i + 1),
      ...(diversity === 0 ? {} : { scoreRank: ranked.indexOf(shown[i]) + 1 }),
      ...(ranks ? { contributions: this.#contributions(asked, neighbour, ranks[i].without) } : {}),
    }));
    const { popularity } = asked;
    return { items, missing, weights: this.#named(asked.weights), popularity, diversity, ...this.#met(asked) };
  }

  /** Why an item stands where it does in the list of a query: every channel's contribution, its rank, and its rank without each channel. */
  async explain(
    query: ItemQuery | readonly ItemQuery[],
    item: string,
    options: MetricOptions & CandidateOptions = {},
  ): Promise<Explanation> {
    const { lifted, missing } = await this.#lift(query);
    const asked = await this.#query(query, lifted, options);
    const neighbour = reasons(this.rows, asked, this.items.indexOf(item));
    const candidates = withoutMet(candidatesOf(this.items, options), asked);
    const [{ rank, without }] = this.#ranksWithout(asked, [neighbour], candidates);
    const contributions = this.#contributions(asked, neighbour, without);
    return { ...this.#describe(neighbour, rank), contributions, missing, ...this.#met(asked) };
  }

  /** How the fields of the catalogue are read: as training stored it, or, in models of before, by the look of their cells. */
  get shapes(): ReadonlyMap<string, FieldShape> {
    const { catalogue, channels } = this.parts;
    this.#shapes ??= catalogue.shapes ?? inferShapes(catalogue, channels);
    return this.#shapes;
  }

  /** Whether `predict` can answer: training had the stage that fits a posterior. */
  get predictsRatings(): boolean {
    return this.#rating !== undefined;
  }

  /** The mean rating an item can expect, and how sure that is (Eq. 3). */
  async predict(query: ItemQuery): Promise<PredictedRating> {
    const { lifted, missing } = await this.#liftOne("predict", query);
    const rating = this.#ratings();
    const [item] = lifted;
    const embedding = "exact" in item ? (item as EmbeddedDraft).exact : item.embedding;
    return { ...rating.predict({ ...item, embedding }), missing };
  }

  /**
   * The same of many items at once, by ids or rows: within rounding what `predict` gives of each, about ten times as fast. Of all where none
   * are named. `byBound` puts them in an order.
   */
  predictAll(
    items?: Iterable<string> | Int32Array,
    { rows = this.rows, replaced }: PredictAllOptions = {},
  ): RatingPredictions {
    this.#checkOpen();
    return this.#ratings().predictRows(rows, rowsOf(this.items, items, rows.count), replaced);
  }

  /** A draft as the metric sees it; pass it on to `similar`, `explain` and `predict` in place of the draft. */
  async embed(draft: Draft, options: EmbedDraftOptions = {}): Promise<EmbeddedDraft> {
    const [embedded] = await this.embedAll([draft], options);
    if (embedded instanceof NearkinError) throw embedded;
    return embedded;
  }

  /**
   * Many drafts, in order: texts of one encoder are encoded in one call, and all go through the towers at once. Each is, bit for bit, what `embed`
   * gives; one that cannot be read is an error in its place, and stops none of the others.
   */
  async embedAll(
    drafts: readonly Draft[],
    { pendingTexts = "encode", encode = this.#encode }: EmbedDraftOptions = {},
  ): Promise<(EmbeddedDraft | NearkinError)[]> {
    this.#checkOpen();
    const { channels, ensemble: config, statistics } = this.parts;
    const read = await readDrafts(channels, drafts, { engine: this.engine, encode, pendingTexts });
    this.#checkOpen(); // encoding takes its time
    const ensemble = { config, parameters: this.#parameters, statistics, scaling: this.#scaling };
    return embedDrafts(this.engine, read, ensemble);
  }

  /** Whether `personalize` can answer: training had users to learn from how people differ. */
  get personalizes(): boolean {
    return this.parts.personal !== undefined;
  }

  /** The metric that all users share, with the catalogue under it: what a fit of one user goes out from. */
  get shared(): SharedMetric {
    const { ensemble, temperature } = this.parts;
    return {
      engine: this.engine,
      rows: this.rows,
      weights: Float64Array.from(this.#learned.h),
      offset: this.#b,
      link: ensemble.link,
      parameters: ensemble.weights,
      temperature,
    };
  }

  /**
   * A user's own metric, from what they met and rated, the oldest first: pass it on to `similar` and `explain`. Exactly the shared metric where nothing
   * can be learned; `kept` says why.
   */
  personalize(ratings: readonly UserRating[]): PersonalMetric {
    this.#checkOpen();
    const { weights, ...found } = metricOf(this.#users(), ratings);
    return { ...found, weights: this.#named(weights) };
  }

  /**
   * How sure a user's metric is: the Gaussian around it. Of no ratings, and of those that nothing can be learned from, it is how people differ.
   */
  posterior(ratings: readonly UserRating[]): PersonalPosterior {
    this.#checkOpen();
    const found = posteriorOf(this.#users(), ratings);
    const P = Math.sqrt(found.covariance.length);
    const deviations = found.weights.map((_, c) => Math.sqrt(found.covariance[c * (P + 1)]));
    return { ...found, weights: this.#named(found.weights), deviations: this.#named(deviations) };
  }

  /**
   * What a user may rate an item, by a Gaussian process of their own ratings under their own metric, and because of which ratings. The
   * parts add up: `centre` and all contributions are the mean.
   */
  async predictFor(
    ratings: readonly UserRating[],
    query: ItemQuery,
    metric: Pick<PersonalMetric, "weights" | "offset"> = this.personalize(ratings),
  ): Promise<PersonalPrediction> {
    const { lifted, missing } = await this.#liftOne("predictFor", query);
    const own = { weights: channelWeights(this.#learned, metric.weights), offset: metric.offset };
    return { ...predictionFor(this.#users(), ratings, lifted[0], own), missing };
  }

  /** The same of many items of the catalogue, by their ids, in that order; much faster than one by one. */
  predictAllFor(
    ratings: readonly UserRating[],
    items: Iterable<string>,
    metric: Pick<PersonalMetric, "weights" | "offset"> = this.personalize(ratings),
  ): Omit<PersonalPrediction, "missing">[] {
    this.#checkOpen();
    const lifted = Array.from(rowsOf(this.items, items, this.rows.count), (row) => liftedItem(this.rows, row));
    const own = { weights: channelWeights(this.#learned, metric.weights), offset: metric.offset };
    return predictionsFor(this.#users(), ratings, lifted, own);
  }

  /**
   * What to ask a user next: items whose rating is expected to tell most about their metric, best first. Asks about the items that most people
   * have rated, or among `candidates`.
   */
  nextQuestions(
    ratings: readonly UserRating[],
    options: { k?: number; candidates?: Iterable<string> } = {},
  ): SuggestedQuestion[] {
    this.#checkOpen();
    return questionsFor(this.#users(), ratings, options);
  }

  /** The neighbours of every item, block by block: as `similar` gives them, many times faster. Rows and ids convert by `items`. */
  neighbours({
    k,
    from,
    to,
    ...options
  }: MetricOptions & { k?: number; from?: number; to?: number } = {}): Generator<NeighbourBlock> {
    this.#checkOpen();
    return neighboursOfAll(this.rows, {
      ...this.#metric(options),
      ...(k === undefined ? {} : { k }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    });
  }

  /**
   * Gives the memory back. Models on one engine close in the reverse order of opening: out of order this throws, and the model stays
   * open.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    closeScopes(this, this.#scopes);
    this.#closed = true;
    for (const engine of this.#own) await engine.close();
    await this.#onClose?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #liftOne(method: string, query: ItemQuery): Promise<{ lifted: LiftedItem[]; missing: MissingChannel[] }> {
    if (!Array.isArray(query)) return this.#lift(query);
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${method} takes one item, by its id or as a draft, got a list of ${query.length}; ask about one after the other`,
    );
  }

  #ratings(): RatingModel {
    if (this.#rating) return this.#rating;
    throw new NearkinError(
      "BAD_ARGUMENT",
      `the model ${this.name} has no posterior to predict ratings with; train it with the stage ssl`,
    );
  }

  async #lift(query: ItemQuery | readonly ItemQuery[]): Promise<{ lifted: LiftedItem[]; missing: MissingChannel[] }> {
    this.#checkOpen();
    const list = Array.isArray(query) ? (query as readonly ItemQuery[]) : [query as ItemQuery];
    list.forEach(checkQuery);
    const lifted: LiftedItem[] = [];
    const missing: MissingChannel[] = [];
    for (const one of list) {
      if (typeof one === "string") {
        lifted.push(liftedItem(this.rows, this.items.indexOf(one)));
        continue;
      }
      const draft = isEmbedded(one) ? one : await this.embed(one);
      lifted.push(draft);
      missing.push(...draft.missing);
    }
    return { lifted, missing };
  }

  async #query(
    query: ItemQuery | readonly ItemQuery[],
    lifted: readonly LiftedItem[],
    options: MetricOptions,
  ): Promise<Query> {
    const history = await this.#history([query].flat() as ItemQuery[], options);
    return buildQuery(this.rows, lifted, { ...this.#metric(options), history });
  }

  async #history(
    query: readonly ItemQuery[],
    { history = [], historyWeight }: MetricOptions,
  ): Promise<HistoryOptions | undefined> {
    const { weight = 0, decay = 1, items = history.length } = this.parts.history ?? {};
    if (!Array.isArray(history)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `history: expected a list of items, the last one last, got ${shown(history)}`,
      );
    }
    const last = latestItems<ItemQuery>(history, { limit: items, query });
    if (last.length === 0) return undefined;
    const { lifted } = await this.#lift(last);
    return { items: lifted, weight: historyWeight ?? weight, decay };
  }

  #metric({ weights, popularity = 0 }: MetricOptions): QueryOptions {
    const { temperature, popularity: calibrated } = this.parts;
    return {
      weights: queryWeights(this.#learned, weights),
      temperature,
      popularity: popularity === "calibrated" ? calibrated : popularity,
    };
  }

  #users(): UsersOf {
    return { name: this.name, items: this.items, shared: this.shared, prior: this.parts.personal };
  }

  #ranksWithout(query: Query, list: readonly Neighbour[], candidates: Candidates) {
    return counterfactualRanks(
      this.rows,
      query,
      list.map(({ item }) => item),
      candidates,
    );
  }

  #contributions(query: Query, neighbour: Neighbour, without: Int32Array): Contribution[] {
    return contributionsOf(this.#learned.names, query, { neighbour, without, masked: this.rows.masked });
  }

  #met({ history }: Query): { history?: MetItem[] } {
    if (!history) return {};
    const { items } = this;
    return {
      history: history.items.map(({ index }) =>
        index < 0 ? { id: null, title: null } : { id: items.idOf(index), title: items.titleOf(index) },
      ),
    };
  }

  #describe({ item, score, total, lifts }: Neighbour, rank: number): SimilarItem {
    const { id, title } = this.items.at(item);
    return { id, title, rank, score, distance: total, ...(lifts ? { lifts: Array.from(lifts) } : {}) };
  }

  #named(h: Float64Array): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#learned.names.map((name, c) => [name, h[c]]));
  }

  #checkOpen(): void {
    if (this.#closed) throw new NearkinError("ENGINE_CLOSED", `the model ${this.name} is closed; open it again`);
  }
}

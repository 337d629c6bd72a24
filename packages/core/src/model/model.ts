// A model, opened: neighbours with reasons, predicted ratings, drafts. Holds the catalogue's rows in an engine's memory until it is closed.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { embed } from "../metric/embed.ts";
import { ensembleLayout } from "../metric/ensemble.ts";
import { metricWeights } from "../metric/weights.ts";
import { type Parameters, parameterViews } from "../nn/parameters.ts";
import type { SharedMetric } from "../personal/user.ts";
import { counterfactualRanks } from "../rank/counterfactual.ts";
import type { RowLayout, RowScaling } from "../rank/layout.ts";
import { type NeighbourBlock, neighboursOfAll } from "../rank/neighbours.ts";
import { buildQuery, type Query, type QueryOptions } from "../rank/query.ts";
import { type LiftedItem, type LiftedRows, liftedItem, liftRows, type RowShard } from "../rank/rows.ts";
import { type Neighbour, rankExactly, reasons } from "../rank/similar.ts";
import {
  type CandidateOptions,
  checkDraft,
  checkQuery,
  type EmbeddedDraft,
  type Explanation,
  type ItemQuery,
  isEmbedded,
  type MetricOptions,
  type ModelSimilarOptions,
  type PersonalMetric,
  type PersonalPrediction,
  type PredictedRating,
  type SimilarItem,
  type SimilarResult,
  type SuggestedQuestion,
  shown,
} from "./answers.ts";
import { type Draft, type EncodeTexts, type MissingChannel, resolveDraft } from "./draft.ts";
import { type Contribution, contributionsOf } from "./explain.ts";
import { Items } from "./items.ts";
import { didYouMean, nearestNames } from "./nearest.ts";
import type { ModelParts } from "./parts.ts";
import { RatingModel } from "./rating.ts";
import { ensembleRowLayout, ensembleScaling, scaleEmbeddings } from "./scaling.ts";
import type { UserRating } from "./user-ratings.ts";
import { metricOf, predictionFor, questionsFor, type UsersOf } from "./users.ts";

/** Where a model lives. */
export interface Placement {
  /** One for each shard; the first also embeds and predicts. */
  engines: readonly Engine[];
  /** Those to close with the model. */
  own: readonly Engine[];
  rowsPerShard: number;
  encode: EncodeTexts | undefined;
  onClose: (() => Promise<void>) | undefined;
}

/** Models that lie in an engine's memory, in the order of opening: the last must close first. */
const openModels = new WeakMap<Engine, Model[]>();

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
  /** h by channel, as learned. */
  readonly weights: Readonly<Record<string, number>>;
  readonly #h: Float64Array;
  readonly #b: number;
  readonly #own: readonly Engine[];
  readonly #scopes: Scope[] = [];
  readonly #encode: EncodeTexts | undefined;
  readonly #onClose: (() => Promise<void>) | undefined;
  readonly #layout: RowLayout;
  readonly #scaling: RowScaling;
  readonly #parameters: Parameters;
  readonly #rating: RatingModel | undefined;
  #closed = false;

  constructor(parts: ModelParts, { engines, own, rowsPerShard, encode, onClose }: Placement) {
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
      this.#h = h;
      this.#b = b;
      this.weights = this.#named(h);
      this.#scaling = ensembleScaling(ensemble, this.#parameters, { statistics, centres });
      const { lengths } = this.#scaling;
      const shards = this.#scopes.map(
        (own, s): RowShard => ({
          engine: engines[s],
          rows: place(own, items.rows, this.#layout.width, s, rowsPerShard),
        }),
      );
      this.rows = liftRows(this.#layout, { shards, masked: items.masked, lengths, ids: catalogue.ids });
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
    openModels.set(this.engine, [...(openModels.get(this.engine) ?? []), this]);
  }

  /**
   * The items most similar to an item, a draft, or several of them (by their mean distance), best first; never the query itself. Exact:
   * no row that is left out is nearer.
   */
  async similar(query: ItemQuery | readonly ItemQuery[], options: ModelSimilarOptions = {}): Promise<SimilarResult> {
    const { k = 10, explain = false } = options;
    const { lifted, missing } = await this.#lift(query);
    const asked = this.#query(lifted, options);
    const candidates = this.#candidates(options);
    const list = rankExactly(this.rows, asked, { k, ...candidates }).map(({ item }) => reasons(this.rows, asked, item));
    const ranks = explain ? this.#ranksWithout(asked, list, candidates) : undefined;
    const items = list.map((neighbour, i) => ({
      ...this.#describe(neighbour, i + 1),
      ...(ranks ? { contributions: this.#contributions(asked, neighbour, ranks[i].without) } : {}),
    }));
    return { items, missing, weights: this.#named(asked.weights), popularity: asked.popularity };
  }

  /** Why an item stands where it does in the list of a query: every channel's contribution, its rank, and its rank without each channel. */
  async explain(
    query: ItemQuery | readonly ItemQuery[],
    item: string,
    options: MetricOptions & CandidateOptions = {},
  ): Promise<Explanation> {
    const { lifted, missing } = await this.#lift(query);
    const asked = this.#query(lifted, options);
    const neighbour = reasons(this.rows, asked, this.items.indexOf(item));
    const [{ rank, without }] = this.#ranksWithout(asked, [neighbour], this.#candidates(options));
    const contributions = this.#contributions(asked, neighbour, without);
    return { ...this.#describe(neighbour, rank), contributions, missing };
  }

  /** Whether `predict` can answer: training had the stage that fits a posterior. */
  get predictsRatings(): boolean {
    return this.#rating !== undefined;
  }

  /** The mean rating an item can expect, and how sure that is (Eq. 3). */
  async predict(query: ItemQuery): Promise<PredictedRating> {
    const { lifted, missing } = await this.#liftOne("predict", query);
    const rating = this.#rating;
    if (!rating) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `the model ${this.name} has no posterior to predict ratings with; train it with the stage ssl`,
      );
    }
    const [item] = lifted;
    const embedding = "exact" in item ? (item as EmbeddedDraft).exact : item.embedding;
    return { ...rating.predict({ ...item, embedding }), missing };
  }

  /** A draft as the metric sees it; pass it on to `similar`, `explain` and `predict` in place of the draft. */
  async embed(draft: Draft): Promise<EmbeddedDraft> {
    this.#checkOpen();
    checkDraft(draft);
    const { ensemble, statistics } = this.parts;
    const { inputs, missing } = await resolveDraft(this.parts.channels, draft, {
      engine: this.engine,
      encode: this.#encode,
    });
    this.#checkOpen(); // encoding takes its time
    const scope = this.engine.scope();
    try {
      const ensembleOfOne = { config: ensemble, parameters: this.#parameters, inputs, statistics };
      const { Z, masked } = embed(this.engine, scope, ensembleOfOne, Int32Array.of(0));
      const exact = scaleEmbeddings(this.#scaling, Z.read());
      return { embedding: Float32Array.from(exact), exact, masked: masked.slice(), index: -1, missing };
    } finally {
      scope.close();
    }
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
      weights: Float64Array.from(this.#h),
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
   * What a user may rate an item, by a Gaussian process of their own ratings under their own metric, and because of which ratings. The
   * parts add up: `centre` and all contributions are the mean.
   */
  async predictFor(
    ratings: readonly UserRating[],
    query: ItemQuery,
    metric: Pick<PersonalMetric, "weights" | "offset"> = this.personalize(ratings),
  ): Promise<PersonalPrediction> {
    const { lifted, missing } = await this.#liftOne("predictFor", query);
    const own = { weights: this.#ownWeights(metric.weights), offset: metric.offset };
    return { ...predictionFor(this.#users(), ratings, lifted[0], own), missing };
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
    this.#closeScopes();
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

  #query(lifted: readonly LiftedItem[], options: MetricOptions): Query {
    return buildQuery(this.rows, lifted, this.#metric(options));
  }

  #metric({ weights, popularity = 0 }: MetricOptions): QueryOptions {
    const { temperature, popularity: calibrated } = this.parts;
    return {
      weights: this.#weightsOf(weights),
      temperature,
      popularity: popularity === "calibrated" ? calibrated : popularity,
    };
  }

  #users(): UsersOf {
    return { name: this.name, items: this.items, shared: this.shared, prior: this.parts.personal };
  }

  #weightsOf(weights: MetricOptions["weights"]): ArrayLike<number> {
    if (weights === undefined) return this.#h;
    const own = this.#ownWeights(weights);
    if (own.length > 0 && Array.from(own).every((weight) => weight === 0)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        "weights: all are 0, so no item is nearer than another; leave one above 0",
      );
    }
    return own;
  }

  #ownWeights(weights: NonNullable<MetricOptions["weights"]>): ArrayLike<number> {
    // not by `length`: a channel may be called so
    if (Array.isArray(weights) || ArrayBuffer.isView(weights)) return weights as ArrayLike<number>;
    if (typeof weights !== "object" || weights === null) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `weights: expected numbers by channel, such as { ${this.parts.ensemble.channels[0].name}: 2 }, or a list of all, got ${shown(weights)}`,
      );
    }
    const names = this.parts.ensemble.channels.map(({ name }) => name);
    const h = Float64Array.from(this.#h);
    for (const [name, weight] of Object.entries(weights as Readonly<Record<string, number>>)) {
      const c = names.indexOf(name);
      if (c < 0) {
        const hint = didYouMean(nearestNames(name, names, 1)) || `; the channels are ${names.join(", ")}`;
        throw new NearkinError("BAD_ARGUMENT", `weights: there is no channel "${name}"${hint}`);
      }
      if (typeof weight !== "number" || !Number.isFinite(weight)) {
        throw new NearkinError("BAD_ARGUMENT", `weights: ${name} takes a finite number, got ${shown(weight)}`);
      }
      h[c] = weight;
    }
    return h;
  }

  #candidates({ exclude, filter }: CandidateOptions): { exclude?: number[]; allowed?: Uint8Array } {
    if (exclude != null && (typeof exclude === "string" || typeof exclude[Symbol.iterator] !== "function")) {
      throw new NearkinError("BAD_ARGUMENT", `exclude: expected a list of ids, got ${shown(exclude)}`);
    }
    if (filter != null && typeof filter !== "function") {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `filter: expected a function that keeps an item by returning true, got ${shown(filter)}`,
      );
    }
    const allowed =
      filter && Uint8Array.from({ length: this.items.size }, (_, i) => (filter(this.items.at(i)) ? 1 : 0));
    return {
      ...(exclude ? { exclude: Array.from(exclude, (id) => this.items.indexOf(id)) } : {}),
      ...(allowed ? { allowed } : {}),
    };
  }

  #ranksWithout(query: Query, list: readonly Neighbour[], candidates: { exclude?: number[]; allowed?: Uint8Array }) {
    return counterfactualRanks(
      this.rows,
      query,
      list.map(({ item }) => item),
      candidates,
    );
  }

  #contributions(query: Query, neighbour: Neighbour, without: Int32Array): Contribution[] {
    const names = this.parts.ensemble.channels.map(({ name }) => name);
    return contributionsOf(names, query, { neighbour, without, masked: this.rows.masked });
  }

  #describe({ item, score, total }: Neighbour, rank: number): SimilarItem {
    const { id, title } = this.items.at(item);
    return { id, title, rank, score, distance: total };
  }

  #named(h: Float64Array): Readonly<Record<string, number>> {
    return Object.fromEntries(this.parts.ensemble.channels.map(({ name }, c) => [name, h[c]]));
  }

  /** The memory that others may share comes first: if it cannot be given back, nothing has changed. */
  #closeScopes(): void {
    try {
      this.#scopes[0].close();
    } catch (cause) {
      if (!(cause instanceof NearkinError) || cause.code !== "SCOPE_CLOSED") throw cause;
      const models = openModels.get(this.engine) ?? [];
      const later = models.slice(models.indexOf(this) + 1).reverse();
      const first =
        later.length > 0
          ? `models opened after it on the same engine are still open; close ${later.map(({ name, id }) => `${name} (${id.slice(0, 8) || "no id"})`).join(", then ")} first`
          : "a scope opened after it on the same engine is still open; close that first";
      throw new NearkinError("SCOPE_CLOSED", `close: the model ${this.name}: ${first}`, { cause });
    }
    for (const scope of this.#scopes.slice(1)) scope.close();
    openModels.set(
      this.engine,
      (openModels.get(this.engine) ?? []).filter((model) => model !== this),
    );
  }

  #checkOpen(): void {
    if (this.#closed) throw new NearkinError("ENGINE_CLOSED", `the model ${this.name} is closed; open it again`);
  }
}

/** Rows of shard s in the memory behind `scope`. */
function place(scope: Scope, rows: Float32Array, width: number, s: number, rowsPerShard: number): Matrix {
  const from = s * rowsPerShard * width;
  const part = rows.subarray(from, from + rowsPerShard * width);
  const matrix = scope.matrix(part.length / width, width, "f32");
  matrix.data.set(part, matrix.offset);
  return matrix;
}

// Behavior factors of items as events come in after training: the fold-in of new rows and columns into a singular value decomposition.
//
//   y_j    = c_j·v_j/σ²         what meeting a known item j says of a user; c_j = (d_j + s)^−ρ, σ the singular values (behavior/factors.ts)
//   Δe_i   = Σ_u r_u²·Σ_j y_j   over users who met i after training, and the items j that they had met before it
//   Δd_i   = Σ_u r_u²           r_u² = n^−2a for a user who met n items, + w²·m^−2a for the last of them, the session, of m items
//   v̂′_i   = (d_i + Δd_i + s)^−ρ·((d_i + s)^ρ·v̂_i + Δe_i)                of an item that training knew
//   v̂′_i   = κ/(P + κ)·v̂_i + (Δd_i + s)^−ρ·Δe_i                          of one that nobody had met: v̂_i is foreseen from content, and P people of whom
//                                                                         something is known have met it since
//
// An item that nobody had met in training also learns from what its users meet after it. Each user counts once for an item, by at most 1 + w².
// Sums are taken in the order of events, so they are the same, bit for bit, wherever the same events are read.
// n items, k factors
import { NearkinError } from "../errors.ts";
import { portableLog } from "../linalg/random.ts";
import { exp } from "../metric/exponential.ts";

/** Settings and numbers of the trained decomposition that later events are folded into. */
export interface FoldInSettings {
  /** a */
  readonly userLengthExponent: number;
  /** Events of a session. */
  readonly session: number;
  /** w */
  readonly sessionWeight: number;
  /** s, as evidence: shrinkage times the mean evidence of an event. */
  readonly shrinkage: number;
  /** ρ */
  readonly normExponent: number;
  /** κ */
  readonly prior: number;
  /** (k) σ² */
  readonly squares: Float64Array;
  /** (n) d: evidence of each item in training; 0 if nobody met it. */
  readonly evidence: Float32Array;
}

/** Evidence of an item from events after training. */
export interface ItemEvidence {
  /** (k) Δe */
  readonly sum: Float64Array;
  /** Δd */
  weight: number;
  /** P: users who met it, and before it an item that training knew. */
  people: number;
}

/** So many of the items that a user met before an event say something about it: the last ones. */
const FOLD_IN_ITEMS = 100;

/** Evidence of events after training, by item. Each item that was met takes k numbers. */
export class FoldIn<Item> {
  readonly #settings: FoldInSettings;
  readonly #rowOf: (item: Item) => number | undefined;
  readonly #vectors: (row: number) => ArrayLike<number>;
  readonly #found = new Map<Item, ItemEvidence>();
  readonly #scales: Float64Array; // (n) c
  readonly #inverses: Float64Array; // (k) 1/σ²
  readonly #all: Float64Array; // (k) Σ c·v̂ of what a user met
  readonly #late: Float64Array; // (k) the same of the session

  /** @param items rows of the items that training had, and their factors v̂ (k) as training left them */
  constructor(
    settings: FoldInSettings,
    items: { rowOf: (item: Item) => number | undefined; vectors: (row: number) => ArrayLike<number> },
  ) {
    checkFoldIn(settings);
    this.#settings = settings;
    this.#rowOf = items.rowOf;
    this.#vectors = items.vectors;
    this.#scales = Float64Array.from(settings.evidence, (d) => (d > 0 ? scaleOf(settings, d) : 0));
    this.#inverses = settings.squares.map((square) => (square > 0 ? 1 / square : 0));
    this.#all = new Float64Array(settings.squares.length);
    this.#late = new Float64Array(settings.squares.length);
  }

  /** The evidence of an item; undefined if there is none. */
  of(item: Item): ItemEvidence | undefined {
    return this.#found.get(item);
  }

  /** Items with evidence. */
  items(): Iterable<Item> {
    return this.#found.keys();
  }

  /**
   * A user has met an item, and had met these before it, each once, the last one last. Returns the items of which more is known now. Events are added in
   * the order in which they came; a second event of a user with an item must not be added.
   */
  add(item: Item, before: readonly Item[]): Item[] {
    const { userLengthExponent, session, sessionWeight } = this.#settings;
    const met = before.slice(-FOLD_IN_ITEMS);
    const recent = met.slice(Math.max(0, met.length - session + 1)); // with the item itself, a session
    const ofUser = powerOf(met.length + 1, -2 * userLengthExponent);
    const ofSession = sessionWeight ** 2 * powerOf(recent.length + 1, -2 * userLengthExponent);
    const changed = [item];
    this.#all.fill(0);
    this.#late.fill(0);
    let isTold = false;
    met.forEach((other, i) => {
      if (this.#addScaled(this.#all, other)) isTold = true;
      if (i >= met.length - recent.length) this.#addScaled(this.#late, other);
    });
    const own = this.#evidenceOf(item);
    const inverses = this.#inverses;
    for (let j = 0; j < inverses.length; j++) {
      own.sum[j] += (ofUser * this.#all[j] + ofSession * this.#late[j]) * inverses[j];
    }
    own.weight += ofUser + ofSession;
    if (isTold) own.people++;
    if (this.#isKnown(item)) {
      this.#all.fill(0);
      this.#addScaled(this.#all, item);
      met.forEach((other, i) => {
        if (this.#isKnown(other)) return;
        const share = ofUser + (i >= met.length - recent.length ? ofSession : 0);
        const { sum } = this.#evidenceOf(other);
        for (let j = 0; j < inverses.length; j++) sum[j] += share * this.#all[j] * inverses[j];
        changed.push(other);
      });
    }
    return changed;
  }

  /** v̂′ of an item, from v̂ without what was added: trained, or foreseen from content. */
  factors(item: Item, vectors: ArrayLike<number>): Float32Array {
    const found = this.#found.get(item);
    if (!found) return Float32Array.from(vectors);
    const d = this.#evidence(item);
    const scale = scaleOf(this.#settings, d + found.weight);
    const { prior } = this.#settings;
    const kept = d > 0 ? scale / scaleOf(this.#settings, d) : prior / (found.people + prior);
    return Float32Array.from(found.sum, (sum, j) => kept * vectors[j] + scale * sum);
  }

  /** Adds c·v̂ of an item; false if training did not know it. */
  #addScaled(sum: Float64Array, item: Item): boolean {
    const row = this.#rowOf(item);
    if (row === undefined || this.#scales[row] === 0) return false;
    const vectors = this.#vectors(row);
    const scale = this.#scales[row];
    for (let j = 0; j < sum.length; j++) sum[j] += scale * vectors[j];
    return true;
  }

  #evidenceOf(item: Item): ItemEvidence {
    let found = this.#found.get(item);
    if (!found) {
      found = { sum: new Float64Array(this.#settings.squares.length), weight: 0, people: 0 };
      this.#found.set(item, found);
    }
    return found;
  }

  /** d */
  #evidence(item: Item): number {
    const row = this.#rowOf(item);
    return row === undefined ? 0 : this.#settings.evidence[row];
  }

  #isKnown(item: Item): boolean {
    return this.#evidence(item) > 0;
  }
}

/** c */
const scaleOf = ({ shrinkage, normExponent }: FoldInSettings, evidence: number): number =>
  powerOf(evidence + shrinkage, -normExponent);

/** x^p for x > 0, with the same bits in every JavaScript engine; 1 for x = 0 and p = 0. */
const powerOf = (x: number, p: number): number => (p === 0 ? 1 : exp(p * portableLog(x)));

/** Throws a `BAD_ARGUMENT` if these are no settings of a fold-in. */
export function checkFoldIn({ squares, evidence, ...numbers }: FoldInSettings): void {
  for (const [name, value] of Object.entries(numbers)) {
    const least = name === "session" ? 1 : 0;
    const mayBeLeast = name !== "shrinkage" && name !== "prior"; // both divide
    if (!(value > least || (mayBeLeast && value === least)) || !Number.isFinite(value)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `fold-in: ${name} must be ${mayBeLeast ? "at least" : "above"} ${least}, got ${value}`,
      );
    }
  }
  const isBad = (x: number) => !(x >= 0 && Number.isFinite(x));
  if (squares.some(isBad) || evidence.some(isBad)) {
    throw new NearkinError("BAD_ARGUMENT", "fold-in: squares and evidence must be at least 0");
  }
}

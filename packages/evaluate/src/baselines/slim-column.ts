// One column of SLIM: non-negative elastic net by coordinate descent on the Gram matrix G = XᵀX.
//
//   minimise  ½‖x_j − Xw‖² + ½β‖w‖² + λ‖w‖₁  over  w ≥ 0, w_j = 0
//
// The minimum over one weight, the others fixed, is w_i = max(0, (c_i + G_ii·w_i − λ)/(G_ii + β)) with the correlations c = G_j − G·w of the
// residual. X ≥ 0 makes G ≥ 0, so c_i never exceeds G_ij: only neighbours with G_ij > λ can have a weight, and of those few do. Descent
// therefore runs on an active set, a small dense matrix, until it settles; then the correlations of all neighbours are computed anew, the
// ones that gain most join, and so on until none gains.
//
// Cost, with a weights and an active set of s: O(a·(co-events of an item)) for each time the set grows, O(s²) for each sweep.
// n items

/** G in sparse rows: the items that share a user with item i, and how many users. */
export interface GramRow {
  /** Ascending. */
  readonly indices: Int32Array;
  readonly counts: Int32Array;
}

export interface ColumnOptions {
  /** λ, at least 0. */
  lambda: number;
  /** β, at least 0. */
  beta: number;
  /** Descent ends when no weight moves further in a sweep. */
  tolerance: number;
  /** Sweeps over the active set, at most. */
  maxSweeps: number;
}

interface Column {
  /** Items with a weight above 0, in the order in which they came in. */
  readonly items: readonly number[];
  readonly weights: readonly number[];
  /** False when `maxSweeps` ended it. */
  readonly converged: boolean;
}

const LEAST_GROWTH = 16;

/** Solves columns of one Gram matrix, one after the other in the same scratch memory. */
export function columnSolver(
  G: readonly GramRow[],
  diagonal: Float64Array,
  options: ColumnOptions,
): (j: number) => Column {
  const { lambda, beta, tolerance, maxSweeps } = options;
  const n = G.length;
  const correlations = new Float64Array(n); // c, over all items
  const position = new Int32Array(n).fill(-1); // in the active set
  const gains = new Float64Array(n);
  let capacity = 64;
  let S = new Float64Array(capacity * capacity); // G over the active set, of whose rows the first `active.length` are used
  let w = new Float64Array(capacity);
  let c = new Float64Array(capacity); // correlations over the active set

  /** c = G_j − G·w over all items. */
  function correlate(j: number, active: readonly number[]): void {
    correlations.fill(0);
    const own = G[j];
    for (let e = 0; e < own.indices.length; e++) correlations[own.indices[e]] = own.counts[e];
    active.forEach((item, a) => {
      const weight = w[a];
      if (weight === 0) return;
      const { indices, counts } = G[item];
      for (let e = 0; e < indices.length; e++) correlations[indices[e]] -= weight * counts[e];
    });
  }

  /** Lets the neighbours of j that gain most join the active set; false where none gains. */
  function grow(j: number, active: number[]): boolean {
    const { indices } = G[j];
    const joining: number[] = [];
    for (let e = 0; e < indices.length; e++) {
      const i = indices[e];
      if (i === j || position[i] >= 0) continue;
      const slope = correlations[i] - lambda;
      const curvature = diagonal[i] + beta;
      if (slope <= tolerance * curvature) continue; // its minimum is within the tolerance of 0
      gains[joining.length] = (slope * slope) / curvature; // twice what the objective loses
      joining.push(i);
    }
    if (joining.length === 0) return false;
    const most = Math.max(LEAST_GROWTH, active.length >> 1);
    const least = joining.length > most ? gains.slice(0, joining.length).sort()[joining.length - most] : 0;
    joining.forEach((i, at) => {
      if (gains[at] >= least) join(i, active);
    });
    return true;
  }

  function join(i: number, active: number[]): void {
    const a = active.length;
    if (a === capacity) enlarge();
    active.push(i);
    position[i] = a;
    w[a] = 0;
    S.fill(0, a * capacity, a * capacity + a + 1);
    for (let b = 0; b < a; b++) S[b * capacity + a] = 0;
    const { indices, counts } = G[i];
    for (let e = 0; e < indices.length; e++) {
      const b = position[indices[e]];
      if (b < 0) continue;
      S[a * capacity + b] = counts[e];
      S[b * capacity + a] = counts[e];
    }
  }

  function enlarge(): void {
    const old = { S, w, c, capacity };
    capacity *= 2;
    S = new Float64Array(capacity * capacity);
    for (let a = 0; a < old.capacity; a++) {
      S.set(old.S.subarray(a * old.capacity, (a + 1) * old.capacity), a * capacity);
    }
    w = new Float64Array(capacity);
    w.set(old.w);
    c = new Float64Array(capacity);
  }

  /** One pass over the active set; the longest step. */
  function sweep(size: number): number {
    let longest = 0;
    for (let a = 0; a < size; a++) {
      const own = S[a * capacity + a];
      const step = Math.max(0, (c[a] + own * w[a] - lambda) / (own + beta)) - w[a];
      if (step === 0) continue;
      w[a] += step;
      const row = a * capacity;
      for (let b = 0; b < size; b++) c[b] -= S[row + b] * step;
      longest = Math.max(longest, Math.abs(step));
    }
    return longest;
  }

  return (j: number): Column => {
    const active: number[] = [];
    let sweeps = 0;
    correlate(j, active);
    while (sweeps < maxSweeps && grow(j, active)) {
      active.forEach((item, a) => {
        c[a] = correlations[item];
      });
      while (sweeps++ < maxSweeps && sweep(active.length) > tolerance);
      correlate(j, active);
    }
    for (const item of active) position[item] = -1;
    const kept = active.map((_, a) => a).filter((a) => w[a] > 0);
    return { items: kept.map((a) => active[a]), weights: kept.map((a) => w[a]), converged: sweeps < maxSweeps };
  };
}

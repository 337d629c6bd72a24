// ℓ_u, the likelihood of one user's targets under weights of their own, with all derivatives in closed form. S = K + Σ, α = S⁻¹r, and for
// directions i, j of w = (h, b), with d_b = 1:
//
//   K_i = k′·d_i      K_ij = k″·d_i·d_j                       k(t) = v·exp(−½φ(t)), element by element
//   ∂_i ℓ  = Σ G∘K_i                                          G = ½(S⁻¹ − ααᵀ)
//   ∂_ij ℓ = Σ G∘K_ij − ½·tr(M_i M_j) + (K_i α)ᵀS⁻¹(K_j α)     M_i = S⁻¹K_i
//
// Everything is divided by n. third.ts has the third derivatives, softplus.ts those by θ.
// n items, p channels, P parameters: p, and b where the link is the sigmoid; N pairs
import type { Scope } from "../linalg/arena.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { kernelSlopes } from "./kernel.ts";
import { along, pairSum, spread, traceOfProduct } from "./pairs.ts";
import { checkProblem, type PersonalProblem, pairCount } from "./problem.ts";

/** What is the same for all users. */
export interface PersonalKernel {
  readonly link: Link;
  /** v */
  readonly variance: number;
}

/** Derivatives that are asked for; each is set. */
export interface Derivatives {
  /** (P) */
  gradient?: Float64Array;
  /** (P, P) */
  hessian?: Float64Array;
  /** (P, P) E_r of the Hessian by w: ½·tr(M_i M_j)/n, never indefinite. */
  fisher?: Float64Array;
  /** (P, P) As `fisher`, of some of the items where there are many: good enough to begin a search with. */
  curvature?: Float64Array;
}

/** A function of a user's P weights. */
export interface Objective {
  /** P */
  readonly size: number;
  evaluate(w: ArrayLike<number>, derivatives?: Derivatives): number;
  /** out (P) = ∇²·v at w. */
  hessianProduct(out: Float64Array, w: ArrayLike<number>, v: ArrayLike<number>): void;
}

/** Of the last w that derivatives were asked for at. */
export interface PersonalFactors {
  /** k′, k″, k‴ of each pair (N); the last two where a Hessian was asked for. */
  readonly slopes: readonly Float64Array[];
  /** (N) G, each pair as often as it stands in the matrix. */
  readonly G: Float64Array;
  /** (n, n) S = LLᵀ */
  readonly L: Matrix;
  /** (n, n) S⁻¹ */
  readonly inverse: Matrix;
  /** (n, 1) */
  readonly alpha: Matrix;
}

/** ℓ_u/n of one user, without its constant, by w = (h, b). Matrices live in the scope it was made with. */
export class PersonalLikelihood implements Objective {
  readonly problem: PersonalProblem;
  readonly kernel: PersonalKernel;
  readonly engine: Engine;
  readonly size: number;
  readonly factors: PersonalFactors;
  /** (N) t, and scratch. */
  readonly #t: Float64Array;
  readonly #pairs: Float64Array;
  /** (N, 1) k */
  readonly #k: Matrix;
  /** Some of the items, where there are many. */
  readonly #sketch: PersonalLikelihood | undefined;

  constructor(engine: Engine, scope: Scope, problem: PersonalProblem, kernel: PersonalKernel) {
    checkProblem(problem);
    const { n, p } = problem;
    const N = pairCount(n);
    this.problem = problem;
    this.kernel = kernel;
    this.engine = engine;
    this.size = kernel.link === "sigmoid" ? p + 1 : p;
    this.#t = new Float64Array(N);
    this.#pairs = new Float64Array(N);
    this.#k = scope.matrix(N, 1);
    this.factors = {
      slopes: [new Float64Array(N), new Float64Array(N), new Float64Array(N)],
      G: new Float64Array(N),
      L: scope.matrix(n, n),
      inverse: scope.matrix(n, n),
      alpha: scope.matrix(n, 1),
    };
    this.#sketch = n > SKETCH ? new PersonalLikelihood(engine, scope, someOf(problem, SKETCH), kernel) : undefined;
  }

  evaluate(w: ArrayLike<number>, derivatives: Derivatives = {}): number {
    return this.#evaluate(w, derivatives, derivatives.hessian !== undefined);
  }

  /** `all`: k″ and k‴ among the factors. */
  #evaluate(w: ArrayLike<number>, derivatives: Derivatives, all: boolean): number {
    const { gradient, hessian, curvature } = derivatives;
    const fisher = derivatives.fisher ?? (this.#sketch ? undefined : curvature);
    if (curvature && this.#sketch) this.#sketch.evaluate(w, { fisher: curvature });
    const { n } = this.problem;
    const value = this.#factor(w, all) / n;
    if (!gradient && !hessian && !fisher) return value;
    const { L, inverse } = this.factors;
    this.engine.inverseFromCholesky(inverse, L);
    this.#weigh();
    if (gradient) {
      const C = this.#weighed(0);
      for (let i = 0; i < this.size; i++) gradient[i] = pairSum(this.problem, C, i) / n;
    }
    if (hessian || fisher) this.#second({ ...(hessian ? { hessian } : {}), ...(fisher ? { fisher } : {}) });
    if (curvature && fisher && curvature !== fisher && !this.#sketch) curvature.set(fisher);
    return value;
  }

  /**
   * Without the Hessian, by two products of (n, n) whatever P is: with Q = S⁻¹K_v S⁻¹, y = S⁻¹K_v α and d_v = Σ v_j d_j,
   * (∇²ℓ·v)_i = Σ (G∘k″∘d_v − ½Q∘k′ + αyᵀ∘k′)∘d_i.
   */
  hessianProduct(out: Float64Array, w: ArrayLike<number>, v: ArrayLike<number>): void {
    const { engine, problem } = this;
    const { n } = problem;
    this.#evaluate(w, { gradient: out }, true);
    const { slopes, G, inverse, alpha } = this.factors;
    const [first, second] = slopes;
    using scope = engine.scope();
    const [K, half, Q] = [scope.matrix(n, n), scope.matrix(n, n), scope.matrix(n, n)];
    const [u, y] = [scope.matrix(n, 1), scope.matrix(n, 1)];
    const C = along(this.#pairs, problem, v);
    spread(K, first, C);
    engine.gemm(half, inverse, K);
    engine.gemm(Q, half, inverse);
    engine.gemv(u, K, alpha);
    engine.gemv(y, inverse, u);
    const { data } = Q;
    const a = alpha.offset;
    for (let i = 0, k = 0; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) {
        const pair = data[a + i] * data[y.offset + j] + data[a + j] * data[y.offset + i] - data[Q.offset + i * n + j];
        C[k] = G[k] * second[k] * C[k] + (i === j ? 0.5 : 1) * first[k] * pair;
      }
    }
    for (let i = 0; i < this.size; i++) out[i] = pairSum(problem, C, i) / n;
  }

  /** K + Σ = LLᵀ and α; ℓ. */
  #factor(w: ArrayLike<number>, all: boolean): number {
    const { engine } = this;
    const { n, p, targets, noise } = this.problem;
    const { link, variance } = this.kernel;
    const { slopes, L, alpha } = this.factors;
    const h = Array.from({ length: p }, (_, c) => w[c]);
    along(this.#t, this.problem, h);
    const offset = link === "sigmoid" ? w[p] : 0;
    kernelSlopes(engine, { k: this.#k, slopes }, this.#t, { link, variance, offset, all });
    const { data } = L;
    for (let i = 0, from = this.#k.offset, to = L.offset; i < n; from += ++i, to += n) {
      data.copyWithin(to, from, from + i + 1);
      data[to + i] += noise[i];
      data[alpha.offset + i] = targets[i];
    }
    engine.cholesky(L, { name: "personal: K + Σ", jitter: {} });
    engine.solveTriangular(alpha, L);
    let quadratic = 0; // rᵀS⁻¹r = ‖L⁻¹r‖²: a sum of squares
    for (let i = 0; i < n; i++) quadratic += data[alpha.offset + i] ** 2;
    engine.solveTriangular(alpha, L, { transpose: true });
    return 0.5 * (engine.logDeterminant(L) + quadratic);
  }

  /** G; pairs off the diagonal stand in the matrix twice. */
  #weigh(): void {
    const { n } = this.problem;
    const { G, inverse, alpha } = this.factors;
    const { data, offset } = inverse;
    const a = alpha.offset;
    for (let i = 0, k = 0; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) {
        G[k] = (i === j ? 0.5 : 1) * (data[offset + i * n + j] - data[a + i] * data[a + j]);
      }
    }
  }

  /** G∘k′, G∘k″ (N), in scratch. */
  #weighed(order: 0 | 1): Float64Array {
    const { slopes, G } = this.factors;
    for (let k = 0; k < G.length; k++) this.#pairs[k] = G[k] * slopes[order][k];
    return this.#pairs;
  }

  #second({ hessian, fisher }: Derivatives): void {
    const { engine, problem, size: P } = this;
    const { n } = problem;
    const { slopes, L, inverse, alpha } = this.factors;
    using scope = engine.scope();
    const K = scope.matrix(n, n);
    const U = scope.matrix(P, n); // rows K_i α, then L⁻¹K_i α
    const M = Array.from({ length: P }, () => scope.matrix(n, n));
    for (let i = 0; i < P; i++) {
      spread(K, slopes[0], along(this.#pairs, problem, unit(P, i)));
      engine.gemm(M[i], inverse, K);
      engine.gemv(U.view(i, i + 1), K, alpha);
    }
    engine.solveTriangular(U, L, { side: "right", transpose: true });
    const { data } = U;
    const products = new Float64Array(this.#pairs.length); // G∘k″∘d_i
    for (let i = 0; i < P; i++) {
      if (hessian) {
        const C = this.#weighed(1);
        along(products, problem, unit(P, i));
        for (let k = 0; k < products.length; k++) products[k] *= C[k];
      }
      for (let j = 0; j <= i; j++) {
        const information = 0.5 * traceOfProduct(M[i], M[j]);
        if (fisher) fisher[i * P + j] = fisher[j * P + i] = information / n;
        if (!hessian) continue;
        let quadratic = 0;
        for (let a = 0; a < n; a++) quadratic += data[U.offset + i * n + a] * data[U.offset + j * n + a];
        const value = (pairSum(problem, products, j) - information + quadratic) / n;
        hessian[i * P + j] = hessian[j * P + i] = value;
      }
    }
  }
}

/** Above so many items the first curvature of a search is that of so many: P products of (n, n) would cost more than the search. */
const SKETCH = 96;

/** Every so-and-so-many-th item of the user, `count` in all. */
function someOf({ n, p, distances, targets, noise }: PersonalProblem, count: number): PersonalProblem {
  const kept = Int32Array.from({ length: count }, (_, i) => Math.floor((i * n) / count));
  const N = pairCount(n);
  const some = new Float64Array(p * pairCount(count));
  for (let c = 0, at = 0; c < p; c++) {
    for (let i = 0; i < count; i++) {
      const row = c * N + pairCount(kept[i]);
      for (let j = 0; j <= i; j++, at++) some[at] = distances[row + kept[j]];
    }
  }
  const pick = (values: Float64Array) => Float64Array.from(kept, (i) => values[i]);
  return { n: count, p, distances: some, targets: pick(targets), noise: pick(noise) };
}

const unit = (P: number, i: number): Float64Array => new Float64Array(P).fill(1, i, i + 1);

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
import { type KernelValues, kernelRates, kernelSlopes, kernelValues, type WeighedDistances } from "./kernel.ts";
import { innerProduct, multiply, numbersOf, pairDirections, spread, weigh } from "./pairs.ts";
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

/** Of the last w; S⁻¹ where derivatives were asked for. */
export interface PersonalFactors {
  /** (n, n) S = LLᵀ */
  readonly L: Matrix;
  /** (n, n) S⁻¹ */
  readonly inverse: Matrix;
  /** (n, 1) */
  readonly alpha: Matrix;
}

const CHOLESKY = { name: "personal: K + Σ", jitter: {} };
const TRANSPOSE = { transpose: true };

/** ℓ_u/n of one user, without its constant, by w = (h, b). Matrices live in the scope it was made with. */
export class PersonalLikelihood implements Objective {
  readonly problem: PersonalProblem;
  readonly kernel: PersonalKernel;
  readonly engine: Engine;
  readonly size: number;
  readonly factors: PersonalFactors;
  /** (1, N) d_i of each pair. */
  readonly directions: readonly Matrix[];
  /** (P, N) All of them. */
  readonly #directions: Matrix;
  /** (P, 1) A point, a direction, or sums along all directions. */
  readonly #point: Matrix;
  readonly #distances: WeighedDistances;
  readonly #values: KernelValues;
  /** (1, N) What is summed along the directions. */
  readonly #pairs: Matrix;

  constructor(engine: Engine, scope: Scope, problem: PersonalProblem, kernel: PersonalKernel) {
    checkProblem(problem);
    const { n, p } = problem;
    const N = pairCount(n);
    this.problem = problem;
    this.kernel = kernel;
    this.engine = engine;
    this.size = kernel.link === "sigmoid" ? p + 1 : p;
    this.#directions = pairDirections(scope, problem, this.size);
    this.directions = Array.from({ length: this.size }, (_, i) => this.#directions.view(i, i + 1));
    this.#point = scope.matrix(this.size, 1);
    this.#distances = { d: this.#directions.view(0, p), h: this.#point.view(0, p) };
    const k = scope.matrix(1, N);
    this.#values = { k, u: kernel.link === "linear" ? k : scope.matrix(1, N) };
    this.#pairs = scope.matrix(1, N);
    this.factors = { L: scope.matrix(n, n), inverse: scope.matrix(n, n), alpha: scope.matrix(n, 1) };
  }

  evaluate(w: ArrayLike<number>, { gradient, hessian, fisher, curvature }: Derivatives = {}): number {
    const { n } = this.problem;
    if (curvature && n > SKETCH) this.#sketch(curvature, w);
    const exact = n > SKETCH ? undefined : curvature;
    const value = this.#factor(w) / n;
    if (!gradient && !hessian && !fisher && !exact) return value;
    this.engine.inverseFromCholesky(this.factors.inverse, this.factors.L);
    if (gradient) {
      const rates = kernelRates(this.#pairs, this.#values, this.kernel.link); // −2k′
      weigh(this.#pairs, rates, this.factors);
      this.#sum(gradient, -0.5);
    }
    if (hessian || fisher || exact) {
      const information = this.#second(hessian);
      fisher?.set(information);
      exact?.set(information);
    }
    return value;
  }

  /**
   * Without the Hessian, by two products of (n, n) whatever P is: with Q = S⁻¹K_v S⁻¹, y = S⁻¹K_v α and d_v = Σ v_j d_j,
   * (∇²ℓ·v)_i = Σ (G∘k″∘d_v − ½Q∘k′ + αyᵀ∘k′)∘d_i.
   */
  hessianProduct(out: Float64Array, w: ArrayLike<number>, v: ArrayLike<number>): void {
    const { engine } = this;
    const { n } = this.problem;
    const { L, inverse, alpha } = this.factors;
    this.#factor(w);
    engine.inverseFromCholesky(inverse, L);
    using scope = engine.scope();
    const [first, second] = this.slopes(scope);
    const [K, half, Q] = [scope.matrix(n, n), scope.matrix(n, n), scope.matrix(n, n)];
    const [u, y] = [scope.matrix(n, 1), scope.matrix(n, 1)];
    const C = this.#pairs;
    this.#place(v);
    engine.gemv(C, this.#directions, this.#point, TRANSPOSE); // d_v
    spread(K, first, C);
    engine.gemm(half, inverse, K);
    engine.gemm(Q, half, inverse);
    engine.gemv(u, K, alpha);
    engine.gemv(y, inverse, u);
    weigh(second, second, this.factors);
    const [a, b, q, to] = [alpha, y, Q, C].map(numbersOf);
    const [slope, weighed] = [first, second].map(numbersOf);
    for (let i = 0, k = 0; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) {
        const pair = a[i] * b[j] + a[j] * b[i] - q[i * n + j];
        to[k] = to[k] * weighed[k] + (i === j ? 0.5 : 1) * slope[k] * pair;
      }
    }
    this.#sum(out, 1);
  }

  /** k′, k″ and k‴ of each pair at the last w, (1, N) each. */
  slopes(scope: Scope): readonly Matrix[] {
    const slopes = Array.from({ length: 3 }, () => scope.matrix(1, this.#pairs.cols));
    kernelSlopes(slopes, this.#values, this.kernel.link);
    return slopes;
  }

  /** K + Σ = LLᵀ and α; ℓ. */
  #factor(w: ArrayLike<number>): number {
    const { engine } = this;
    const { n, p, targets, noise } = this.problem;
    const { link, variance } = this.kernel;
    const { L, alpha } = this.factors;
    this.#place(w);
    kernelValues(engine, this.#values, this.#distances, { link, variance, offset: link === "sigmoid" ? w[p] : 0 });
    const [S, k] = [numbersOf(L), numbersOf(this.#values.k)];
    for (let i = 0, from = 0, row = 0; i < n; from += ++i, row += n) {
      for (let j = 0; j <= i; j++) S[row + j] = k[from + j];
      S[row + i] += noise[i];
    }
    numbersOf(alpha).set(targets);
    engine.cholesky(L, CHOLESKY);
    engine.solveTriangular(alpha, L);
    const quadratic = innerProduct(alpha, alpha); // rᵀS⁻¹r = ‖L⁻¹r‖²: a sum of squares
    engine.solveTriangular(alpha, L, TRANSPOSE);
    return 0.5 * (engine.logDeterminant(L) + quadratic);
  }

  #place(point: ArrayLike<number>): void {
    const to = numbersOf(this.#point);
    for (let i = 0; i < to.length; i++) to[i] = point[i];
  }

  /** `scale`·Σ C∘d_i/n of the pairs' C, for all directions at once. */
  #sum(out: Float64Array, scale: number): void {
    this.engine.gemv(this.#point, this.#directions, this.#pairs);
    const sums = numbersOf(this.#point);
    for (let i = 0; i < sums.length; i++) out[i] = (scale * sums[i]) / this.problem.n;
  }

  /** The Fisher matrix (P, P), and the Hessian where asked for. */
  #second(hessian: Float64Array | undefined): Float64Array {
    using scope = this.engine.scope();
    const slopes = this.slopes(scope);
    const information = this.#information(slopes);
    if (hessian) this.#hessian(hessian, information, slopes);
    return information;
  }

  /** (P, P) ½·tr(M_i M_j)/n */
  #information([first]: readonly Matrix[]): Float64Array {
    const { engine, size: P } = this;
    const { n } = this.problem;
    using scope = engine.scope();
    const K = scope.matrix(n, n);
    const M = this.directions.map(() => scope.matrix(n, n));
    const transposed = this.directions.map(() => scope.matrix(n, n)); // a trace is then a sum along rows
    const information = new Float64Array(P * P);
    for (let i = 0; i < P; i++) {
      spread(K, first, this.directions[i]);
      engine.gemm(M[i], this.factors.inverse, K);
      engine.convert(transposed[i], M[i].transposed());
      for (let j = 0; j <= i; j++) {
        information[i * P + j] = information[j * P + i] = (0.5 * innerProduct(M[i], transposed[j])) / n;
      }
    }
    return information;
  }

  /** k″ is overwritten. */
  #hessian(hessian: Float64Array, information: Float64Array, [first, second]: readonly Matrix[]): void {
    const { engine, directions, size: P } = this;
    const { n } = this.problem;
    const { L, alpha } = this.factors;
    using scope = engine.scope();
    const K = scope.matrix(n, n);
    const U = scope.matrix(P, n); // rows K_i α, then L⁻¹K_i α
    const rows = directions.map((_, i) => U.view(i, i + 1));
    for (let i = 0; i < P; i++) {
      spread(K, first, directions[i]);
      engine.gemv(rows[i], K, alpha);
    }
    engine.solveTriangular(U, L, { side: "right", transpose: true });
    weigh(second, second, this.factors);
    for (let i = 0; i < P; i++) {
      multiply(this.#pairs, second, directions[i]); // G∘k″∘d_i
      this.#sum(hessian.subarray(i * P, (i + 1) * P), 1);
      for (let j = 0; j <= i; j++) {
        hessian[i * P + j] += innerProduct(rows[i], rows[j]) / n - information[i * P + j];
        hessian[j * P + i] = hessian[i * P + j];
      }
    }
  }

  #sketch(curvature: Float64Array, w: ArrayLike<number>): void {
    const { engine, problem, kernel } = this;
    using scope = engine.scope();
    new PersonalLikelihood(engine, scope, someOf(problem, SKETCH), kernel).evaluate(w, { fisher: curvature });
  }
}

/**
 * Above so many items the first curvature of a search is that of so many: P products of (n, n) would cost more than the search. Of 32 to 300
 * items of a user with 300, none made the search shorter than the others by more than half a step.
 */
const SKETCH = 64;

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

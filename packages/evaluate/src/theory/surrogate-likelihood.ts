// Eq. 6 for k surrogates that share one kernel, as a function of the channel weights h:
//
//   ℓ = (k/2)·log|S| + ½·tr(RᵀS⁻¹R)       S = K + σ²I, K = exp(−½ Σ_c h_c d_c), element by element
//   ∂_c ℓ = Σ G∘K_c                        G = ½(kS⁻¹ − AAᵀ), A = S⁻¹R, K_c = −½ K∘d_c
//   ∇²ℓ·v, by c: Σ C∘K_c                   C = −½ G∘d_v − (k/2)·S⁻¹K_vS⁻¹ + ½(AYᵀ + YAᵀ), Y = S⁻¹K_v A, d_v = Σ_c v_c d_c
//
// Everything is divided by n·k: nats an item and surrogate. One factorisation serves all surrogates, and h has as many numbers as there are channels,
// so that Σ ∘K_c is left to the engine's pass from the kernel back to its column weights.
// n items, k surrogates, p channels, e = Σ e_c columns, s probes
import {
  type Derivatives,
  type Engine,
  type Indices,
  type Matrix,
  NearkinError,
  type Objective,
  Random,
  type Scope,
} from "@nearkin/core";

export interface SurrogateProblem {
  /** (n, e) The items, channels side by side; d_c is the squared distance over the columns of channel c. */
  readonly Z: Matrix;
  /** (p) e_c, how many columns each channel has. */
  readonly sizes: readonly number[];
  /** (n, k) */
  readonly R: Matrix;
  /** σ² */
  readonly sigma2: number;
}

/**
 * Draws of r that the Fisher matrix is averaged over. It is E_r of the Hessian, ½·tr(S⁻¹K_iS⁻¹K_j), which by itself takes p products of n³; with
 * r ~ N(0, S), α = S⁻¹r, E[αᵀK_iS⁻¹K_jα] = tr(S⁻¹K_iS⁻¹K_j). A first curvature need not be exact.
 */
const PROBES = 16;

/** Matrices live in the scope it was made with. */
export class SurrogateLikelihood implements Objective {
  /** p */
  readonly size: number;
  readonly #engine: Engine;
  readonly #problem: SurrogateProblem;
  readonly #same: Indices;
  /** (n, n) K, and L with LLᵀ = S. */
  readonly #K: Matrix;
  readonly #L: Matrix;
  /** (n, n) G, or C. */
  readonly #G: Matrix;
  /** (n, k) S⁻¹R */
  readonly #A: Matrix;
  /** (e, 1) Weights of the columns, and the gradient by them. */
  readonly #columns: Matrix;
  readonly #slopes: Matrix;

  constructor(engine: Engine, scope: Scope, problem: SurrogateProblem) {
    const { Z, R, sizes, sigma2 } = problem;
    const [n, e] = [Z.rows, Z.cols];
    if (R.rows !== n || sizes.reduce((sum, size) => sum + size, 0) !== e) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `surrogates: items (${n}, ${e}) go with ${n} rows of targets and ${e} columns of channels, got ${R.rows} and ${sizes.join(" + ")}`,
      );
    }
    if (!(sigma2 > 0)) throw new NearkinError("BAD_ARGUMENT", `surrogates: sigma2 must be above 0, got ${sigma2}`);
    this.#engine = engine;
    this.#problem = problem;
    this.size = sizes.length;
    this.#same = scope.indices(n).write(Array.from({ length: n }, (_, i) => i));
    this.#K = scope.matrix(n, n);
    this.#L = scope.matrix(n, n);
    this.#G = scope.matrix(n, n);
    this.#A = scope.matrix(n, R.cols);
    this.#columns = scope.matrix(e, 1);
    this.#slopes = scope.matrix(e, 1);
  }

  evaluate(h: ArrayLike<number>, { gradient, hessian, fisher, curvature }: Derivatives = {}): number {
    const value = this.#factor(h);
    if (gradient) {
      this.#weigh();
      this.#pull(gradient);
    }
    if (fisher) this.#fisher(fisher);
    if (curvature) this.#fisher(curvature);
    if (hessian) {
      const p = this.size;
      for (let i = 0; i < p; i++) this.#product(hessian.subarray(i * p, (i + 1) * p), unit(p, i));
    }
    return value;
  }

  hessianProduct(out: Float64Array, h: ArrayLike<number>, v: ArrayLike<number>): void {
    this.#factor(h);
    this.#product(out, v);
  }

  /** K, S = LLᵀ and A; ℓ. */
  #factor(h: ArrayLike<number>): number {
    const engine = this.#engine;
    const { Z, R, sigma2 } = this.#problem;
    const [n, k] = [R.rows, R.cols];
    const [K, L, A] = [this.#K, this.#L, this.#A];
    this.#place(h);
    engine.kernel(K, Z, Z, { weights: this.#columns, same: this.#same });
    engine.convert(L, K);
    for (let i = 0; i < n; i++) L.data[L.offset + i * (n + 1)] += sigma2;
    engine.cholesky(L, { name: "surrogates: K + σ²I", jitter: {} });
    engine.convert(A, R);
    engine.solveTriangular(A, L);
    let quadratic = 0; // tr(RᵀS⁻¹R) = ‖L⁻¹R‖²: a sum of squares
    for (let i = A.offset; i < A.offset + n * k; i++) quadratic += A.data[i] ** 2;
    engine.solveTriangular(A, L, { transpose: true });
    return (0.5 * (k * engine.logDeterminant(L) + quadratic)) / (n * k);
  }

  /** G = ½(kS⁻¹ − AAᵀ) */
  #weigh(): void {
    this.#engine.inverseFromCholesky(this.#G, this.#L);
    this.#engine.syrk(this.#G, this.#A, { alpha: -0.5, beta: 0.5 * this.#A.cols });
  }

  /** out (p) = Σ G∘K_c / (nk); G is spent. */
  #pull(out: Float64Array): void {
    const { Z, sizes, R } = this.#problem;
    const slopes = this.#slopes.fill(0);
    const options = { weights: this.#columns, same: this.#same };
    this.#engine.kernelBackward(this.#G, this.#K, Z, Z, options, { weights: slopes });
    let at = slopes.offset;
    sizes.forEach((size, c) => {
      out[c] = 0;
      for (const end = at + size; at < end; at++) out[c] += slopes.data[at] / (R.rows * R.cols);
    });
  }

  /** out (p) = ∇²ℓ·v at the weights that were factored last. Two products of (n, n), whatever p is. */
  #product(out: Float64Array, v: ArrayLike<number>): void {
    const engine = this.#engine;
    const [n, k] = [this.#A.rows, this.#A.cols];
    const [G, A, L] = [this.#G, this.#A, this.#L];
    using scope = engine.scope();
    const [T, Kv, half, inverse] = [scope.matrix(n, n), scope.matrix(n, n), scope.matrix(n, n), scope.matrix(n, n)];
    const Y = scope.matrix(n, k);
    this.#along(T, Kv, v);
    engine.gemm(Y, Kv, A);
    engine.solveCholesky(Y, L);
    engine.inverseFromCholesky(inverse, L);
    engine.gemm(half, inverse, Kv);
    this.#weigh();
    const { data } = G;
    for (let i = 0; i < n * n; i++) data[G.offset + i] *= -0.5 * data[T.offset + i];
    engine.gemm(G, half, inverse, { alpha: -0.5 * k, beta: 1 });
    engine.syr2k(G, A, Y, { alpha: 0.5, beta: 1 });
    this.#pull(out);
  }

  /** out (p, p) = ½·tr(S⁻¹K_iS⁻¹K_j)/n, by probes: never indefinite. */
  #fisher(out: Float64Array): void {
    const engine = this.#engine;
    const p = this.size;
    const n = this.#L.rows;
    using scope = engine.scope();
    const probes = scope.matrix(n, PROBES);
    engine.fillNormal(probes, new Random(0).split("probes"));
    engine.solveTriangular(probes, this.#L, { transpose: true }); // α = L⁻ᵀξ
    const [T, Kc] = [scope.matrix(n, n), scope.matrix(n, n)];
    const images = Array.from({ length: p }, (_, c) => {
      const U = scope.matrix(n, PROBES);
      this.#along(T, Kc, unit(p, c));
      engine.gemm(U, Kc, probes);
      engine.solveTriangular(U, this.#L); // L⁻¹K_c α
      return U;
    });
    const { data } = probes;
    for (let i = 0; i < p; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let a = 0; a < n * PROBES; a++) sum += data[images[i].offset + a] * data[images[j].offset + a];
        out[i * p + j] = out[j * p + i] = (0.5 * sum) / (PROBES * n);
      }
    }
  }

  /** T = d_v and Kv = −½ K∘d_v, both (n, n). The columns' weights are h again afterwards. */
  #along(T: Matrix, Kv: Matrix, v: ArrayLike<number>): void {
    const { Z } = this.#problem;
    const n = Z.rows;
    const h = this.#columns.read();
    this.#place(v);
    this.#engine.distances(T, Z, Z, { weights: this.#columns, same: this.#same });
    this.#columns.write(h);
    const { data } = T;
    for (let i = 0; i < n * n; i++) data[Kv.offset + i] = -0.5 * data[this.#K.offset + i] * data[T.offset + i];
  }

  /** h_c over the columns of channel c. */
  #place(h: ArrayLike<number>): void {
    const { data, offset } = this.#columns;
    let at = offset;
    this.#problem.sizes.forEach((size, c) => {
      for (const end = at + size; at < end; at++) data[at] = h[c];
    });
  }
}

const unit = (p: number, i: number): Float64Array => new Float64Array(p).fill(1, i, i + 1);

// Third derivatives of ℓ_u by w = (h, b), for the Taylor form of Lemma 1. With M_i = S⁻¹K_i, x_i = S⁻¹K_i α:
//
//   ∂_ijl ℓ = Σ G∘K_ijl + tr(M_i M_j M_l) + Σ_(pair|single) [ αᵀK_ij x_l − ½·tr(S⁻¹K_ij M_l) ] − Σ_(middle) αᵀK_i S⁻¹K_j x_l
//
// over the three ways to choose a pair, and the three to choose the one in the middle. Divided by n, like ℓ. O(P²n³): for studies, not for
// every user. n items, P parameters
import { NearkinError } from "../errors.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { PersonalLikelihood } from "./likelihood.ts";
import { innerProduct, multiply, spread, traceOfProduct, weigh } from "./pairs.ts";

/** (P, P, P) at w. */
export function thirdDerivatives(likelihood: PersonalLikelihood, w: ArrayLike<number>): Float64Array {
  const { engine, problem, size: P, factors, directions: d } = likelihood;
  const { n } = problem;
  if (w.length < P) throw new NearkinError("SHAPE_MISMATCH", `thirdDerivatives: ${P} weights, got ${w.length}`);
  likelihood.evaluate(w, { hessian: new Float64Array(P * P) });
  const { inverse, alpha } = factors;
  using scope = engine.scope();
  const [first, second, third] = likelihood.slopes(scope);
  const square = () => scope.matrix(n, n);
  const K = d.map((own) => {
    const matrix = square();
    spread(matrix, first, own);
    return matrix;
  });
  const M = K.map((own) => product(square(), inverse, own));
  const x = M.map((own) => times(scope.matrix(n, 1), own, alpha));
  const [Kij, SKij, MM] = [square(), square(), square()];
  const [u, v] = [scope.matrix(n, 1), scope.matrix(n, 1)];
  const pairs = scope.matrix(1, third.cols);
  weigh(third, third, factors); // G∘k‴
  const derivatives = new Float64Array(P ** 3);
  const add = (i: number, j: number, l: number, value: number) => {
    derivatives[(i * P + j) * P + l] += value / n;
  };
  for (let i = 0; i < P; i++) {
    for (let j = 0; j < P; j++) {
      multiply(pairs, d[i], d[j]);
      spread(Kij, second, pairs);
      product(SKij, inverse, Kij);
      product(MM, M[i], M[j]);
      times(u, Kij, alpha);
      times(v, K[i], x[j]); // K_i S⁻¹K_j α
      multiply(pairs, pairs, third);
      for (let l = 0; l < P; l++) {
        add(i, j, l, innerProduct(pairs, d[l]) + traceOfProduct(MM, M[l]));
        const single = innerProduct(u, x[l]) - 0.5 * traceOfProduct(SKij, M[l]);
        add(i, j, l, single);
        add(i, l, j, single);
        add(l, j, i, single);
        // αᵀK_l S⁻¹K_i S⁻¹K_j α: i is in the middle, once for each order of the others
        const middle = innerProduct(x[l], v);
        add(l, i, j, -middle);
        add(i, l, j, -middle);
        add(l, j, i, -middle);
      }
    }
  }
  return derivatives;

  function product(out: Matrix, A: Matrix, B: Matrix): Matrix {
    engine.gemm(out, A, B);
    return out;
  }

  function times(out: Matrix, A: Matrix, b: Matrix): Matrix {
    engine.gemv(out, A, b);
    return out;
  }
}

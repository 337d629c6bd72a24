import { checkColumnSums, checkKernel, checkKernelBackward, checkRowNorms } from "../contract.ts";
import type { KernelOptions, KernelPass, Link } from "../engine.ts";
import type { Matrix } from "../matrix.ts";

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** φ(t) and φ′(t). */
function linkOf(link: Link, t: number, b: number): [phi: number, derivative: number] {
  if (link === "linear") return [t, 1];
  if (link === "saturating") return [-Math.expm1(-t), Math.exp(-t)];
  const d = sigmoid(t + b);
  return [d, d * (1 - d)];
}

/** h_j of an embedding column. */
const weightOf = (options: KernelOptions, j: number) =>
  options.weights ? options.weights.data[options.weights.offset + j] : 1;

/** t_ab = Σ_j h_j (Z_aj − Z_bj)², 0 where both are the same item. */
function distance(Za: Matrix, a: number, Zb: Matrix, b: number, options: KernelOptions): number {
  if (options.same && options.same.data[options.same.offset + a] === b) return 0;
  let t = 0;
  for (let j = 0; j < Za.cols; j++) t += weightOf(options, j) * (Za.get(a, j) - Zb.get(b, j)) ** 2;
  return t;
}

export const kernelPass: KernelPass = {
  rowNorms(out, A, weights) {
    checkRowNorms(out, A, weights);
    for (let i = 0; i < A.rows; i++) {
      let s = 0;
      for (let j = 0; j < A.cols; j++) s += (weights ? weights.data[weights.offset + j] : 1) * A.get(i, j) ** 2;
      out.data[out.offset + i] = s;
    }
  },

  columnSums(out, A) {
    checkColumnSums(out, A);
    for (let j = 0; j < A.cols; j++) {
      let s = 0;
      for (let i = 0; i < A.rows; i++) s += A.get(i, j);
      out.data[out.offset + j] = s;
    }
  },

  distances(T, Za, Zb, options = {}) {
    checkKernel(T, Za, Zb, options);
    for (let a = 0; a < Za.rows; a++) for (let b = 0; b < Zb.rows; b++) T.set(a, b, distance(Za, a, Zb, b, options));
  },

  kernel(K, Za, Zb, options = {}) {
    checkKernel(K, Za, Zb, options);
    const { link = "linear", offset = 0, variance = 1, slope } = options;
    for (let a = 0; a < Za.rows; a++) {
      for (let b = 0; b < Zb.rows; b++) {
        const [phi, derivative] = linkOf(link, distance(Za, a, Zb, b, options), offset);
        const k = variance * Math.exp(-0.5 * phi);
        K.set(a, b, k);
        slope?.set(a, b, -0.5 * derivative * k);
      }
    }
  },

  // Straight from the sum over pairs: ∂t_ab/∂Z_aj = 2h_j(Z_aj − Z_bj), ∂t_ab/∂h_j = (Z_aj − Z_bj)².
  kernelBackward(G, K, Za, Zb, options, gradients) {
    checkKernelBackward(G, K, Za, Zb, options, gradients);
    const { slope, variance = 1, link } = options;
    let total = 0;
    let dots = 0;
    for (let a = 0; a < Za.rows; a++) {
      for (let b = 0; b < Zb.rows; b++) {
        dots += G.get(a, b) * K.get(a, b);
        const g = G.get(a, b) * (slope ? slope.get(a, b) : -0.5 * K.get(a, b));
        G.set(a, b, g);
        total += g;
        for (let j = 0; j < Za.cols; j++) {
          const difference = Za.get(a, j) - Zb.get(b, j);
          const push = 2 * g * weightOf(options, j) * difference;
          gradients.rows?.set(a, j, gradients.rows.get(a, j) + push);
          gradients.columns?.set(b, j, gradients.columns.get(b, j) - push);
          if (gradients.weights) gradients.weights.data[gradients.weights.offset + j] += g * difference ** 2;
        }
      }
    }
    gradients.offset = link === "sigmoid" ? total : 0;
    gradients.variance = dots / variance;
  },
};

import type { DistanceOptions, KernelGradients, KernelPass, Link } from "../engine.ts";
import {
  checkColumnSums,
  checkDistancesBackward,
  checkKernel,
  checkKernelBackward,
  checkPairDistances,
  checkPairDistancesBackward,
  checkRowNorms,
} from "../kernel-contract.ts";
import type { Matrix } from "../matrix.ts";

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** φ(t) and φ′(t). */
function linkOf(link: Link, t: number, b: number): [phi: number, derivative: number] {
  if (link === "linear") return [t, 1];
  if (link === "saturating") return [-Math.expm1(-t), Math.exp(-t)];
  const d = sigmoid(t + b);
  return [d, d * (1 - d)];
}

/** Element i of a vector, or `otherwise` where there is none. */
const element = (vector: Matrix | undefined, i: number, otherwise: number) =>
  vector ? vector.data[vector.offset + i] : otherwise;

function add(vector: Matrix | undefined, i: number, value: number): void {
  if (vector) vector.data[vector.offset + i] += value;
}

const isSame = ({ same }: DistanceOptions, a: number, b: number) => same?.data[same.offset + a] === b;

/** t_ab = Σ_j h_j (Z_aj − Z_bj)² + length_a + length_b, 0 where both are the same item. */
function distance(Za: Matrix, a: number, Zb: Matrix, b: number, options: DistanceOptions): number {
  if (isSame(options, a, b)) return 0;
  let t = element(options.rowLengths, a, 0) + element(options.columnLengths, b, 0);
  for (let j = 0; j < Za.cols; j++) t += element(options.weights, j, 1) * (Za.get(a, j) - Zb.get(b, j)) ** 2;
  return t;
}

// Straight from the sum over pairs: ∂t_ab/∂Z_aj = 2h_j(Z_aj − Z_bj), ∂t_ab/∂h_j = (Z_aj − Z_bj)², ∂t_ab/∂length_a = 1.
function pushBack(G: Matrix, Za: Matrix, Zb: Matrix, options: DistanceOptions, gradients: KernelGradients): void {
  const { rows, columns, weights, rowLengths, columnLengths } = gradients;
  for (let a = 0; a < Za.rows; a++) {
    for (let b = 0; b < Zb.rows; b++) {
      const g = G.get(a, b);
      for (let j = 0; j < Za.cols; j++) {
        const difference = Za.get(a, j) - Zb.get(b, j);
        const push = 2 * g * element(options.weights, j, 1) * difference;
        rows?.set(a, j, rows.get(a, j) + push);
        columns?.set(b, j, columns.get(b, j) - push);
        add(weights, j, g * difference ** 2);
      }
      if (isSame(options, a, b)) continue;
      add(rowLengths, a, g);
      add(columnLengths, b, g);
    }
  }
}

export const kernelPass: KernelPass = {
  rowNorms(out, A, weights) {
    checkRowNorms(out, A, weights);
    for (let i = 0; i < A.rows; i++) {
      let s = 0;
      for (let j = 0; j < A.cols; j++) s += element(weights, j, 1) * A.get(i, j) ** 2;
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
      }
    }
    pushBack(G, Za, Zb, options, gradients);
    gradients.offset = link === "sigmoid" ? total : 0;
    gradients.variance = dots / variance;
  },

  distancesBackward(G, Za, Zb, options, gradients) {
    checkDistancesBackward(G, Za, Zb, options, gradients);
    pushBack(G, Za, Zb, options, gradients);
  },

  pairDistances(t, A, B, weights) {
    checkPairDistances(t, A, B, weights);
    for (let i = 0; i < A.rows; i++) {
      let s = 0;
      for (let j = 0; j < A.cols; j++) s += element(weights, j, 1) * (A.get(i, j) - B.get(i, j)) ** 2;
      t.data[t.offset + i] = s;
    }
  },

  pairDistancesBackward(g, A, B, weights, gradients) {
    checkPairDistancesBackward(g, A, B, weights, gradients);
    const { rows, columns } = gradients;
    for (let i = 0; i < A.rows; i++) {
      for (let j = 0; j < A.cols; j++) {
        const difference = A.get(i, j) - B.get(i, j);
        const push = 2 * element(g, i, 0) * element(weights, j, 1) * difference;
        rows?.set(i, j, rows.get(i, j) + push);
        columns?.set(i, j, columns.get(i, j) - push);
        add(gradients.weights, j, element(g, i, 0) * difference ** 2);
      }
    }
  },
};

// What every engine demands of the kernel pass's arguments. n rows, m columns, width d.
import { checkDistinct, checkLength, fail, named, outOfRange } from "./contract.ts";
import type { DistanceOptions, KernelGradients, KernelOptions, Link, PairGradients } from "./engine.ts";
import { checkAlive, checkRowMajor, checkShape, checkVector, type Matrix } from "./matrix.ts";

const LINKS: readonly Link[] = ["linear", "saturating", "sigmoid"];

const GRADIENTS = [
  "gradients.rows",
  "gradients.columns",
  "gradients.weights",
  "gradients.rowLengths",
  "gradients.columnLengths",
] as const;
const NAMES = {
  kernelBackward: named("kernelBackward", ...GRADIENTS),
  distancesBackward: named("distancesBackward", ...GRADIENTS),
  pairDistances: named("pairDistances", "A", "B", "weights"),
  pairDistancesBackward: named("pairDistancesBackward", "A", "B", "weights", ...GRADIENTS),
};

export function checkRowNorms(out: Matrix, A: Matrix, weights: Matrix | undefined): void {
  checkAlive("rowNorms: A", A);
  checkRowMajor("rowNorms: A", A);
  checkVector("rowNorms: out", out, A.rows, A.precision);
  checkDistinct("rowNorms: out", out, A);
  if (weights) checkVector("rowNorms: weights", weights, A.cols, A.precision);
}

export function checkColumnSums(out: Matrix, A: Matrix): void {
  checkAlive("columnSums: A", A);
  checkRowMajor("columnSums: A", A);
  checkVector("columnSums: out", out, A.cols, A.precision);
  checkDistinct("columnSums: out", out, A);
}

function checkDistanceOptions(Za: Matrix, Zb: Matrix, options: DistanceOptions): void {
  const { weights, same, rowLengths, columnLengths } = options;
  if (weights) checkVector("kernel: weights", weights, Za.cols, Za.precision);
  if (same) {
    checkLength("kernel: same", same, Za.rows);
    const { data, offset } = same;
    for (let i = 0; i < same.length; i++) {
      const column = data[offset + i];
      if (column < -1 || column >= Zb.rows) outOfRange("kernel: same", i, column, Zb.rows);
    }
  }
  if (rowLengths) checkVector("kernel: rowLengths", rowLengths, Za.rows, Za.precision);
  if (columnLengths) checkVector("kernel: columnLengths", columnLengths, Zb.rows, Za.precision);
}

/** `K`: the distances or the kernel, (n, m). */
export function checkKernel(K: Matrix, Za: Matrix, Zb: Matrix, options: KernelOptions): void {
  checkAlive("kernel: Za", Za);
  checkRowMajor("kernel: Za", Za);
  checkShape("kernel: Zb", Zb, Zb.rows, Za.cols, Za.precision);
  checkRowMajor("kernel: Zb", Zb);
  checkShape("kernel: K", K, Za.rows, Zb.rows, Za.precision);
  checkRowMajor("kernel: K", K);
  checkDistinct("kernel: K", K, Za);
  checkDistinct("kernel: K", K, Zb);
  checkDistanceOptions(Za, Zb, options);
  const { slope, link = "linear", variance = 1, offset = 0 } = options;
  if (slope) {
    checkShape("kernel: slope", slope, Za.rows, Zb.rows, Za.precision);
    checkRowMajor("kernel: slope", slope);
    checkDistinct("kernel: slope", slope, K);
    checkDistinct("kernel: slope", slope, Za);
    checkDistinct("kernel: slope", slope, Zb);
  }
  if (!LINKS.includes(link)) fail(`kernel: link must be one of ${LINKS.join(", ")}, got ${link}`);
  if (!(variance > 0) || variance === Infinity) fail(`kernel: variance must be a positive number, got ${variance}`);
  if (!Number.isFinite(offset)) fail(`kernel: offset must be a number, got ${offset}`);
}

/** A matrix that the gradient of Z is added to. */
function checkEmbeddingGradient(name: string, out: Matrix | undefined, G: Matrix, Z: Matrix, other: Matrix): void {
  if (!out) return;
  checkShape(name, out, Z.rows, Z.cols, Z.precision);
  checkRowMajor(name, out);
  checkDistinct(name, out, G);
  checkDistinct(name, out, Z);
  checkDistinct(name, out, other);
}

/** A vector that gradients are added to, one for each element of `of` where that is given. */
function checkVectorGradient(name: string, out: Matrix | undefined, G: Matrix, n: number, of?: Matrix): void {
  if (!out) return;
  checkVector(name, out, n, G.precision);
  checkDistinct(name, out, G);
  if (of) checkDistinct(name, out, of);
}

function checkGradients(
  operation: "kernelBackward" | "distancesBackward",
  G: Matrix,
  Za: Matrix,
  Zb: Matrix,
  options: DistanceOptions,
  gradients: KernelGradients,
): void {
  const names = NAMES[operation];
  checkEmbeddingGradient(names["gradients.rows"], gradients.rows, G, Za, Zb);
  checkEmbeddingGradient(names["gradients.columns"], gradients.columns, G, Zb, Za);
  checkVectorGradient(names["gradients.weights"], gradients.weights, G, Za.cols, options.weights);
  checkVectorGradient(names["gradients.rowLengths"], gradients.rowLengths, G, Za.rows);
  checkVectorGradient(names["gradients.columnLengths"], gradients.columnLengths, G, Zb.rows);
}

export function checkKernelBackward(
  G: Matrix,
  K: Matrix,
  Za: Matrix,
  Zb: Matrix,
  options: KernelOptions,
  gradients: KernelGradients,
): void {
  checkKernel(K, Za, Zb, options);
  checkShape("kernelBackward: G", G, K.rows, K.cols, K.precision);
  checkRowMajor("kernelBackward: G", G);
  checkDistinct("kernelBackward: G", G, K);
  if (!options.slope && options.link !== undefined && options.link !== "linear") {
    fail(
      `kernelBackward: the ${options.link} link needs the slope that kernel() wrote; pass the same slope matrix to both`,
    );
  }
  const { rows, columns } = gradients;
  if (rows) checkDistinct(NAMES.kernelBackward["gradients.rows"], rows, K);
  if (columns) checkDistinct(NAMES.kernelBackward["gradients.columns"], columns, K);
  checkGradients("kernelBackward", G, Za, Zb, options, gradients);
}

export function checkDistancesBackward(
  G: Matrix,
  Za: Matrix,
  Zb: Matrix,
  options: DistanceOptions,
  gradients: KernelGradients,
): void {
  checkAlive("distancesBackward: Za", Za);
  checkRowMajor("distancesBackward: Za", Za);
  checkShape("distancesBackward: Zb", Zb, Zb.rows, Za.cols, Za.precision);
  checkRowMajor("distancesBackward: Zb", Zb);
  checkShape("distancesBackward: G", G, Za.rows, Zb.rows, Za.precision);
  checkRowMajor("distancesBackward: G", G);
  checkDistanceOptions(Za, Zb, options);
  checkGradients("distancesBackward", G, Za, Zb, options, gradients);
}

function checkSides(
  operation: "pairDistances" | "pairDistancesBackward",
  A: Matrix,
  B: Matrix,
  weights: Matrix | undefined,
): void {
  const names = NAMES[operation];
  checkAlive(names.A, A);
  checkRowMajor(names.A, A);
  checkShape(names.B, B, A.rows, A.cols, A.precision);
  checkRowMajor(names.B, B);
  if (weights) checkVector(names.weights, weights, A.cols, A.precision);
}

export function checkPairDistances(t: Matrix, A: Matrix, B: Matrix, weights: Matrix | undefined): void {
  checkSides("pairDistances", A, B, weights);
  checkVector("pairDistances: t", t, A.rows, A.precision);
  checkDistinct("pairDistances: t", t, A);
  checkDistinct("pairDistances: t", t, B);
}

export function checkPairDistancesBackward(
  g: Matrix,
  A: Matrix,
  B: Matrix,
  weights: Matrix | undefined,
  gradients: PairGradients,
): void {
  checkSides("pairDistancesBackward", A, B, weights);
  checkVector("pairDistancesBackward: g", g, A.rows, A.precision);
  const names = NAMES.pairDistancesBackward;
  checkEmbeddingGradient(names["gradients.rows"], gradients.rows, g, A, B);
  checkEmbeddingGradient(names["gradients.columns"], gradients.columns, g, B, A);
  checkVectorGradient(names["gradients.weights"], gradients.weights, g, A.cols, weights);
}

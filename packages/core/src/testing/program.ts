// Every operation once, at sizes above the thresholds from which workers share it, and the bits that came out: what two engines
// are compared by. Inputs come from the portable random stream, so they are the same everywhere.
import type { Scope } from "../linalg/arena.ts";
import type { Activation, Engine, KernelGradients, KernelOptions, Link } from "../linalg/engine.ts";
import { fixedRows } from "../linalg/fixed.ts";
import type { Matrix, Precision } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { TopK } from "../linalg/top-k.ts";
import { transformerOf } from "../linalg/transformer.ts";

/** 64 bits (two 32-bit FNV-1a) of the numbers' own bits, as text. */
export function digest(results: readonly (Matrix | number)[]): string {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (const result of results) {
    const numbers = typeof result === "number" ? Float64Array.of(result) : result.read();
    for (const word of new Uint32Array(numbers.buffer)) {
      a = Math.imul(a ^ word, 0x01000193);
      b = Math.imul((b ^ word) + 0x9e37, 0x0100019d);
    }
  }
  return [a, b].map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Name of the operation → digest of what it wrote. */
export function runProgram(engine: Engine, precision: Precision): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const scope = engine.scope();
    const random = new Random(11).split(name);
    const fill = (rows: number, cols: number): Matrix => {
      const m = scope.matrix(rows, cols, precision);
      const values = m.data;
      for (let i = 0; i < rows * cols; i++) values[m.offset + i] = 2 * random.uniform() - 1;
      return m;
    };
    const empty = (rows: number, cols: number) => scope.zeros(rows, cols, precision);
    digests[name] = digest(operation({ engine, scope, random, fill, empty }));
    scope.close();
  }
  return digests;
}

interface Tools {
  engine: Engine;
  scope: Scope;
  random: Random;
  /** Uniform in [−1, 1). */
  fill(rows: number, cols: number): Matrix;
  empty(rows: number, cols: number): Matrix;
}
type Operation = (tools: Tools) => (Matrix | number)[];

/** MMᵀ/n + I */
function covariance({ engine, fill, empty }: Tools, n: number): Matrix {
  const A = empty(n, n);
  engine.syrk(A, fill(n, n), { alpha: 1 / n });
  for (let i = 0; i < n; i++) A.set(i, i, A.get(i, i) + 1);
  return A;
}

function factor(tools: Tools, n: number): Matrix {
  const A = covariance(tools, n);
  tools.engine.cholesky(A);
  return A;
}

function kernel({ engine, scope, fill, empty }: Tools, link: Link): (Matrix | number)[] {
  const [n, m, d] = [151, 133, 130];
  const [Za, Zb, K, slope, T] = [fill(n, d), fill(m, d), empty(n, m), empty(n, m), empty(n, m)];
  const weights = fill(d, 1);
  for (let i = 0; i < d; i++) weights.set(i, 0, weights.get(i, 0) / d);
  const same = scope.indices(n).write(Array.from({ length: n }, (_, i) => (i < m ? i : -1)));
  const options: KernelOptions = { weights, same, link, slope, offset: 0.25, variance: 1.5 };
  engine.distances(T, Za, Zb, { weights });
  engine.kernel(K, Za, Zb, options);
  const gradients: KernelGradients = { rows: empty(n, d), columns: empty(m, d), weights: empty(d, 1) };
  const G = fill(n, m);
  engine.kernelBackward(G, K, Za, Zb, options, gradients);
  const { rows, columns, weights: dWeights, offset, variance } = gradients;
  return [T, K, slope, G, rows, columns, dWeights, offset, variance].filter((x) => x !== undefined);
}

function activation({ engine, fill, empty }: Tools, f: Activation): Matrix[] {
  const [X, Y, dX] = [fill(160, 131), empty(160, 131), empty(160, 131)];
  engine.activate(Y, X, f);
  engine.activateBackward(dX, X, Y, f);
  return [Y, dX];
}

const operations: Record<string, Operation> = {
  "gemm by rows": ({ engine, fill, empty }) => {
    const C = empty(211, 70);
    engine.gemm(C, fill(211, 301), fill(301, 70));
    return [C];
  },
  "gemm by columns": ({ engine, fill, empty }) => {
    const C = empty(33, 515);
    engine.gemm(C, fill(33, 270), fill(515, 270), { transposeB: true, alpha: 0.5 });
    return [C];
  },
  syrk: ({ engine, fill, empty }) => {
    const C = empty(203, 203);
    engine.syrk(C, fill(203, 90));
    return [C];
  },
  syr2k: ({ engine, fill, empty }) => {
    const C = empty(150, 150);
    engine.syr2k(C, fill(90, 150), fill(90, 150), { transpose: true });
    return [C];
  },
  gemv: ({ engine, fill, empty }) => {
    const [A, y, z] = [fill(1201, 503), empty(1201, 1), empty(503, 1)];
    engine.gemv(y, A, fill(503, 1));
    engine.gemv(z, A, fill(1201, 1), { transpose: true });
    return [y, z];
  },
  scan: ({ engine, fill }) => {
    const result = new TopK(50);
    engine.scan(result, [fill(4101, 130), fill(700, 130)], fill(130, 1));
    return [...result.scores, ...result.rows];
  },
  cholesky: (tools) => [factor(tools, 331), tools.engine.logDeterminant(factor(tools, 70))],
  "cholesky with jitter": (tools) => {
    const A = tools.empty(300, 300).fill(1);
    return [tools.engine.cholesky(A, { jitter: { relative: 1e-3 } }), A];
  },
  solves: (tools) => {
    const L = factor(tools, 140);
    const sides = [false, true].flatMap((transpose) => [
      { side: "left" as const, transpose },
      { side: "right" as const, transpose },
    ]);
    return sides.map((options) => {
      const B = options.side === "left" ? tools.fill(140, 61) : tools.fill(61, 140);
      tools.engine.solveTriangular(B, L, options);
      return B;
    });
  },
  solveCholesky: (tools) => {
    const B = tools.fill(140, 61);
    tools.engine.solveCholesky(B, factor(tools, 140));
    return [B];
  },
  inverse: (tools) => {
    const out = tools.empty(203, 203);
    tools.engine.inverseFromCholesky(out, factor(tools, 203));
    return [out];
  },
  choleskyUpdate: (tools) => {
    const [L, x] = [factor(tools, 90), tools.fill(90, 1)];
    tools.engine.choleskyUpdate(L, x);
    return [L, x];
  },
  "rowNorms, columnSums": ({ engine, fill, empty }) => {
    const [A, norms, sums] = [fill(170, 131), empty(170, 1), empty(131, 1)];
    engine.rowNorms(norms, A, fill(131, 1));
    engine.columnSums(sums, A);
    return [norms, sums];
  },
  "kernel, linear": (tools) => kernel(tools, "linear"),
  "kernel, saturating": (tools) => kernel(tools, "saturating"),
  "kernel, sigmoid": (tools) => kernel(tools, "sigmoid"),
  "distances with lengths": ({ engine, scope, fill, empty }) => {
    const [n, m, d] = [151, 133, 130];
    const [Za, Zb, T, K, G] = [fill(n, d), fill(m, d), empty(n, m), empty(n, m), fill(n, m)];
    const same = scope.indices(n).write(Array.from({ length: n }, (_, i) => (i % 3 === 0 ? i % m : -1)));
    const options = { same, rowLengths: fill(n, 1), columnLengths: fill(m, 1) };
    engine.distances(T, Za, Zb, options);
    engine.kernel(K, Za, Zb, options);
    const gradients = { rows: empty(n, d), columns: empty(m, d), weights: empty(d, 1) };
    const lengths = { rowLengths: empty(n, 1), columnLengths: empty(m, 1) };
    engine.distancesBackward(G, Za, Zb, options, { ...gradients, ...lengths });
    engine.kernelBackward(G, K, Za, Zb, options, lengths);
    return [T, K, ...Object.values(gradients), ...Object.values(lengths)];
  },
  "pair distances": ({ engine, fill, empty }) => {
    const [n, d] = [301, 131];
    const [A, B, t, w] = [fill(n, d), fill(n, d), empty(n, 1), fill(d, 1)];
    const gradients = { rows: empty(n, d), columns: empty(n, d), weights: empty(d, 1) };
    engine.pairDistances(t, A, B, w);
    engine.pairDistancesBackward(t, A, B, w, gradients);
    return [t, ...Object.values(gradients)];
  },
  "scaleRows, convert": ({ engine, scope, fill, empty }) => {
    const [A, scaled, transposed] = [fill(1201, 131), empty(1201, 131), empty(131, 1201)];
    const other = scope.matrix(1201, 131, A.precision === "f32" ? "f64" : "f32");
    engine.scaleRows(scaled, A, fill(1201, 1));
    engine.convert(other, scaled);
    engine.convert(transposed.transposed(), other);
    return [scaled, other, transposed];
  },
  "activate with a bias": ({ engine, fill, empty }) => {
    const [X, Y] = [fill(160, 131), empty(160, 131)];
    engine.activate(Y, X, "tanh", fill(131, 1));
    return [Y];
  },
  dropout: ({ engine, random, fill, empty }) => {
    const [X, Y, Z] = [fill(160, 131), empty(160, 131), empty(160, 140)];
    engine.dropout(Y, X, 0.2, random);
    engine.dropout(Z.view(0, 160, 3, 134), X, 0.2, random);
    return [Y, Z];
  },
  exp: (tools) => activation(tools, "exp"),
  tanh: (tools) => activation(tools, "tanh"),
  sigmoid: (tools) => activation(tools, "sigmoid"),
  relu: (tools) => activation(tools, "relu"),
  softmaxCrossEntropy: ({ engine, scope, random, fill, empty }) => {
    const [logits, d] = [fill(150, 133), empty(150, 133)];
    const labels = scope.indices(150).write(Array.from({ length: 150 }, () => random.below(133)));
    return [engine.softmaxCrossEntropy(d, logits, labels, fill(133, 1)), d];
  },
  adamw: ({ engine, fill, empty }) => {
    const [p, g, m, v] = [fill(20_003, 1), fill(20_003, 1), empty(20_003, 1), empty(20_003, 1)];
    for (let step = 1; step <= 3; step++) engine.adamw(p, g, m, v, { learningRate: 0.1, weightDecay: 0.01, step });
    return [p, m, v];
  },
  "gatherRows, scatterAddRows": ({ engine, scope, random, fill, empty }) => {
    const [table, rows] = [fill(97, 67), empty(301, 67)];
    const indices = scope.indices(301).write(Array.from({ length: 301 }, () => random.below(97)));
    engine.gatherRows(rows, table, indices);
    engine.scatterAddRows(table, rows, indices, 0.3);
    return [rows, table];
  },
  sparse: ({ engine, scope, random, fill, empty }) => {
    const [rows, cols, d, each] = [301, 97, 67, 3];
    const starts = scope.indices(rows + 1).write(Array.from({ length: rows + 1 }, (_, i) => i * each));
    const columns = scope.indices(rows * each).write(Array.from({ length: rows * each }, () => random.below(cols)));
    const S = { rows, cols, starts, columns, values: fill(rows * each, 1) };
    const [out, dW] = [empty(rows, d), empty(cols, d)];
    engine.sparseMultiply(out, S, fill(cols, d));
    engine.sparseMultiplyBackward(dW, S, out);
    return [out, dW];
  },
  sparseGram: ({ engine, scope, random, fill, empty }) => {
    const [rows, cols, d, each] = [301, 97, 67, 3];
    const starts = scope.indices(rows + 1).write(Array.from({ length: rows + 1 }, (_, i) => i * each));
    const columns = scope.indices(rows * each).write(Array.from({ length: rows * each }, () => random.below(cols)));
    const [ones, weighted, X] = [empty(cols, d), empty(cols, d), fill(cols, d)];
    const scales = { rowScale: fill(rows, 1), columnScale: fill(cols, 1) };
    engine.sparseGram(ones, { rows, cols, starts, columns }, X, scales);
    engine.sparseGram(weighted, { rows, cols, starts, columns, values: fill(rows * each, 1) }, X);
    return [ones, weighted];
  },
  "quantize, multiplyFixed": ({ engine, scope, random }) => {
    const single = (rows: number, cols: number) => {
      const m = scope.matrix(rows, cols, "f32");
      engine.fillUniform(m, random);
      return m;
    };
    const [A, B, square, tall] = [
      fixedRows(scope, 211, 130),
      fixedRows(scope, 211, 130),
      single(211, 211),
      single(211, 37),
    ];
    transformerOf(engine).quantize(A, single(211, 130));
    transformerOf(engine).quantize(B, single(211, 130));
    transformerOf(engine).multiplyFixed(square, A, B, { bias: single(211, 1), plus: square });
    const narrow = fixedRows(scope, 37, 130);
    transformerOf(engine).quantize(narrow, single(37, 130));
    transformerOf(engine).multiplyFixed(tall, A, narrow);
    return [square, tall, A.steps];
  },
  "layerNorm, gelu, attention": ({ engine, scope, random }) => {
    const [X, Y, gain, out] = [
      [211, 96],
      [211, 96],
      [96, 1],
      [211, 32],
    ].map(([rows, cols]) => {
      const m = scope.matrix(rows, cols, "f32");
      engine.fillNormal(m, random);
      return m;
    });
    transformerOf(engine).layerNorm(Y, X, gain, gain);
    transformerOf(engine).gelu(Y, Y);
    transformerOf(engine).attention(out, Y, 4, scope.indices(4).write([0, 130, 170, 211]));
    return [Y, out];
  },
  fills: ({ engine, random, empty }) => {
    const [uniform, normal] = [empty(151, 131), empty(151, 131)];
    engine.fillUniform(uniform, random);
    engine.fillNormal(normal, random);
    return [uniform, normal];
  },
};

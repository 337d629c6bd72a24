// A training step in a loop leaves nothing behind: the WebAssembly memory stays as large as after the first step, and the
// JavaScript heap does not grow.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createEngine } from "../create.ts";
import type { Engine } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { Random } from "../random.ts";
import { TopK } from "../top-k.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapUsed(): number {
  for (let i = 0; i < 3; i++) collect();
  return process.memoryUsage().heapUsed;
}

const BATCH = 24;
const WIDTH = 12;
const OPERATIONS = 26; // of one step, below
const LEAST = 2048; // bytes: a fifth of a byte an operation

interface State {
  table: Matrix;
  weights: Matrix;
  mean: Matrix;
  square: Matrix;
  random: Random;
  best: TopK;
}

const COVARIANCE = { jitter: {}, name: "K" };
const TRANSPOSE_A = { transposeA: true };
const TRANSPOSE_B = { transposeB: true };
const DISTANCE = {};
const SETTINGS = { learningRate: 1e-3, step: 1 };

/** Gather, project, activate, kernel, factorise, solve, and all the way back. */
function step(
  engine: Engine,
  state: State,
  options: { slope?: Matrix; link: "saturating" },
  gradients: { rows?: Matrix },
): void {
  const scope = engine.scope();
  const rows = scope.indices(BATCH);
  for (let i = 0; i < BATCH; i++) rows.data[rows.offset + i] = (7 * i) % state.table.rows;
  const X = scope.matrix(BATCH, WIDTH, "f32");
  engine.gatherRows(X, state.table, rows);
  const Z = scope.matrix(BATCH, WIDTH, "f32");
  engine.gemm(Z, X, state.weights);
  engine.dropout(X, X, 0.1, state.random);
  const bias = scope.zeros(WIDTH, 1, "f32");
  engine.activate(Z, Z, "tanh", bias);
  const K = scope.matrix(BATCH, BATCH, "f32");
  const slope = scope.matrix(BATCH, BATCH, "f32");
  options.slope = slope;
  engine.kernel(K, Z, Z, options);
  const L = scope.matrix(BATCH, BATCH, "f32");
  engine.gatherRows(L, K, rows.write(ORDER));
  for (let i = 0; i < BATCH; i++) L.data[L.offset + i * (BATCH + 1)] += 0.1;
  engine.cholesky(L, COVARIANCE);
  engine.logDeterminant(L);
  const G = scope.matrix(BATCH, BATCH, "f32");
  engine.inverseFromCholesky(G, L);
  const y = scope.zeros(BATCH, 1, "f32");
  engine.solveCholesky(y, L);
  engine.solveTriangular(y, L);
  engine.syrk(G, y);
  const dZ = scope.zeros(BATCH, WIDTH, "f32");
  gradients.rows = dZ;
  engine.kernelBackward(G, K, Z, Z, options, gradients);
  engine.distancesBackward(G, Z, Z, DISTANCE, gradients);
  engine.pairDistances(y, Z, dZ, bias);
  engine.pairDistancesBackward(y, Z, X, bias, gradients);
  engine.scaleRows(dZ, dZ, y);
  engine.activateBackward(dZ, dZ, Z, "tanh");
  const dW = scope.matrix(WIDTH, WIDTH, "f32");
  engine.gemm(dW, X, dZ, TRANSPOSE_A);
  engine.gemm(X, dZ, state.weights, TRANSPOSE_B);
  engine.adamw(state.weights, dW, state.mean, state.square, SETTINGS);
  engine.scatterAddRows(state.table, X, rows, 0);
  engine.softmaxCrossEntropy(K, K, rows);
  engine.convert(scope.matrix(BATCH, WIDTH), X);
  engine.fillNormal(X, state.random);
  engine.scan(state.best, [state.table], state.weights.view(0, 1));
  scope.close();
}

const ORDER = Array.from({ length: BATCH }, (_, i) => i);

test.each([1, 2])("10,000 operations leave no trace (%d workers)", async (workers) => {
  const engine = await createEngine({ workers });
  const outer = engine.scope();
  const random = new Random(1);
  const zeros = () => outer.zeros(WIDTH, WIDTH, "f32");
  const state: State = {
    table: outer.matrix(100, WIDTH, "f32"),
    weights: zeros(),
    mean: zeros(),
    square: zeros(),
    random,
    best: new TopK(5),
  };
  engine.fillNormal(state.table, random);
  engine.fillNormal(state.weights, random);
  const options = { link: "saturating" as const };
  const gradients = {};

  // A pass is 10,000 operations. The first ones still grow what compilers keep; a leak would grow every one of them.
  const pass = () => {
    const before = heapUsed();
    for (let i = 0; i < 10_000 / OPERATIONS; i++) step(engine, state, options, gradients);
    return heapUsed() - before;
  };
  const grown = [pass()];
  const memory = state.table.data.buffer.byteLength;
  while (grown.length < 20 && Math.min(...grown) >= LEAST) grown.push(pass());
  expect(Math.min(...grown)).toBeLessThan(LEAST);
  expect(state.table.data.buffer.byteLength).toBe(memory);
  outer.close();
  await engine.close();
});

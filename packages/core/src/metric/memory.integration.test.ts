// A step of stage 1 in a loop leaves nothing behind: the WebAssembly memory stays as large as after the first step, and the
// JavaScript heap does not grow.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { parameter } from "../nn/parameters.ts";
import { embed, embedBackward } from "./embed.ts";
import { contrastiveLoss, crossEntropyLoss, softmaxLoss } from "./losses.ts";
import { ITEMS, makeWorld, type World } from "./testing/world.ts";
import { columnWeights, rowLengths, weightsBackward } from "./weights.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function heapUsed(): number {
  for (let i = 0; i < 3; i++) collect();
  return process.memoryUsage().heapUsed;
}

const PAIRS = 24;
const STEPS = 200; // of a pass
const LEAST = 4096; // bytes a pass: 20 a step
const LABELS = Uint8Array.from({ length: PAIRS }, (_, i) => i % 2);

/** All three losses on one embedding, and AdamW on the flat vector. */
function step(
  engine: Engine,
  world: World,
  items: Int32Array,
  state: { mean: Matrix; square: Matrix; random: Random },
): void {
  const { config, parameters, statistics, gradients, gradient, flat } = world;
  const scope = engine.scope();
  gradient.fill(0);
  const embedding = embed(engine, scope, world, items, { dropout: 0.2, identityDropout: 0.5, random: state.random });
  const half = (m: Matrix): [Matrix, Matrix] => [m.view(0, PAIRS), m.view(PAIRS, 2 * PAIRS)];
  const [A, B] = half(embedding.Z);
  const weights = scope.matrix(A.cols, 1, "f32");
  columnWeights(weights, config, parameters, statistics);
  const lengths = scope.matrix(2 * PAIRS, 1, "f32");
  rowLengths(lengths, embedding, config, parameters, statistics);
  const dZ = scope.zeros(2 * PAIRS, A.cols, "f32");
  const [rows, columns] = half(dZ);
  const dWeights = scope.zeros(A.cols, 1, "f32");
  const dLengths = scope.zeros(2 * PAIRS, 1, "f32");
  const [rowGradient, columnGradient] = half(dLengths);
  const [rowLength, columnLength] = half(lengths);
  const batch = { Za: A, Zb: B, weights, temperature: 0.2, rowLengths: rowLength, columnLengths: columnLength };
  const to = { rows, columns, weights: dWeights, rowLengths: rowGradient, columnLengths: columnGradient };
  softmaxLoss(engine, scope, batch, to);
  const pairs = { A, B, weights, labels: LABELS, lengths: rowLength };
  const pairTo = { rows, columns, weights: dWeights, lengths: rowGradient, offset: parameter(gradients, "offset") };
  contrastiveLoss(engine, scope, { ...pairs, link: "sigmoid", margin: 1 }, pairTo);
  crossEntropyLoss(engine, scope, pairs, pairTo);
  embedBackward(engine, scope, world, embedding, dZ, gradients);
  weightsBackward(dWeights, [{ embedding, gradient: dLengths }], world, gradients);
  engine.adamw(flat, gradient, state.mean, state.square, { learningRate: 1e-3, step: 1 });
  scope.close();
}

test.each([1, 2])("steps leave no trace (%d workers)", async (workers) => {
  const engine = await createEngine({ engine: "wasm", workers });
  const outer = engine.scope();
  const world = makeWorld(engine, outer, { precision: "f32" });
  const { size } = world.layout;
  const state = { mean: outer.zeros(size, 1, "f32"), square: outer.zeros(size, 1, "f32"), random: new Random(1) };
  const items = Int32Array.from({ length: 2 * PAIRS }, (_, i) => (5 * i) % ITEMS);

  // The first passes still grow what compilers keep; a leak would grow every one of them.
  const pass = () => {
    const before = heapUsed();
    for (let i = 0; i < STEPS; i++) step(engine, world, items, state);
    return heapUsed() - before;
  };
  const grown = [pass()];
  const memory = world.flat.data.buffer.byteLength;
  while (grown.length < 20 && Math.min(...grown) >= LEAST) grown.push(pass());
  expect(Math.min(...grown)).toBeLessThan(LEAST);
  expect(world.flat.data.buffer.byteLength).toBe(memory);
  expect(world.flat.read().every(Number.isFinite)).toBe(true);
  outer.close();
  await engine.close();
});

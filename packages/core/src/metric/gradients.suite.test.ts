// End to end: from inputs through towers, stand-ins, column weights, lengths and a loss, to the gradient of every parameter, as one
// training step computes it. Central differences in float64.
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { parameter } from "../nn/parameters.ts";
import { poison } from "../testing/bed.ts";
import { expectGradient } from "../testing/differences.ts";
import { embed, embedBackward } from "./embed.ts";
import type { EnsembleConfig } from "./ensemble.ts";
import { contrastiveLoss, crossEntropyLoss, softmaxLoss } from "./losses.ts";
import { makeWorld, type World } from "./testing/world.ts";
import { columnWeights, rowLengths, weightsBackward } from "./weights.ts";

// anchors, then the others: one batch
const ITEMS = Int32Array.from([0, 3, 5, 9, 11, 13, 1, 4, 5, 8, 12, 2]);
const PAIRS = ITEMS.length / 2;
const LABELS = Uint8Array.of(0, 1, 0, 1, 1, 0);
type LossName = "softmax" | "contrastive" | "crossEntropy";

/** What a loss adds to, for anchors and others of one batch. */
interface Gradients {
  Z: Matrix;
  weights: Matrix;
  lengths: Matrix;
  offset: Matrix;
}

function lossOf(engine: Engine, scope: Scope, world: World, name: LossName, gradients?: Gradients): number {
  const { config, parameters, statistics } = world;
  const options = { dropout: 0.2, identityDropout: 0.2, random: new Random(5) };
  const embedding = embed(engine, scope, world, ITEMS, options);
  const half = (m: Matrix): [Matrix, Matrix] => [m.view(0, PAIRS), m.view(PAIRS, 2 * PAIRS)];
  const [A, B] = half(embedding.Z);
  const weights = scope.matrix(A.cols, 1);
  columnWeights(weights, config, parameters, statistics);
  const lengths = scope.matrix(ITEMS.length, 1);
  rowLengths(lengths, embedding, config, parameters, statistics);
  const [lengthsA, lengthsB] = half(lengths);
  const own = gradients ?? {
    Z: scope.zeros(ITEMS.length, A.cols),
    weights: scope.zeros(A.cols, 1),
    lengths: scope.zeros(ITEMS.length, 1),
    offset: scope.zeros(1, 1),
  };
  const [rows, columns] = half(own.Z);
  const [dA, dB] = half(own.lengths);
  let loss: number;
  if (name === "softmax") {
    const logq = scope.matrix(PAIRS, 1).write([-1, -2, -3, -2, -1, -4]);
    const batch = { Za: A, Zb: B, weights, temperature: 0.5, logq, rowLengths: lengthsA, columnLengths: lengthsB };
    loss = softmaxLoss(engine, scope, batch, {
      rows,
      columns,
      weights: own.weights,
      rowLengths: dA,
      columnLengths: dB,
    });
  } else {
    const together = scope.matrix(PAIRS, 1).write(lengthsA.read().map((x, i) => x + lengthsB.get(i, 0)));
    const offset = parameter(parameters, "offset").get(0, 0);
    const batch = { A, B, weights, labels: LABELS, lengths: together, offset };
    const to = { rows, columns, weights: own.weights, lengths: dA, offset: own.offset };
    loss =
      name === "contrastive"
        ? contrastiveLoss(engine, scope, { ...batch, link: config.link, margin: 1 }, to)
        : crossEntropyLoss(engine, scope, batch, to);
    dB.write(dA.read());
  }
  if (gradients) {
    embedBackward(engine, scope, world, embedding, own.Z, world.gradients);
    weightsBackward(own.weights, [{ embedding, gradient: own.lengths }], world, world.gradients);
  }
  return loss;
}

const CONFIGS: Record<string, Partial<EnsembleConfig>> = {
  "linear, softplus, Λ = I": {},
  "saturating, softplus, Λ diagonal": { link: "saturating", scale: "diagonal" },
  "sigmoid, signed, Λ = I": { link: "sigmoid", weights: "signed" },
  "sigmoid, signed, Λ diagonal": { link: "sigmoid", weights: "signed", scale: "diagonal" },
};

describe.each(["plain", "wasm"] as const)("gradients end to end on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 2 });
  });
  afterAll(() => engine.close());

  describe.each(["softmax", "contrastive", "crossEntropy"] as const)("%s", (name) => {
    test.each(Object.keys(CONFIGS))("%s", (label) => {
      for (const spread of [1, 8]) {
        poison(engine);
        const scope = engine.scope();
        const world = makeWorld(engine, scope, { config: CONFIGS[label], spread, scales: [0.7, 0.2, 0.4, 2] });
        const forward = () => {
          const inner = engine.scope();
          const loss = lossOf(engine, inner, world, name);
          inner.close();
          return loss;
        };
        lossOf(engine, scope, world, name, {
          Z: scope.zeros(ITEMS.length, 12),
          weights: scope.zeros(12, 1),
          lengths: scope.zeros(ITEMS.length, 1),
          offset: parameter(world.gradients, "offset"),
        });
        for (const { name: tensor } of world.layout.tensors) {
          expectGradient(tensor, parameter(world.gradients, tensor), parameter(world.parameters, tensor), forward);
        }
        scope.close();
      }
    });
  });
});

// What PyTorch computed by autograd (reference/metric.py): towers, the ensemble, the losses and every gradient.
import { afterAll, beforeAll, describe, test } from "vitest";
import golden from "../../../../reference/golden/metric.json";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { layoutParameters, type Parameters, parameter, parameterViews } from "../nn/parameters.ts";
import { towerActivations, towerBackward, towerForward, towerOf, towerScratch } from "../nn/tower.ts";
import { expectWithin, largest } from "../testing/bounds.ts";
import { type Ensemble, embed, embedBackward } from "./embed.ts";
import { ensembleLayout } from "./ensemble.ts";
import { contrastiveLoss, crossEntropyLoss, softmaxLoss } from "./losses.ts";
import { columnWeights, rowLengths, weightsBackward } from "./weights.ts";

const TOLERANCE = 1e-12; // against the largest entry

interface Stored {
  shape: number[];
  data: number[];
}

interface TowerInputs {
  X: Stored;
  G: Stored;
  parameters: Record<string, Stored>;
}

interface StepInputs {
  world: {
    hidden: number;
    scale: "identity" | "diagonal";
    weights: "signed" | "softplus";
    terms: number[][];
    value: number;
    dense: Stored;
    missing: number[][];
    rows: number[];
    scales: number[];
    lengths: number[];
    standIn: number[];
    parameters: Record<string, Stored>;
  };
  a: number[];
  b: number[];
  loss: "softmax" | "contrastive" | "crossEntropy";
  temperature?: number;
  logq?: number[];
  link?: Link;
  margin?: number;
  labels?: number[];
}

type Outputs = Record<string, Stored | number>;

function compare(name: string, actual: Matrix | number, expected: Stored | number): void {
  const numbers = typeof expected === "number" ? [expected] : expected.data;
  const own = typeof actual === "number" ? [actual] : actual;
  expectWithin(name, own, numbers, TOLERANCE * Math.max(largest(numbers), 1e-300));
}

function compareGradients(gradients: Parameters, outputs: Outputs): void {
  for (const [key, expected] of Object.entries(outputs)) {
    if (key.startsWith("d ")) compare(key, parameter(gradients, key.slice(2)), expected);
  }
}

describe.each(["plain", "wasm"] as const)("golden vectors on %s", (kind) => {
  let engine: Engine;
  let scope: Scope;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 2 });
    scope = engine.scope();
  });
  afterAll(() => engine.close());

  const matrix = ({ shape: [rows, cols], data }: Stored) => scope.matrix(rows, cols).write(data);

  function towerCase({ X: rows, G: seed, parameters: stored }: TowerInputs, outputs: Outputs): void {
    const specs = Object.entries(stored).map(
      ([
        name,
        {
          shape: [r, c],
        },
      ]) => ({ name, rows: r, cols: c, decay: true }),
    );
    const layout = layoutParameters(specs);
    const parameters = parameterViews(layout, scope.matrix(layout.size, 1));
    const gradients = parameterViews(layout, scope.zeros(layout.size, 1));
    for (const [name, { data }] of Object.entries(stored)) parameter(parameters, name).write(data);
    const [X, dZ] = [matrix(rows), matrix(seed)];
    const hidden = stored["t.w2"].shape[1];
    const pass = { tower: towerOf(parameters, "t"), activations: towerActivations(scope, X.rows, hidden, "f64") };
    const Z = scope.matrix(dZ.rows, dZ.cols);
    towerForward(engine, Z, X, pass);
    compare("Z", Z, outputs.Z);
    const scratch = towerScratch(scope, X.rows, { hidden, embeddingSize: Z.cols }, "f64");
    engine.activateBackward(scratch.output, dZ, Z, "tanh");
    towerBackward(engine, towerOf(gradients, "t"), X, { ...pass, G: scratch.output, scratch });
    compareGradients(gradients, outputs);
  }

  /** The world of a case, with zero gradients. */
  function ensembleOf(world: StepInputs["world"], link: Link): Ensemble & { gradients: Parameters } {
    const stored = world.parameters;
    const flags = world.missing.map((list) => Uint8Array.from(list));
    const config = {
      channels: [
        {
          name: "genres",
          input: "sparse",
          inputWidth: stored["genres.w1"].shape[0],
          embeddingSize: stored["genres.w3"].shape[1],
        },
        {
          name: "plot",
          input: "dense",
          inputWidth: stored["plot.w1"].shape[0],
          embeddingSize: stored["plot.w3"].shape[1],
        },
        {
          name: "self",
          input: "identity",
          inputWidth: stored["self.table"].shape[0],
          embeddingSize: stored["self.table"].shape[1],
        },
      ],
      hidden: world.hidden,
      link,
      weights: world.weights,
      scale: world.scale,
    } as const;
    const layout = ensembleLayout(config);
    const parameters = parameterViews(layout, scope.zeros(layout.size, 1));
    for (const [name, { data }] of Object.entries(stored)) parameter(parameters, name).write(data);
    const n = world.terms.length;
    const starts = Int32Array.from({ length: n + 1 }, (_, i) => world.terms.slice(0, i).flat().length);
    return {
      config,
      parameters,
      gradients: parameterViews(layout, scope.zeros(layout.size, 1)),
      inputs: {
        itemCount: n,
        channels: [
          {
            kind: "sparse",
            width: 6,
            starts,
            columns: Int32Array.from(world.terms.flat()),
            value: world.value,
            missing: flags[0],
          },
          {
            kind: "dense",
            values: hostMatrix(Float64Array.from(world.dense.data), n, world.dense.shape[1]),
            missing: flags[1],
          },
          { kind: "identity", cold: flags[2], rows: Int32Array.from(world.rows) },
        ],
      },
      statistics: {
        scales: Float64Array.from(world.scales),
        lengths: Float64Array.from(world.lengths),
        standIns: [[], [], world.standIn].map((list) => Float64Array.from(list)),
      },
    };
  }

  function stepCase(
    { world, a, b, loss: name, labels = [], link = "linear", ...inputs }: StepInputs,
    outputs: Outputs,
  ): void {
    const ensemble = ensembleOf(world, link);
    const { config, parameters, statistics, gradients } = ensemble;
    const B = a.length;
    const embedding = embed(engine, scope, ensemble, Int32Array.from([...a, ...b]));
    compare("Z", embedding.Z, outputs.Z);
    const half = (m: Matrix): [Matrix, Matrix] => [m.view(0, B), m.view(B, 2 * B)];
    const weights = scope.matrix(embedding.Z.cols, 1);
    columnWeights(weights, config, parameters, statistics);
    const lengths = scope.matrix(2 * B, 1);
    rowLengths(lengths, embedding, config, parameters, statistics);
    const [Za, Zb] = half(embedding.Z);
    const [lengthsA, lengthsB] = half(lengths);
    const dZ = scope.zeros(2 * B, Za.cols);
    const [rows, columns] = half(dZ);
    const dWeights = scope.zeros(Za.cols, 1);
    const dLengths = scope.zeros(2 * B, 1);
    const [dLengthsA, dLengthsB] = half(dLengths);
    let loss: number;
    if (name === "softmax") {
      const logq = scope.matrix(B, 1).write(inputs.logq ?? []);
      const temperature = inputs.temperature ?? 1;
      const batch = { Za, Zb, weights, temperature, logq, rowLengths: lengthsA, columnLengths: lengthsB };
      const T = scope.matrix(B, B);
      engine.distances(T, Za, Zb, batch);
      compare("total", T, outputs.total);
      loss = softmaxLoss(engine, scope, batch, {
        rows,
        columns,
        weights: dWeights,
        rowLengths: dLengthsA,
        columnLengths: dLengthsB,
      });
    } else {
      const together = scope.matrix(B, 1).write(lengthsA.read().map((x, i) => x + lengthsB.get(i, 0)));
      const offset = parameter(parameters, "offset").get(0, 0);
      const batch = { A: Za, B: Zb, weights, labels, lengths: together, offset };
      const to = { rows, columns, weights: dWeights, lengths: dLengthsA, offset: parameter(gradients, "offset") };
      const margin = inputs.margin ?? 1;
      loss =
        name === "contrastive"
          ? contrastiveLoss(engine, scope, { ...batch, link, margin }, to)
          : crossEntropyLoss(engine, scope, batch, to);
      dLengthsB.write(dLengthsA.read());
    }
    compare("loss", loss, outputs.loss);
    embedBackward(engine, scope, ensemble, embedding, dZ, gradients);
    weightsBackward(dWeights, [{ embedding, gradient: dLengths }], ensemble, gradients);
    compareGradients(gradients, outputs);
  }

  test.each(golden.cases.map(({ op, name }, i) => [op, name, i] as const))("%s: %s", (op, _, i) => {
    const { inputs, outputs } = golden.cases[i];
    if (op === "tower") towerCase(inputs as unknown as TowerInputs, outputs as unknown as Outputs);
    else stepCase(inputs as unknown as StepInputs, outputs as unknown as Outputs);
  });
});

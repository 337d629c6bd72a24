// A tower against the formulas of App. A.2 written out number by number, and its gradients against central differences.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, SparseRows } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { expectWithin, largest } from "../testing/bounds.ts";
import { expectGradient } from "../testing/differences.ts";
import type { LayerInput } from "./dense.ts";
import { layoutParameters, type Parameters, parameter, parameterViews } from "./parameters.ts";
import {
  initializeTower,
  towerActivations,
  towerBackward,
  towerForward,
  towerOf,
  towerScratch,
  towerSpecs,
} from "./tower.ts";

const SIZE = { inputWidth: 6, hidden: 4, embeddingSize: 3 };
const B = 7;
const LAYERS = ["w1", "b1", "w2", "b2", "w3", "b3"].map((name) => `t.${name}`);

interface World {
  /** Inputs are drawn with this standard deviation: at 40 most units are saturated, some are dead. */
  spread: number;
  /** Rows come in pairs that differ by 1e-7. */
  twins: boolean;
}

const WORLDS: Record<string, World> = {
  "well-conditioned": { spread: 1, twins: false },
  "ill-conditioned: saturated units": { spread: 40, twins: false },
  "ill-conditioned: near-duplicates": { spread: 2, twins: true },
};

function denseInput(scope: Scope, { spread, twins }: World): Matrix {
  const random = new Random(5);
  const X = scope.matrix(B, SIZE.inputWidth);
  X.write(Float64Array.from({ length: B * SIZE.inputWidth }, () => spread * random.normal()));
  if (twins) {
    for (let i = 1; i < B; i += 2) {
      for (let j = 0; j < X.cols; j++) X.set(i, j, X.get(i - 1, j) + 1e-7 * random.normal());
    }
  }
  return X;
}

/** Row 3 has no entries, row 5 one column twice. */
function sparseInput(scope: Scope, spread: number): SparseRows {
  const random = new Random(6);
  const columns = [0, 2, 5, 1, 3, 0, 1, 2, 4, 4, 5];
  return {
    rows: B,
    cols: SIZE.inputWidth,
    starts: scope.indices(B + 1).write([0, 2, 3, 5, 5, 8, 10, 11]),
    columns: scope.indices(columns.length).write(columns),
    values: scope.matrix(columns.length, 1).write(columns.map(() => spread * random.normal())),
  };
}

function toDense(scope: Scope, S: SparseRows): Matrix {
  const X = scope.zeros(S.rows, S.cols);
  for (let i = 0; i < S.rows; i++) {
    for (let e = S.starts.data[S.starts.offset + i]; e < S.starts.data[S.starts.offset + i + 1]; e++) {
      const j = S.columns.data[S.columns.offset + e];
      X.set(i, j, X.get(i, j) + (S.values?.get(e, 0) ?? 1));
    }
  }
  return X;
}

/** tanh(W₃·σ(W₂·relu(W₁x + b₁) + b₂) + b₃), one row at a time. */
function byHand(parameters: Parameters, X: Matrix): number[] {
  const f = [(x: number) => Math.max(x, 0), (x: number) => 1 / (1 + Math.exp(-x)), Math.tanh];
  return Array.from({ length: X.rows }, (_, i) => {
    let row = Array.from({ length: X.cols }, (_, j) => X.get(i, j));
    towerOf(parameters, "t").forEach(({ weights, bias }, layer) => {
      row = Array.from({ length: weights.cols }, (_, q) =>
        f[layer](row.reduce((sum, x, d) => sum + x * weights.get(d, q), bias.get(0, q))),
      );
    });
    return row;
  }).flat();
}

describe.each(["plain", "wasm"] as const)("tower on %s", (kind) => {
  let engine: Engine;
  let scope: Scope;
  let parameters: Parameters;
  let gradients: Parameters;
  const layout = layoutParameters(towerSpecs("t", SIZE));

  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 2 });
    scope = engine.scope();
    parameters = parameterViews(layout, scope.matrix(layout.size, 1));
    gradients = parameterViews(layout, scope.matrix(layout.size, 1));
    initializeTower(engine, parameters, "t", new Random(2));
  });
  afterAll(() => engine.close());

  /** ℓ = Σ R∘Z for fixed R: values and all six gradients. */
  function check(X: LayerInput): void {
    const inner = engine.scope();
    const pass = { tower: towerOf(parameters, "t"), activations: towerActivations(inner, B, SIZE.hidden, "f64") };
    const wide = inner.matrix(B, SIZE.embeddingSize + 5); // Z is a window of it
    const Z = wide.view(0, B, 2, 2 + SIZE.embeddingSize);
    const random = new Random(8);
    const R = inner
      .matrix(B, SIZE.embeddingSize)
      .write(Float64Array.from({ length: Z.rows * Z.cols }, () => random.normal()));
    const forward = () => {
      towerForward(engine, Z, X, pass);
      return Z.read().reduce((sum, z, i) => sum + z * R.read()[i], 0);
    };
    forward();
    expectWithin("Z", Z, byHand(parameters, "starts" in X ? toDense(inner, X) : X), 1e-14);

    const scratch = towerScratch(inner, B, SIZE, "f64");
    const G = scratch.output;
    for (const m of gradients.values()) m.fill(0.25); // gradients are added to what is there
    engine.activateBackward(G, R, Z, "tanh");
    towerBackward(engine, towerOf(gradients, "t"), X, { ...pass, G, scratch });
    for (const name of LAYERS) {
      const gradient = parameter(gradients, name)
        .read()
        .map((x) => x - 0.25);
      expect(largest(gradient), name).toBeGreaterThan(0);
      expectGradient(name, gradient, parameter(parameters, name), forward);
    }
    inner.close();
  }

  test.each(Object.keys(WORLDS))("dense inputs, %s", (name) => check(denseInput(scope, WORLDS[name])));
  test.each([1, 40])("sparse inputs of size %d", (spread) => check(sparseInput(scope, spread)));

  test("initialisation: uniform within ±1/√d, as PyTorch's Linear, each tensor from a stream of its own", () => {
    const size = { inputWidth: 100, hidden: 50, embeddingSize: 50 };
    const large = layoutParameters(towerSpecs("t", size));
    const [first, again] = [1, 2].map(() => {
      const views = parameterViews(large, scope.matrix(large.size, 1));
      initializeTower(engine, views, "t", new Random(2));
      return views;
    });
    for (const [name, width] of [
      ["t.w1", 100],
      ["t.b1", 100],
      ["t.w2", 100],
      ["t.b2", 100],
      ["t.w3", 50],
      ["t.b3", 50],
    ] as const) {
      const values = parameter(first, name).read();
      const bound = 1 / Math.sqrt(width);
      const moment = (power: number) => values.reduce((sum, x) => sum + (x / bound) ** power, 0) / values.length;
      const error = 4 / Math.sqrt(values.length); // of a mean, in standard deviations
      expect(largest(values), name).toBeLessThan(bound);
      expect(Math.abs(moment(1)), name).toBeLessThan(error * Math.sqrt(1 / 3));
      expect(Math.abs(moment(2) - 1 / 3), name).toBeLessThan(error * Math.sqrt(4 / 45));
      expect(parameter(again, name).read()).toEqual(values);
    }
    expect(parameter(first, "t.b1").get(0, 0)).not.toBe(parameter(first, "t.w1").get(0, 0));
  });
});

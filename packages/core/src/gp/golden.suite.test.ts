// What 60 digits say of the dense definition (reference/gp.py), on every engine: kernels, five likelihoods with all gradients, posteriors,
// evidence and leaving one out. Tolerances are relative to the largest entry of an array.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/gp.json";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, EngineKind, KernelOptions, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { expectWithin, largest } from "../testing/bounds.ts";
import { type GoldenCase, Inputs } from "../testing/golden-file.ts";
import { evidenceWeights, exactEvidence } from "./evidence.ts";
import { type ExactGradients, exactNll } from "./exact.ts";
import { measureShift } from "./indefinite.ts";
import { selfKernel } from "./inducing.ts";
import type { SparseInputs, SparseLikelihood } from "./inputs.ts";
import { leaveOneOut } from "./leave-one-out.ts";
import { exactPosterior, fitPosterior, predict } from "./posterior.ts";
import { type SparseGradients, sparseNll } from "./sparse.ts";

const cases: readonly GoldenCase[] = golden.cases;
const of = (op: string) =>
  cases
    .filter((one) => one.op === op)
    .map(({ name, inputs, outputs }) => ({ name, inputs: new Inputs(inputs), outputs: new Inputs(outputs) }));
const worlds = new Map(of("world").map((world) => [world.name, world]));

/**
 * Rounding of 1e-16 is multiplied by the condition numbers of K_mm, up to 1e5 where twins are inducing items, and of S, up to 1e6 where the
 * noise is 1e-5.
 */
const TOLERANCE: Record<string, number> = { large: 1e-11, small: 1e-9 };

function expectClose(name: string, actual: Matrix | ArrayLike<number>, expected: number[], noise: string): void {
  expectWithin(name, actual, expected, TOLERANCE[noise] * largest(expected));
}

/** A case's world, in the memory behind `scope`. */
class Stage {
  readonly scope: Scope;
  readonly inputs: Inputs;
  readonly world: { inputs: Inputs; outputs: Inputs };
  readonly noiseName: string;
  readonly likelihood: string;

  constructor(scope: Scope, inputs: Inputs) {
    this.scope = scope;
    this.inputs = inputs;
    const world = worlds.get(inputs.text("world"));
    if (!world) throw new Error(`no world called ${inputs.text("world")}`);
    this.world = world;
    this.noiseName = inputs.text("noise");
    this.likelihood = inputs.text("likelihood");
  }

  matrix(key: string): Matrix {
    const from = this.world.outputs.has(key) ? this.world.outputs.matrix(key) : this.world.inputs.matrix(key);
    return this.scope.matrix(from.rows, from.cols).write(from.read());
  }

  get noise(): Matrix {
    const values = this.world.inputs.vector(this.noiseName === "large" ? "noiseLarge" : "noiseSmall");
    return this.scope.matrix(values.length, 1).write(values);
  }

  get diagonal(): Matrix {
    return this.scope.matrix(this.n, 1).fill(this.world.outputs.number("self"));
  }

  get n(): number {
    return this.world.inputs.matrix("Z").rows;
  }

  targets(k: number): Matrix {
    const R = this.matrix("R");
    return this.scope.matrix(R.rows, k).write(R.view(0, R.rows, 0, k).read());
  }

  get blocks() {
    const starts = this.world.inputs.vector("starts");
    const K = this.matrix("K");
    const own = (b: number) => K.view(starts[b], starts[b + 1], starts[b], starts[b + 1]);
    return { starts, K: starts.slice(1).map((_, b) => own(b)) };
  }

  exact(k: number) {
    return { K: this.matrix("K"), R: this.targets(k), noise: this.noise, shift: this.inputs.number("shift") };
  }

  sparse(k: number): SparseInputs {
    return {
      likelihood: this.likelihood as SparseLikelihood,
      Knm: this.matrix("Knm"),
      Kmm: this.matrix("Kmm"),
      diagonal: this.diagonal,
      R: this.targets(k),
      noise: this.noise,
      blocks: this.blocks,
      shift: this.inputs.number("shift"),
    };
  }
}

test("every case is run here", () => {
  expect(new Set(cases.map((one) => one.op))).toEqual(new Set(["world", "nll", "posterior", "leaveOneOut"]));
});

const kinds: EngineKind[] = ["plain", "wasm", "wasm-relaxed"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  let scope: Scope;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind !== "plain" && { workers: 2 }) });
    scope = engine.scope();
  });
  afterAll(() => engine.close());

  test.each(of("world"))("kernels $name", ({ inputs, outputs }) => {
    const options: KernelOptions = {
      link: inputs.text("link") as Link,
      offset: inputs.number("offset"),
      variance: inputs.number("variance"),
      weights: scope.matrix(2, 1).write(inputs.vector("weights")),
    };
    const place = (key: string) => {
      const from = inputs.matrix(key);
      return scope.matrix(from.rows, from.cols).write(from.read());
    };
    const same = scope.indices(8).write(inputs.vector("same"));
    const expectKernel = (key: string, A: Matrix, B: Matrix, more: KernelOptions) => {
      const K = scope.matrix(A.rows, B.rows);
      engine.kernel(K, A, B, { ...options, ...more });
      expectWithin(key, K, outputs.matrix(key), 1e-14);
    };
    const [Z, Zm, X] = [place("Z"), place("Zm"), place("X")];
    expectKernel("Knm", Z, Zm, { same });
    expectKernel("K", Z, Z, { same: scope.indices(8).write([0, 1, 2, 3, 4, 5, 6, 7]) });
    expectKernel("Kmm", Zm, Zm, { same: scope.indices(4).write([0, 1, 2, 3]) });
    expectKernel("Kxm", X, Zm, {});
    expectKernel("Kxn", X, Z, {});
    expectWithin("k_ii", [selfKernel(options)], [outputs.number("self")], 1e-15);
    for (const key of ["K", "Kmm"]) {
      const source = outputs.matrix(key);
      const K = scope.matrix(source.rows, source.rows).write(source.read());
      const expected = outputs.number(`smallest${key}`);
      const { smallest, shift } = measureShift(engine, K);
      expectWithin(`λ_min of ${key}`, [smallest], [expected], 1e-14);
      expect(shift > 0).toBe(expected < -1e-6);
    }
  });

  test.each(of("nll"))("$name", ({ inputs, outputs }) => {
    const stage = new Stage(scope, inputs);
    const k = inputs.number("k");
    const { n, noiseName } = stage;
    const noise = scope.matrix(n, 1);
    const check = (key: string, actual: Matrix) => expectClose(key, actual, outputs.numbers(key), noiseName);
    const expectNoiseScale = (scale: number | undefined) => {
      const terms = stage.noise.read().map((sigma, i) => sigma * outputs.vector("noise")[i]);
      const total = terms.reduce((a, b) => a + b);
      expectWithin("noiseScale", [scale ?? Number.NaN], [total], n * TOLERANCE[noiseName] * largest(terms));
    };
    if (stage.likelihood === "exact") {
      const gradients: ExactGradients = { K: scope.matrix(n, n), noise };
      const { value, jitter } = exactNll(engine, stage.exact(k), gradients);
      expectClose("value", [value], [outputs.number("value")], noiseName);
      expect(jitter).toBe(0);
      check("K", gradients.K as Matrix);
      check("noise", noise);
      expectNoiseScale(gradients.noiseScale);
      return;
    }
    const m = 4;
    const sparse = stage.sparse(k);
    const blocks = sparse.blocks?.K.map((K) => scope.matrix(K.rows, K.rows)) ?? [];
    const diagonal = scope.matrix(n, 1);
    const gradients: SparseGradients = { Knm: scope.matrix(n, m), Kmm: scope.matrix(m, m), diagonal, noise, blocks };
    const { value, shift } = sparseNll(engine, sparse, gradients);
    expectClose("value", [value], [outputs.number("value")], noiseName);
    expect(shift).toBe(inputs.number("shift"));
    check("Knm", gradients.Knm as Matrix);
    check("Kmm", gradients.Kmm as Matrix);
    check("noise", noise);
    expectNoiseScale(gradients.noiseScale);
    if (outputs.has("diagonal")) check("diagonal", diagonal);
    else expect(Array.from(diagonal.read())).toEqual(Array(n).fill(0));
    if (stage.likelihood === "pitc") for (const [b, G] of blocks.entries()) check(`block${b}`, G);
  });

  test.each(of("posterior"))("posterior, $name", ({ inputs, outputs }) => {
    const stage = new Stage(scope, inputs);
    const diagonal = scope.matrix(3, 1).fill(stage.world.outputs.number("self"));
    const exact = stage.likelihood === "exact";
    const sparse = exact ? undefined : stage.sparse(3);
    const Kx = stage.matrix(exact ? "Kxn" : "Kxm");
    const posterior = sparse
      ? fitPosterior(engine, { ...sparse, blocks: [sparse] })
      : exactPosterior(engine, stage.exact(3));
    const { mean, variance } = predict(engine, posterior, { Kxm: Kx, diagonal });
    expectClose("mean", mean, outputs.numbers("mean"), stage.noiseName);
    expectWithin("variance", variance, outputs.vector("variance"), 1e-11); // of k_** = 1.3
    const weights = sparse
      ? evidenceWeights(engine, posterior, { ...sparse, Kxm: Kx })
      : exactEvidence(engine, posterior, Kx);
    expectClose("evidence", weights, outputs.numbers("evidence"), stage.noiseName);
  });

  test.each(of("leaveOneOut"))("leaving one out, $name", ({ inputs, outputs }) => {
    const stage = new Stage(scope, inputs);
    const { mean, variance } = leaveOneOut(
      engine,
      stage.likelihood === "exact" ? { likelihood: "exact", ...stage.exact(3) } : stage.sparse(3),
    );
    expectClose("mean", mean, outputs.numbers("mean"), stage.noiseName);
    expectClose("variance", variance, outputs.vector("variance"), stage.noiseName);
  });
});

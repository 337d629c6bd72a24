// Posteriors: toy worlds with a known answer, and every way to the same numbers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, EngineKind } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { expectWithin } from "../testing/bounds.ts";
import { evidenceWeights, exactEvidence } from "./evidence.ts";
import { selectInducing } from "./inducing.ts";
import { SPARSE_LIKELIHOODS } from "./inputs.ts";
import { itemNoise, noiseBackward } from "./noise.ts";
import { exactPosterior, fitPosterior, placePosterior, predict, type TrainingRows } from "./posterior.ts";

const kinds: EngineKind[] = ["plain", "wasm"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  let scope: Scope;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind === "wasm" && { workers: 2 }) });
  });
  afterAll(() => engine.close());
  beforeEach(() => {
    scope = engine.scope();
  });
  afterEach(() => scope.close());

  const column = (values: ArrayLike<number>) => scope.matrix(values.length, 1).write(values);
  const kernel = (A: Matrix, B: Matrix): Matrix => {
    const K = scope.matrix(A.rows, B.rows);
    engine.kernel(K, A, B);
    return K;
  };
  const ones = (n: number) => scope.matrix(n, 1).fill(1);
  const rowsOf = (m: Matrix, items: ArrayLike<number>): Matrix => {
    const out = scope.matrix(items.length, m.cols);
    engine.gatherRows(out, m, scope.indices(items.length).write(items));
    return out;
  };
  const every = (n: number, step: number) => Array.from({ length: n }, (_, i) => i * step);

  /** Training items on a line at `xs`, two targets, whole blocks of pitc included. */
  function training(xs: ArrayLike<number>, Zm: Matrix, noise: number): TrainingRows {
    const n = xs.length;
    const Z = column(xs);
    const R = scope.matrix(n, 2).write(Array.from(xs).flatMap((x) => [Math.sin(x), Math.cos(2 * x)]));
    const K = kernel(Z, Z);
    const half = Math.ceil(n / 2);
    const starts = [0, half, n];
    const blocks = { starts, K: [0, 1].map((b) => K.view(starts[b], starts[b + 1], starts[b], starts[b + 1])) };
    return { Knm: kernel(Z, Zm), diagonal: ones(n), R, noise: scope.matrix(n, 1).fill(noise), blocks };
  }

  test("a sine, from 60 noisy points and 12 chosen inducing items, to 0.05", () => {
    const random = new Random(11);
    const xs = every(60, 0.1);
    const Z = column(xs);
    const R = column(xs.map((x) => Math.sin(x) + 0.05 * random.normal()));
    const noise = scope.matrix(60, 1).fill(0.05 ** 2);
    const inducing = selectInducing(engine, { Z, count: 12 });
    const Zm = rowsOf(Z, inducing);
    const asked = column(every(118, 0.05));
    const blocks = {
      starts: [0, 30, 60],
      K: [0, 30].map((from) => kernel(Z.view(from, from + 30), Z.view(from, from + 30))),
    };
    const rows = { Knm: kernel(Z, Zm), diagonal: ones(60), R, noise, blocks };
    const posteriors = [
      ...SPARSE_LIKELIHOODS.map((likelihood) =>
        fitPosterior(engine, { likelihood, Kmm: kernel(Zm, Zm), blocks: [rows] }),
      ),
      exactPosterior(engine, { K: kernel(Z, Z), R, noise }),
    ];
    for (const posterior of posteriors) {
      const Kxm = kernel(asked, posterior.likelihood === "exact" ? Z : Zm);
      const { mean, variance } = predict(engine, posterior, { Kxm, diagonal: ones(118) });
      const truth = Array.from(asked.read(), Math.sin);
      expectWithin(posterior.likelihood, mean, truth, 0.05);
      // and it knows how well it knows: within three standard deviations, which are small
      expectWithin(posterior.likelihood, mean, truth, (i) => 3 * Math.sqrt(variance[i]));
      expect(Math.max(...variance)).toBeLessThan(0.05 ** 2);
    }
  });

  test("it interpolates where the noise is low, and knows nothing far away", () => {
    const xs = every(7, 1.5);
    const Z = column(xs);
    const rows = training(xs, Z, 1e-8);
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const posterior = fitPosterior(engine, { likelihood, Kmm: kernel(Z, Z), blocks: [rows] });
      const near = predict(engine, posterior, { Kxm: kernel(Z, Z), diagonal: ones(7) });
      expectWithin("mean at the items", near.mean, rows.R, 1e-5);
      expectWithin("variance at the items", near.variance, new Float64Array(7), 1e-5);
      const far = predict(engine, posterior, { Kxm: kernel(column([100]), Z), diagonal: ones(1) });
      expect([...far.mean, ...far.variance]).toEqual([0, 0, 1]);
    }
  });

  test("in blocks as in one, made as they are asked for; dtc and vfe alike", () => {
    const xs = every(23, 0.3);
    const Zm = column([0, 1.5, 3, 4.5, 6]);
    const Kmm = kernel(Zm, Zm);
    const asked = { Kxm: kernel(column([0.2, 2.2, 7.5]), Zm), diagonal: ones(3) };
    const whole = training(xs, Zm, 0.05);
    for (const likelihood of ["dtc", "vfe", "fitc"] as const) {
      const one = fitPosterior(engine, { likelihood, Kmm, blocks: [whole] });
      const parts = function* () {
        for (const [from, to] of [[0, 1], [1, 10], [10, 23]]) yield training(xs.slice(from, to), Zm, 0.05); // biome-ignore format: pairs
      };
      const many = fitPosterior(engine, { likelihood, Kmm, blocks: parts() });
      for (const key of ["L", "LB", "beta"] as const) expectWithin(key, many[key] ?? [], one[key] ?? [], 1e-12);
      const expected = predict(engine, one, asked);
      const got = predict(engine, placePosterior(scope, many), asked);
      expectWithin("mean", got.mean, expected.mean, 1e-12);
      expectWithin("variance", got.variance, expected.variance, 1e-12);
    }
    const [dtc, vfe] = (["dtc", "vfe"] as const).map((likelihood) =>
      fitPosterior(engine, { likelihood, Kmm, blocks: [whole] }),
    );
    expect({ ...dtc, likelihood: "vfe" }).toEqual(vfe);
    // pitc: parts of whole blocks
    const split = whole.blocks as NonNullable<TrainingRows["blocks"]>;
    const part = (b: number): TrainingRows => {
      const items = xs.slice(split.starts[b], split.starts[b + 1]);
      return { ...training(items, Zm, 0.05), blocks: { starts: [0, items.length], K: [split.K[b]] } };
    };
    const one = predict(engine, fitPosterior(engine, { likelihood: "pitc", Kmm, blocks: [whole] }), asked);
    const two = predict(engine, fitPosterior(engine, { likelihood: "pitc", Kmm, blocks: [part(0), part(1)] }), asked);
    expectWithin("pitc mean", two.mean, one.mean, 1e-12);
    expectWithin("pitc variance", two.variance, one.variance, 1e-12);
  });

  test("every item an inducing item: the exact posterior; and evidence adds up to the mean", () => {
    const xs = every(9, 0.8);
    const Z = column(xs);
    const rows = training(xs, Z, 0.1);
    const K = kernel(Z, Z);
    const exact = exactPosterior(engine, { K, R: rows.R, noise: rows.noise });
    const Kxm = kernel(column([0.3, 2.9, 6.6]), Z);
    const expected = predict(engine, exact, { Kxm, diagonal: ones(3) });
    const addUp = (weights: Float64Array) => {
      const mean = scope.matrix(3, 2);
      engine.gemm(mean, scope.matrix(3, 9).write(weights), rows.R);
      return mean;
    };
    const weights = exactEvidence(engine, exact, Kxm);
    expectWithin("exact evidence", addUp(weights), expected.mean, 1e-13);
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const jitter = { relative: 1e-12, always: true };
      const posterior = fitPosterior(engine, { likelihood, Kmm: K, blocks: [rows], jitter });
      const got = predict(engine, posterior, { Kxm, diagonal: ones(3) });
      expectWithin(`${likelihood} mean`, got.mean, expected.mean, 1e-9);
      expectWithin(`${likelihood} variance`, got.variance, expected.variance, 1e-9);
      const own = evidenceWeights(engine, posterior, { ...rows, Kxm });
      expectWithin(`${likelihood} weights`, own, weights, 1e-8);
      expectWithin(`${likelihood} evidence`, addUp(own), got.mean, 1e-12);
    }
  });

  test("evidence of some of the rows is that of these rows", () => {
    const xs = every(9, 0.8);
    const Zm = column([0, 2, 4, 6]);
    const rows = training(xs, Zm, 0.1);
    const Kxm = kernel(column([0.3, 2.9]), Zm);
    const posterior = fitPosterior(engine, { likelihood: "fitc", Kmm: kernel(Zm, Zm), blocks: [rows] });
    const all = evidenceWeights(engine, posterior, { ...rows, Kxm });
    const some = evidenceWeights(engine, posterior, { ...training(xs.slice(3, 5), Zm, 0.1), Kxm });
    expectWithin("weights", some, [all[3], all[4], all[12], all[13]], 1e-14);
  });

  test("noise per item, there and back", () => {
    const out = scope.matrix(3, 1);
    itemNoise(out, { variance: 0.5, ratingVariance: 2, counts: [1, 4, 100] });
    expect(Array.from(out.read())).toEqual([2.5, 1, 0.52]);
    itemNoise(out, { variance: 0.5 });
    expect(Array.from(out.read())).toEqual([0.5, 0.5, 0.5]);
    const gradient = column([1, 2, 4]);
    const both = noiseBackward(gradient, { variance: 0.5, ratingVariance: 2, counts: [1, 4, 100] });
    expect(both).toEqual({ variance: 7, ratingVariance: 1.54 });
    expect(noiseBackward(gradient, { variance: 0.5 })).toEqual({ variance: 7, ratingVariance: 0 });
  });
});

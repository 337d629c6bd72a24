// Golden vectors on an engine: each case's inputs go in, and every one of its outputs must come out. What it computes is listed per
// operation; a case, or an output, that nothing here computes fails.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NotPositiveDefiniteError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Activation, Engine, KernelOptions, Link } from "../linalg/engine.ts";
import { hostMatrix, type Matrix, type Precision } from "../linalg/matrix.ts";
import { normalQuantile, philox } from "../linalg/random.ts";
import { TopK } from "../linalg/top-k.ts";
import { oracle, PRECISIONS, UNIT } from "./bed.ts";
import { largest } from "./bounds.ts";
import { type GoldenCase, type GoldenFile, Inputs } from "./golden-file.ts";

/** Numbers that came out, and how far each may be off, relative to the largest of the expected ones. */
interface Output {
  values: ArrayLike<number>;
  tolerance: number | ((index: number, expected: number) => number);
}
type Outputs = Record<string, Output>;

interface Run {
  engine: Engine;
  scope: Scope;
  precision: Precision;
  u: number;
  inputs: Inputs;
  /** Allocates and fills. */
  matrix(m: Matrix): Matrix;
  vector(values: readonly number[]): Matrix;
}

const within = (values: ArrayLike<number>, tolerance: Output["tolerance"]): Output => ({ values, tolerance });
const norm1 = (m: Matrix) =>
  largest(
    Array.from({ length: m.cols }, (_, j) =>
      Array.from({ length: m.rows }, (_, i) => Math.abs(m.get(i, j))).reduce((a, b) => a + b, 0),
    ),
  );

function conditionOf(L: Matrix): number {
  const inverse = hostMatrix(
    Float64Array.from({ length: L.rows ** 2 }, (_, i) => (i % (L.rows + 1) === 0 ? 1 : 0)),
    L.rows,
    L.rows,
  );
  oracle.solveTriangular(inverse, L);
  return norm1(L) * norm1(inverse);
}

/** The pivot at which `call` fails; NaN if it does not. */
function failingPivot(call: () => void): number {
  try {
    call();
  } catch (error) {
    if (error instanceof NotPositiveDefiniteError) return error.pivot;
    throw error;
  }
  return Number.NaN;
}

/** Beyond this relative bound f32 has nothing left to compare; the case still runs. */
const HOPELESS = 0.02;

const runners: Record<string, (run: Run, outputs: Inputs) => Outputs | "hopeless"> = {
  cholesky({ engine, scope, u, inputs, matrix }, outputs) {
    const given = inputs.matrix("A");
    const n = given.rows;
    const A = matrix(given);
    if (outputs.has("failingPivot")) {
      return { failingPivot: within([failingPivot(() => engine.cholesky(A))], 0) };
    }
    const tolerance = 4 * (n + 1) * u * outputs.number("conditionNumber");
    if (tolerance > HOPELESS) return "hopeless";
    engine.cholesky(A);
    const inverse = scope.matrix(n, n, A.precision);
    engine.inverseFromCholesky(inverse, A);
    return {
      L: within(A.read(), tolerance),
      logdet: within([engine.logDeterminant(A)], (_, expected) => tolerance * Math.max(1, Math.abs(expected))),
      inverse: within(inverse.read(), tolerance),
      conditionNumber: within([norm1(given) * norm1(inverse)], tolerance),
    };
  },

  triangularSolve({ engine, u, inputs, matrix }) {
    const side = inputs.text("side") === "left" ? "left" : "right";
    const [L, X] = [matrix(inputs.matrix("L")), matrix(inputs.matrix("B"))];
    const tolerance = 4 * (L.rows + 1) * u * conditionOf(inputs.matrix("L"));
    engine.solveTriangular(X, L, { side, transpose: inputs.flag("transpose") });
    return tolerance > HOPELESS ? "hopeless" : { X: within(X.read(), tolerance) };
  },

  choleskyUpdate({ engine, u, inputs, matrix, vector }, outputs) {
    const [L, x] = [matrix(inputs.matrix("L")), vector(inputs.vector("x"))];
    const update = () => engine.choleskyUpdate(L, x, inputs.number("sign") === 1 ? 1 : -1);
    if (outputs.has("failingPivot")) return { failingPivot: within([failingPivot(update)], 0) };
    const tolerance = 4 * (L.rows + 1) * u * conditionOf(outputs.matrix("L")) ** 2;
    if (tolerance > HOPELESS) return "hopeless";
    update();
    return { L: within(L.read(), tolerance) };
  },

  kernel({ engine, scope, precision, inputs, matrix, vector }, outputs) {
    const [Za, Zb, G] = [matrix(inputs.matrix("Za")), matrix(inputs.matrix("Zb")), matrix(inputs.matrix("G"))];
    const [n, m, d] = [Za.rows, Zb.rows, Za.cols];
    const columns = inputs.vector("sameColumn");
    const empty = (rows: number, cols: number) => scope.zeros(rows, cols, precision);
    const [K, T, slope] = [empty(n, m), empty(n, m), empty(n, m)];
    const options: KernelOptions = {
      weights: vector(inputs.vector("columnWeights")),
      same: scope.indices(n).write(columns),
      link: inputs.text("link") as Link,
      offset: inputs.number("offset"),
      variance: inputs.number("variance"),
      slope,
    };
    engine.distances(T, Za, Zb, options);
    engine.kernel(K, Za, Zb, options);
    const gradients = { rows: empty(n, d), columns: empty(m, d), weights: empty(d, 1), offset: 0, variance: 0 };
    engine.kernelBackward(matrix(inputs.matrix("G")), K, Za, Zb, options, gradients);
    // an item that is a row and a column has both roles' gradient: one matrix when all are, one row otherwise
    const both = empty(n, d);
    if (inputs.flag("sameItems")) engine.kernelBackward(G, K, Za, Zb, options, { rows: both, columns: both });
    else {
      const at = columns.flatMap((b, a) => (b < 0 ? [] : [a]));
      const rows = empty(at.length, d);
      engine.gatherRows(rows, gradients.columns, scope.indices(at.length).write(at.map((a) => columns[a])));
      both.write(gradients.rows.read());
      engine.scatterAddRows(both, rows, scope.indices(at.length).write(at));
    }
    const dWeights = gradients.weights.read();
    const widths = inputs.vector("channelWidths");
    const total = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);
    const perChannel = widths.map((width, c) => {
      const from = total(widths.slice(0, c));
      return total(dWeights.slice(from, from + width));
    });
    const tolerance = precision === "f64" ? 1e-13 : 5e-5;
    const wide = UNIT[precision] * largest(Za) ** 2; // ∂ℓ/∂h = Σ ρZ² + Σ γZ² − 2ΣZ∘W cancels
    const weights = (_: number, expected: number) => wide + tolerance * Math.max(1, Math.abs(expected));
    return {
      total: within(T.read(), tolerance),
      K: within(K.read(), tolerance),
      slope: within(slope.read(), tolerance),
      dZa: within(gradients.rows.read(), tolerance),
      dZb: within(gradients.columns.read(), tolerance),
      dColumnWeights: within(dWeights, weights),
      dChannelWeights: within(perChannel, weights),
      dOffset: within([gradients.offset], tolerance * 10),
      dVariance: within([gradients.variance], tolerance * 10),
      ...(outputs.has("dZ") && { dZ: within(both.read(), tolerance) }),
    };
  },

  softmaxCrossEntropy({ engine, scope, u, inputs, matrix, vector }) {
    const logits = matrix(inputs.matrix("logits"));
    const labels = inputs.vector("labels");
    const loss = engine.softmaxCrossEntropy(
      logits,
      logits,
      scope.indices(labels.length).write(labels),
      vector(inputs.vector("offsets")),
    );
    const tolerance = 40 * u;
    return { loss: within([loss], tolerance), dLogits: within(logits.read(), tolerance) };
  },

  adamw({ engine, scope, precision, u, inputs, vector }) {
    const p = vector(inputs.vector("parameter"));
    const [m, v] = [scope.zeros(p.rows, 1, precision), scope.zeros(p.rows, 1, precision)];
    const [beta1, beta2] = inputs.vector("betas");
    inputs.vectors("gradients").forEach((gradient, i) => {
      const settings = {
        learningRate: inputs.number("lr"),
        epsilon: inputs.number("eps"),
        weightDecay: inputs.number("weightDecay"),
      };
      engine.adamw(p, vector(gradient), m, v, { ...settings, beta1, beta2, step: i + 1 });
    });
    return { parameter: within(p.read(), 20 * u), m: within(m.read(), 20 * u), v: within(v.read(), 20 * u) };
  },

  activations({ engine, precision, u, scope, inputs, vector }) {
    const x = inputs.vector("x");
    const ones = vector(x.map(() => 1));
    const outputs: Outputs = {};
    for (const f of ["exp", "tanh", "sigmoid", "relu"] as const satisfies Activation[]) {
      const [y, slope] = [vector(x), scope.matrix(x.length, 1, precision)];
      engine.activate(y, y, f);
      engine.activateBackward(slope, ones, y, f);
      // relative, element by element; f32 also rounds x itself. A slope taken from y can only be right in absolute terms.
      const relative = (i: number, expected: number) =>
        u * Math.abs(expected) * (6 + (precision === "f32" ? 2 * Math.abs(x[i]) : 0));
      outputs[f] = within(y.read(), relative);
      outputs[`d${f[0].toUpperCase()}${f.slice(1)}`] = within(slope.read(), f === "exp" ? relative : () => 8 * u);
    }
    return outputs;
  },

  philox({ inputs }) {
    const [counters, keys] = [inputs.vectors("counters"), inputs.vectors("keys")];
    const words = counters.flatMap((counter, i) => {
      const block = new Uint32Array(4);
      philox(block, counter, keys[i]);
      return [...block];
    });
    return { words: within(words, 0) };
  },

  normalQuantile({ inputs }) {
    // 4 ulps, however far into the tails
    return { z: within(inputs.vector("p").map(normalQuantile), (_, expected) => 8 * UNIT.f64 * Math.abs(expected)) };
  },

  scan({ engine, inputs, matrix, vector }) {
    const result = new TopK(inputs.number("k"));
    engine.scan(result, [matrix(inputs.matrix("rows"))], vector(inputs.vector("query")));
    return {
      indices: within(result.rows.slice(0, result.count), 0),
      scores: within(result.scores.slice(0, result.count), 0),
    };
  },
};

function runCase(engine: Engine, precision: Precision, one: GoldenCase): void {
  const run = runners[one.op];
  if (!run) throw new Error(`no test computes the golden cases of "${one.op}"`);
  const scope = engine.scope();
  const expected = new Inputs(one.outputs);
  const matrix = (m: Matrix) => scope.matrix(m.rows, m.cols, precision).write(m.read());
  const vector = (values: readonly number[]) => scope.matrix(values.length, 1, precision).write(values);
  const outputs = run(
    { engine, scope, precision, u: UNIT[precision], inputs: new Inputs(one.inputs), matrix, vector },
    expected,
  );
  scope.close();
  if (outputs === "hopeless") {
    expect(precision).toBe("f32");
    return;
  }
  expect(Object.keys(outputs).sort()).toEqual(Object.keys(one.outputs).sort());
  for (const [key, { values, tolerance }] of Object.entries(outputs)) {
    const want = expected.numbers(key);
    const scale = largest(want);
    expect(values.length, key).toBe(want.length);
    for (let i = 0; i < want.length; i++) {
      const allowed = typeof tolerance === "number" ? tolerance * scale : tolerance(i, want[i]);
      if (!(Object.is(values[i], want[i]) || Math.abs(values[i] - want[i]) <= allowed)) {
        expect.fail(`${key}, number ${i}: ${values[i]}, expected ${want[i]}, allowed ${allowed}`);
      }
    }
  }
}

/** Runs every case of the file on one engine, at both precisions. */
export function describeGolden(name: string, open: () => Promise<Engine>, file: GoldenFile): void {
  describe(`golden vectors, ${name}`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine.close());
    describe.each(PRECISIONS)("%s", (precision) => {
      test.each(file.cases.map((one) => ({ title: `${one.op} ${one.name}`, one })))("$title", ({ one }) =>
        runCase(engine, precision, one),
      );
    });
  });
}

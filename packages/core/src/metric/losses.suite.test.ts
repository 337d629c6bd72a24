// The three losses against their definitions, and their gradients against central differences.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Random } from "../linalg/random.ts";
import { errorOf, expectWithin } from "../testing/bounds.ts";
import { expectGradient } from "../testing/differences.ts";
import { contrastiveLoss, crossEntropyLoss, softmaxLoss } from "./losses.ts";

const LINKS: readonly Link[] = ["linear", "saturating", "sigmoid"];

interface Embeddings {
  /** Coordinates are drawn with this standard deviation, around `centre`. */
  spread: number;
  centre: number;
  /** Every second row of B is that of A, but for 1e-6. */
  twins: boolean;
  weights: readonly number[];
}

const WORLDS: Record<string, Embeddings> = {
  "well-conditioned": { spread: 0.6, centre: 0, twins: false, weights: [0.9, 0.3, 1.4, 0.6] },
  "ill-conditioned: twins, weights over five decades": {
    spread: 0.7,
    centre: 0.5,
    twins: true,
    weights: [2, 0.03, 2e-5, 1],
  },
  "ill-conditioned: far from the origin": { spread: 0.01, centre: 0.9, twins: false, weights: [4e3, 1e3, 2e3, 9e3] },
  "negative weights": { spread: 1, centre: 0, twins: false, weights: [0.8, -0.35, 0, 0.5] },
};

function draw(
  scope: Scope,
  sizes: readonly [number, number],
  { spread, centre, twins, weights }: Embeddings,
): [Matrix, Matrix, Matrix] {
  const random = new Random(9);
  const [A, B] = sizes.map((rows) =>
    scope.matrix(rows, 4).write(Float64Array.from({ length: 4 * rows }, () => centre + spread * random.normal())),
  );
  if (twins) {
    for (let i = 0; i < A.rows; i += 2) for (let j = 0; j < 4; j++) B.set(i, j, A.get(i, j) + 1e-6 * random.normal());
  }
  return [A, B, scope.matrix(4, 1).write(weights)];
}

/** Σ_j w_j (a_j − b_j)² */
const distance = (A: Matrix, i: number, B: Matrix, j: number, w: Matrix) =>
  [0, 1, 2, 3].reduce((sum, c) => sum + w.get(c, 0) * (A.get(i, c) - B.get(j, c)) ** 2, 0);

describe.each(["plain", "wasm"] as const)("losses on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 2 });
  });
  afterAll(() => engine.close());

  describe("softmaxLoss", () => {
    test.each(Object.keys(WORLDS))("value and gradients, %s", (name) => {
      for (const temperature of [1, 0.2]) {
        const scope = engine.scope();
        const [Za, Zb, weights] = draw(scope, [5, 7], WORLDS[name]); // two candidates more than anchors
        const logq = scope.matrix(7, 1).write([-2, -1, -4, -0.5, -3, -2, -5]);
        const rowLengths = scope.matrix(5, 1).write([0, 0.7, 0, 0.2, 1.1]);
        const columnLengths = scope.matrix(7, 1).write([0.3, 0, 0, 0.9, 0, 0, 2]);
        const batch = { Za, Zb, weights, temperature, logq, rowLengths, columnLengths };
        const forward = () => {
          const inner = engine.scope();
          const loss = softmaxLoss(engine, inner, batch, {});
          inner.close();
          return loss;
        };
        let expected = 0;
        for (let i = 0; i < 5; i++) {
          const logits = Array.from({ length: 7 }, (_, j) => {
            const t = distance(Za, i, Zb, j, weights) + rowLengths.get(i, 0) + columnLengths.get(j, 0);
            return -t / temperature - logq.get(j, 0);
          });
          const top = Math.max(...logits);
          expected += (top + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - top), 0)) - logits[i]) / 5;
        }
        expectWithin("loss", [forward()], [expected], 1e-12 * Math.max(1, Math.abs(expected)));

        const gradients = {
          rows: scope.matrix(5, 4).fill(2),
          columns: scope.matrix(7, 4).fill(2),
          weights: scope.matrix(4, 1).fill(2),
          rowLengths: scope.matrix(5, 1).fill(2),
          columnLengths: scope.matrix(7, 1).fill(2),
        };
        softmaxLoss(engine, scope, batch, gradients);
        const operands = { rows: Za, columns: Zb, weights, columnLengths };
        for (const key of ["rows", "columns", "weights", "columnLengths"] as const) {
          const added = gradients[key].read().map((x) => x - 2);
          expectGradient(key, added, operands[key], forward);
        }
        // an anchor's length moves all its logits alike, and so not the loss: differences would show rounding alone
        expectWithin("rowLengths", gradients.rowLengths, new Float64Array(5).fill(2), 1e-15 / temperature);
        scope.close();
      }
    });

    test("without logq and lengths", () => {
      const scope = engine.scope();
      const [Za, Zb, weights] = draw(scope, [6, 6], WORLDS["well-conditioned"]);
      const rows = scope.zeros(6, 4);
      const loss = softmaxLoss(engine, scope, { Za, Zb, weights, temperature: 0.5 }, { rows });
      expectGradient("rows", rows, Za, () => softmaxLoss(engine, scope, { Za, Zb, weights, temperature: 0.5 }, {}));
      const none = scope.zeros(6, 1);
      const same = { Za, Zb, weights, temperature: 0.5, logq: none, rowLengths: none, columnLengths: none };
      expectWithin("loss", [softmaxLoss(engine, scope, same, {})], [loss], 1e-14);
      scope.close();
    });
  });

  // every fourth pair is a long way apart, so that both sides of the margin occur
  const labels = Uint8Array.from({ length: 9 }, (_, i) => (i % 3 === 0 ? 0 : 1));

  describe.each(LINKS)("contrastiveLoss, %s link", (link) => {
    test.each(Object.keys(WORLDS))("value and gradients, %s", (name) => {
      const D = {
        linear: (t: number) => t,
        saturating: (t: number) => 1 - Math.exp(-t),
        sigmoid: (t: number, b: number) => 1 / (1 + Math.exp(-t - b)),
      }[link];
      checkPairs(
        WORLDS[name],
        (inner, batch, gradients) => contrastiveLoss(engine, inner, { ...batch, link, margin: 0.8 }, gradients),
        {
          term: (t, b, dissimilar) => (dissimilar ? Math.max(0, 0.8 - D(t, b)) : D(t, b)),
        },
      );
    });
  });

  describe("crossEntropyLoss", () => {
    test.each(Object.keys(WORLDS))("value and gradients, %s", (name) => {
      checkPairs(WORLDS[name], (inner, batch, gradients) => crossEntropyLoss(engine, inner, batch, gradients), {
        term: (t, b, dissimilar) => {
          const u = dissimilar ? -t - b : t + b;
          return Math.max(u, 0) + Math.log1p(Math.exp(-Math.abs(u)));
        },
      });
    });

    test("under the sigmoid link it is the cross-entropy of D itself (Eq. 7), also for a dissimilar pair at distance 0", () => {
      const scope = engine.scope();
      const one = scope.matrix(2, 4).fill(0.3);
      const weights = scope.matrix(4, 1).fill(1);
      const loss = crossEntropyLoss(engine, scope, { A: one, B: one, weights, offset: 0.4, labels: [0, 1] }, {});
      const D = 1 / (1 + Math.exp(-0.4));
      expect(loss).toBeCloseTo(-0.5 * (Math.log(1 - D) + Math.log(D)), 14);
      scope.close();
    });
  });

  type Batch = Parameters<typeof crossEntropyLoss>[2];
  type Gradients = Parameters<typeof crossEntropyLoss>[3];

  function checkPairs(
    world: Embeddings,
    loss: (scope: Scope, batch: Batch, gradients: Gradients) => number,
    { term }: { term: (t: number, b: number, dissimilar: boolean) => number },
  ): void {
    const scope = engine.scope();
    const [A, B, weights] = draw(scope, [9, 9], world);
    const lengths = scope.matrix(9, 1).write([0, 0, 0.4, 0, 1.2, 0, 0, 0.1, 0]);
    const offset = scope.matrix(1, 1).write([-0.4]);
    const batch = () => ({ A, B, weights, lengths, labels, offset: offset.get(0, 0) });
    const forward = () => {
      const inner = engine.scope();
      const value = loss(inner, batch(), {});
      inner.close();
      return value;
    };
    let expected = 0;
    for (let i = 0; i < 9; i++) {
      expected += term(distance(A, i, B, i, weights) + lengths.get(i, 0), -0.4, labels[i] === 1) / 9;
    }
    expectWithin("loss", [forward()], [expected], 1e-12 * Math.max(1, Math.abs(expected)));
    const gradients = {
      rows: scope.matrix(9, 4).fill(-3),
      columns: scope.matrix(9, 4).fill(-3),
      weights: scope.matrix(4, 1).fill(-3),
      lengths: scope.matrix(9, 1).fill(-3),
      offset: scope.matrix(1, 1).fill(-3),
    };
    loss(scope, batch(), gradients);
    const operands = { rows: A, columns: B, weights, lengths, offset };
    for (const key of ["rows", "columns", "weights", "lengths", "offset"] as const) {
      const added = gradients[key].read().map((x) => x + 3);
      expectGradient(key, added, operands[key], forward);
    }
    scope.close();
  }

  test("one matrix may hold both sides, and take both gradients", () => {
    const scope = engine.scope();
    const [A, B, weights] = draw(scope, [5, 5], WORLDS["well-conditioned"]);
    const Z = scope.matrix(10, 4).write([...A.read(), ...B.read()]);
    const dZ = scope.zeros(10, 4);
    const apart = { rows: scope.zeros(5, 4), columns: scope.zeros(5, 4) };
    const together = { rows: dZ.view(0, 5), columns: dZ.view(5, 10) };
    const [Za, Zb] = [Z.view(0, 5), Z.view(5, 10)];
    softmaxLoss(engine, scope, { Za: A, Zb: B, weights, temperature: 0.3 }, apart);
    softmaxLoss(engine, scope, { Za, Zb, weights, temperature: 0.3 }, together);
    expect([...dZ.read()]).toEqual([...apart.rows.read(), ...apart.columns.read()]);
    scope.close();
  });

  test("mistakes are named", () => {
    const scope = engine.scope();
    const [A, B, weights] = draw(scope, [5, 4], WORLDS["well-conditioned"]);
    expect(
      errorOf(() => softmaxLoss(engine, scope, { Za: A, Zb: B, weights, temperature: 1 }, {})),
    ).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "softmaxLoss: 5 anchors, but only 4 candidates",
      }
    `);
    expect(
      errorOf(() => softmaxLoss(engine, scope, { Za: B, Zb: A, weights, temperature: 0 }, {})),
    ).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "softmaxLoss: temperature must be positive, got 0",
      }
    `);
    expect(
      errorOf(() => crossEntropyLoss(engine, scope, { A, B: A, weights, labels: [0, 1] }, {})),
    ).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "pair loss: 2 labels for 5 pairs; it takes one each, and a pair",
      }
    `);
    scope.close();
  });
});

test("float32 keeps the digits of embeddings that lie close together and far from the origin", async () => {
  const wasm = await createEngine({ engine: "wasm", workers: 1 });
  const oracle = createPlainEngine();
  const random = new Random(2);
  const [Za, Zb] = [0, 1].map(() =>
    Float32Array.from({ length: 64 * 40 }, (_, i) => (i % 2 ? 0.4 : -0.3) + 0.002 * random.normal()),
  );
  const weights = new Float32Array(40).fill(1 / (2 * 40 * 0.002 ** 2)); // t is about 1
  const run = (engine: Engine, precision: "f32" | "f64") => {
    const scope = engine.scope();
    const put = (values: Float32Array, rows: number) => {
      const m = scope.matrix(rows, values.length / rows, precision);
      engine.convert(m, hostMatrix(values, m.rows, m.cols));
      return m;
    };
    const rows = scope.zeros(64, 40, precision);
    const batch = { Za: put(Za, 64), Zb: put(Zb, 64), weights: put(weights, 40), temperature: 0.2 };
    const loss = softmaxLoss(engine, scope, batch, { rows });
    return { loss, rows: rows.read() };
  };
  const [single, double] = [run(wasm, "f32"), run(oracle, "f64")];
  expect(Math.abs(single.loss / double.loss - 1)).toBeLessThan(1e-5);
  expectWithin("rows", single.rows, double.rows, 1e-4 * Math.max(...double.rows));
  await wasm.close();
});

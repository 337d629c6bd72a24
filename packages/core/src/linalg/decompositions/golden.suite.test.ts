// What 60 digits say (reference/decompositions.py), on every engine.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import golden from "../../../../../reference/golden/decompositions.json";
import { expectWithin, largest } from "../../testing/bounds.ts";
import { type GoldenCase, Inputs } from "../../testing/golden-file.ts";
import { createEngine } from "../create.ts";
import type { Engine, EngineKind } from "../engine.ts";
import { Random } from "../random.ts";
import { denseOperator } from "./operator.ts";
import { orthonormalize } from "./orthonormalize.ts";
import { randomizedSvd } from "./randomized-svd.ts";
import { type SparseMatrix, sparseOperator } from "./sparse-operator.ts";
import { smallestEigenvalue, symmetricEigen } from "./symmetric-eigen.ts";

const U = 2 ** -53;
const cases: readonly GoldenCase[] = golden.cases;
const of = (op: string) =>
  cases
    .filter((one) => one.op === op)
    .map(({ name, inputs, outputs }) => ({
      name,
      inputs: new Inputs(inputs),
      outputs: new Inputs(outputs),
      keys: Object.keys(outputs).sort(),
    }));

test("every case is run here", () => {
  expect(new Set(cases.map((one) => one.op))).toEqual(new Set(["symmetricEigen", "orthonormalize", "randomizedSvd"]));
});

test.each(of("symmetricEigen"))("symmetricEigen $name", ({ inputs, outputs, keys }) => {
  const A = inputs.matrix("A");
  const n = A.rows;
  const expected = outputs.vector("values");
  const scale = largest(expected);
  const { values, vectors } = symmetricEigen(A.read(), n);
  expectWithin("values", values, expected, 4 * n * U * scale);
  expectWithin("smallest", [smallestEigenvalue(A.read(), n)], [outputs.number("smallest")], 4 * n * U * scale);
  if (outputs.has("vectors")) {
    expect(keys).toEqual(["smallest", "values", "vectors"]);
    // Davis & Kahan: rounding of size ε turns a vector by ε/gap
    const bound = (4 * n * U) / Math.min(1, inputs.number("relativeGap"));
    expectWithin("vectors", vectors, outputs.matrix("vectors"), bound);
    return;
  }
  const groups = inputs.vectors("groups");
  expect(keys).toEqual([...groups.map(([first]) => `projector${first}`), "smallest", "values"].sort());
  for (const [first, end] of groups) {
    const gap = Math.min(
      first > 0 ? expected[first - 1] - expected[first] : Infinity,
      end < n ? expected[end - 1] - expected[end] : Infinity,
    );
    const P = new Float64Array(n * n);
    for (let k = first; k < end; k++) {
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) P[i * n + j] += vectors[k * n + i] * vectors[k * n + j];
    }
    const bound = (8 * n * U) / Math.min(1, scale > 0 ? gap / scale : 1);
    expectWithin(`projector${first}`, P, outputs.matrix(`projector${first}`), bound);
  }
});

const kinds: EngineKind[] = ["plain", "wasm", "wasm-relaxed"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind !== "plain" && { workers: 2 }) });
  });
  afterAll(() => engine.close());

  test.each(of("orthonormalize"))("orthonormalize $name", ({ inputs, outputs, keys }) => {
    const source = inputs.matrix("Y");
    const scope = engine.scope();
    const Y = scope.matrix(source.rows, source.cols).write(source.read());
    const { rank, replaced } = orthonormalize(engine, Y);
    const kept = inputs.vector("kept");
    const Q = Array.from({ length: Y.rows }, (_, i) => kept.map((j) => Y.get(i, j))).flat();
    scope.close();
    expect(keys).toEqual(["Q", "rank", "replaced"]);
    expect([rank, replaced]).toEqual([outputs.number("rank"), outputs.vector("replaced")]);
    expectWithin("Q", Q, outputs.matrix("Q"), 4 * source.rows * U * inputs.number("condition"));
  });

  test.each(of("randomizedSvd"))("randomizedSvd $name", ({ inputs, outputs, keys }) => {
    expect(keys).toEqual(["dense", "gram", "rightVectors", "singularValues"]);
    const [rows, cols, rank] = [inputs.number("rows"), inputs.number("cols"), inputs.number("rank")];
    const matrix: SparseMatrix = {
      rows,
      cols,
      starts: Int32Array.from(inputs.vector("starts")),
      columns: Int32Array.from(inputs.vector("columns")),
      ...(inputs.has("values") && { values: Float32Array.from(inputs.vector("values")) }),
      ...(inputs.has("rowScale") && {
        rowScale: Float64Array.from(inputs.vector("rowScale")),
        columnScale: Float64Array.from(inputs.vector("columnScale")),
      }),
    };
    const scope = engine.scope();
    const X = inputs.matrix("X");
    const own = scope.matrix(cols, X.cols).write(X.read());
    const A = scope.matrix(rows, cols).write(outputs.matrix("dense").read());
    const gram = outputs.matrix("gram");
    const bound = 4 * (rows + cols) * U * largest(gram);
    for (const operator of [sparseOperator(engine, matrix), denseOperator(engine, A)]) {
      const out = scope.matrix(cols, X.cols);
      operator.gram(out, own);
      expectWithin("gram", out, gram, bound);
      const options = { rank, iterations: 40, random: new Random(1) };
      const { singularValues, rightVectors } = randomizedSvd(engine, operator, options);
      const expected = outputs.vector("singularValues");
      expectWithin("singularValues", singularValues, expected, 1e-14 * cols * expected[0] * inputs.number("condition"));
      expectWithin(
        "rightVectors",
        rightVectors,
        outputs.matrix("rightVectors"),
        (1e-14 * cols) / inputs.number("relativeGap"),
      );
    }
    scope.close();
  });
});

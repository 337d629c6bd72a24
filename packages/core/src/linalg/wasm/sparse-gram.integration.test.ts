// A matrix larger than one block passes through the arena in several, to the same bits as one that lies there whole.
import { expect, test } from "vitest";
import { createEngine } from "../create.ts";
import { hostIndices, hostMatrix } from "../matrix.ts";
import { Random } from "../random.ts";

test.each(["f64", "f32"] as const)(
  "five million entries, one row of them longer than a block, %s",
  async (precision) => {
    await using engine = await createEngine({ workers: 2 });
    using scope = engine.scope();
    const [rows, cols, d, long] = [300, 501, 3, 4_500_000];
    const starts = new Int32Array(rows + 1);
    for (let u = 0; u < rows; u++) starts[u + 1] = starts[u] + (u === 100 ? long : 1500);
    const columns = Int32Array.from({ length: starts[rows] }, (_, e) => (e * 7919 + Math.floor(e / 501)) % cols);
    const values = Float32Array.from(columns, (c, e) => ((c + e) % 17) / 16);
    const X = scope.matrix(cols, d, precision);
    engine.fillUniform(X, new Random(1));
    const rowScale = scope.matrix(rows, 1, precision);
    engine.fillUniform(rowScale, new Random(2));
    const [outside, inside] = [scope.matrix(cols, d, precision), scope.matrix(cols, d, precision)];
    const S = { rows, cols };
    const host = { ...S, starts: hostIndices(starts), columns: hostIndices(columns) };
    const hostValues = hostMatrix(values, values.length, 1);
    engine.sparseGram(outside, { ...host, values: hostValues }, X, { rowScale });

    const own = { ...S, starts: scope.indices(rows + 1), columns: scope.indices(columns.length) };
    own.starts.data.set(starts, own.starts.offset);
    own.columns.data.set(columns, own.columns.offset);
    const ownValues = scope.matrix(values.length, 1, precision);
    ownValues.data.set(values, ownValues.offset);
    engine.sparseGram(inside, { ...own, values: ownValues }, X, { rowScale });
    expect(outside.read()).toEqual(inside.read());

    engine.sparseGram(outside, host, X, { rowScale });
    engine.sparseGram(inside, own, X, { rowScale });
    expect(outside.read()).toEqual(inside.read());
  },
);

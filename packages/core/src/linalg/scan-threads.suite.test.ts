// Scan threads of engines that the contract does not run on, and what is refused. The contract itself is in testing/scan-threads.ts.
import { describe, expect, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { describeScanThreads } from "../testing/scan-threads.ts";
import { createEngine } from "./create.ts";
import { hostMatrix } from "./matrix.ts";
import type { ScanQuery } from "./scan-query.ts";
import { openScanThreads } from "./scan-threads.ts";

describe("wasm without shared memory", async () => {
  const bed = new Bed({});
  bed.engine = await createEngine({ engine: "wasm", shared: false });
  describeScanThreads(bed);
});

const one = (k: number): ScanQuery => ({ vector: Float32Array.of(1, 1), k });

test.each([{ engine: "wasm", shared: true }, { engine: "wasm", shared: false }, { engine: "plain" }] as const)(
  "errors say what is wrong: %o",
  async (options) => {
    const engine = await createEngine({ ...options, workers: 1 });
    const scope = engine.scope();
    const rows = scope.matrix(40, 2, "f32").fill(1);
    const scans = await openScanThreads(engine, { threads: 1, bytes: 65536 });
    const codes = async (...calls: Promise<unknown>[]) =>
      (await Promise.allSettled(calls)).map((call) => call.status === "rejected" && call.reason.code);
    expect(
      await codes(
        scans.scan(rows, 41, [one(1)]),
        scans.scan(rows, -1, [one(1)]),
        scans.scan(rows, 1.5, [one(1)]),
        scans.scan(rows, 40, [one(0)]),
        scans.scan(rows, 40, [one(Number.NaN)]),
        scans.scan(rows, 40, [{ vector: Float32Array.of(1), k: 1 }]),
        scans.scan(rows, 40, [{ ...one(1), allowed: new Uint32Array(1) }]),
        scans.scan(scope.matrix(2, 2), 2, [one(1)]),
        scans.scan(rows.transposed().view(0, 2, 0, 2), 2, [one(1)]),
      ),
    ).toEqual([...Array(5).fill("BAD_ARGUMENT"), "SHAPE_MISMATCH", "SHAPE_MISMATCH", "BAD_ARGUMENT", "SHAPE_MISMATCH"]);
    const elsewhere = scans.scan(hostMatrix(new Float32Array(4), 2, 2), 2, [one(1)]);
    if (options.engine === "plain") expect((await elsewhere)[0].count).toBe(1);
    else await expect(elsewhere).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
    expect((await scans.scan(rows, 40, [one(2)]))[0].rows).toEqual(Int32Array.of(0, 1)); // and all is well
    await scans.close();
    await expect(scans.scan(rows, 40, [one(1)])).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
    scope.close();
    await engine.close();
  },
);

test.each([{ shared: true }, { shared: false }])(
  "too little room is an error that names it; many queries in little room go one after the other: %o",
  async (options) => {
    await using engine = await createEngine({ ...options, engine: "wasm", workers: 1 });
    const rows = engine.scope().matrix(9000, 2, "f32").fill(1);
    await using scans = await openScanThreads(engine, { threads: 1, bytes: 65536 });
    await expect(scans.scan(rows, 9000, [one(9000)])).rejects.toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: scan: the 9000 best of 9000 rows, on 1 threads, take 72064 bytes of the 65536 set aside; open the scan threads with more \`bytes\`]`,
    );
    const tops = await scans.scan(rows, 9000, [one(4000), one(4001), one(4002), one(3)]);
    expect(tops.map(({ count, rows }) => [count, rows[count - 1]])).toEqual([
      [4000, 3999],
      [4001, 4000],
      [4002, 4001],
      [3, 2],
    ]);
  },
);

test.each([{ threads: 0 }, { threads: 1.5 }, { bytes: 1000 }])("options are checked: %o", async (options) => {
  await using engine = await createEngine({ workers: 1 });
  await expect(openScanThreads(engine, options)).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
});

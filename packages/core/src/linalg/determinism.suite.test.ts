// The same bits for any number of workers, on every repetition; and for the strict engine in Node and in the browser: its digests are
// written down here. They change only when the arithmetic does: then run  npx vitest run --project core determinism -u
import { describe, expect, test } from "vitest";
import { runProgram } from "../testing/program.ts";
import { createEngine } from "./create.ts";
import type { Precision } from "./matrix.ts";

async function digests(engine: "wasm" | "wasm-relaxed", workers: number, precision: Precision, repeats = 1) {
  const opened = await createEngine({ engine, workers });
  const runs = Array.from({ length: repeats }, () => runProgram(opened, precision));
  await opened.close();
  return { workers: opened.info.workers, runs };
}

describe.each(["wasm", "wasm-relaxed"] as const)("%s", (kind) => {
  test.each(["f64", "f32"] as const)(
    "the same bits with 1, 2 and 3 workers and when repeated, %s",
    async (precision) => {
      const [one, two, three] = [
        await digests(kind, 1, precision),
        await digests(kind, 2, precision, 2),
        await digests(kind, 3, precision),
      ];
      expect([one.workers, two.workers, three.workers]).toEqual([1, 2, 3]);
      expect(two.runs[0]).toEqual(one.runs[0]);
      expect(two.runs[1]).toEqual(one.runs[0]);
      expect(three.runs[0]).toEqual(one.runs[0]);
    },
  );
});

test("memory that is not shared makes no difference", async () => {
  const apart = await createEngine({ engine: "wasm", shared: false });
  const shared = await createEngine({ engine: "wasm", workers: 1 });
  expect(runProgram(apart, "f64")).toEqual(runProgram(shared, "f64"));
  await apart.close();
  await shared.close();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTinyModel } from "../testing/tiny-server.ts";
import { Served } from "./served.ts";

test("a model that was served gives everything back when it closes, its graph too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-served-"));
  try {
    await writeTinyModel(folder);
    const problems: unknown[] = [];
    for (const graphFrom of [null, 1]) {
      const options = {
        threads: 1,
        spareItems: 10,
        queue: 10,
        encode: async () => [],
        graphFrom,
        onGraphProblem: (error: unknown) => problems.push(error),
      };
      const served = await Served.open(folder, options);
      await served.startGraph(options);
      expect(served.graph === undefined).toBe(graphFrom === null);
      await expect(served.close()).resolves.toBeUndefined();
    }
    expect(problems).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

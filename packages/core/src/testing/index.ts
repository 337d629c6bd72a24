// The contract of an engine as a vitest suite: every operation of `Engine` against the plain f64 engine, the oracle. Any
// engine's tests can call it; it runs in Node and in browsers.
import { afterAll, beforeAll, describe } from "vitest";
import type { Engine } from "../linalg/engine.ts";
import { Bed, type SuiteOptions } from "./bed.ts";
import { describeProducts } from "./products.ts";

export type { SuiteOptions } from "./bed.ts";

/**
 * Declares the whole suite for one engine. `open` is called once, before the first test; the suite closes what it returns.
 *
 *   describeEngine("native", () => createEngine({ engine: "native", native: openBlas }));
 */
export function describeEngine(name: string, open: () => Promise<Engine>, options: SuiteOptions = {}): void {
  const bed = new Bed(options);
  describe(name, () => {
    beforeAll(async () => {
      bed.engine = await open();
    });
    afterAll(() => bed.engine.close());
    describeProducts(bed);
  });
}

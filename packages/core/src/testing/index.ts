// The contract of an engine as a vitest suite: every operation of `Engine` against the plain f64 engine, the oracle. Any
// engine's tests can call it; it runs in Node and in browsers. NEARKIN_SEED and NEARKIN_RUNS change the random cases.
import { afterAll, beforeAll, describe } from "vitest";
import type { Engine } from "../linalg/engine.ts";
import { describeActivations } from "./activations.ts";
import { Bed, type SuiteOptions } from "./bed.ts";
import { describeElements } from "./elements.ts";
import { describeErrors } from "./errors.ts";
import { describeFactorisations } from "./factorisations.ts";
import { describeGradients } from "./gradients.ts";
import { describeJitter } from "./jitter.ts";
import { describeKernelPass } from "./kernel-pass.ts";
import { describePairDistances } from "./pair-distances.ts";
import { describeProducts } from "./products.ts";
import { describeRandom } from "./random.ts";
import { describeRows } from "./rows.ts";
import { describeScan } from "./scan.ts";
import { describeScanThreads } from "./scan-threads.ts";
import { describeSparseGram } from "./sparse-gram.ts";
import { describeTraining } from "./training.ts";
import { describeTransformer } from "./transformer.ts";

export { type TinyModelOptions, tinyModel, toyEncode } from "../model/testing/tiny-model.ts";
export type { SuiteOptions } from "./bed.ts";
export { centralDifferences, expectGradient } from "./differences.ts";
export { describeGolden } from "./golden.ts";
export type { GoldenFile } from "./golden-file.ts";
export { patience } from "./patience.ts";

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
    describeFactorisations(bed);
    describeJitter(bed);
    describeKernelPass(bed);
    describePairDistances(bed);
    describeGradients(bed);
    describeActivations(bed);
    describeElements(bed);
    describeTraining(bed);
    describeRows(bed);
    describeSparseGram(bed);
    describeRandom(bed);
    describeScan(bed);
    describeScanThreads(bed);
    describeTransformer(bed);
    describeErrors(bed);
  });
}

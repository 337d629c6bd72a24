// Where a suite's tests lie: one engine for all of them, the seed and number of random cases, and memory full of NaN, so that
// a kernel that reads what nobody wrote gives itself away.
import fc from "fast-check";
import type { Engine } from "../linalg/engine.ts";
import type { Precision } from "../linalg/matrix.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { Operands } from "./operands.ts";

/** Reads a number from the environment where there is one: NEARKIN_SEED, NEARKIN_RUNS (Node only). */
function fromEnvironment(name: string): number | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const text = process?.env?.[name];
  return text === undefined ? undefined : Number(text);
}

export interface SuiteOptions {
  /** Cases of each property, the written-out examples first. NEARKIN_RUNS in the environment overrides it. @default 25 */
  runs?: number;
  /** Multiplies every error bound: 1 for core's engines. @default 1 */
  slack?: number;
}

export const oracle = createPlainEngine();
export const PRECISIONS: readonly Precision[] = ["f64", "f32"];

/** Unit roundoff. */
export const UNIT: Record<Precision, number> = { f64: 2 ** -53, f32: 2 ** -24 };

/** Smallest positive number: what a result that underflows is rounded to a multiple of. */
export const TINY: Record<Precision, number> = { f64: 2 ** -1074, f32: 2 ** -149 };

export class Bed {
  readonly runs: number;
  readonly slack: number;
  readonly seed: number;
  #engine: Engine | undefined;

  constructor(options: SuiteOptions) {
    this.runs = fromEnvironment("NEARKIN_RUNS") ?? options.runs ?? 25;
    this.slack = options.slack ?? 1;
    this.seed = fromEnvironment("NEARKIN_SEED") ?? 20220328;
  }

  /** Opened before the first test. */
  get engine(): Engine {
    if (!this.#engine) throw new Error("the engine is opened by beforeAll");
    return this.#engine;
  }

  set engine(engine: Engine) {
    this.#engine = engine;
  }

  /** Runs `body` on generated cases, `examples` first; the seed is fixed, so a failure repeats. */
  check<Case>(cases: fc.Arbitrary<Case>, body: (drawn: Case) => void, examples: readonly NoInfer<Case>[] = []): void {
    fc.assert(fc.property(cases, body), {
      seed: this.seed,
      numRuns: this.runs,
      examples: examples.map((one): [Case] => [one]),
    });
  }

  /** The same for what has to be awaited. */
  async checkAsync<Case>(
    cases: fc.Arbitrary<Case>,
    body: (drawn: Case) => Promise<void>,
    examples: readonly NoInfer<Case>[] = [],
  ): Promise<void> {
    await fc.assert(fc.asyncProperty(cases, body), {
      seed: this.seed,
      numRuns: this.runs,
      examples: examples.map((one): [Case] => [one]),
    });
  }

  /** Operands in a scope of their own, closed afterwards; frames and inputs must come out as they went in. */
  with(precision: Precision, seed: number, body: (operands: Operands) => void): void {
    poison(this.engine);
    const scope = this.engine.scope();
    try {
      const operands = new Operands(scope, precision, seed);
      body(operands);
      operands.checkUntouched();
    } finally {
      scope.close();
    }
  }
}

/** Leaves NaN where the next scopes will allocate. */
export function poison(engine: Engine): void {
  if (engine.info.kind === "plain") return;
  const scope = engine.scope();
  const m = scope.matrix(1 << 18, 1);
  m.data.fill(Number.NaN, m.offset, m.offset + m.rows);
  scope.close();
}

/** A size by class: none, one, few, about the tiles (4, 6, 8) and the blocks (64, 96), or beyond them. */
export const size: fc.Arbitrary<number> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(0, 1) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 130) },
  { weight: 1, arbitrary: fc.constantFrom(192, 257, 300) },
);

export const atLeastOne: fc.Arbitrary<number> = size.map((n) => Math.max(n, 1));
export const precision: fc.Arbitrary<Precision> = fc.constantFrom(...PRECISIONS);
export const seed: fc.Arbitrary<number> = fc.nat(2 ** 31 - 1);

// The softmax loss and AdamW. Bounds are derived in place; u is the unit roundoff.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atLeastOne, type Bed, oracle, PRECISIONS, precision, seed, size, UNIT } from "./bed.ts";
import { expectWithin } from "./bounds.ts";

const layout = fc.constantFrom("tight" as const, "window" as const);

export function describeTraining(bed: Bed): void {
  describe("training", () => {
    test("softmaxCrossEntropy: value and gradient, offsets, large logits, in place", () => {
      bed.check(
        fc.record({
          rows: atLeastOne,
          cols: atLeastOne,
          precision,
          seed,
          layout,
          scale: fc.constantFrom(1, 30, 1000),
          offsets: fc.boolean(),
          target: fc.constantFrom("none", "own", "logits"),
        }),
        ({ rows, cols, precision, seed, layout, scale, offsets, target }) => {
          bed.with(precision, seed, (o) => {
            const logits = o.output(rows, cols, layout, o.draws(rows * cols, -scale, scale));
            const labels = o.indices(Array.from({ length: rows }, () => o.random.below(cols)));
            const shift = offsets ? o.vector(cols, o.draws(cols, -9, 0)) : undefined;
            const gradient = target === "none" ? null : target === "own" ? o.output(rows, cols, layout) : logits;
            const own = bed.engine.softmaxCrossEntropy(gradient?.own ?? null, logits.own, labels.own, shift?.own);
            const theirs = oracle.softmaxCrossEntropy(
              gradient?.oracle ?? null,
              logits.oracle,
              labels.oracle,
              shift?.oracle,
            );
            // x − o − max is off by 2u times their sizes, the sum by (cols + 8)u
            const u = 2 * UNIT[precision] * bed.slack;
            const exponent = 4 * u * (2 * scale + 18);
            expect(Math.abs(own - theirs)).toBeLessThanOrEqual(exponent + u * (cols + 8));
            if (!gradient) return;
            const relative = exponent + u * (cols + 8); // of the softmax itself, before 1 is taken from the answer's
            const isAnswer = (i: number) => labels.oracle.data[Math.floor(i / cols)] === i % cols;
            const softmax = (i: number) => Math.abs(gradient.oracle.data[i]) * rows + (isAnswer(i) ? 1 : 0);
            expectWithin("dLogits", gradient.own, gradient.oracle, (i) => (softmax(i) * relative + u) / rows);
          });
        },
        [
          {
            rows: 130,
            cols: 130,
            precision: "f64",
            seed: 1,
            layout: "window",
            scale: 30,
            offsets: true,
            target: "logits",
          },
        ],
      );
    });

    test.each(PRECISIONS)(
      "softmaxCrossEntropy: one candidate has loss 0; the right answer far ahead has loss 0, far behind its gap; %s",
      (precision) => {
        bed.with(precision, 1, (o) => {
          const one = o.input(3, 1);
          const zero = o.indices([0, 0, 0]);
          const d = o.output(3, 1);
          expect(bed.engine.softmaxCrossEntropy(d.own, one.own, zero.own)).toBe(0);
          expect([...d.own.read()]).toEqual([0, 0, 0]);
          const huge = o.input(1, 3, "tight", Float64Array.of(1e30, -1e30, 0));
          expect(bed.engine.softmaxCrossEntropy(null, huge.own, o.indices([0]).own)).toBe(0);
          const gap = o.input(1, 2, "tight", Float64Array.of(5000, 0));
          expect(bed.engine.softmaxCrossEntropy(null, gap.own, o.indices([1]).own)).toBe(5000);
        });
      },
    );

    test("adamw: parameter and state, over steps", () => {
      bed.check(
        fc.record({
          n: size,
          precision,
          seed,
          step: fc.constantFrom(1, 2, 10, 1000, 100_000),
          learningRate: fc.constantFrom(0, 1e-3, 0.1),
          weightDecay: fc.constantFrom(0, 0.01),
          beta1: fc.constantFrom(0, 0.9),
          beta2: fc.constantFrom(0.99, 0.999),
          epsilon: fc.constantFrom(1e-8, 0.1),
        }),
        ({ n, precision, seed, ...options }) => {
          bed.with(precision, seed, (o) => {
            const p = o.outputVector(n, o.draws(n));
            const g = o.vector(n);
            const m = o.outputVector(n, o.draws(n));
            const v = o.outputVector(n, o.draws(n, 0, 1));
            bed.engine.adamw(p.own, g.own, m.own, v.own, options);
            oracle.adamw(p.oracle, g.oracle, m.oracle, v.oracle, options);
            // every operand is at most 1; the step is rate·m/(√v·root + ε) with m off by 4u and the quotient by 12u of itself
            const u = 2 * UNIT[precision] * bed.slack;
            expectWithin("mean", m.own, m.oracle, 4 * u);
            expectWithin("square", v.own, v.oracle, 4 * u);
            const rate = options.learningRate / (1 - options.beta1 ** options.step);
            const root = 1 / Math.sqrt(1 - options.beta2 ** options.step);
            expectWithin("parameter", p.own, p.oracle, (i) => {
              const down = Math.sqrt(v.oracle.data[i]) * root + options.epsilon;
              return u * (2 + (rate * (4 + 12 * Math.abs(m.oracle.data[i]))) / down);
            });
          });
        },
      );
    });
  });
}

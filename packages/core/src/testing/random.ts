// Random fills: bit for bit the plain engine's, and the scalar draws of `Random`, wherever the matrix lies.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import { type Bed, oracle, PRECISIONS, precision, seed, size } from "./bed.ts";

export function describeRandom(bed: Bed): void {
  describe("random fills", () => {
    test("fillUniform and fillNormal are the plain engine's bits, and leave the stream where it does", () => {
      bed.check(
        fc.record({
          rows: size,
          cols: size.filter((n) => n <= 65),
          precision,
          seed,
          drawn: fc.nat(5),
          layout: fc.constantFrom("tight" as const, "window" as const),
        }),
        ({ rows, cols, precision, seed, drawn, layout }) => {
          bed.with(precision, seed, (o) => {
            const [mine, theirs] = [new Random(seed), new Random(seed)];
            for (let i = 0; i < drawn; i++) expect(mine.uint32()).toBe(theirs.uint32());
            const scope = oracle.scope();
            const expected = scope.matrix(rows, cols, precision);
            for (const fill of ["fillUniform", "fillNormal"] as const) {
              const out = o.output(rows, cols, layout);
              bed.engine[fill](out.own, mine);
              oracle[fill](expected, theirs);
              expect(out.own.read()).toEqual(expected.read());
              expect(mine.uint32()).toBe(theirs.uint32());
            }
            scope.close();
          });
        },
        [{ rows: 130, cols: 131, precision: "f64", seed: 2 ** 31 - 1, drawn: 1, layout: "tight" }],
      );
    });

    test("in f64 they are the stream's scalar draws; in f32 normals are those, rounded", () => {
      const scope = bed.engine.scope();
      for (const precision of PRECISIONS) {
        const out = scope.matrix(7, 5, precision);
        const round = (x: number) => (precision === "f32" ? Math.fround(x) : x);
        bed.engine.fillNormal(out, new Random(9).split("normal"));
        const stream = new Random(9).split("normal");
        expect([...out.read()]).toEqual(Array.from({ length: 35 }, () => round(stream.normal())));
        if (precision === "f32") continue;
        bed.engine.fillUniform(out, new Random(9).split("uniform"));
        const uniform = new Random(9).split("uniform");
        expect([...out.read()]).toEqual(Array.from({ length: 35 }, () => uniform.uniform()));
      }
      scope.close();
    });

    test.each(PRECISIONS)(
      "uniform numbers lie in [0, 1) and look uniform, normal ones look normal, %s",
      (precision) => {
        const scope = bed.engine.scope();
        const n = 40_000;
        const out = scope.matrix(n, 1, precision);
        const moments = (x: Float64Array) => [1, 2, 3, 4].map((k) => x.reduce((sum, v) => sum + v ** k, 0) / n);
        bed.engine.fillUniform(out, new Random(5));
        const uniform = out.read();
        expect(uniform.every((x) => x >= 0 && x < 1)).toBe(true);
        // standard errors of the first four moments are below 0.0015 and, for normals, 0.05
        moments(uniform).forEach((moment, i) => {
          expect(Math.abs(moment - 1 / (i + 2))).toBeLessThan(0.006);
        });
        bed.engine.fillNormal(out, new Random(6));
        moments(out.read()).forEach((moment, i) => {
          expect(Math.abs(moment - [0, 1, 0, 3][i])).toBeLessThan(0.2);
        });
        scope.close();
      },
    );
  });
}

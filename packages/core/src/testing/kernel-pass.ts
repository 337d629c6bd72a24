// Distances, the kernel through its three links, and the way back, against the sums over pairs that the oracle takes.
// Bounds, with s_ab = Σ_j |h_j|(|Za_aj| + |Zb_bj|)² + |length_a| + |length_b|: t is off by at most δ = 2(d + 6)·u·s (t = a² + b² − 2ab cancels), and
// everything after it by δ times its derivative plus a few u.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KernelGradients, KernelOptions, Link } from "../linalg/engine.ts";
import { atLeastOne, type Bed, oracle, precision, seed, size, TINY, UNIT } from "./bed.ts";
import { expectWithin } from "./bounds.ts";
import type { Operands, Pair } from "./operands.ts";

export const LINKS: readonly Link[] = ["linear", "saturating", "sigmoid"];
const layout = fc.constantFrom("tight" as const, "window" as const);
/** Weights: none, none negative, of either sign. */
const weighting = fc.constantFrom("none" as const, "positive" as const, "mixed" as const);
const link = fc.constantFrom(...LINKS);
const shapes = fc.record({ n: size, m: size, d: size }).filter(({ n, m, d }) => n * m * Math.max(d, 1) <= 1.5e5);
const example = {
  precision: "f64",
  seed: 7,
  layout: "window",
  weighting: "mixed",
  link: "sigmoid",
  same: true,
  lengths: true,
} as const;
const EXAMPLES = [
  { ...example, shape: { n: 130, m: 131, d: 5 } }, // above the threshold of sharing
  { ...example, shape: { n: 66, m: 70, d: 65 }, precision: "f32", weighting: "positive", link: "saturating" },
  { ...example, shape: { n: 5, m: 6, d: 0 }, weighting: "none", link: "linear" },
  { ...example, shape: { n: 130, m: 131, d: 5 }, weighting: "positive", same: false, lengths: false },
  { ...example, shape: { n: 0, m: 6, d: 3 } },
  { ...example, shape: { n: 5, m: 0, d: 3 }, same: false },
] as const;

interface Inputs {
  Za: Pair;
  Zb: Pair;
  own: KernelOptions;
  oracle: KernelOptions;
  /** Σ_j |h_j|(|Za_aj| + |Zb_bj|)² + |length_a| + |length_b| */
  spread(index: number): number;
}

function inputs(
  o: Operands,
  drawn: {
    shape: { n: number; m: number; d: number };
    layout: "tight" | "window";
    weighting: string;
    link: Link;
    same: boolean;
    lengths: boolean;
  },
): Inputs {
  const { n, m, d } = drawn.shape;
  const Za = o.input(n, d, drawn.layout);
  const Zb = o.input(m, d, drawn.layout);
  const low = drawn.weighting === "mixed" ? -1 : 0;
  const weights =
    drawn.weighting === "none" ? undefined : o.vector(d, o.draws(d, low / Math.max(d, 1), 1 / Math.max(d, 1)));
  const columns = Array.from({ length: n }, (_, a) => (a % 3 === 0 || m === 0 ? -1 : o.random.below(m)));
  const same = drawn.same ? o.indices(columns) : undefined;
  const lengths = (count: number) => (drawn.lengths ? o.vector(count, o.draws(count, low, 1)) : undefined);
  const [rowLengths, columnLengths] = [lengths(n), lengths(m)];
  const pick = (side: "own" | "oracle") => ({
    ...(weights && { weights: weights[side] }),
    ...(same && { same: same[side] }),
    ...(rowLengths && { rowLengths: rowLengths[side] }),
    ...(columnLengths && { columnLengths: columnLengths[side] }),
  });
  const common = { link: drawn.link, offset: drawn.link === "sigmoid" ? -0.7 : 0, variance: 1.25 };
  return {
    Za,
    Zb,
    own: { ...common, ...pick("own") },
    oracle: { ...common, ...pick("oracle") },
    spread(index) {
      const [a, b] = [Math.floor(index / m), index % m];
      let s = Math.abs(rowLengths?.oracle.get(a, 0) ?? 0) + Math.abs(columnLengths?.oracle.get(b, 0) ?? 0);
      for (let j = 0; j < d; j++) {
        const h = weights ? Math.abs(weights.oracle.get(j, 0)) : 1;
        s += h * (Math.abs(Za.oracle.get(a, j)) + Math.abs(Zb.oracle.get(b, j))) ** 2;
      }
      return s;
    },
  };
}

/** φ′(t) and |φ(t)|, for the bounds. */
function linkSize(link: Link, t: number, b: number): [slope: number, value: number] {
  if (link === "linear") return [1, Math.abs(t)];
  if (link === "saturating") return [Math.exp(-t), Math.abs(Math.expm1(-t))];
  const d = 1 / (1 + Math.exp(-t - b));
  return [d * (1 - d), d];
}

export function describeKernelPass(bed: Bed): void {
  const cases = fc.record({
    shape: shapes,
    precision,
    seed,
    layout,
    weighting,
    link,
    same: fc.boolean(),
    lengths: fc.boolean(),
  });

  describe("kernel pass", () => {
    test.each(["f32", "f64"] as const)(
      "distances of duplicates far from the origin are not below 0, %s",
      (precision) => {
        const scope = bed.engine.scope();
        const Z = scope.matrix(60, 7, precision);
        for (let i = 0; i < 60; i++) for (let j = 0; j < 7; j++) Z.set(i, j, 1000 * Math.sin((i % 20) * 7 + j)); // each row three times
        const T = scope.matrix(60, 60, precision);
        bed.engine.distances(T, Z, Z);
        expect(Math.min(...T.read())).toBe(0);
        scope.close();
      },
    );

    test("distances: the oracle's; 0 for the same item; not negative where no weight or length is", () => {
      bed.check(
        cases,
        (drawn) => {
          bed.with(drawn.precision, drawn.seed, (o) => {
            const { n, m, d } = drawn.shape;
            const { Za, Zb, own, oracle: options, spread } = inputs(o, drawn);
            const T = o.output(n, m, drawn.layout);
            bed.engine.distances(T.own, Za.own, Zb.own, own);
            oracle.distances(T.oracle, Za.oracle, Zb.oracle, options);
            const unit = 2 * (d + 6) * UNIT[drawn.precision] * bed.slack;
            expectWithin("T", T.own, T.oracle, (i) => unit * spread(i));
            if (drawn.weighting !== "mixed") expect(T.own.read().every((t) => t >= 0)).toBe(true);
            const columns = own.same
              ? Array.from({ length: n }, (_, a) => own.same?.data[own.same.offset + a] ?? -1)
              : [];
            expect(columns.every((b, a) => b < 0 || T.own.get(a, b) === 0)).toBe(true);
          });
        },
        EXAMPLES,
      );
    });

    test("distances of one set to itself are symmetric without weights, to the bit where the products are our own", () => {
      const isExact = bed.engine.info.kind !== "native"; // a BLAS may sum the edges of a matrix in another order
      bed.check(
        fc.record({ n: size.filter((n) => n < 150), d: atLeastOne, precision, seed }),
        ({ n, d, precision, seed }) => {
          bed.with(precision, seed, (o) => {
            const Z = o.input(n, d);
            const T = o.output(n, n);
            bed.engine.distances(T.own, Z.own, Z.own);
            const bound = isExact ? 0 : 4 * (d + 6) * 4 * d * UNIT[precision]; // each is off by half of it
            expectWithin("T", T.own, T.own.transposed(), bound);
          });
        },
      );
    });

    test("kernel and slope, three links, weights of either sign", () => {
      bed.check(
        cases,
        (drawn) => {
          bed.with(drawn.precision, drawn.seed, (o) => {
            const { n, m, d } = drawn.shape;
            const { Za, Zb, own, oracle: options, spread } = inputs(o, drawn);
            const K = o.output(n, m, drawn.layout);
            const slope = o.output(n, m, drawn.layout);
            const T = o.output(n, m);
            bed.engine.kernel(K.own, Za.own, Zb.own, { ...own, slope: slope.own });
            oracle.kernel(K.oracle, Za.oracle, Zb.oracle, { ...options, slope: slope.oracle });
            oracle.distances(T.oracle, Za.oracle, Zb.oracle, options);
            const u = UNIT[drawn.precision] * bed.slack;
            const tiny = TINY[drawn.precision];
            const errors = (i: number) => {
              const k = K.oracle.data[i];
              const [slope, value] = linkSize(drawn.link, T.oracle.data[i], options.offset ?? 0);
              const t = 2 * (d + 6) * u * spread(i);
              const kernel = k * (0.5 * (slope * t + 4 * u * (1 + value + slope)) + 8 * u);
              return { kernel, slope: slope * kernel + 0.5 * k * (slope * t + 8 * u * (1 + slope)) };
            };
            expectWithin("K", K.own, K.oracle, (i) => 1.05 * errors(i).kernel + tiny);
            expectWithin("slope", slope.own, slope.oracle, (i) => 1.05 * errors(i).slope + tiny);
          });
        },
        EXAMPLES,
      );
    });

    test.each(["kernelBackward", "distancesBackward"] as const)(
      "%s: adds to what is asked for, whatever is asked for",
      (operation) => {
        const wanted = fc.record({
          rows: fc.boolean(),
          columns: fc.boolean(),
          weights: fc.boolean(),
          lengths: fc.boolean(),
        });
        const none = { rows: false, columns: false, weights: false, lengths: false };
        const all = { rows: true, columns: true, weights: true, lengths: true };
        bed.check(
          fc.record({
            shape: shapes,
            precision,
            seed,
            layout,
            weighting,
            link,
            same: fc.boolean(),
            lengths: fc.boolean(),
            wanted,
          }),
          (drawn) => backward(bed, operation, drawn),
          [
            ...EXAMPLES.map((one) => ({ ...one, wanted: all })),
            ...EXAMPLES.map((one) => ({ ...one, wanted: { ...none, weights: true } })),
            ...EXAMPLES.map((one) => ({ ...one, wanted: { ...none, lengths: true } })),
          ],
        );
      },
    );

    test("kernelBackward: rows and columns may be the same items and the same gradient", () => {
      bed.with("f64", 11, (o) => {
        const [n, d] = [40, 7];
        const Z = o.input(n, d);
        const G = o.output(n, n, "tight", o.draws(n * n));
        const K = o.input(n, n);
        const dZ = o.output(n, d, "window", o.draws(n * d));
        bed.engine.kernelBackward(G.own, K.own, Z.own, Z.own, {}, { rows: dZ.own, columns: dZ.own });
        oracle.kernelBackward(G.oracle, K.oracle, Z.oracle, Z.oracle, {}, { rows: dZ.oracle, columns: dZ.oracle });
        expectWithin("dZ", dZ.own, dZ.oracle, 8 * (n + 8) * n * UNIT.f64 * bed.slack);
      });
    });
  });
}

type BackwardCase = Parameters<typeof inputs>[1] & {
  precision: "f32" | "f64";
  seed: number;
  wanted: { rows: boolean; columns: boolean; weights: boolean; lengths: boolean };
};

// K and slope go in as given numbers, so that only the backward pass is compared.
function backward(bed: Bed, operation: "kernelBackward" | "distancesBackward", drawn: BackwardCase): void {
  bed.with(drawn.precision, drawn.seed, (o) => {
    const { n, m, d } = drawn.shape;
    const { Za, Zb, own, oracle: options } = inputs(o, drawn);
    const { wanted } = drawn;
    const rows = wanted.rows ? o.output(n, d, drawn.layout, o.draws(n * d)) : undefined;
    const columns = wanted.columns ? o.output(m, d, drawn.layout, o.draws(m * d)) : undefined;
    const weights = wanted.weights ? o.outputVector(d, o.draws(d)) : undefined;
    const rowLengths = wanted.lengths ? o.outputVector(n, o.draws(n)) : undefined;
    const columnLengths = wanted.lengths ? o.outputVector(m, o.draws(m)) : undefined;
    const pick = (side: "own" | "oracle"): KernelGradients => ({
      ...(rows && { rows: rows[side] }),
      ...(columns && { columns: columns[side] }),
      ...(weights && { weights: weights[side] }),
      ...(rowLengths && { rowLengths: rowLengths[side] }),
      ...(columnLengths && { columnLengths: columnLengths[side] }),
      offset: -7,
      variance: -8,
    });
    const [mine, theirs] = [pick("own"), pick("oracle")];

    // |g| ≤ 1 and |Z| ≤ 1: a sum over m pairs is off by at most 2(m + 8)·u times m terms of at most 4|h| (8 for weights: two sums)
    const u = 2 * UNIT[drawn.precision] * bed.slack;
    const h = own.weights ? 1 / Math.max(d, 1) : 1;
    if (operation === "distancesBackward") {
      const G = o.input(n, m, drawn.layout); // kept as it is
      bed.engine.distancesBackward(G.own, Za.own, Zb.own, own, mine);
      oracle.distancesBackward(G.oracle, Za.oracle, Zb.oracle, options, theirs);
      expect([mine.offset, mine.variance]).toEqual([-7, -8]);
    } else {
      const K = o.input(n, m, drawn.layout);
      const slope = drawn.link === "linear" ? undefined : o.input(n, m, drawn.layout);
      const G = o.output(n, m, drawn.layout, o.draws(n * m));
      bed.engine.kernelBackward(G.own, K.own, Za.own, Zb.own, { ...own, ...(slope && { slope: slope.own }) }, mine);
      oracle.kernelBackward(
        G.oracle,
        K.oracle,
        Za.oracle,
        Zb.oracle,
        { ...options, ...(slope && { slope: slope.oracle }) },
        theirs,
      );
      expectWithin("G_t", G.own, G.oracle, 2 * u);
      for (const name of ["offset", "variance"] as const) {
        expectWithin(name, [mine[name] ?? Number.NaN], [theirs[name] ?? Number.NaN], u * (n + m + 8) * n * m);
      }
    }
    if (rows) expectWithin("rows", rows.own, rows.oracle, u * ((m + 8) * 4 * h * m + 1));
    if (columns) expectWithin("columns", columns.own, columns.oracle, u * ((n + 8) * 4 * h * n + 1));
    if (weights) expectWithin("weights", weights.own, weights.oracle, u * ((n + m + 8) * 8 * n * m + 1));
    if (rowLengths) expectWithin("rowLengths", rowLengths.own, rowLengths.oracle, u * ((m + 8) * (m + 1) + 1));
    if (columnLengths) {
      expectWithin("columnLengths", columnLengths.own, columnLengths.oracle, u * ((n + 8) * (n + 1) + 1));
    }
  });
}

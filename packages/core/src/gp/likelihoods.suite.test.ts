// What must hold of every likelihood, whatever the numbers: gradients are those of the value, sparse ones become exact where every item is
// an inducing item, vfe is a bound, scaling everything changes nothing, and the number of workers not a bit.
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine, EngineKind, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { expectWithin, largest } from "../testing/bounds.ts";
import { expectGradient } from "../testing/differences.ts";
import { exactNll } from "./exact.ts";
import { selfKernel } from "./inducing.ts";
import { SPARSE_LIKELIHOODS, type SparseInputs, type SparseLikelihood } from "./inputs.ts";
import { solveRows } from "./solve-rows.ts";
import { type SparseGradients, sparseNll } from "./sparse.ts";

interface WorldOptions {
  n: number;
  m: number;
  k: number;
  /** Lowest Σ_i; the highest is three times that. @default 0.2 */
  noise?: number;
  link?: Link;
  /** Standard deviation of the coordinates. @default 1.2 */
  spread?: number;
  /** Inducing item 1 lies this far from inducing item 0. @default they are drawn apart */
  twins?: number;
  seed?: number;
}

/** Random items in the plane, random targets, and the kernels between them. */
function world(engine: Engine, scope: Scope, options: WorldOptions) {
  const { n, m, k, noise: lowest = 0.2, link = "linear", spread = 1.2, twins, seed = 1 } = options;
  const random = new Random(seed);
  const draw = (rows: number, cols: number, scale: number) =>
    scope.matrix(rows, cols).write(Float64Array.from({ length: rows * cols }, () => scale * random.normal()));
  const Z = draw(n, 2, spread);
  const Zm = draw(m, 2, spread);
  if (twins !== undefined) for (let j = 0; j < 2; j++) Zm.set(1, j, Zm.get(0, j) + twins);
  const R = draw(n, k, 1);
  const noise = scope.matrix(n, 1).write(Float64Array.from({ length: n }, () => lowest * (1 + 2 * random.uniform())));
  const weights = scope.matrix(2, 1).write(link === "sigmoid" ? [0.8, -0.3] : [0.8, 0.5]);
  const kernel = { link, weights, variance: 1.4, offset: link === "sigmoid" ? -0.5 : 0 };
  const starts = [0, Math.ceil(n / 4), Math.ceil(n / 4) + 1, n];
  const K = scope.matrix(n, n);
  const Knm = scope.matrix(n, m);
  const Kmm = scope.matrix(m, m);
  const diagonal = scope.matrix(n, 1);
  const own = (size: number) => scope.indices(size).write(Array.from({ length: size }, (_, i) => i));
  const [allSame, inducingSame] = [own(n), own(m)];
  const compute = (): void => {
    engine.kernel(K, Z, Z, { ...kernel, same: allSame });
    engine.kernel(Knm, Z, Zm, kernel);
    engine.kernel(Kmm, Zm, Zm, { ...kernel, same: inducingSame });
    diagonal.fill(selfKernel(kernel));
  };
  compute();
  const blocks = { starts, K: [0, 1, 2].map((b) => K.view(starts[b], starts[b + 1], starts[b], starts[b + 1])) };
  return { n, m, k, Z, Zm, R, noise, weights, kernel, K, Knm, Kmm, diagonal, blocks, compute, allSame, inducingSame };
}
type World = ReturnType<typeof world>;

const inputsOf = (w: World, likelihood: SparseLikelihood, shift = 0): SparseInputs => ({
  likelihood,
  Knm: w.Knm,
  Kmm: w.Kmm,
  diagonal: w.diagonal,
  R: w.R,
  noise: w.noise,
  blocks: w.blocks,
  shift,
});

type AllGradients = SparseGradients & Required<Omit<SparseGradients, "noiseScale">>;
const roomFor = (scope: Scope, w: World): AllGradients => ({
  Knm: scope.matrix(w.n, w.m),
  Kmm: scope.matrix(w.m, w.m),
  diagonal: scope.matrix(w.n, 1),
  noise: scope.matrix(w.n, 1),
  blocks: w.blocks.K.map((K) => scope.matrix(K.rows, K.rows)),
});

const dot = (A: Matrix, B: Matrix): number => {
  const b = B.read();
  return A.read().reduce((sum, a, i) => sum + a * b[i], 0);
};

const kinds: EngineKind[] = ["plain", "wasm"];
describe.each(kinds)("%s", (kind) => {
  let engine: Engine;
  let scope: Scope;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, ...(kind === "wasm" && { workers: 2 }) });
  });
  afterAll(() => engine.close());
  beforeEach(() => {
    scope = engine.scope();
  });
  afterEach(() => scope.close());

  describe("gradients by central differences", () => {
    // The lower triangle of K counts, but its gradient is by entries that are independent: difference (X + Xᵀ)/2.
    const symmetric = (X: Matrix): Matrix => {
      const S = scope.matrix(X.rows, X.rows);
      for (let i = 0; i < X.rows; i++) for (let j = 0; j < X.rows; j++) S.set(i, j, 0.5 * (X.get(i, j) + X.get(j, i)));
      return S;
    };

    test.each([1, 3])("exact, by K and noise, k = %i", (k) => {
      const { K, R, noise } = world(engine, scope, { n: 7, m: 2, k });
      const gradients = { K: scope.matrix(7, 7), noise: scope.matrix(7, 1) };
      exactNll(engine, { K, R, noise }, gradients);
      expectGradient("K", gradients.K, K, () => exactNll(engine, { K: symmetric(K), R, noise }).value);
      expectGradient("noise", gradients.noise, noise, () => exactNll(engine, { K, R, noise }).value);
    });

    test.each(SPARSE_LIKELIHOODS.flatMap((likelihood) => [1, 3].map((k) => ({ likelihood, k }))))(
      "$likelihood, by every kernel matrix and noise, k = $k",
      ({ likelihood, k }) => {
        const w = world(engine, scope, { n: 9, m: 4, k });
        const inputs = inputsOf(w, likelihood);
        const gradients = roomFor(scope, w);
        sparseNll(engine, inputs, gradients);
        const loss = (change: Partial<SparseInputs> = {}) => sparseNll(engine, { ...inputs, ...change }).value;
        expectGradient("Knm", gradients.Knm, w.Knm, loss);
        expectGradient("Kmm", gradients.Kmm, w.Kmm, () => loss({ Kmm: symmetric(w.Kmm) }));
        if (likelihood !== "dtc" && likelihood !== "pitc") expectGradient("k_ii", gradients.diagonal, w.diagonal, loss);
        expectGradient("noise", gradients.noise, w.noise, loss);
        const factor = scope.matrix(1, 1).fill(1);
        const scaled = () => scope.matrix(w.n, 1).write(w.noise.read().map((sigma) => sigma * factor.get(0, 0)));
        expectGradient("noiseScale", [gradients.noiseScale ?? Number.NaN], factor, () => loss({ noise: scaled() }));
        if (likelihood !== "pitc") return;
        for (const [b, Kb] of w.blocks.K.entries()) {
          const all = (S: Matrix) => ({ starts: w.blocks.starts, K: w.blocks.K.map((K, c) => (c === b ? S : K)) });
          expectGradient(`K of block ${b}`, gradients.blocks[b], Kb, () => loss({ blocks: all(symmetric(Kb)) }));
        }
      },
    );

    // The whole way from embeddings, where K_mm may be as close to singular as it likes.
    const conditions = [
      { name: "well-conditioned, linear", link: "linear", noise: 0.2, twins: undefined, shift: 0 },
      { name: "inducing twins and little noise, linear", link: "linear", noise: 3e-3, twins: 0.02, shift: 0 },
      { name: "inducing twins and little noise, saturating", link: "saturating", noise: 3e-3, twins: 0.02, shift: 0 },
      { name: "indefinite kernel with its shift, sigmoid", link: "sigmoid", noise: 1, twins: undefined, shift: 4 },
    ] as const;
    test.each(SPARSE_LIKELIHOODS.flatMap((likelihood) => conditions.map((one) => ({ likelihood, ...one }))))(
      "$likelihood from embeddings, $name",
      ({ likelihood, link, noise, twins, shift }) => {
        const w = world(engine, scope, { n: 8, m: 3, k: 2, link, noise, ...(twins !== undefined && { twins }) });
        const inputs = inputsOf(w, likelihood, shift);
        const G = roomFor(scope, w);
        sparseNll(engine, inputs, G);

        const slope = (A: Matrix, B: Matrix, same?: typeof w.allSame) => {
          const [K, S] = [scope.matrix(A.rows, B.rows), scope.matrix(A.rows, B.rows)];
          const options = { ...w.kernel, slope: S, ...(same && { same }) };
          engine.kernel(K, A, B, options);
          return { K, options };
        };
        const dZ = scope.zeros(8, 2);
        const dZm = scope.zeros(3, 2);
        const dWeights = scope.zeros(2, 1);
        let dVariance = 0;
        let dOffset = 0;
        const back = (
          g: Matrix,
          A: Matrix,
          B: Matrix,
          same: typeof w.allSame | undefined,
          rows: Matrix,
          columns: Matrix,
        ) => {
          const { K, options } = slope(A, B, same);
          const sink = { rows, columns, weights: dWeights, offset: 0, variance: 0 };
          engine.kernelBackward(g, K, A, B, options, sink);
          dVariance += sink.variance;
          dOffset += sink.offset;
        };
        back(G.Knm, w.Z, w.Zm, undefined, dZ, dZm);
        back(G.Kmm, w.Zm, w.Zm, w.inducingSame, dZm, dZm);
        if (likelihood === "pitc") {
          const full = scope.zeros(8, 8);
          for (const [b, g] of G.blocks.entries()) {
            const from = w.blocks.starts[b];
            full.view(from, from + g.rows, from, from + g.rows).write(g.read());
          }
          back(full, w.Z, w.Z, w.allSame, dZ, dZ);
        }
        // k_ii = v·e^{−½φ(0)}
        const self = selfKernel(w.kernel);
        const total = G.diagonal.read().reduce((a, b) => a + b);
        const D = 1 / (1 + Math.exp(-w.kernel.offset));
        dVariance += (total * self) / w.kernel.variance;
        if (link === "sigmoid") dOffset += total * -0.5 * self * D * (1 - D);

        const loss = () => {
          w.compute();
          return sparseNll(engine, inputs).value;
        };
        expectGradient("Z", dZ, w.Z, loss);
        expectGradient("Zm", dZm, w.Zm, loss);
        expectGradient("weights", dWeights, w.weights, loss);
        const scalar = scope.matrix(1, 1).fill(w.kernel.variance);
        expectGradient("variance", [dVariance], scalar, () => {
          w.kernel.variance = scalar.get(0, 0);
          return loss();
        });
        w.kernel.variance = 1.4;
        scalar.fill(w.kernel.offset);
        if (link === "sigmoid") {
          expectGradient("offset", [dOffset], scalar, () => {
            w.kernel.offset = scalar.get(0, 0);
            return loss();
          });
        }
      },
    );
  });

  const size = fc.record({
    n: fc.integer({ min: 3, max: 12 }),
    m: fc.integer({ min: 1, max: 6 }),
    k: fc.integer({ min: 1, max: 4 }),
    seed: fc.nat(1e6),
    noise: fc.constantFrom(1e-3, 0.05, 1, 20),
  });
  const check = (body: (drawn: { n: number; m: number; k: number; seed: number; noise: number }) => void) =>
    fc.assert(
      fc.property(size, (drawn) => {
        const inner = engine.scope();
        const outer = scope;
        scope = inner;
        try {
          body(drawn);
        } finally {
          scope = outer;
          inner.close();
        }
      }),
      { seed: 20220328, numRuns: 30 },
    );

  test("every item an inducing item: all are the exact likelihood", () => {
    check(({ n, k, seed, noise }) => {
      const w = world(engine, scope, { n: n + 3, m: 1, k, seed, noise: Math.max(noise, 0.05) });
      const exact = exactNll(engine, w).value;
      for (const likelihood of SPARSE_LIKELIHOODS) {
        const inputs = { ...inputsOf(w, likelihood), Knm: w.K, Kmm: w.K, jitter: { relative: 1e-12 } };
        const { value } = sparseNll(engine, inputs);
        expectWithin(likelihood, [value], [exact], 1e-8 * Math.max(1, Math.abs(exact)));
      }
    });
  });

  test("vfe is never below the exact likelihood, and what it adds to dtc is not negative", () => {
    check((drawn) => {
      const w = world(engine, scope, drawn);
      const exact = exactNll(engine, w).value;
      const vfe = sparseNll(engine, inputsOf(w, "vfe")).value;
      const dtc = sparseNll(engine, inputsOf(w, "dtc")).value;
      const slack = 1e-9 * Math.max(1, Math.abs(vfe));
      expect(vfe).toBeGreaterThanOrEqual(exact - slack);
      expect(vfe).toBeGreaterThanOrEqual(dtc - slack);
    });
  });

  // ℓ(c·K, c·Σ, √c·R) = ℓ + ½nk·log c. Its derivative at c = 1 ties all gradients together; ½·tr(RᵀS⁻¹R) = ℓ(R) − ℓ(0).
  test("kernel, noise and targets scaled together: Euler's identity between all gradients", () => {
    check((drawn) => {
      const w = world(engine, scope, drawn);
      for (const likelihood of SPARSE_LIKELIHOODS) {
        const inputs = inputsOf(w, likelihood);
        const G = roomFor(scope, w);
        const { value } = sparseNll(engine, inputs, G);
        const quadratic = value - sparseNll(engine, { ...inputs, R: scope.zeros(w.n, w.k) }).value;
        const terms = [
          dot(G.Knm, w.Knm),
          dot(G.Kmm, w.Kmm),
          likelihood === "pitc"
            ? w.blocks.K.reduce((sum, K, b) => sum + dot(G.blocks[b], K), 0)
            : dot(G.diagonal, w.diagonal),
          G.noiseScale ?? Number.NaN,
          quadratic,
        ];
        expectWithin(
          likelihood,
          [terms.reduce((a, b) => a + b)],
          [0.5 * w.n * w.k],
          1e-8 * Math.max(1, largest(terms)),
        );
        expectWithin(
          "noiseScale",
          [dot(G.noise, w.noise)],
          [G.noiseScale ?? Number.NaN],
          1e-8 * Math.max(1, largest(terms)),
        );
      }
    });
  });

  test("through Q alone: ∂ℓ/∂K_mm = −½·K_mm⁻¹·K_mn·∂ℓ/∂K_nm", () => {
    const w = world(engine, scope, { n: 12, m: 5, k: 2 });
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const G = roomFor(scope, w);
      sparseNll(engine, { ...inputsOf(w, likelihood), jitter: {} }, G); // no jitter unless it must be
      const expected = scope.matrix(5, 5);
      engine.gemm(expected, w.Knm, G.Knm, { transposeA: true, alpha: -0.5 });
      const L = scope.matrix(5, 5);
      engine.convert(L, w.Kmm);
      engine.cholesky(L);
      engine.solveCholesky(expected, L);
      expectWithin(likelihood, G.Kmm, expected, 1e-11 * largest(expected));
    }
  });

  test("each gradient alone is the same as together with the others, and inputs stay as they are", () => {
    const w = world(engine, scope, { n: 11, m: 4, k: 3 });
    const before = [w.K, w.Knm, w.Kmm, w.diagonal, w.R, w.noise].map((m) => Array.from(m.read()));
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const all = roomFor(scope, w);
      const { value } = sparseNll(engine, inputsOf(w, likelihood), all);
      for (const key of ["Knm", "Kmm", "diagonal", "noise"] as const) {
        const G = roomFor(scope, w)[key];
        expect(sparseNll(engine, inputsOf(w, likelihood), { [key]: G }).value).toBe(value);
        expect(Array.from(G.read()), `${likelihood} ${key}`).toEqual(Array.from(all[key].read()));
      }
      const none: SparseGradients = {};
      expect(sparseNll(engine, inputsOf(w, likelihood), none).value).toBe(value);
      expect(none.noiseScale).toBe(all.noiseScale);
    }
    const G = scope.matrix(11, 11);
    const noise = scope.matrix(11, 1);
    exactNll(engine, w, { K: G, noise });
    const alone = scope.matrix(11, 1);
    exactNll(engine, w, { noise: alone });
    expect(Array.from(alone.read())).toEqual(Array.from(noise.read()));
    expect([w.K, w.Knm, w.Kmm, w.diagonal, w.R, w.noise].map((m) => Array.from(m.read()))).toEqual(before);
  });

  test("inputs and gradients may be windows of larger matrices", () => {
    const w = world(engine, scope, { n: 9, m: 4, k: 2 });
    const framed = (m: Matrix): Matrix => {
      const whole = scope.matrix(m.rows + 3, m.cols + 2).fill(Number.NaN);
      const view = whole.view(1, 1 + m.rows, 1, 1 + m.cols);
      engine.convert(view, m);
      return view;
    };
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const inputs = inputsOf(w, likelihood);
      const G = roomFor(scope, w);
      const { value } = sparseNll(engine, inputs, G);
      const H = { ...roomFor(scope, w), Knm: framed(G.Knm), Kmm: framed(G.Kmm) };
      const windows = { Knm: framed(w.Knm), Kmm: framed(w.Kmm), R: framed(w.R) };
      expect(sparseNll(engine, { ...inputs, ...windows }, H).value).toBe(value);
      for (const key of ["Knm", "Kmm", "noise"] as const) expect(H[key].read()).toEqual(G[key].read());
    }
  });

  test("duplicates: of items, of inducing items, and of both", () => {
    const w = world(engine, scope, { n: 10, m: 4, k: 2, twins: 0 });
    for (let j = 0; j < 2; j++) {
      w.Z.set(3, j, w.Z.get(2, j));
      w.Z.set(7, j, w.Zm.get(0, j));
    }
    w.compute();
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const G = roomFor(scope, w);
      const { value, jitter } = sparseNll(engine, inputsOf(w, likelihood), G);
      expect(jitter).toBeCloseTo(1.4e-6, 12);
      expect(Number.isFinite(value)).toBe(true);
      for (const key of ["Knm", "Kmm", "noise"] as const) expect(G[key].read().every(Number.isFinite)).toBe(true);
      // One of two equal inducing items is as good as both
      const fewer = { Knm: w.Knm.view(0, 10, 1, 4), Kmm: w.Kmm.view(1, 4, 1, 4) };
      expectWithin(likelihood, [sparseNll(engine, { ...inputsOf(w, likelihood), ...fewer }).value], [value], 1e-4);
    }
    expect(exactNll(engine, w).jitter).toBe(0); // the noise tells duplicates apart
  });

  test("exact: duplicates without noise get jitter, which the gradients know of", () => {
    const inputs = {
      K: scope.matrix(3, 3).fill(4),
      R: scope.matrix(3, 1).write([1, 2, 4]),
      noise: scope.matrix(3, 1).fill(1e-20),
    };
    const gradients = { K: scope.matrix(3, 3), noiseScale: Number.NaN };
    const { value, jitter } = exactNll(engine, inputs, gradients);
    expect(jitter).toBeCloseTo(4e-6, 15);
    const quadratic = value - exactNll(engine, { ...inputs, R: scope.zeros(3, 1) }).value;
    const terms = [dot(gradients.K, inputs.K), gradients.noiseScale, quadratic];
    expectWithin("Euler", [terms.reduce((a, b) => a + b)], [1.5], 1e-8 * largest(terms));
  });

  test("blocked solves over many rows, as the native engine takes them, are the solves", () => {
    const [n, m] = [1300, 300];
    const Z = scope.matrix(m, 6);
    engine.fillNormal(Z, new Random(5));
    const L = scope.matrix(m, m);
    engine.kernel(L, Z, Z);
    engine.cholesky(L, { jitter: { always: true } });
    const source = scope.matrix(n, m);
    engine.fillNormal(source, new Random(6));
    const scale = scope.matrix(n, 1);
    engine.fillUniform(scale, new Random(7));
    const expected = scope.matrix(n, m);
    solveRows(engine, expected, { source, scale, L });
    const back = scope.matrix(n, m); // X·Lᵀ = diag(s)·source
    engine.gemm(back, expected, L, { transposeB: true });
    const given = scope.matrix(n, m);
    engine.scaleRows(given, source, scale);
    expectWithin("X·Lᵀ", back, given, 1e-12 * largest(expected));
    const native: Engine = Object.create(engine, { info: { value: { ...engine.info, kind: "native" } } });
    const X = scope.matrix(n, m);
    solveRows(native, X, { source, scale, L });
    expectWithin("X", X, expected, 1e-12 * largest(expected));
  });
});

describe("larger than a tile, a block and a thread's share", () => {
  const run = async (kind: EngineKind, workers: number) => {
    const engine = await createEngine({ engine: kind, ...(kind !== "plain" && { workers }) });
    const scope = engine.scope();
    const w = world(engine, scope, { n: 330, m: 97, k: 5, spread: 6 });
    const results = new Map<string, Float64Array>();
    for (const likelihood of SPARSE_LIKELIHOODS) {
      const G = roomFor(scope, w);
      const { value } = sparseNll(engine, inputsOf(w, likelihood), G);
      results.set(`${likelihood} value`, Float64Array.of(value, G.noiseScale ?? Number.NaN));
      for (const key of ["Knm", "Kmm", "diagonal", "noise"] as const)
        results.set(`${likelihood} ${key}`, G[key].read());
      if (likelihood === "pitc") for (const [b, K] of G.blocks.entries()) results.set(`block ${b}`, K.read());
    }
    const K = scope.matrix(330, 330);
    results.set("exact value", Float64Array.of(exactNll(engine, w, { K }).value));
    results.set("exact K", K.read());
    await engine.close();
    return results;
  };

  test("wasm and wasm-relaxed agree with plain; the same bits for 1, 2 and 3 workers", async () => {
    const plain = await run("plain", 1);
    for (const kind of ["wasm", "wasm-relaxed"] as const) {
      const one = await run(kind, 1);
      for (const [name, expected] of plain) {
        expectWithin(`${kind} ${name}`, one.get(name) ?? [], expected, 1e-9 * largest(expected));
      }
      for (const workers of [2, 3]) {
        const more = await run(kind, workers);
        for (const [name, bits] of one) expect(more.get(name), `${kind} ${name}, ${workers} workers`).toEqual(bits);
      }
    }
  });
});

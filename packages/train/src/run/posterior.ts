// The posterior of the targets under the metric as it stands: checked on items the likelihood has not seen, and kept with the model.
// n items, m inducing ones, k targets.
import {
  embed,
  fitPosterior,
  type Matrix,
  measureShift,
  type Posterior,
  portableLog,
  predict,
  type Scope,
  selfKernel,
} from "@nearkin/core";
import { type KernelInputs, kernelInputs } from "../stages/kernel.ts";
import { amongThemselves } from "../stages/likelihood.ts";
import { chooseInducing, inducingCount } from "./inducing.ts";
import { predictedTargets } from "./kernel-fit.ts";
import { ensembleOf, noiseVariance, type Run } from "./run.ts";

const BLOCK = 2048; // rows at a time
const LARGEST_BLOCK = 512; // of pitc
/** Items that the check on held-out ones conditions on: more change it little. */
const MOST_FITTED = 8192;

export interface FittedPosterior {
  posterior: Posterior;
  /** Rows of the targets. */
  inducing: Int32Array;
  shift: number;
}

/** Conditions on the given rows of the targets. */
export function posteriorOf(run: Run, rows: Int32Array, inducing: Int32Array): FittedPosterior {
  const { engine, config } = run;
  using scope = engine.scope();
  const base = embedRows(run, scope, inducing);
  const Kmm = scope.matrix(inducing.length, inducing.length);
  engine.kernel(Kmm, base.Z, base.Z, {
    ...base.options,
    columnLengths: base.options.rowLengths,
    same: scope.indices(inducing.length).write(Int32Array.from(inducing.keys())),
  });
  const shift = config.model.link === "sigmoid" ? measureShift(engine, Kmm).shift : 0;
  // Exact is what dtc becomes when every item is inducing.
  const likelihood = config.ssl.likelihood === "exact" ? "dtc" : config.ssl.likelihood;
  const parts = likelihood === "pitc" ? groupedParts(run, rows, { inducing, base }) : evenParts(rows);
  const posterior = fitPosterior(engine, {
    likelihood,
    Kmm,
    blocks: kernelBlocks(run, parts, { scope, inducing, base }),
    shift,
  });
  return { posterior, inducing, shift };
}

/** Rows of the targets that are worked on together. */
interface Part {
  rows: Int32Array;
  /** pitc: where its blocks begin, and its length. */
  starts?: Int32Array;
}

function evenParts(rows: Int32Array): Part[] {
  return Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, i) => ({
    rows: rows.subarray(i * BLOCK, (i + 1) * BLOCK),
  }));
}

/** pitc: rows by their nearest inducing item, in blocks of at most 512; a part holds whole blocks. */
function groupedParts(
  run: Run,
  rows: Int32Array,
  { inducing, base }: { inducing: Int32Array; base: KernelInputs },
): Part[] {
  const groups: number[][] = Array.from(inducing, () => []);
  for (const part of evenParts(rows)) {
    using scope = run.engine.scope();
    const Knm = scope.matrix(part.rows.length, inducing.length);
    fillKernel(run, Knm, part.rows, { base, inducing });
    part.rows.forEach((row, i) => {
      const at = Knm.offset + i * Knm.rowStride;
      let nearest = 0;
      for (let j = 1; j < Knm.cols; j++) if (Knm.data[at + j] > Knm.data[at + nearest]) nearest = j;
      groups[nearest].push(row);
    });
  }
  const parts: { rows: number[]; starts: number[] }[] = [];
  for (const group of groups) {
    for (let first = 0; first < group.length; first += LARGEST_BLOCK) {
      const block = group.slice(first, first + LARGEST_BLOCK);
      let part = parts[parts.length - 1];
      if (!part || part.rows.length + block.length > BLOCK) {
        part = { rows: [], starts: [0] };
        parts.push(part);
      }
      part.rows.push(...block);
      part.starts.push(part.rows.length);
    }
  }
  return parts.map((part) => ({ rows: Int32Array.from(part.rows), starts: Int32Array.from(part.starts) }));
}

/** Rows of training items, as `fitPosterior` takes them. */
interface KernelRows {
  Knm: Matrix;
  diagonal: Matrix;
  R: Matrix;
  noise: Matrix;
  blocks?: { starts: Int32Array; K: Matrix[] };
}

function embedRows(run: Run, scope: Scope, rows: Int32Array): KernelInputs {
  const { targets } = run.set;
  if (!targets) throw new Error("there are no targets");
  const embedding = embed(
    run.engine,
    scope,
    ensembleOf(run),
    rows.map((row) => targets.items[row]),
  );
  return kernelInputs(run, scope, embedding);
}

/** K_nm, k_ii, R and Σ of the parts, each in the same memory of `scope`: one is gone when the next is asked for. */
function kernelBlocks(
  run: Run,
  parts: readonly Part[],
  { scope, inducing, base }: { scope: Scope; inducing: Int32Array; base: KernelInputs },
): Iterable<KernelRows> {
  const { progress, set } = run;
  const { targets } = set;
  if (!targets) return [];
  const { count, values, ratings } = targets;
  const k = predictedTargets(run);
  const most = parts.reduce((largest, part) => Math.max(largest, part.rows.length), 0);
  const [Knm, R] = [scope.matrix(most, inducing.length), scope.matrix(most, k)];
  const [noise, diagonal] = [scope.matrix(most, 1), scope.matrix(most, 1)];
  const within = parts.some(({ starts }) => starts) ? scope.matrix(most, LARGEST_BLOCK) : undefined;
  diagonal.fill(selfKernel(base.options));
  const sigma2 = noiseVariance(run);
  return blocks(); // all memory is taken by now: whoever asks for a block may have scopes of their own

  function* blocks() {
    for (const part of parts) yield blockOf(part);
  }

  function blockOf({ rows, starts }: Part): KernelRows {
    const block = (m: Matrix) => m.view(0, rows.length);
    const K =
      starts && within
        ? Array.from({ length: starts.length - 1 }, (_, b) =>
            within.view(starts[b], starts[b + 1], 0, starts[b + 1] - starts[b]),
          )
        : [];
    fillKernel(run, block(Knm), rows, { base, inducing, ...(starts ? { blocks: { starts, K } } : {}) });
    rows.forEach((row, i) => {
      R.data.set(values.subarray(row * count, row * count + k), R.offset + i * k);
      noise.data[noise.offset + i] = sigma2 * (1 + progress.noisePerRating / ratings[row]);
    });
    const filled = { Knm: block(Knm), diagonal: block(diagonal), R: block(R), noise: block(noise) };
    return starts ? { ...filled, blocks: { starts, K } } : filled;
  }
}

/** K_nm of the rows, and the kernel within each of their blocks where they have any. */
function fillKernel(
  run: Run,
  Knm: Matrix,
  rows: Int32Array,
  {
    base,
    inducing,
    blocks,
  }: { base: KernelInputs; inducing: Int32Array; blocks?: { starts: Int32Array; K: Matrix[] } },
): void {
  const { engine } = run;
  using scope = engine.scope();
  const { Z, options } = embedRows(run, scope, rows);
  const columnLengths = base.options.rowLengths;
  const column = new Map(Array.from(inducing, (row, j) => [row, j]));
  const same = scope.indices(rows.length).write(Int32Array.from(rows, (row) => column.get(row) ?? -1));
  engine.kernel(Knm, Z, base.Z, { ...options, columnLengths, same });
  blocks?.K.forEach((K, b) => {
    const part = (m: Matrix) => m.view(blocks.starts[b], blocks.starts[b + 1]);
    const { slope: _, ...among } = amongThemselves(scope, part(Z), {
      ...options,
      rowLengths: part(options.rowLengths),
    });
    engine.kernel(K, part(Z), part(Z), among);
  });
}

/** Mean over held-out items and the targets that are predicted of −log p(r | fitted items), the constant included; null where none are held out. */
export function holdoutNll(run: Run): number | null {
  const { targets } = run.set;
  if (!targets || targets.heldOut.length === 0) return null;
  const spread = targets.fitted.length / Math.min(targets.fitted.length, MOST_FITTED);
  const fitted = Int32Array.from(
    { length: Math.min(targets.fitted.length, MOST_FITTED) },
    (_, i) => targets.fitted[Math.floor(i * spread)],
  );
  const current = run.progress.inducing;
  const count = inducingCount(run, targets.fitted.length);
  const chosen =
    current.length > 0 ? current : chooseInducing(run, { among: targets.fitted, count, label: "hold-out" });
  const { posterior, inducing } = posteriorOf(run, fitted, chosen);
  const k = predictedTargets(run);
  using scope = run.engine.scope();
  const base = embedRows(run, scope, inducing);
  let sum = 0;
  let at = 0;
  for (const { Knm, diagonal, noise } of kernelBlocks(run, evenParts(targets.heldOut), { scope, inducing, base })) {
    const { mean, variance } = predict(run.engine, posterior, { Kxm: Knm, diagonal });
    for (let i = 0; i < Knm.rows; i++) {
      const spreadOf = Math.max(0, variance[i]) + noise.data[noise.offset + i]; // an indefinite kernel may leave it below 0
      const row = targets.heldOut[at++];
      for (let j = 0; j < k; j++) {
        const difference = targets.values[row * targets.count + j] - mean[i * k + j];
        sum += 0.5 * (portableLog(2 * Math.PI * spreadOf) + (difference * difference) / spreadOf);
      }
    }
  }
  return sum / (targets.heldOut.length * k);
}

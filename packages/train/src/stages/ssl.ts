// Stage 2: the Gaussian process on surrogate ratings (Eq. 6). A step takes n items, m of them inducing, and k targets:
//
//   ℓ/(n·k) of the batch, plus λ times the loss of the Siamese stage
//
// Towers run in f32, the likelihood in f64. Inducing items are part of the batch (rows I), so that ∂ℓ/∂K_mm is added to rows I of ∂ℓ/∂K_nm and
// one backward pass does both.
import { embed, embedBackward, type Matrix, weightsBackward } from "@nearkin/core";
import { scaleVector } from "../optimiser.ts";
import { chooseInducing, inducingCount } from "../run/inducing.ts";
import { fitKernel } from "../run/kernel-fit.ts";
import { holdoutNll } from "../run/posterior.ts";
import { ensembleOf, noiseVariance, type Run, signalVariance } from "../run/run.ts";
import { kernelInputs } from "./kernel.ts";
import { batchLikelihood, type LikelihoodGradients } from "./likelihood.ts";
import { pairLoss } from "./siamese.ts";
import type { Stage, StepOutcome } from "./stage.ts";

/** Steps after which the shift of an indefinite kernel is measured anew. */
const SHIFT_EVERY = 25;

export function sslStage(run: Run): Stage {
  const { config } = run;
  const targets = requireTargets(run);
  const exact = config.ssl.likelihood === "exact";
  const batch = Math.min(config.ssl.batch, targets.fitted.length);
  const wanted = exact ? 0 : Math.min(inducingCount(run, targets.fitted.length), batch);
  const rows = new Int32Array(batch); // of the targets
  const items = new Int32Array(batch);
  const others = new Int32Array(targets.fitted.length);
  const isInducing = new Uint8Array(targets.items.length); // 0 between steps
  const anchor = config.ssl.anchor > 0 ? pairLoss(run, config.ssl.dropout) : undefined;

  /** Inducing rows and others drawn without replacement. */
  function drawBatch(step: number): void {
    const { inducing } = run.progress;
    const m = inducing.length;
    let free = 0;
    for (const row of inducing) isInducing[row] = 1;
    for (const row of targets.fitted) if (isInducing[row] === 0) others[free++] = row;
    for (const row of inducing) isInducing[row] = 0;
    const random = run.random.split("ssl", step, "batch");
    rows.set(inducing);
    for (let i = m; i < batch; i++) {
      const at = i - m + random.below(free - (i - m));
      rows[i] = others[at];
      others[at] = others[i - m];
    }
    for (let i = 0; i < batch; i++) items[i] = targets.items[rows[i]];
  }

  return {
    name: "ssl",
    settings: config.ssl,
    step(step): StepOutcome {
      const { progress } = run;
      if (!exact && (progress.inducing.length === 0 || (step - 1) % config.ssl.reselectEvery === 0)) {
        progress.inducing = chooseInducing(run, { among: targets.fitted, count: wanted, label: step });
      }
      drawBatch(step);
      const m = progress.inducing.length;
      let anchored = 0;
      if (anchor) {
        anchored = anchor("anchor", step);
        if (config.ssl.anchor !== 1) scaleVector(run.engine, run.gradient, config.ssl.anchor);
      }
      const { value, jitter, shift } = likelihoodStep(run, { step, rows, items, m });
      return { loss: value + config.ssl.anchor * anchored, nll: value, jitter, shift };
    },
    // The metric of stage 1 has no kernel of its own yet; under the sigmoid link it cannot have one.
    finish(kept) {
      if (kept === 0 && config.model.link !== "sigmoid") fitKernel(run);
    },
    holdoutNll: () => holdoutNll(run),
  };
}

function requireTargets(run: Run) {
  const { targets } = run.set;
  if (!targets) throw new Error("the stage ssl needs targets");
  return targets;
}

interface Batch {
  step: number;
  /** (n) Of the targets; the first m are the inducing ones. */
  rows: Int32Array;
  items: Int32Array;
  m: number;
}

function likelihoodStep(run: Run, batch: Batch): { value: number; jitter: number; shift: number } {
  const { engine, config, random, gradients } = run;
  const targets = requireTargets(run);
  const { step, items, rows, m } = batch;
  const n = items.length;
  const k = targets.count;
  using scope = engine.scope();
  const ensemble = ensembleOf(run);
  const embedding = embed(engine, scope, ensemble, items, {
    dropout: config.ssl.dropout,
    identityDropout: config.model.identityDropout,
    random: random.split("ssl", step, "dropout"),
  });
  const { Z, options } = kernelInputs(run, scope, embedding);
  const R = scope.matrix(n, k);
  const noise = scope.matrix(n, 1);
  const sigma2 = noiseVariance(run);
  for (let i = 0; i < n; i++) {
    R.data.set(targets.values.subarray(rows[i] * k, (rows[i] + 1) * k), R.offset + i * k);
    noise.data[noise.offset + i] = sigma2 * (1 + config.ssl.noisePerRating / targets.ratings[rows[i]]);
  }
  const by: LikelihoodGradients = {
    Z: scope.zeros(n, Z.cols),
    weights: scope.zeros(Z.cols, 1),
    lengths: scope.zeros(n, 1),
    noiseScale: 0,
    variance: 0,
    offset: 0,
  };
  const { progress } = run;
  const { value, jitter, shift } = batchLikelihood(
    { engine, scope, Z, options, R, noise, m, shift: progress.shift, measureShift: (step - 1) % SHIFT_EVERY === 0 },
    config.ssl.likelihood,
    by,
  );
  progress.shift = shift;

  const share = 1 / (n * k);
  // ℓ/(n·k), in the precision of the towers
  const shared = (A: Matrix) => {
    const scaled = scope.matrix(A.rows, A.cols, run.flat.precision);
    const factors = scope.matrix(A.rows, 1).fill(share);
    engine.scaleRows(A, A, factors);
    engine.convert(scaled, A);
    return scaled;
  };
  embedBackward(engine, scope, ensemble, embedding, shared(by.Z), gradients);
  weightsBackward(shared(by.weights), [{ embedding, gradient: shared(by.lengths) }], ensemble, gradients);
  // Σ_i = (σ² + floor)(1 + c/n_i): noiseScale is the derivative by the log of the first factor
  add(gradients.get("logNoise"), (share * by.noiseScale * 2 * (sigma2 - config.ssl.noiseFloor)) / sigma2);
  if (config.ssl.variance) add(gradients.get("logVariance"), share * by.variance * signalVariance(run));
  if (config.model.link === "sigmoid") add(gradients.get("offset"), share * by.offset);
  return { value: share * value, jitter, shift };
}

function add(target: Matrix | undefined, value: number): void {
  target?.set(0, 0, target.get(0, 0) + value);
}

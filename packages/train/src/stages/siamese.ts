// Stage 1: items that a user met one after the other are near, others are not. B pairs, e columns of an embedding.
import {
  columnWeights,
  contrastiveLoss,
  crossEntropyLoss,
  embed,
  embedBackward,
  type Matrix,
  metricWeights,
  rowLengths,
  softmaxLoss,
  weightsBackward,
} from "@nearkin/core";
import { drawNegatives, drawPairs } from "../input/pairs.ts";
import { ensembleOf, type Run } from "../run/run.ts";
import type { Stage } from "./stage.ts";

export function siameseStage(run: Run): Stage {
  const loss = pairLoss(run, run.config.siamese.dropout);
  return {
    name: "siamese",
    settings: run.config.siamese,
    step(step) {
      return { loss: loss("siamese", step), nll: Number.NaN, jitter: 0, shift: 0 };
    },
    holdoutNll: () => null,
  };
}

/** The loss of a batch of pairs, drawn by (label, step); its gradient is added to the run's. Stage 2 keeps it as its anchor. */
export function pairLoss(run: Run, dropout: number): (label: string, step: number) => number {
  const { engine, set, config, gradients } = run;
  const { precision } = run.flat;
  const { batch, loss, temperature, logq, symmetric, window, margin, negatives } = config.siamese;
  const { identityDropout } = config.model;
  const withNegatives = loss !== "softmax";
  const items = new Int32Array(withNegatives ? 3 * batch : 2 * batch);
  const rows = new Int32Array(batch); // of the histories
  const labels = Uint8Array.from({ length: 2 * batch }, (_, i) => (i < batch ? 0 : 1)); // 1: not similar
  const drawn = {
    candidates: set.trainItems,
    ...(negatives === "unseen" ? { histories: set.data.histories } : {}),
  };

  return (label, step) => {
    const random = run.random.split(label, step);
    drawPairs(items, rows, { histories: set.data.histories, window }, random.split("pairs"));
    if (withNegatives) drawNegatives(items.subarray(2 * batch), rows, drawn, random.split("negatives"));
    using scope = engine.scope();
    const ensemble = ensembleOf(run);
    const embedding = embed(engine, scope, ensemble, items, {
      dropout,
      identityDropout,
      random: random.split("dropout"),
    });
    const { Z } = embedding; // anchors, positives, and negatives where there are any
    const count = items.length;
    const weights = scope.matrix(Z.cols, 1, precision);
    columnWeights(weights, run.model, run.parameters, run.statistics);
    const lengths = scope.matrix(count, 1, precision);
    rowLengths(lengths, embedding, run.model, run.parameters, run.statistics);
    const dZ = scope.zeros(count, Z.cols, precision);
    const dWeights = scope.zeros(Z.cols, 1, precision);
    const dLengths = scope.zeros(count, 1, precision);
    const value = withNegatives ? drawnLoss() : inBatchLoss();
    embedBackward(engine, scope, ensemble, embedding, dZ, gradients);
    weightsBackward(dWeights, [{ embedding, gradient: dLengths }], ensemble, gradients);
    return value;

    // logits −t/T − log q_j
    function inBatchLoss(): number {
      const side = (m: Matrix, k: number) => m.view(k * batch, (k + 1) * batch);
      return softmaxLoss(
        engine,
        scope,
        {
          Za: side(Z, 0),
          Zb: side(Z, 1),
          weights,
          temperature,
          rowLengths: side(lengths, 0),
          columnLengths: side(lengths, 1),
          symmetric,
          ...(logq ? { logq: logqOf(1) } : {}),
          ...(logq && symmetric ? { anchorLogq: logqOf(0) } : {}),
        },
        {
          rows: side(dZ, 0),
          columns: side(dZ, 1),
          weights: dWeights,
          rowLengths: side(dLengths, 0),
          columnLengths: side(dLengths, 1),
        },
      );
    }

    /** Of the anchors (0) or the positives (1). */
    function logqOf(side: 0 | 1): Matrix {
      const out = scope.matrix(batch, 1, precision);
      for (let i = 0; i < batch; i++) out.data[out.offset + i] = set.logq[items[side * batch + i]];
      return out;
    }

    // Σ(1 − y)D + y·max(0, τ − D): the anchor against its positive (y = 0) and against its negative (y = 1)
    function drawnLoss(): number {
      const pairs = 2 * batch;
      const twice = (m: Matrix) => {
        const both = scope.matrix(pairs, m.cols, precision);
        engine.convert(both.view(0, batch), m.view(0, batch));
        engine.convert(both.view(batch, pairs), m.view(0, batch));
        return both;
      };
      const A = twice(Z); // the anchors, twice
      const dA = scope.zeros(pairs, Z.cols, precision);
      const added = twice(lengths);
      for (let i = 0; i < pairs; i++) {
        // An item is at no distance from itself, whatever it lacks.
        const same = items[i % batch] === items[batch + i];
        added.data[added.offset + i] = same
          ? 0
          : added.data[added.offset + i] + lengths.data[lengths.offset + batch + i];
      }
      const dAdded = scope.zeros(pairs, 1, precision);
      const dOffset = gradients.get("offset") as Matrix;
      const gradient = {
        rows: dA,
        columns: dZ.view(batch, count),
        weights: dWeights,
        lengths: dAdded,
        offset: dOffset,
      };
      const problem = {
        A,
        B: Z.view(batch, count),
        weights,
        link: config.model.link,
        offset: metricWeights(run.model, run.parameters).b,
        margin,
        labels,
        lengths: added,
      };
      const value = (loss === "contrastive" ? contrastiveLoss : crossEntropyLoss)(engine, scope, problem, gradient);
      for (let i = 0; i < pairs; i++) {
        if (items[i % batch] === items[batch + i]) continue;
        dLengths.data[dLengths.offset + (i % batch)] += dAdded.data[dAdded.offset + i];
        dLengths.data[dLengths.offset + batch + i] += dAdded.data[dAdded.offset + i];
      }
      addRows(dZ.view(0, batch), dA.view(0, batch));
      addRows(dZ.view(0, batch), dA.view(batch, pairs));
      return value;
    }
  };
}

/** out += A, on the host. */
function addRows(out: Matrix, A: Matrix): void {
  const to = out.data;
  const from = A.data;
  for (let i = 0; i < out.rows; i++) {
    const at = out.offset + i * out.rowStride;
    const source = A.offset + i * A.rowStride;
    for (let j = 0; j < out.cols; j++) to[at + j] += from[source + j];
  }
}

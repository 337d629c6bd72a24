// A step of stage 1: gather the inputs of 1,024 pairs, towers forward, in-batch softmax, towers back, AdamW. As packages/train does it.
import {
  columnWeights,
  type Engine,
  type EnsembleConfig,
  embed,
  embedBackward,
  embeddingWidth,
  ensembleLayout,
  initializeEnsemble,
  type Matrix,
  measureStatistics,
  parameterViews,
  Random,
  rowLengths,
  type Statistics,
  softmaxLoss,
  type Tensor,
  weightsBackward,
} from "@nearkin/core";
import { optimise } from "../packages/train/src/optimiser.ts";
import type { StepCase, StepTrial } from "./train-cases.ts";
import { add, softmaxFlops, towerFlops } from "./train-flops.ts";
import { CHANNELS, HOT, madeUpBatches, madeUpInputs } from "./train-world.ts";

const PAIRS = 1024;
const BATCHES = 16; // gone through in turn; one more before them is for the comparison
const TEMPERATURE = 0.2;
const DROPOUT = 0.2;
const LEARNING_RATE = 1e-3;
const WEIGHT_DECAY = 1e-2;

const config: EnsembleConfig = {
  channels: CHANNELS,
  hidden: 50,
  link: "linear",
  weights: "softplus",
  scale: "identity",
};

export function siameseCase(): StepCase {
  const inputs = madeUpInputs();
  const { items, logq } = madeUpBatches(1 + BATCHES, PAIRS);
  const layout = ensembleLayout(config);
  const e = embeddingWidth(config);
  // Measured by the first engine, and the same for all: in the last digits engines differ.
  let statistics: Statistics | undefined;
  let initial = new Float32Array(0);

  function open(engine: Engine): StepTrial {
    const vector = () => engine.scope().zeros(layout.size, 1, "f32");
    const [flat, gradient, mean, square] = [vector(), vector(), vector(), vector()];
    const parameters = parameterViews(layout, flat);
    const gradients = parameterViews(layout, gradient);
    initializeEnsemble(engine, config, flat, new Random(1));
    initial = Float32Array.from(flat.read());
    const all = Int32Array.from({ length: inputs.itemCount }, (_, i) => i);
    statistics ??= measureStatistics(engine, { config, parameters, inputs }, new Random(2), all);
    const ensemble = { config, parameters, inputs, statistics };
    const random = new Random(3);

    /** The loss of a batch; its gradient is in `gradient`. */
    function loss(batch: number, dropout: number): number {
      gradient.data.fill(0, gradient.offset, gradient.offset + layout.size);
      const drawn = items.subarray(batch * 2 * PAIRS, (batch + 1) * 2 * PAIRS);
      using scope = engine.scope();
      const embedding = embed(engine, scope, ensemble, drawn, { dropout, random });
      const { Z } = embedding;
      const weights = scope.matrix(e, 1, "f32");
      const lengths = scope.matrix(2 * PAIRS, 1, "f32");
      columnWeights(weights, config, parameters, ensemble.statistics);
      rowLengths(lengths, embedding, config, parameters, ensemble.statistics);
      const corrections = scope.matrix(PAIRS, 1, "f32");
      for (let i = 0; i < PAIRS; i++) corrections.data[corrections.offset + i] = logq[drawn[PAIRS + i]];
      const dZ = scope.zeros(2 * PAIRS, e, "f32");
      const dWeights = scope.zeros(e, 1, "f32");
      const dLengths = scope.zeros(2 * PAIRS, 1, "f32");
      const anchors = (m: Matrix) => m.view(0, PAIRS);
      const positives = (m: Matrix) => m.view(PAIRS, 2 * PAIRS);
      const value = softmaxLoss(
        engine,
        scope,
        {
          Za: anchors(Z),
          Zb: positives(Z),
          weights,
          temperature: TEMPERATURE,
          logq: corrections,
          rowLengths: anchors(lengths),
          columnLengths: positives(lengths),
        },
        {
          rows: anchors(dZ),
          columns: positives(dZ),
          weights: dWeights,
          rowLengths: anchors(dLengths),
          columnLengths: positives(dLengths),
        },
      );
      embedBackward(engine, scope, ensemble, embedding, dZ, gradients);
      weightsBackward(dWeights, [{ embedding, gradient: dLengths }], ensemble, gradients);
      return value;
    }

    let step = 0;
    return {
      call() {
        loss(1 + (step % BATCHES), DROPOUT);
        step++;
        const run = { flat, gradient, layout, state: { mean, square } };
        optimise(engine, run, { learningRate: LEARNING_RATE, weightDecay: WEIGHT_DECAY, step });
      },
      outcome() {
        const value = loss(0, 0);
        const learned = layout.tensors.filter(({ name }) => name === "weights" || /\.[wb]\d$/.test(name));
        const found = learned.map(({ name }) => [name, (gradients.get(name) as Matrix).read()] as const);
        return { value, gradients: Object.fromEntries(found) };
      },
    };
  }

  function tensors(): Record<string, Tensor> {
    const numbers = (...data: number[]): Tensor => ({
      type: "F64",
      shape: [data.length],
      data: Float64Array.from(data),
    });
    const given: Record<string, Tensor> = {
      items: { type: "I32", shape: [1 + BATCHES, 2 * PAIRS], data: items },
      logq: numbers(...logq),
      scales: numbers(...(statistics?.scales ?? [])),
      settings: numbers(TEMPERATURE, DROPOUT, LEARNING_RATE, WEIGHT_DECAY),
    };
    inputs.channels.forEach((input, c) => {
      const { name } = CHANNELS[c];
      if (input.kind === "sparse") {
        given[`${name}.columns`] = { type: "I32", shape: [inputs.itemCount, HOT], data: input.columns };
        given[`${name}.value`] = numbers(input.value);
      } else if (input.kind === "dense") {
        const data = input.values.data as Float32Array;
        given[`${name}.values`] = { type: "F32", shape: [inputs.itemCount, input.values.cols], data };
      }
    });
    for (const { name, rows, cols, offset } of layout.tensors) {
      const data = initial.subarray(offset, offset + rows * cols);
      given[`parameter.${name}`] = { type: "F32", shape: [rows, cols], data };
    }
    return given;
  }

  return {
    key: "siamese",
    name: "stage 1: softmax over 1,024 pairs, 4 channels, f32",
    flops: add(towerFlops(2 * PAIRS, config, { tags: HOT }), softmaxFlops(PAIRS, e)),
    targets: { portable: 1.5, native: 1 },
    repeat: 10,
    tolerance: 5e-4,
    open,
    tensors,
  };
}

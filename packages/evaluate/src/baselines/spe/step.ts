// One step of SPE: draw, embed, loss, and back to all parameters. B pairs, m negatives.
import type { Engine, Parameters, Random } from "@nearkin/core";
import type { TrainingData } from "@nearkin/data";
import { negativeSource, pairSource } from "./draws.ts";
import { negativeSamplingLoss } from "./loss.ts";
import { get, type SpeItems, speBackward, speEmbed } from "./model.ts";
import type { SpeSettings } from "./settings.ts";

export interface SpeStep {
  parameters: Parameters;
  /** Added to. */
  gradients: Parameters;
  model: SpeItems;
  data: TrainingData;
}

/** The loss of the batch that a stream draws, for this ρ. */
export function speLoss(
  engine: Engine,
  { parameters, gradients, model, data }: SpeStep,
  settings: Required<SpeSettings>,
): (random: Random, length: number) => number {
  const { batch, negativeDraws, negatives, dropout, freeDropout } = settings;
  const items = new Int32Array(2 * batch + negativeDraws);
  const drawPairs = pairSource(data.histories, settings.window);
  const drawNegatives = negativeSource(model.trainItems, data.items.ratings, settings.negativePower);
  return (random, length) => {
    drawPairs(items.subarray(0, batch), items.subarray(batch, 2 * batch), random.split("pairs"));
    drawNegatives(items.subarray(2 * batch), random.split("negatives"));
    using scope = engine.scope();
    const options = { dropout, freeDropout, random: random.split("dropout") };
    const embedding = speEmbed(engine, scope, { parameters, model, items }, options);
    const { Z } = embedding;
    const dZ = scope.zeros(Z.rows, Z.cols, Z.precision);
    const loss = negativeSamplingLoss(
      engine,
      scope,
      {
        Z,
        lengths: embedding.gates.map((gate) => (gate === 0 ? length : 0)),
        items,
        anchors: batch,
        negatives,
        logScale: get(parameters, "logScale"),
        offset: get(parameters, "offset"),
      },
      { Z: dZ, logScale: get(gradients, "logScale"), offset: get(gradients, "offset") },
    );
    speBackward(engine, scope, { parameters, gradients, model }, { embedding, dZ });
    return loss;
  };
}

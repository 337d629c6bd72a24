// What a finished model looks like to whoever trained it.
import { type ModelParts, metricWeights, storedParameters } from "@nearkin/core";
import { shellWord } from "@nearkin/data";

export function trainingSummary(model: ModelParts, out: string): string {
  const { ensemble, stages, noise, signalVariance, posterior, dataset } = model;
  const { h } = metricWeights(ensemble, storedParameters(model));
  const total = h.reduce((sum, weight) => sum + Math.abs(weight), 0);
  const lines = [
    `metric       share of a typical distance, by channel${dataset.simulated ? " (from SIMULATED ratings)" : ""}`,
    ...ensemble.channels.map(({ name }, c) => {
      const share = total > 0 ? h[c] / total : 0;
      return `  ${name.padEnd(12)} ${bar(Math.abs(share))} ${`${(100 * share).toFixed(0)} %`.padStart(5)}   weight ${h[c].toFixed(3)}`;
    }),
    ...stages.map(
      ({ name, steps, best, metrics }) =>
        `${name.padEnd(12)} ${steps} steps, kept ${best}${metrics.hr === undefined ? "" : `; new items ranked: HR@10 ${metrics.hr.toFixed(3)}, MRR ${metrics.mrr.toFixed(3)}, NDCG ${metrics.ndcg.toFixed(3)}`}`,
    ),
    ...(posterior
      ? [
          `process      ${posterior.m} inducing items, ${posterior.k} targets, noise ${Math.sqrt(noise.variance).toFixed(2)}, signal ${Math.sqrt(signalVariance).toFixed(2)}${posterior.shift > 0 ? `, kernel shifted by ${posterior.shift.toPrecision(3)}` : ""}`,
        ]
      : []),
    `wrote        ${out}`,
    `next         nearkin similar ${shellWord(out)} ${shellWord(exampleItem(model))} --explain`,
  ];
  return `${lines.join("\n")}\n`;
}

const WIDTH = 24;

function bar(share: number): string {
  const filled = Math.round(WIDTH * Math.min(1, share));
  return `${"█".repeat(filled)}${"·".repeat(WIDTH - filled)}`;
}

/** The item most people know. */
function exampleItem({ catalogue, items }: ModelParts): string {
  let best = 0;
  for (let i = 1; i < items.ratings.length; i++) if (items.ratings[i] > items.ratings[best]) best = i;
  return catalogue.ids[best] ?? "<item>";
}

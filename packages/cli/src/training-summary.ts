// What a finished model looks like to whoever trained it.
import { type ModelParts, metricWeights, storedParameters } from "@nearkin/core";
import { shellWord } from "@nearkin/data";
import type { Selection } from "@nearkin/train";

/** `split`: the model whose figures chose the steps, of a model that was fitted to everything. */
export function trainingSummary(model: ModelParts, out: string, split?: string): string {
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
        `${name.padEnd(12)} ${steps} steps, kept ${best}${metrics.hr === undefined ? "" : `; new items ranked: ${figures(metrics)}`}`,
    ),
    ...(split === undefined ? [] : choice(model, split)),
    ...(posterior
      ? [
          `process      ${posterior.m} inducing items, ${posterior.k} ${posterior.k === 1 ? "target" : "targets"}, noise ${Math.sqrt(noise.variance).toFixed(2)}, signal ${Math.sqrt(signalVariance).toFixed(2)}${posterior.shift > 0 ? `, kernel shifted by ${posterior.shift.toPrecision(3)}` : ""}`,
        ]
      : []),
    `wrote        ${out}`,
    `next         nearkin similar ${shellWord(out)} ${shellWord(exampleItem(model))} --explain`,
  ];
  return `${lines.join("\n")}\n`;
}

type Metrics = Readonly<Record<string, number>>;

function figures({ hr, mrr, ndcg }: Metrics): string {
  return `HR@10 ${hr.toFixed(3)}, MRR ${mrr.toFixed(3)}, NDCG ${ndcg.toFixed(3)}`;
}

/** What the last stage of the split run measured: a model of everything has nothing left to be measured on. */
function choice({ stages, notes }: ModelParts, split: string): string[] {
  const measured = (notes.selection as Selection | null)?.metrics ?? {};
  const metrics = measured[stages.at(-1)?.name ?? ""];
  return metrics?.hr === undefined ? [] : [`chosen on    ${split}: ${figures(metrics)}`];
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

// What "similar" means to the model: how much each channel weighs.
import { channelWeightsFigure } from "../figures/channel-weights.ts";
import { figure } from "../figures/figure.ts";
import { html } from "../html.ts";
import type { ModelReport } from "../model-report.ts";
import { type Section, simulatedNotice } from "../section.ts";

export function weightsSection(report: ModelReport): Section {
  return {
    id: "weights",
    title: "Channel weights",
    body: html`${simulatedNotice(report)}<p>In every channel two random items are about 1 apart, so that a weight is what the channel adds to their distance.</p>
${figure(channelWeightsFigure(report.weights))}`,
  };
}

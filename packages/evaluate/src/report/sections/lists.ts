// What the lists are like, besides right or wrong: popular or not, wide or narrow.

import { figure } from "../figures/figure.ts";
import { strataFigure } from "../figures/strata.ts";
import { mainTruth } from "../headline.ts";
import { html } from "../html.ts";
import type { ModelReport } from "../model-report.ts";
import { percent, unbroken } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";
import { table } from "../table.ts";

/** EV12. */
export function strataSection(report: ModelReport): Section | undefined {
  const truth = mainTruth(report.evaluation);
  const drawn = truth && strataFigure(report.evaluation, truth.name, report.model.label);
  if (!drawn) return undefined;
  return {
    id: "popularity",
    title: "Popular and less popular hits",
    body: html`${simulatedNotice(report)}<p>The pairs of query and hit, sorted by how often the hit was met in training, and cut into three of equal size: <em>head</em> is the most popular third, <em>tail</em> the least. What knows nothing but popularity hits the head and nothing else.</p>
${figure(drawn)}`,
  };
}

export function catalogueSection(report: ModelReport): Section {
  const { recommenders } = report.evaluation;
  return {
    id: "catalogue",
    title: "Coverage, diversity and ties",
    body: html`${simulatedNotice(report)}<p>What the lists of all queries show of the catalogue. <em>Coverage</em> is the share of items that some list shows; <em>diversity</em> is 100 % when all show up equally often; <em>popularity</em> is the share of the catalogue that is less popular than a listed item (50 % is indifferent); <em>ties</em> are lists whose order was decided by a hash of the ids.</p>
${table({
  label: "Coverage, diversity and ties",
  head: ["", "coverage", "diversity", "popularity", "ties"],
  rows: recommenders.map(({ name, kind, catalogue }) => ({
    own: kind === "model",
    cells: [
      unbroken(name),
      percent(catalogue.coverage),
      percent(catalogue.diversity),
      percent(catalogue.popularity),
      percent(catalogue.ties),
    ],
  })),
})}`,
  };
}

// Neighbours to look at, with exact reasons.
import { contributionsFigure, unknownLines } from "../figures/contributions.ts";
import { figure } from "../figures/figure.ts";
import { type Html, html } from "../html.ts";
import type { ModelReport, NeighbourExample } from "../model-report.ts";
import { capital, plural } from "../numbers.ts";
import { type Section, simulatedNotice } from "../section.ts";

export function examplesSection(report: ModelReport): Section | undefined {
  const { examples } = report;
  if (examples.length === 0) return undefined;
  const of = (kind: NeighbourExample["kind"]) =>
    examples.flatMap((example, i) => (example.kind === kind ? [exampleBlock(example, `example-${i}`)] : []));
  const [warm, fresh] = [of("warm"), of("never seen")];
  return {
    id: "examples",
    title: "Neighbours, with reasons",
    body: html`${simulatedNotice(report)}<p>The items are chosen by a rule, not by hand. A bar is a distance; its pieces are what the channels contribute, and add up to it exactly. Where a value is not known, a stand-in takes its place, and an item is never near for lacking a value.</p>
${warm.length > 0 ? html`<h3>Items that training knows</h3>\n<div class="examples">${warm}</div>` : ""}
${fresh.length > 0 ? html`<h3>Items that training has never seen</h3>\n<div class="examples">${fresh}</div>` : ""}`,
  };
}

function exampleBlock(example: NeighbourExample, id: string): Html {
  const note = `${[capital(example.why), ...aboutRatings(example)].join("; ")}.`;
  const unknown = unknownLines(example);
  return html`<article class="example">
${figure(contributionsFigure(example, { id, note }))}
${unknown.length > 0 ? html`<p class="note">Values not known ${unknown.join("; ")}.</p>` : ""}
</article>\n`;
}

function aboutRatings({ kind, ratings, predicted, actual }: NeighbourExample): string[] {
  return [
    kind === "warm" ? plural(ratings, "training rating") : "no training rating",
    ...(predicted ? [`predicted mean rating ${predicted.mean.toFixed(2)} ± ${predicted.deviation.toFixed(2)}`] : []),
    ...(actual
      ? [
          actual.mean === null
            ? "not rated in the test part"
            : `actually ${actual.mean.toFixed(2)} over ${plural(actual.ratings, "rating")} of the test part`,
        ]
      : []),
  ];
}

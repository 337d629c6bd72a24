// What few ratings, and few steps, are worth.
import type { Personalisation } from "@nearkin/client";
import { useState } from "preact/hooks";
import { Choice } from "../design/choice.tsx";
import { domainOf, Estimate } from "../design/estimate.tsx";
import { decimals, plural } from "../design/numbers.ts";
import { type Column, Table } from "../design/table.tsx";
import { verdictOf } from "./comparison.ts";
import { type Drawn, drawnMetrics, shortName } from "./measures.ts";
import { pathOf, type Refit, ratingCounts, startNames } from "./personal.ts";

type Start = "shared" | "learned";

export function RatingsTable({ result }: { result: Personalisation }) {
  const [metric, setMetric] = useState<Drawn>("paper HR");
  const [start, setStart] = useState<Start>("learned");
  return (
    <div class="stack">
      <div>
        <h3>By ratings and steps</h3>
        <p class="small soft results-about">
          With no more than so many of a user's last ratings, after so many steps, and by the model's own fit. The
          shared metric has {decimals(result.base[metric].mean)}; ↑ and ↓ mark what is clearly better or worse than it.
        </p>
      </div>
      <div class="results-choices">
        <Choice
          label="Measure"
          value={metric}
          options={drawnMetrics.map((value) => ({ value, label: shortName(value) }))}
          onChange={setMetric}
        />
        <Choice
          label="Steps start"
          value={start}
          options={[
            { value: "learned", label: startNames.learned },
            { value: "shared", label: startNames.shared },
          ]}
          onChange={setStart}
        />
      </div>
      <Table
        caption={`${shortName(metric)} by ratings and steps`}
        quiet
        columns={columnsOf(result, metric, start)}
        rows={ratingCounts(result)}
        keyOf={(ratings) => String(ratings)}
      />
    </div>
  );
}

function columnsOf(result: Personalisation, metric: Drawn, start: Start): Column<number | null>[] {
  const [fewest] = ratingCounts(result);
  const steps = pathOf(result, start, fewest).flatMap(({ step }) => (step === null ? [] : [step]));
  const domain = domainOf(result.refits.map(({ metrics }) => metrics[metric]));
  const cell = (refit: Refit | undefined) => {
    if (!refit) return "–";
    const figure = refit.metrics[metric];
    const verdict = verdictOf(figure);
    return <Estimate {...figure} domain={domain} verdict={verdict} best={verdict === "better"} />;
  };
  return [
    {
      title: "Ratings",
      cell: (ratings) =>
        ratings === null ? `${result.model.items}, as the model takes` : `at\u00a0most\u00a0${ratings}`,
    },
    ...steps.map(
      (step): Column<number | null> => ({
        title: plural(step, "step"),
        numeric: true,
        cell: (ratings) => cell(pathOf(result, start, ratings).find((refit) => refit.step === step)),
      }),
    ),
    { title: "Own fit", numeric: true, cell: (ratings) => cell(pathOf(result, "fit", ratings)[0]) },
  ];
}

import type { Evaluation } from "@nearkin/client";
import { domainOf, Estimate } from "../design/estimate.tsx";
import { type Column, Table } from "../design/table.tsx";
import { clearlyBest, directionOf, figureOf, type Recommender } from "./comparison.ts";
import { type Family, families } from "./measures.ts";
import { truthTitle } from "./truths.ts";
import "./results-table.css";

interface ResultsTableProps {
  evaluation: Evaluation;
  truth: string;
  family: Family;
}

/** Models stand out from the baselines. */
export const recommenderName = ({ name, kind }: Pick<Recommender, "name" | "kind">) => (
  <span class={kind === "model" ? "results-own" : "results-name"}>{name}</span>
);

/** Models and baselines on one truth: each figure with its interval, and what the test against the base says. */
export function ResultsTable({ evaluation, truth, family }: ResultsTableProps) {
  const { recommenders, k } = evaluation;
  const columns: Column<Recommender>[] = [
    {
      title: "Recommender",
      cell: recommenderName,
    },
    ...families[family].measures.map(({ metric, name }): Column<Recommender> => {
      const best = clearlyBest(evaluation, truth, metric);
      const domain = domainOf(recommenders.map((recommender) => figureOf(recommender, truth, metric)));
      return {
        title: `${name}@${k}`,
        numeric: true,
        cell: (recommender) => {
          const figure = figureOf(recommender, truth, metric);
          if (!figure) return "–";
          return (
            <Estimate
              {...figure}
              domain={domain}
              best={recommender.name === best}
              verdict={figure.against ? directionOf(figure.against) : "open"}
            />
          );
        },
      };
    }),
  ];
  return (
    <div class="results-table">
      <Table
        caption={`Results, ${truthTitle(truth)}`}
        quiet
        columns={columns}
        rows={recommenders}
        keyOf={({ name }) => name}
      />
    </div>
  );
}

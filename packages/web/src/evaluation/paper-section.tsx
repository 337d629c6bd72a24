// The paper's first experiment: does SSL rank new items better than what it starts from, and than SPE?
import type { PaperExperiment } from "@nearkin/client";
import { useMemo } from "preact/hooks";
import { Card } from "../design/card.tsx";
import { domainOf, Estimate } from "../design/estimate.tsx";
import { plural } from "../design/numbers.ts";
import { type Column, Table } from "../design/table.tsx";
import { BandsFigure } from "./bands-figure.tsx";
import { verdictOf } from "./comparison.ts";
import { experimentBands, inWords } from "./experiment.ts";
import { type Drawn, drawnMetrics, shortName } from "./measures.ts";
import { hitMeans } from "./truths.ts";
import "./paper-section.css";

type Row = PaperExperiment["table"][number];

export function PaperSection({ paper }: { paper: PaperExperiment }) {
  const { seeds, table, truth, queries } = paper;
  const bands = useMemo(
    () =>
      Object.fromEntries(drawnMetrics.map((metric) => [metric, experimentBands(paper, metric)])) as Record<
        Drawn,
        ReturnType<typeof experimentBands>
      >,
    [paper],
  );
  return (
    <section class="stack" aria-labelledby="paper">
      <div>
        <h2 id="paper">The paper's experiment</h2>
        <p class="soft results-about">
          The paper finds that SSL, which learns from ratings, ranks new items better than SIAMESE, which it starts
          from, and than SPE. Here, over {plural(queries, "test item")}, where a hit is {hitMeans(truth)}, SSL is
        </p>
        <ul class="paper-findings">
          {table.map(({ name, ssl }) =>
            ssl ? (
              <li key={name}>
                against <strong>{name}</strong>: {inWords(ssl)}
              </li>
            ) : null,
          )}
        </ul>
      </div>
      <Card label="SSL by iteration">
        <BandsFigure
          title="Test items by iteration of SSL (Figs. 1 and 2 of the paper)"
          unit="HR, MRR and NDCG at 10 places, by iteration; more is better"
          caption={`${seeds.length > 1 ? `Means of ${seeds.length} runs; bands are one standard deviation of the runs to either side.` : "One run: there are no bands."} Vertical axes do not begin at 0.`}
          steps="iteration"
          scale="linear"
          bands={bands}
        />
      </Card>
      <Card label="Results of the models">
        <h3>Results</h3>
        <p class="small soft results-about">
          Means with 95 % intervals. ↑ and ↓ mark what is clearly better or worse than SSL: the interval of the
          difference lies on one side of 0, and a sign test agrees.
        </p>
        <Table caption="Results of the models" quiet columns={columns(table)} rows={table} keyOf={({ name }) => name} />
      </Card>
    </section>
  );
}

const turned = { better: "worse", worse: "better", open: "open" } as const;

function columns(table: readonly Row[]): Column<Row>[] {
  const others = table.filter(({ ssl }) => ssl);
  return [
    { title: "Model", cell: ({ name }) => name },
    ...drawnMetrics.map((metric): Column<Row> => {
      const domain = domainOf(table.map(({ metrics }) => metrics[metric]));
      const best = others.length > 0 && others.every(({ ssl }) => ssl && verdictOf(ssl[metric]) === "better");
      return {
        title: `${shortName(metric)}@10`,
        numeric: true,
        // the file has SSL against the others: seen from theirs it is the other way round
        cell: ({ metrics, ssl }) => (
          <Estimate
            {...metrics[metric]}
            domain={domain}
            best={best && !ssl}
            verdict={ssl ? turned[verdictOf(ssl[metric])] : "open"}
          />
        ),
      };
    }),
  ];
}

// Models and baselines, truth by truth.
import type { Evaluation } from "@nearkin/client";
import { useCallback } from "preact/hooks";
import { query, setQuery } from "../app/router.ts";
import { Card } from "../design/card.tsx";
import { ChartFrame } from "../design/chart-frame.tsx";
import { Choice } from "../design/choice.tsx";
import { Empty } from "../design/empty.tsx";
import { Facts } from "../design/facts.tsx";
import { Legend } from "../design/legend.tsx";
import { count, decimals, percent, plural, pValue, rangeText, signed } from "../design/numbers.ts";
import { Table } from "../design/table.tsx";
import { baselinesOf } from "./baselines.ts";
import { CalibrationSection } from "./calibration-section.tsx";
import { figureOf, type Headline, headlineOf, SURE, somePoint } from "./comparison.ts";
import { FigurePanel } from "./figure-panel.tsx";
import { type Family, families } from "./measures.ts";
import { ResultsTable, recommenderName } from "./results-table.tsx";
import { strata, strataDots, strataRows, stratumLooks } from "./strata.ts";
import { hitMeans, isPersonal, mainTruth, truthTitle } from "./truths.ts";
import "./results-section.css";

export function ResultsSection({ evaluation }: { evaluation: Evaluation }) {
  const { truths, k, base } = evaluation;
  const asked = truths.filter(({ queries }) => queries > 0);
  const wanted = query.value.get("truth");
  const truth = asked.find(({ name }) => name === wanted) ?? mainTruth(evaluation);
  const family: Family = query.value.get("family") === "standard" ? "standard" : "paper";
  if (!truth)
    return (
      <Empty title="Nothing could be measured">
        <p>No query of this split has a truth. Prepare the dataset with a larger split.</p>
      </Empty>
    );
  const personal = isPersonal(truth.name);
  const [one, many] = personal ? ["user", "users"] : ["query", "queries"];
  const found = headlineOf(evaluation, truth.name);
  const shown = evaluation.recommenders.flatMap((recommender) =>
    families[family].measures.map(({ metric }) => figureOf(recommender, truth.name, metric)),
  );
  return (
    <section class="stack" aria-labelledby="results">
      <h2 id="results">{personal ? "Results for held-out users" : "Results on never-seen items"}</h2>
      {found && <HeadlineCard found={found} places={k} truth={truth.name} queries={truth.queries} />}
      <div class="results-choices">
        <Choice
          label="A hit is"
          value={truth.name}
          options={asked.map(({ name }) => ({ value: name, label: truthTitle(name), title: hitMeans(name) }))}
          onChange={(name) => setQuery({ truth: name === mainTruth(evaluation)?.name ? null : name })}
        />
        <Choice
          label="Measures"
          value={family}
          options={[
            { value: "paper", label: "As in the paper", title: families.paper.about },
            { value: "standard", label: "Standard", title: families.standard.about },
          ]}
          onChange={(chosen) => setQuery({ family: chosen === "paper" ? null : chosen })}
        />
      </div>
      <p class="small soft results-about">
        A hit is {hitMeans(truth.name)}. Means over {plural(truth.queries, one, many)} with 95 % intervals
        {truth.empty > 0 && `; ${count(truth.empty)} more have no hit at all, and are left out`}. ↑ and ↓ mark what is
        better or worse than <strong>{base}</strong> by a sign test, {one} by {one}, with p &lt; {decimals(SURE, 2)}.
        Bold is best, where the tests say so.
        {somePoint(shown) &&
          ` An interval without width means that all ${many} had the same value, not that it is sure.`}{" "}
        {families[family].about}
      </p>
      <Facts
        facts={families[family].measures.map(({ name, meaning }) => ({ term: `${name}@${k}`, meaning: meaning(k) }))}
      />
      <Card>
        <ResultsTable evaluation={evaluation} truth={truth.name} family={family} />
        <Baselines evaluation={evaluation} />
      </Card>
      <StrataFigure evaluation={evaluation} truth={truth.name} />
      <CatalogueTable evaluation={evaluation} />
      <CalibrationSection evaluation={evaluation} />
    </section>
  );
}

function Baselines({ evaluation }: { evaluation: Evaluation }) {
  const known = baselinesOf(evaluation);
  if (known.length === 0) return null;
  return (
    <details class="results-baselines">
      <summary>What the baselines are</summary>
      <Facts facts={known.map(({ name, meaning }) => ({ term: name, meaning }))} />
    </details>
  );
}

interface HeadlineCardProps {
  found: Headline;
  places: number;
  truth: string;
  queries: number;
}

const FEW = 100; // queries

function HeadlineCard({ found: { own, chance, best, verdict, advantage }, places, truth, queries }: HeadlineCardProps) {
  const personal = isPersonal(truth);
  const asks = personal ? plural(queries, "held-out user") : plural(queries, "never-seen item");
  const words = { better: "the model is better", worse: "the model is worse", open: "no clear difference" };
  return (
    <Card class="headline">
      <p class="headline-value figures">
        {decimals(own.figure.mean)} <span class="soft">{rangeText(own.figure)}</span>
      </p>
      <p class="soft small">
        HR@{places} of {own.name}
      </p>
      <p>
        {decimals(places * (own.figure.mean ?? 0), 1)} of the {places} nearest items are hits, over {asks}.{" "}
        {chance && best?.name !== "random" && `Choosing at random reaches ${decimals(chance.mean)}. `}
        {best && (
          <>
            The best baseline, {best.name}, reaches {decimals(best.figure.mean)}
            {verdict && (
              <>
                : <strong>{words[verdict]}</strong>
              </>
            )}
            {advantage && (
              <span class="soft">
                {" "}
                (model − baseline {signed(advantage.mean)} {rangeText(advantage, signed)}, {pValue(advantage.p)})
              </span>
            )}
            .
          </>
        )}
      </p>
      {queries < FEW && <p class="soft small">Few {personal ? "users" : "queries"}: the intervals are wide.</p>}
    </Card>
  );
}

function StrataFigure({ evaluation, truth }: { evaluation: Evaluation; truth: string }) {
  const rows = strataRows(evaluation, truth);
  const options = useCallback(
    ({ strataOptions }: typeof import("./figures/index.ts")) => {
      const own = strataRows(evaluation, truth);
      return strataOptions(
        strataDots(own),
        own.map(({ name }) => name),
        `HR@${evaluation.k} within the third`,
      );
    },
    [evaluation, truth],
  );
  if (rows.length === 0) return null;
  return (
    <Card label="Hits by popularity">
      <ChartFrame
        title="Hits by popularity"
        unit={`HR@${evaluation.k} within each third of the hits, by how popular they are`}
        caption="What only knows what is popular finds hits in the head, and none in the tail."
        table={
          <Table
            caption="Hits by popularity"
            quiet
            columns={[
              { title: "Recommender", cell: ({ name }) => name },
              ...strata.map((stratum) => ({
                title: stratum,
                numeric: true,
                cell: ({ values }: (typeof rows)[number]) => decimals(values[stratum]),
              })),
            ]}
            rows={rows}
            keyOf={({ name }) => name}
          />
        }
      >
        <Legend entries={stratumLooks.map(({ colour, shape, name }) => ({ name, colour, shape }))} />
        <FigurePanel
          description={`HR within the most popular, the middle and the least popular third of the hits. ${rows
            .map(({ name, values }) => `${name}: ${strata.map((stratum) => decimals(values[stratum])).join(", ")}`)
            .join("; ")}.`}
          height={46 * rows.length + 44}
          options={options}
        />
      </ChartFrame>
    </Card>
  );
}

function CatalogueTable({ evaluation }: { evaluation: Evaluation }) {
  return (
    <Card label="What the lists show">
      <h3>What the lists show</h3>
      <p class="small soft results-about">
        Coverage is the share of the catalogue that some list shows. Diversity is how evenly places are taken, 100 %
        being all items alike. Popularity is the mean percentile of what is shown. Ties is the share of lists in which
        equal scores were ordered by chance.
      </p>
      <Table
        caption="What the lists show"
        quiet
        columns={[
          { title: "Recommender", cell: recommenderName },
          { title: "Coverage", numeric: true, cell: ({ catalogue }) => percent(catalogue.coverage) },
          { title: "Diversity", numeric: true, cell: ({ catalogue }) => percent(catalogue.diversity) },
          { title: "Popularity", numeric: true, cell: ({ catalogue }) => percent(catalogue.popularity) },
          { title: "Ties", numeric: true, cell: ({ catalogue }) => percent(catalogue.ties) },
        ]}
        rows={evaluation.recommenders}
        keyOf={({ name }) => name}
      />
    </Card>
  );
}

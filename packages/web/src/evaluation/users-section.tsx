// Users' own metrics against the one that all share: Figs. 3 to 5 of the paper.
import type { Personalisation } from "@nearkin/client";
import { useCallback, useMemo } from "preact/hooks";
import { Card } from "../design/card.tsx";
import { ChartFrame } from "../design/chart-frame.tsx";
import { Legend } from "../design/legend.tsx";
import { count, decimals, listed, percent, plural, pValue, rangeText, signed } from "../design/numbers.ts";
import { Table } from "../design/table.tsx";
import { BandsFigure } from "./bands-figure.tsx";
import { verdictOf } from "./comparison.ts";
import { FigurePanel } from "./figure-panel.tsx";
import { type Drawn, drawnMetrics, shortName } from "./measures.ts";
import { ownFit, type Refit, refitBands, userBars } from "./personal.ts";
import { RatingsTable } from "./ratings-table.tsx";
import "./users-section.css";

export function UsersSection({ users: result }: { users: Personalisation }) {
  const fit = ownFit(result);
  const bands = useMemo(
    () =>
      Object.fromEntries(drawnMetrics.map((metric) => [metric, refitBands(result, metric)])) as Record<
        Drawn,
        ReturnType<typeof refitBands>
      >,
    [result],
  );
  const runs =
    result.seeds.length > 1
      ? `Means over ${plural(result.users, "user")} and ${result.seeds.length} runs; bands are one standard deviation of the runs.`
      : `Means over ${plural(result.users, "user")}, one run.`;
  return (
    <section class="stack" aria-labelledby="personal">
      <div>
        <h2 id="personal">Users' own metrics</h2>
        <p class="soft results-about">
          {fit && lead(result, fit)} None of them was in training; each metric was fitted to the earlier part of what a
          user met, and judged on the later part.
        </p>
      </div>
      {fit && (
        <div class="users-cards">
          {drawnMetrics.map((metric) => (
            <GainCard key={metric} metric={metric} result={result} fit={fit} />
          ))}
        </div>
      )}
      <Card label="Users one by one">
        <UsersOneByOne result={result} />
      </Card>
      <Card label="By gradient step">
        <BandsFigure
          title="By gradient step (Fig. 5 of the paper)"
          unit="HR, MRR and NDCG at 10 places, by steps of a refit; more is better"
          caption={`${runs} The axis of steps is stretched at its beginning; vertical axes do not begin at 0.`}
          steps="gradient steps"
          scale="sqrt"
          bands={bands}
        />
      </Card>
      <Card label="By ratings and steps">
        <RatingsTable result={result} />
      </Card>
    </section>
  );
}

const words = { better: "better", worse: "worse", open: "not clearly different" } as const;

function lead(result: Personalisation, { metrics }: Refit): string {
  const of = (verdict: keyof typeof words) =>
    drawnMetrics.filter((metric) => verdictOf(metrics[metric]) === verdict).map(shortName);
  const found = (["better", "worse", "open"] as const)
    .filter((verdict) => of(verdict).length > 0)
    .map((verdict) => `${words[verdict]} by ${listed(of(verdict))}`);
  return `Held against the metric that all share, a user's own is ${found.join(", ")}, over ${plural(result.users, "held-out user")}.`;
}

function GainCard({ metric, result, fit }: { metric: Drawn; result: Personalisation; fit: Refit }) {
  const own = fit.metrics[metric];
  const verdict = verdictOf(own);
  return (
    <Card class="gain">
      <h3>{shortName(metric)}@10</h3>
      <p class="gain-value figures">
        {decimals(result.base[metric].mean)} →{" "}
        {verdict === "better" ? <strong>{decimals(own.mean)}</strong> : decimals(own.mean)}
      </p>
      <p class="small">
        {signed(own.difference.mean)} {rangeText(own.difference, signed)}, {pValue(own.test.p)}: {words[verdict]}
      </p>
      <p class="small soft">
        {count(own.test.better)} users better off ({percent(own.test.better / result.users)}), {count(own.test.equal)}{" "}
        the same, {count(own.test.worse)} worse
      </p>
    </Card>
  );
}

function UsersOneByOne({ result }: { result: Personalisation }) {
  const { shown, shownTests } = result;
  const better = drawnMetrics.map((metric) => `${shownTests[metric].better} by ${shortName(metric)}`);
  return (
    <ChartFrame
      title={`${shown.length} users, one by one (Figs. 3 and 4 of the paper)`}
      unit="HR, MRR and NDCG at 10 places; more is better"
      caption={`Their own metric is better for ${listed(better)}, of ${shown.length}. Drawn by chance from all test users; in the order of the HR of the shared metric.`}
      table={
        <Table
          caption="Users one by one"
          quiet
          columns={[
            { title: "User", cell: ({ place }) => place },
            { title: "Ratings", numeric: true, cell: ({ ratings }) => count(ratings) },
            ...drawnMetrics.flatMap((metric) => [
              {
                title: `${shortName(metric)}, shared`,
                numeric: true,
                cell: ({ base }: (typeof shown)[number]) => decimals(base[metric]),
              },
              {
                title: `${shortName(metric)}, own`,
                numeric: true,
                cell: ({ personal }: (typeof shown)[number]) => decimals(personal[metric]),
              },
            ]),
          ]}
          rows={shown.map((user, i) => ({ ...user, place: i + 1 }))}
          keyOf={({ place }) => place}
        />
      }
    >
      <Legend
        entries={[
          { name: "the metric that all share", colour: "var(--edge)", shape: "bar" },
          { name: "the user's own", colour: "var(--accent)", shape: "bar" },
        ]}
      />
      <div class="figure-panels">
        {drawnMetrics.map((metric) => (
          <UserBarsPanel key={metric} result={result} metric={metric} />
        ))}
      </div>
    </ChartFrame>
  );
}

function UserBarsPanel({ result, metric }: { result: Personalisation; metric: Drawn }) {
  const options = useCallback(
    ({ userBarsOptions }: typeof import("./figures/index.ts")) => userBarsOptions(userBars(result, metric)),
    [result, metric],
  );
  return (
    <FigurePanel
      title={`${shortName(metric)}@10`}
      description={`${shortName(metric)} at 10 of each user, by the shared metric and by their own: ${userBars(
        result,
        metric,
      )
        .map(({ shared, own }, i) => `user ${i + 1} ${decimals(shared)}, ${decimals(own)}`)
        .join("; ")}.`}
      height={220}
      options={options}
    />
  );
}

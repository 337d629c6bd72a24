// The results of two models side by side, where reports say which model they are of.
import type { EvaluationResults, ListedEvaluation } from "@nearkin/client";
import type { Loaded } from "../api/loaded.ts";
import { domainOf, Estimate } from "../design/estimate.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { Table } from "../design/table.tsx";
import { type Figure, figureOf } from "./comparison.ts";
import { evaluationList, evaluationOf, evaluationPath } from "./evaluations.ts";
import { drawnMetrics, shortName } from "./measures.ts";
import { mainTruth, truthTitle } from "./truths.ts";

interface Side {
  readonly folder: string;
  /** Of the model, and of the run that chose its steps. */
  readonly ids: readonly (string | null | undefined)[];
}

export function ComparedResults({ sides }: { sides: readonly [Side, Side] }) {
  const list = evaluationList().value;
  if (list.state === "loading") return <Skeleton height="10rem" />;
  if (list.state === "failed") return null;
  // the newest of each
  const results = sides.map(({ ids }) =>
    list.value.evaluations.find(({ model, problem }) => model !== null && problem === null && ids.includes(model)),
  );
  return (
    <section class="stack" aria-labelledby="evaluations">
      <h2 id="evaluations">Results</h2>
      {results[0] === undefined && results[1] === undefined ? (
        <p>
          No result says that it is of one of these models. Write one into the server's folder of results with{" "}
          <code>nearkin report model</code>, or look at <a href="/evaluation">all results</a>.
        </p>
      ) : (
        <SideBySide sides={sides} results={results} />
      )}
    </section>
  );
}

interface SideBySideProps {
  sides: readonly [Side, Side];
  results: readonly (ListedEvaluation | undefined)[];
}

function SideBySide({ sides, results }: SideBySideProps) {
  const answers = results.map((result) => result && evaluationOf(result.name).value);
  if (answers.some((answer) => answer?.state === "loading")) return <Skeleton height="8rem" />;
  const found = answers.map(figuresOf);
  const truths = [...new Set(found.flatMap((own) => own?.truth ?? []))];
  return (
    <>
      <p class="small soft results-about">
        {truths.length > 1
          ? "They were measured on different truths, and cannot be compared figure by figure."
          : `${truths.map(truthTitle).join()}, on never-seen items, with 95 % intervals.`}
      </p>
      <Table
        caption="Results of both models"
        quiet
        columns={[
          { title: "Model", cell: ({ folder }) => folder },
          ...drawnMetrics.map((metric, m) => ({
            title: `${shortName(metric)}@10`,
            numeric: true,
            cell: ({ own }: Row) => {
              const figure = own?.figures[m];
              return figure ? <Estimate {...figure} domain={domainOf(found.map((one) => one?.figures[m]))} /> : "–";
            },
          })),
          {
            title: "From",
            cell: ({ result, isOwn }) =>
              result ? (
                <>
                  <a href={evaluationPath(result.name)}>{result.name}</a>
                  {!isOwn && ", of the run that chose its steps"}
                </>
              ) : (
                "not measured"
              ),
          },
        ]}
        rows={sides.map(({ folder, ids: [id] }, i) => ({
          folder,
          own: found[i],
          result: results[i],
          isOwn: results[i]?.model === id,
        }))}
        keyOf={({ folder }) => folder}
      />
    </>
  );
}

interface OwnFigures {
  readonly truth: string;
  /** In the order of the drawn measures. */
  readonly figures: readonly (Figure | undefined)[];
}

interface Row {
  readonly folder: string;
  readonly own: OwnFigures | undefined;
  readonly result: ListedEvaluation | undefined;
  /** Measured on this model itself: one that was trained on everything has no unseen items to be measured on. */
  readonly isOwn: boolean;
}

/** Of the model that a report is on: what all others in it are compared with. */
function figuresOf(answer: Loaded<EvaluationResults> | undefined): OwnFigures | undefined {
  const evaluation = answer?.state === "ready" ? answer.value.evaluation : null;
  const truth = evaluation ? mainTruth(evaluation) : undefined;
  const own = evaluation?.recommenders.find(({ kind }) => kind === "model");
  if (!truth || !own) return undefined;
  return { truth: truth.name, figures: drawnMetrics.map((metric) => figureOf(own, truth.name, metric)) };
}

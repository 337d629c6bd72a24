import type { EvaluationResults, ListedEvaluation } from "@nearkin/client";
import { reload } from "../api/loaded.ts";
import { navigate, query } from "../app/router.ts";
import { useTitle } from "../app/title.ts";
import { Empty } from "../design/empty.tsx";
import { Facts } from "../design/facts.tsx";
import { Field } from "../design/field.tsx";
import { Notice, SimulatedNotice } from "../design/notice.tsx";
import { count, moment } from "../design/numbers.ts";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { chosenResult, evaluationList, evaluationOf, evaluationPath, resultTitle } from "./evaluations.ts";
import { PaperSection } from "./paper-section.tsx";
import { ResultsSection } from "./results-section.tsx";
import { UsersSection } from "./users-section.tsx";
import "./evaluation-screen.css";

/** What was measured, and how sure that is. */
export function EvaluationScreen() {
  useTitle("Evaluation");
  const list = evaluationList().value;
  return (
    <div class="stack evaluation">
      <header>
        <h1>Evaluation</h1>
        <p class="soft evaluation-lead">
          How well models rank what training has not seen, beside simple baselines that they must beat. Every figure has
          an interval: what the truth may be, given how few were asked.
        </p>
      </header>
      {list.state === "loading" && <Skeleton height="24rem" />}
      {list.state === "failed" && <ProblemView problem={list.problem} onRetry={() => reload("evaluations")} />}
      {list.state === "ready" && <Results {...list.value} />}
    </div>
  );
}

interface ResultsProps {
  evaluations: readonly ListedEvaluation[];
  folder: boolean;
}

function Results({ evaluations, folder }: ResultsProps) {
  const name = query.value.get("result");
  const chosen = chosenResult(evaluations, name);
  if (evaluations.length === 0) return <NoResults folder={folder} />;
  return (
    <>
      <div class="evaluation-head">
        {(evaluations.length > 1 || !chosen) && <Chooser evaluations={evaluations} chosen={chosen} />}
        {chosen?.report && (
          <a class="button button-quiet" href={chosen.report} target="_blank" rel="noopener">
            Full report
          </a>
        )}
      </div>
      {chosen ? (
        <Result key={chosen.name} listed={chosen} />
      ) : (
        <Empty title={name ? `There is no result called “${name}”` : "None of the results can be read"}>
          <p>Choose another one above.</p>
        </Empty>
      )}
    </>
  );
}

function NoResults({ folder }: { folder: boolean }) {
  return (
    <Empty title={folder ? "No results yet" : "The server was given no results"}>
      <p>
        Measure a model with <code>nearkin evaluate datasets/films models/films --out results/films.json</code>
        {folder ? ", into the server's folder of results, and reload." : ", then serve it with the folder:"}
      </p>
      {!folder && (
        <p>
          <code>nearkin serve models/films --results results</code>
        </p>
      )}
    </Empty>
  );
}

function Chooser({
  evaluations,
  chosen,
}: {
  evaluations: readonly ListedEvaluation[];
  chosen: ListedEvaluation | undefined;
}) {
  return (
    <div class="evaluation-chooser">
      <Field label="Result">
        {(control) => (
          <select
            {...control}
            class="input"
            value={chosen?.name ?? ""}
            onChange={(event) => navigate(evaluationPath(event.currentTarget.value))}
          >
            {!chosen && <option value="">Choose one</option>}
            {evaluations.map((one) => (
              <option key={one.name} value={one.name}>
                {resultTitle(one)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

function Result({ listed }: { listed: ListedEvaluation }) {
  if (listed.problem !== null)
    return (
      <Notice tone="caution" title="This file cannot be read">
        <p>The server says: {listed.problem}. Evaluate again, or take the file out of the folder.</p>
      </Notice>
    );
  return <ReadableResult listed={listed} />;
}

function ReadableResult({ listed: { name, dataset, kind } }: { listed: ListedEvaluation }) {
  const answer = evaluationOf(name).value;
  if (answer.state === "loading") return <Skeleton height="32rem" />;
  if (answer.state === "failed")
    return <ProblemView problem={answer.problem} onRetry={() => reload(`evaluation ${name}`)} />;
  const { evaluation, users, paper, simulated } = answer.value;
  return (
    <>
      {simulated && <SimulatedNotice />}
      <Facts
        facts={[
          ...(dataset
            ? [
                { term: "Dataset", value: dataset.name },
                { term: "Items", value: count(dataset.items) },
                { term: "Users", value: count(dataset.users) },
                // the paper's experiment has folds of items beside the users
                ...(kind === "paper" ? [] : [{ term: "Held out", value: heldOut(dataset) }]),
              ]
            : []),
          { term: "Measured", value: moment(answer.value.time) },
        ]}
      />
      {paper && <PaperSection paper={paper} />}
      {evaluation && <ResultsSection evaluation={evaluation} />}
      {users && <UsersSection users={users} />}
      {!paper && !evaluation && !users && <Empty title="There are no figures in this file" />}
    </>
  );
}

const splits: Readonly<Record<string, string>> = {
  random: "items, by chance",
  time: "the newest items",
  users: "users",
};

function heldOut({ split, queries, role }: NonNullable<EvaluationResults["evaluation"]>["dataset"]): string {
  return `${count(queries)} ${splits[split] ?? split}${role === "validation" ? " (validation)" : ""}`;
}

// Results that say which model they are of: those of reports.
import { Card } from "../design/card.tsx";
import { decimals, rangeText } from "../design/numbers.ts";
import { Skeleton } from "../design/skeleton.tsx";
import { headlineOf } from "./comparison.ts";
import { evaluationList, evaluationOf, evaluationPath } from "./evaluations.ts";
import { mainTruth, truthTitle } from "./truths.ts";

interface ResultsOfModelProps {
  /** Of the model, and of the run that chose its steps. */
  ids: readonly (string | null | undefined)[];
}

export function ResultsOfModel({ ids }: ResultsOfModelProps) {
  const list = evaluationList().value;
  if (list.state === "loading") return <Skeleton height="8rem" />;
  if (list.state === "failed") return null;
  const own = list.value.evaluations.filter(
    ({ model, problem }) => model !== null && problem === null && ids.includes(model),
  );
  if (own.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="measured">
      <h2 id="measured">How well it ranks</h2>
      <div class="users-cards">
        {own.map(({ name, model }) => (
          <ResultCard key={name} name={name} isOwn={model === ids[0]} />
        ))}
      </div>
    </section>
  );
}

function ResultCard({ name, isOwn }: { name: string; isOwn: boolean }) {
  const answer = evaluationOf(name).value;
  const evaluation = answer.state === "ready" ? answer.value.evaluation : null;
  const truth = evaluation ? mainTruth(evaluation) : undefined;
  const found = evaluation && truth ? headlineOf(evaluation, truth.name) : undefined;
  return (
    <Card>
      <h3>
        <a href={evaluationPath(name)}>{name}</a>
      </h3>
      {answer.state === "loading" && <Skeleton lines={2} />}
      {found && truth && (
        <p class="small">
          HR@{evaluation?.k} {decimals(found.own.figure.mean)} {rangeText(found.own.figure)},{" "}
          {truthTitle(truth.name).toLowerCase()}
          {found.best && `; the best baseline, ${found.best.name}, ${decimals(found.best.figure.mean)}`}
        </p>
      )}
      {!isOwn && <p class="small soft">Measured on the run that chose its steps: this model has seen every item.</p>}
    </Card>
  );
}

import type { ModelInfo, Training } from "@nearkin/client";
import type { ComponentProps } from "preact";
import { useMemo, useState } from "preact/hooks";
import { reload } from "../api/loaded.ts";
import { navigate } from "../app/router.ts";
import { useTitle } from "../app/title.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Empty } from "../design/empty.tsx";
import { Facts } from "../design/facts.tsx";
import { Field } from "../design/field.tsx";
import { Notice, SimulatedNotice } from "../design/notice.tsx";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { ResultsOfModel } from "../evaluation/results-of-model.tsx";
import type { ChangeKind } from "./change.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { CurvesSection } from "./curves-section.tsx";
import { ModelId, ModelLine, ModelStanding } from "./model-head.tsx";
import { comparePath, findModel, modelList, nameOf, trainingOf } from "./models.ts";
import { madeBy } from "./provenance.ts";
import { learnedScales } from "./scales.ts";
import { SettingsTable } from "./settings-table.tsx";
import { StagesTable } from "./stages-table.tsx";
import { WarningsList } from "./warnings-list.tsx";
import { channelColours, channelShares } from "./weights.ts";
import { WeightsChart } from "./weights-chart.tsx";
import "./model-screen.css";

/** One model: what it learned, and how. */
export function ModelScreen({ id }: { id: string }) {
  const list = modelList().value;
  const model = list.state === "ready" ? findModel(list.value.models, id) : undefined;
  useTitle(model ? `Model ${model.folder}` : "Model");
  if (list.state === "loading") return <Skeleton height="24rem" />;
  if (list.state === "failed") return <ProblemView problem={list.problem} onRetry={() => reload("models")} />;
  if (!model)
    return (
      <div class="stack">
        <h1>Model</h1>
        <Empty title="The server knows no such model">
          <p>
            It may have been removed, or “{id}” is the beginning of several ids. <a href="/model">See all models</a>.
          </p>
        </Empty>
      </div>
    );
  return <OneModel key={model.folder} model={model} {...list.value} />;
}

interface OneModelProps {
  model: ModelInfo;
  models: readonly ModelInfo[];
  previous: string | null;
}

function OneModel({ model, models, previous }: OneModelProps) {
  const [change, setChange] = useState<ComponentProps<typeof ChangeDialog> | undefined>(undefined);
  const answering = models.find(({ active }) => active);
  const before = models.find(({ id }) => id !== null && id === previous);
  const begin = (kind: ChangeKind, to: ModelInfo) =>
    setChange({ kind, to, from: answering, onClose: () => setChange(undefined) });
  const colours = useMemo(
    () =>
      channelColours(
        answering?.channels.map(({ name }) => name) ?? [],
        model.channels.map(({ name }) => name),
      ),
    [answering, model],
  );
  return (
    <div class="stack model">
      <header class="model-head">
        <div>
          <p class="small">
            <a href="/model">All models</a>
          </p>
          <h1>{model.folder}</h1>
          <ModelLine model={model} />
          <div class="row">
            <ModelStanding model={model} previous={previous} />
            {model.id !== null && <ModelId id={model.id} />}
          </div>
        </div>
        <div class="model-actions">
          <CompareWith model={model} models={models} />
          {!model.active && model.problems.length === 0 && (
            <Button look="primary" onClick={() => begin("activate", model)}>
              Activate…
            </Button>
          )}
          {model.active && before && (
            <Button onClick={() => begin("rollback", before)}>Roll back to {before.folder}…</Button>
          )}
        </div>
      </header>
      {model.problems.length > 0 ? (
        <Notice tone="caution" title="This folder cannot be served">
          <ul>
            {model.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
          <p>Train or copy it again.</p>
        </Notice>
      ) : (
        <ModelBody model={model} models={models} colours={colours} />
      )}
      {change && <ChangeDialog {...change} />}
    </div>
  );
}

function CompareWith({ model, models }: { model: ModelInfo; models: readonly ModelInfo[] }) {
  const others = models.filter((other) => other.folder !== model.folder && other.problems.length === 0);
  if (others.length === 0) return null;
  return (
    <Field label="Compare with">
      {(control) => (
        <select
          {...control}
          class="input"
          onChange={(event) => {
            const other = others.find((one) => nameOf(one) === event.currentTarget.value);
            if (other) navigate(comparePath(model, other));
          }}
        >
          <option value="">Choose a model</option>
          {others.map((other) => (
            <option key={other.folder} value={nameOf(other)}>
              {other.folder}
              {other.active ? " (active)" : ""}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ModelBodyProps {
  model: ModelInfo;
  models: readonly ModelInfo[];
  colours: ReadonlyMap<string, string>;
}

function ModelBody({ model, models, colours }: ModelBodyProps) {
  const name = nameOf(model);
  const training = trainingOf(name).value;
  return (
    <>
      {training.state === "ready" && <WarningsList warnings={training.value.warnings} />}
      {model.dataset?.simulated && <SimulatedNotice />}
      <Card label="Channel weights">
        <WeightsChart shares={channelShares(model.channels)} colours={colours} />
      </Card>
      {training.state === "loading" && <Skeleton height="32rem" />}
      {training.state === "failed" && (
        <ProblemView problem={training.problem} onRetry={() => reload(`training ${name}`)} />
      )}
      {training.state === "ready" && (
        <>
          <TrainingSections model={model} models={models} training={training.value} colours={colours} />
          <ResultsOfModel ids={[model.id, training.value.selection?.model]} />
        </>
      )}
    </>
  );
}

function TrainingSections({ model, models, training, colours }: ModelBodyProps & { training: Training }) {
  return (
    <>
      <section class="stack" aria-labelledby="scales">
        <h2 id="scales">What else was learned</h2>
        <Facts
          facts={learnedScales(training, model.predictsRatings).map(({ name, symbol, value, meaning }) => ({
            term: name,
            symbol,
            value,
            meaning,
          }))}
        />
      </section>
      <section class="stack" aria-labelledby="training">
        <h2 id="training">Training</h2>
        {training.selection && (
          <Notice title="Steps were chosen in another run">
            <p>
              This model was trained on everything, with as many steps as ranked held-out items best in a run before it
              {training.selection.model && <SelectionLink id={training.selection.model} models={models} />}. How well it
              ranks was measured there.
            </p>
          </Notice>
        )}
        <StagesTable stages={training.stages} />
        <CurvesSection training={training} colours={colours} />
      </section>
      <section class="stack" aria-labelledby="made">
        <h2 id="made">How it was made</h2>
        <Facts facts={madeBy(training)} />
        <details class="model-settings">
          <summary>All settings</summary>
          <SettingsTable settings={training.settings} />
        </details>
      </section>
    </>
  );
}

function SelectionLink({ id, models }: { id: string; models: readonly ModelInfo[] }) {
  const found = models.find((model) => model.id === id);
  return found ? (
    <>
      {" "}
      (<a href={`/model/${encodeURIComponent(nameOf(found))}`}>{found.folder}</a>)
    </>
  ) : null;
}

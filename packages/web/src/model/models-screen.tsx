import type { ModelInfo } from "@nearkin/client";
import { useState } from "preact/hooks";
import { reload } from "../api/loaded.ts";
import { useTitle } from "../app/title.ts";
import { Bar } from "../design/bar.tsx";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Empty } from "../design/empty.tsx";
import { percent } from "../design/numbers.ts";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import type { ChangeKind } from "./change.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { ModelId, ModelLine, ModelStanding } from "./model-head.tsx";
import { comparePath, modelList, modelPath } from "./models.ts";
import { channelColours, channelShares } from "./weights.ts";
import "./models-screen.css";

/** Every model folder that the server knows. */
export function ModelsScreen() {
  useTitle("Models");
  const list = modelList().value;
  return (
    <div class="stack">
      <header>
        <h1>Models</h1>
        <p class="soft models-lead">
          A model is what was learned of what “similar” means: how much each channel of an item counts. One of them
          answers; you can look into all, compare them, and change over.
        </p>
      </header>
      {list.state === "loading" && <Skeleton height="16rem" />}
      {list.state === "failed" && <ProblemView problem={list.problem} onRetry={() => reload("models")} />}
      {list.state === "ready" && <ModelCards {...list.value} />}
    </div>
  );
}

interface ModelCardsProps {
  models: readonly ModelInfo[];
  active: string | null;
  previous: string | null;
}

function ModelCards({ models, active, previous }: ModelCardsProps) {
  const [change, setChange] = useState<{ kind: ChangeKind; to: ModelInfo; from: ModelInfo | undefined } | undefined>();
  const answering = models.find((model) => model.active);
  const before = models.find(({ id }) => id !== null && id === previous);
  const colours = channelColours(
    answering?.channels.map(({ name }) => name) ?? [],
    models.flatMap(({ channels }) => channels.map(({ name }) => name)),
  );
  if (models.length === 0)
    return (
      <Empty title="The server knows no model">
        <p>
          Train one with <code>nearkin train</code>, and give its folder to <code>nearkin serve</code>.
        </p>
      </Empty>
    );
  return (
    <>
      <ul class="models">
        {models.map((model) => (
          <li key={model.folder}>
            <Card class={model.active ? "model-card model-card-active" : "model-card"}>
              <div class="model-card-head">
                <h2>
                  <a href={modelPath(model)}>{model.folder}</a>
                </h2>
                <div class="row">
                  <ModelStanding model={model} previous={previous} />
                </div>
              </div>
              <ModelLine model={model} />
              <WeightsBar model={model} colours={colours} />
              {model.problems.length > 0 && (
                <ul class="model-problems small">
                  {model.problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              )}
              <div class="model-card-foot">
                {model.id !== null && <ModelId id={model.id} />}
                <div class="row">
                  {answering && model.id !== active && model.problems.length === 0 && (
                    <a class="button button-quiet" href={comparePath(answering, model)}>
                      Compare<span class="unseen"> {model.folder} with the active model</span>
                    </a>
                  )}
                  {model.active && before && (
                    <Button onClick={() => setChange({ kind: "rollback", to: before, from: model })}>
                      Roll back to {before.folder}…
                    </Button>
                  )}
                  {!model.active && model.problems.length === 0 && (
                    <Button
                      aria-label={`Activate ${model.folder}`}
                      onClick={() => setChange({ kind: "activate", to: model, from: answering })}
                    >
                      Activate…
                    </Button>
                  )}
                </div>
              </div>
            </Card>
          </li>
        ))}
      </ul>
      {change && <ChangeDialog {...change} onClose={() => setChange(undefined)} />}
    </>
  );
}

/** The weights at a glance: shares of a typical distance. */
function WeightsBar({ model, colours }: { model: ModelInfo; colours: ReadonlyMap<string, string> }) {
  const shares = channelShares(model.channels);
  if (shares.length === 0) return null;
  return (
    <div class="model-weights">
      <Bar
        full={shares.reduce((sum, { share }) => sum + Math.abs(share), 0)}
        segments={shares.map(({ name, share }) => ({
          label: name,
          value: Math.abs(share),
          colour: colours.get(name) ?? "var(--ink-soft)",
        }))}
      />
      <ul aria-label="Share of a typical distance, by channel">
        {shares.map(({ name, share }) => (
          <li key={name} style={{ "--colour": colours.get(name) ?? "var(--ink-soft)" }}>
            {name} <span class="figures">{percent(share)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

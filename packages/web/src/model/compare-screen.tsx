import type { ModelInfo, Training } from "@nearkin/client";
import type { ComponentChildren } from "preact";
import { type Loaded, reload } from "../api/loaded.ts";
import { query, setQuery } from "../app/router.ts";
import { useTitle } from "../app/title.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Empty } from "../design/empty.tsx";
import { Field } from "../design/field.tsx";
import { Notice, SimulatedNotice } from "../design/notice.tsx";
import { count } from "../design/numbers.ts";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { Table } from "../design/table.tsx";
import { ComparedResults } from "../evaluation/compared-results.tsx";
import { ListsSection } from "./lists-section.tsx";
import { findModel, modelList, modelPath, nameOf, shortId, trainingOf } from "./models.ts";
import { PairedWeights } from "./paired-weights.tsx";
import { differingSettings, settingText } from "./settings.ts";
import { type SummaryRow, summaryRows } from "./training-summary.ts";
import "./compare-screen.css";

/** Two models side by side. */
export function CompareScreen() {
  useTitle("Compare models");
  const list = modelList().value;
  return (
    <div class="stack">
      <header>
        <p class="small">
          <a href="/model">All models</a>
        </p>
        <h1>Compare models</h1>
      </header>
      {list.state === "loading" && <Skeleton height="24rem" />}
      {list.state === "failed" && <ProblemView problem={list.problem} onRetry={() => reload("models")} />}
      {list.state === "ready" && <Chosen models={list.value.models} />}
    </div>
  );
}

function Chosen({ models }: { models: readonly ModelInfo[] }) {
  const readable = models.filter(({ problems }) => problems.length === 0);
  const a = findModel(readable, query.value.get("a"));
  const b = findModel(readable, query.value.get("b"));
  if (readable.length < 2)
    return (
      <Empty title="There is only one model">
        <p>
          Train another one, with other settings or a newer dataset, and give both folders to <code>nearkin serve</code>
          .
        </p>
      </Empty>
    );
  return (
    <>
      <Choosers models={readable} a={a} b={b} />
      {a && b && a.folder !== b.folder ? (
        <Compared key={`${a.folder} ${b.folder}`} a={a} b={b} active={models.find(({ active }) => active)} />
      ) : (
        <Empty title={a && b ? "This is one and the same model" : "Choose two models"}>
          <p>You will see what they weigh, how they were trained, and where their lists differ.</p>
        </Empty>
      )}
    </>
  );
}

interface ChoosersProps {
  models: readonly ModelInfo[];
  a: ModelInfo | undefined;
  b: ModelInfo | undefined;
}

function Choosers({ models, a, b }: ChoosersProps) {
  const go = (first: ModelInfo | undefined, second: ModelInfo | undefined) =>
    setQuery({ a: first ? nameOf(first) : null, b: second ? nameOf(second) : null });
  const byName = (name: string) => models.find((model) => nameOf(model) === name);
  return (
    <div class="compare-choosers">
      <Chooser label="First model" models={models} value={a} onChoose={(name) => go(byName(name), b)} />
      <Button aria-label="Swap the two models" disabled={!a || !b} onClick={() => go(b, a)}>
        ⇄
      </Button>
      <Chooser label="Second model" models={models} value={b} onChoose={(name) => go(a, byName(name))} />
    </div>
  );
}

interface ChooserProps {
  label: string;
  models: readonly ModelInfo[];
  value: ModelInfo | undefined;
  onChoose: (name: string) => void;
}

function Chooser({ label, models, value, onChoose }: ChooserProps) {
  return (
    <Field label={label} hint={value && <a href={modelPath(value)}>Open this model</a>}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value ? nameOf(value) : ""}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {!value && <option value="">Choose a model</option>}
          {models.map((model) => (
            <option key={model.folder} value={nameOf(model)}>
              {model.folder}
              {model.active ? " (active)" : ""}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ComparedProps {
  a: ModelInfo;
  b: ModelInfo;
  active: ModelInfo | undefined;
}

function Compared({ a, b, active }: ComparedProps) {
  const trainings = [a, b].map((model) => trainingOf(nameOf(model)).value);
  return (
    <>
      {(a.dataset?.simulated || b.dataset?.simulated) && <SimulatedNotice />}
      {a.dataset?.id !== b.dataset?.id && (
        <Notice tone="caution" title="They were trained on different data">
          <p>
            {a.folder} on {dataOf(a)}, {b.folder} on {dataOf(b)}: figures of their trainings cannot be compared, their
            weights only roughly.
          </p>
        </Notice>
      )}
      <Card label="Channel weights">
        <PairedWeights a={a} b={b} active={active} />
      </Card>
      <WithBoth answers={trainings} names={[nameOf(a), nameOf(b)]}>
        {(first, second) => (
          <>
            <section class="stack" aria-labelledby="trainings">
              <h2 id="trainings">Training</h2>
              <Summary a={a} b={b} rows={summaryRows(first, second)} />
            </section>
            <section class="stack" aria-labelledby="settings">
              <h2 id="settings">Settings that differ</h2>
              <Differences a={a} b={b} first={first} second={second} />
            </section>
            <ComparedResults
              sides={[
                { folder: a.folder, ids: [a.id, first.selection?.model] },
                { folder: b.folder, ids: [b.id, second.selection?.model] },
              ]}
            />
          </>
        )}
      </WithBoth>
      <ListsSection a={a} b={b} />
    </>
  );
}

/** With the id: all splits of a dataset have its name. */
const dataOf = ({ dataset }: ModelInfo): string =>
  dataset ? `${dataset.name} (${shortId(dataset.id)})` : "unknown data";

interface WithBothProps {
  answers: readonly Loaded<Training>[];
  names: readonly string[];
  children: (first: Training, second: Training) => ComponentChildren;
}

function WithBoth({ answers: [first, second], names, children }: WithBothProps) {
  if (first.state === "ready" && second.state === "ready") return <>{children(first.value, second.value)}</>;
  const failed = [first, second].findIndex(({ state }) => state === "failed");
  const answer = [first, second][failed];
  if (answer?.state === "failed")
    return <ProblemView problem={answer.problem} onRetry={() => reload(`training ${names[failed]}`)} />;
  return <Skeleton height="16rem" />;
}

function Summary({ a, b, rows }: { a: ModelInfo; b: ModelInfo; rows: readonly SummaryRow[] }) {
  return (
    <div>
      <Table
        caption="Trainings side by side"
        quiet
        columns={[
          { title: "", cell: ({ name }) => name },
          { title: a.folder, numeric: true, cell: ({ a: value }) => value },
          { title: b.folder, numeric: true, cell: ({ b: value }) => value },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
      <p class="soft small table-note">Figures of the kept step, on validation items, at 10 places.</p>
    </div>
  );
}

interface DifferencesProps {
  a: ModelInfo;
  b: ModelInfo;
  first: Training;
  second: Training;
}

function Differences({ a, b, first, second }: DifferencesProps) {
  const differences = differingSettings(first.settings, second.settings);
  if (differences.length === 0) return <p>None: they were trained with the same settings.</p>;
  return (
    <Table
      caption={`${count(differences.length)} of all settings`}
      quiet
      columns={[
        { title: "Setting", cell: ({ key }) => <code>{key}</code> },
        { title: a.folder, cell: ({ a: value }) => settingText(value) },
        { title: b.folder, cell: ({ b: value }) => settingText(value) },
      ]}
      rows={differences}
      keyOf={({ key }) => key}
    />
  );
}

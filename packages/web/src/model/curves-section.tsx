// How training went, stage by stage.
import type { Training } from "@nearkin/client";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../design/button.tsx";
import { ChartFrame } from "../design/chart-frame.tsx";
import { Empty } from "../design/empty.tsx";
import { Legend } from "../design/legend.tsx";
import { capital, count, isMeasured, significant } from "../design/numbers.ts";
import { type Column, Table } from "../design/table.tsx";
import {
  allPositive,
  type CurvePanel,
  type CurveRow,
  curveRows,
  likelihoodPanels,
  linesOf,
  lossPanels,
  rankingPanels,
  spansDecades,
  weightPanels,
} from "./curves.ts";
import { StepPlot } from "./step-plot.tsx";
import "./curves-section.css";

interface CurvesSectionProps {
  training: Training;
  colours: ReadonlyMap<string, string>;
}

export function CurvesSection({ training, colours }: CurvesSectionProps) {
  const charts = useMemo(
    () => ({
      ranking: rankingPanels(training),
      loss: lossPanels(training),
      likelihood: likelihoodPanels(training),
      weights: weightPanels(training, colours),
    }),
    [training, colours],
  );
  if (Object.values(charts).every((panels) => panels.length === 0)) return <NoCurves training={training} />;
  return (
    <div class="curves">
      <StepChart
        title="Ranking of validation items"
        unit="HR, MRR and NDCG at 10 places, by step; more is better"
        caption="Validation items are held out from training. Every look at them gives each item a score, the mean of the three; the dashed line marks the step that was kept."
        label="at 10 places"
        panels={charts.ranking}
        shared
      />
      <StepChart
        title="Training loss"
        unit="what the stage minimises, by step; less is better"
        caption={`The stages minimise different things, so their scales cannot be compared.${thinning(training)}`}
        label="training loss"
        panels={charts.loss}
        mayBeLog
      />
      <StepChart
        title="Negative log likelihood"
        unit="nats for each item and target, by step; less is better"
        caption="Held-out items show whether the fit says something of items it has not seen."
        label="negative log likelihood"
        panels={charts.likelihood}
      />
      <StepChart
        title="Channel weights"
        unit="weight h, by step, in the scales of the stage's start"
        caption="Scales are measured anew when a stage begins: a line may jump between stages without a change of the metric."
        label="weight"
        panels={charts.weights}
        shared
      />
    </div>
  );
}

function thinning({ stages }: Training): string {
  const every = Math.max(...stages.map(({ curves }) => curves?.every ?? 1));
  return every > 1 ? ` A point is the mean over ${count(every)} steps.` : "";
}

interface StepChartProps {
  title: string;
  unit: string;
  caption: ComponentChildren;
  /** What the vertical axis measures. */
  label: string;
  panels: readonly CurvePanel[];
  /** One vertical axis for all stages. */
  shared?: boolean;
  /** Whether a logarithmic axis is offered. */
  mayBeLog?: boolean;
}

function StepChart({ title, unit, caption, label, panels, shared = false, mayBeLog = false }: StepChartProps) {
  const offered = mayBeLog && allPositive(panels);
  const [log, setLog] = useState(offered && spansDecades(panels));
  const range = useMemo(() => (shared ? rangeOf(panels) : undefined), [panels, shared]);
  if (panels.length === 0) return null;
  return (
    <ChartFrame
      title={title}
      unit={log ? `${unit}; logarithmic axis` : unit}
      caption={caption}
      table={<CurveTable title={title} panels={panels} />}
      controls={
        offered && (
          <Button look="plain" aria-pressed={log} onClick={() => setLog(!log)}>
            Log axis
          </Button>
        )
      }
    >
      {linesOf(panels).length > 1 && <Legend entries={linesOf(panels)} />}
      <div class="curves-panels">
        {panels.map((panel) => (
          <div key={panel.stage}>
            <h4 class="small">{panel.stage}</h4>
            <StepPlot panel={panel} label={label} log={log} range={range} />
          </div>
        ))}
      </div>
    </ChartFrame>
  );
}

const ROOM = 0.04; // of the range, above and below

function rangeOf(panels: readonly CurvePanel[]): readonly [number, number] {
  const values = panels.flatMap(({ lines }) => lines.flatMap((line) => line.values.filter(isMeasured)));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || 1) * ROOM;
  return [low < 0 ? low - room : Math.max(0, low - room), high + room];
}

function CurveTable({ title, panels }: { title: string; panels: readonly CurvePanel[] }) {
  const columns: Column<CurveRow>[] = [
    { title: "Stage", cell: ({ stage }) => stage },
    { title: "Step", numeric: true, cell: ({ step, kept }) => (kept ? `${count(step)}, kept` : count(step)) },
    ...linesOf(panels).map(({ name }) => ({
      title: name,
      numeric: true,
      cell: ({ values }: CurveRow) => significant(values[name], 4),
    })),
  ];
  return (
    <div class="curves-table">
      <Table
        caption={title}
        quiet
        columns={columns}
        rows={curveRows(panels)}
        keyOf={({ stage, step }) => `${stage} ${step}`}
      />
    </div>
  );
}

function NoCurves({ training }: { training: Training }) {
  return (
    <Empty title="This folder keeps no curves">
      <p>
        {training.missing.length > 0
          ? `${capital(training.missing.join("; "))}.`
          : "No stage of its training has any point."}
      </p>
      <p>What the model is, and which steps were kept, is said above all the same.</p>
    </Empty>
  );
}

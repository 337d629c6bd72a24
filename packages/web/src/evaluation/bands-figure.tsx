// A panel of bands for each of the paper's measures.
import type { ComponentChildren } from "preact";
import { useCallback } from "preact/hooks";
import { ChartFrame } from "../design/chart-frame.tsx";
import { Legend } from "../design/legend.tsx";
import { count, decimals } from "../design/numbers.ts";
import { Table } from "../design/table.tsx";
import { FigurePanel } from "./figure-panel.tsx";
import type { BandCurve, BandLevel } from "./figures/bands.ts";
import { seriesLook } from "./figures/series.ts";
import { type Drawn, drawnMetrics, shortName } from "./measures.ts";

interface MetricBands {
  readonly curves: readonly BandCurve[];
  readonly levels: readonly BandLevel[];
}

interface BandsFigureProps {
  title: string;
  unit: string;
  caption: ComponentChildren;
  /** What the horizontal axis counts. */
  steps: string;
  scale: "linear" | "sqrt";
  /** Keep it the same between renderings. */
  bands: Readonly<Record<Drawn, MetricBands>>;
}

export function BandsFigure({ title, unit, caption, steps, scale, bands }: BandsFigureProps) {
  const { curves, levels } = bands["paper HR"];
  return (
    <ChartFrame
      title={title}
      unit={unit}
      caption={caption}
      table={<BandsTable title={title} steps={steps} bands={bands} />}
    >
      <Legend
        entries={[...curves, ...levels].map(({ name }, series) => ({
          name,
          ...seriesLook(series),
          strong: series < curves.length,
        }))}
      />
      <div class="figure-panels">
        {drawnMetrics.map((metric) => (
          <BandsPanel key={metric} metric={metric} steps={steps} scale={scale} bands={bands[metric]} />
        ))}
      </div>
    </ChartFrame>
  );
}

interface BandsPanelProps {
  metric: Drawn;
  steps: string;
  scale: "linear" | "sqrt";
  bands: MetricBands;
}

function BandsPanel({ metric, steps, scale, bands }: BandsPanelProps) {
  const options = useCallback(
    ({ bandsOptions }: typeof import("./figures/index.ts")) => bandsOptions({ steps, scale, ...bands }),
    [steps, scale, bands],
  );
  return (
    <FigurePanel
      title={`${shortName(metric)}@10`}
      description={describe(metric, steps, bands)}
      height={240}
      options={options}
    />
  );
}

function describe(metric: Drawn, steps: string, { curves, levels }: MetricBands): string {
  const ends = curves.flatMap(({ name, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return first && last
      ? [`${name} from ${decimals(first.mean)} to ${decimals(last.mean)} at ${steps} ${count(last.step)}`]
      : [];
  });
  return `${shortName(metric)} at 10: ${[...ends, ...levels.map(({ name, mean }) => `${name} ${decimals(mean)}`)].join("; ")}.`;
}

interface BandRow {
  readonly name: string;
  readonly step: number | null;
}

function BandsTable({ title, steps, bands }: Pick<BandsFigureProps, "title" | "steps" | "bands">) {
  const { curves, levels } = bands["paper HR"];
  const rows: BandRow[] = [
    ...curves.flatMap(({ name, points }) => points.map(({ step }) => ({ name, step }))),
    ...levels.map(({ name }) => ({ name, step: null })),
  ];
  const find = (metric: Drawn, { name, step }: BandRow) =>
    step === null
      ? bands[metric].levels.find((level) => level.name === name)
      : bands[metric].curves.find((curve) => curve.name === name)?.points.find((point) => point.step === step);
  return (
    <Table
      caption={title}
      quiet
      columns={[
        { title: "Series", cell: ({ name }) => name },
        { title: steps, numeric: true, cell: ({ step }) => count(step) },
        ...drawnMetrics.map((metric) => ({
          title: shortName(metric),
          numeric: true,
          cell: (row: BandRow) => {
            const found = find(metric, row);
            return found ? `${decimals(found.mean)} ± ${decimals(found.deviation)}` : "–";
          },
        })),
      ]}
      rows={rows}
      keyOf={({ name, step }) => `${name} ${step}`}
    />
  );
}

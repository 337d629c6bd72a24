// Curves over the steps of a stage, drawn by uPlot on a canvas. Pointer and arrow keys move through the steps; what stands there is shown beside
// the pointer, and read aloud as the value of a slider.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { resolveColour, useThemeChange } from "../app/theme-colours.ts";
import { count, significant } from "../design/numbers.ts";

import type { CurvePanel } from "./curves.ts";
import { stepAfterKey } from "./step-keys.ts";
import "uplot/dist/uPlot.min.css";
import "./step-plot.css";

const HEIGHT = 230;

interface StepPlotProps {
  panel: CurvePanel;
  /** What the vertical axis measures. */
  label: string;
  log: boolean;
  /** Of the vertical axis, so that panels can be compared; that of the values where it is left out. */
  range?: readonly [number, number] | undefined;
}

/** Where the reader looks. */
interface Place {
  readonly index: number;
  /** From the left edge of the plot, px. */
  readonly left: number;
  /** Whether there is more room to the left of it. */
  readonly late: boolean;
}

export function StepPlot({ panel, label, log, range }: StepPlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const [place, setPlace] = useState<Place | undefined>(undefined);

  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const drawn = new UPlot(optionsOf({ panel, log, range }, element, setPlace), dataOf(panel), element);
    plot.current = drawn;
    const watch = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== drawn.width) drawn.setSize({ width, height: HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      drawn.destroy();
      plot.current = undefined;
    };
  }, [panel, log, range]);

  useThemeChange(useCallback(() => plot.current?.redraw(false, true), []));

  const index = place?.index ?? nearest(panel.steps, panel.kept);
  return (
    <div
      class="step-plot"
      ref={frame}
      role="slider"
      tabIndex={0}
      aria-label={`${label}, stage ${panel.stage}, by step`}
      aria-valuemin={panel.steps[0]}
      aria-valuemax={panel.steps[panel.steps.length - 1]}
      aria-valuenow={panel.steps[index]}
      aria-valuetext={`step ${count(panel.steps[index])}: ${textAt(panel, index)}`}
      onKeyDown={(event) => {
        const next = stepAfterKey(event.key, index, panel.steps.length);
        if (next === undefined || !plot.current) return;
        event.preventDefault();
        moveTo(plot.current, next);
      }}
      onBlur={() => plot.current?.setCursor({ left: -10, top: -10 })}
    >
      {place && <Tooltip panel={panel} place={place} />}
    </div>
  );
}

function Tooltip({ panel, place: { index, left, late } }: { panel: CurvePanel; place: Place }) {
  const step = panel.steps[index];
  return (
    <div
      class={late ? "step-tooltip step-tooltip-late" : "step-tooltip"}
      style={{ "--left": `${left}px` }}
      aria-hidden="true"
    >
      <p>
        step {count(step)}
        {step === panel.kept && ", kept"}
      </p>
      <dl>
        {panel.lines.map(({ name, colour, values }) =>
          values[index] === null ? null : (
            <div key={name}>
              <dt>
                <span class="step-swatch" style={{ "--colour": colour }} />
                {name}
              </dt>
              <dd>{significant(values[index], 4)}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}

const textAt = ({ lines }: CurvePanel, index: number): string =>
  lines
    .filter(({ values }) => values[index] !== null)
    .map(({ name, values }) => `${name} ${significant(values[index], 4)}`)
    .join(", ");

function nearest(steps: readonly number[], wanted: number): number {
  let best = 0;
  for (const [i, step] of steps.entries()) if (Math.abs(step - wanted) < Math.abs(steps[best] - wanted)) best = i;
  return best;
}

/** Where a step stands, from the left edge of the plot, px. */
const leftOf = (plot: UPlot, index: number): number => plot.valToPos(plot.data[0][index], "x");

function moveTo(plot: UPlot, index: number): void {
  plot.setCursor({ left: leftOf(plot, index), top: plot.over.clientHeight / 2 });
}

const dataOf = ({ steps, lines }: CurvePanel): UPlot.AlignedData => [
  [...steps],
  ...lines.map(({ values }) => [...values]),
];

/** Colours are functions: uPlot asks them at every drawing, and so follows the theme. */
function optionsOf(
  { panel, log, range }: Omit<StepPlotProps, "label">,
  element: HTMLElement,
  setPlace: (place: Place | undefined) => void,
): UPlot.Options {
  const colour = (token: string) => () => resolveColour(element, token);
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis: UPlot.Axis = {
    stroke: colour("var(--ink-soft)"),
    font,
    labelFont: font,
    grid: { stroke: colour("var(--line)"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth || 320,
    height: HEIGHT,
    padding: [18, 12, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: false, y: false },
      y: false,
      move: (plot, left, top) => [left < 0 ? left : leftOf(plot, plot.posToIdx(left)), top], // from point to point
      points: { size: 8, width: 2, fill: colour("var(--surface)") },
    },
    scales: {
      x: { time: false, range: [0, panel.end] },
      y: { distr: log ? 3 : 1, ...(range && !log ? { range: [...range] } : {}) },
    },
    axes: [
      { ...axis, grid: { show: false }, label: "step", labelSize: 18, labelGap: 2, size: 30 },
      { ...axis, size: 50, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : significant(tick))) },
    ],
    series: [
      {},
      ...panel.lines.map(
        ({ name, colour: token, dash, strong }): UPlot.Series => ({
          label: name,
          stroke: colour(token),
          width: strong ? 2.5 : 1.5,
          spanGaps: true,
          ...(dash ? { dash: [...dash] } : {}),
          points: { show: panel.dots, size: strong ? 7 : 5, fill: colour(token) },
        }),
      ),
    ],
    hooks: {
      draw: [
        (plot) =>
          markKept(plot, panel.kept, { font, line: colour("var(--edge)")(), text: colour("var(--ink-soft)")() }),
      ],
      setCursor: [
        (plot) => {
          const { idx, left = -1 } = plot.cursor;
          if (idx === null || idx === undefined || left < 0) return setPlace(undefined);
          const at = leftOf(plot, idx);
          setPlace({ index: idx, left: plot.over.offsetLeft + at, late: at > plot.over.clientWidth / 2 });
        },
      ],
    },
  };
}

/** A dashed line at the step that was kept, named above. */
function markKept(plot: UPlot, kept: number, { font, line, text }: { font: string; line: string; text: string }): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const x = plot.valToPos(kept, "x", true);
  ctx.save();
  ctx.strokeStyle = line;
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.fillStyle = text;
  ctx.font = font.replace("12px", `${12 * ratio}px`);
  const share = (x - bbox.left) / bbox.width;
  ctx.textAlign = share > 0.8 ? "right" : share < 0.2 ? "left" : "center";
  ctx.textBaseline = "bottom";
  ctx.fillText(`kept: ${count(kept)}`, x, bbox.top - 3 * ratio);
  ctx.restore();
}

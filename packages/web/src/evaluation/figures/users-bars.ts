// Figs. 3 and 4 of the paper: users one by one, each with a bar for the metric that all share and one for their own.
import { axisX, axisY, gridY, type PlotOptions, pointerX, rect, tip } from "@observablehq/plot";
import { decimals } from "../../design/numbers.ts";
import type { UserBars } from "../personal.ts";
import { tipText } from "./draw.ts";

const WIDTH = 0.4; // of the place of a user
const looks = ["var(--edge)", "var(--accent)"];

export function userBarsOptions(users: readonly UserBars[]): PlotOptions {
  const bars = users.flatMap(({ shared, own }, i) =>
    [shared, own].map((value, series) => ({ i, series, value: value ?? 0 })),
  );
  return {
    height: 220,
    x: { domain: [0, users.length], label: "user" },
    y: { domain: [0, Math.max(...bars.map(({ value }) => value), 0.01)], nice: true, label: null },
    marks: [
      gridY({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
      axisY({ tickSize: 0, ticks: 5 }),
      axisX(
        users.map((_, i) => i + 0.5).filter((_, i) => i === 0 || (i + 1) % 5 === 0),
        { tickSize: 0, tickFormat: (at: number) => String(at + 0.5), labelArrow: "none", labelAnchor: "center" },
      ),
      rect(bars, {
        x1: ({ i, series }) => i + 0.5 + (series - 1) * WIDTH,
        x2: ({ i, series }) => i + 0.5 + series * WIDTH,
        y1: 0,
        y2: "value",
        fill: ({ series }) => looks[series],
      }),
      tip(
        users,
        pointerX({
          x: (_: UserBars, i: number) => i + 0.5,
          y: ({ shared, own }: UserBars) => Math.max(shared ?? 0, own ?? 0),
          ...tipText,
          title: ({ shared, own, ratings }: UserBars, i: number) =>
            `user ${i + 1}, ${ratings} ratings\nshared: ${decimals(shared)}\nown: ${decimals(own)}`,
        }),
      ),
    ],
  };
}

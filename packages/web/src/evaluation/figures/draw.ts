// Observable Plot under the page's policy. It puts its rules into a <style> inside the drawing, which the policy refuses: they are taken out
// before the drawing enters the page, and stand in figure-panel.css instead.
import { axisX, axisY, gridY, type Markish, type PlotOptions, plot } from "@observablehq/plot";

export function draw(options: PlotOptions, width: number): Element {
  const drawing = plot({
    className: "figure-plot",
    marginLeft: 44,
    marginRight: 16,
    marginTop: 24,
    marginBottom: 36,
    ...options,
    width,
  });
  for (const style of drawing.querySelectorAll("style")) style.remove();
  // "dot", "rule": names of marks, on groups that may have none; the frame around it says what is drawn
  for (const group of drawing.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  return drawing;
}

/** Axes of a quiet kind, and lines to read the height by. */
export function axes({ x, y }: { x: Parameters<typeof axisX>[0]; y?: Parameters<typeof axisY>[0] }): Markish[] {
  return [
    gridY({ stroke: "var(--line)", strokeOpacity: 1, ticks: 5 }),
    axisY({ tickSize: 0, ticks: 5, labelArrow: "none", ...(y as object) }),
    axisX({ tickSize: 4, ticks: 5, labelArrow: "none", labelAnchor: "center", ...(x as object) }),
  ];
}

/** How a tooltip is set: lines apart, and none broken. */
export const tipText = { lineHeight: 1.35, lineWidth: 40, textPadding: 10 };

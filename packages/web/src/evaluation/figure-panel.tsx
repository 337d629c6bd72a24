// One drawing of a figure. Plot is loaded only when there is one.
import { useEffect, useRef } from "preact/hooks";
import { loaded, reload } from "../api/loaded.ts";
import { ProblemView } from "../design/problem.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import "./figure-panel.css";

type Figures = typeof import("./figures/index.ts");

interface FigurePanelProps {
  /** Short; above the drawing where a figure has several. */
  title?: string;
  /** What it shows, for those who do not see it. */
  description: string;
  /** px, the same as of the drawing: nothing moves when it comes. */
  height: number;
  /** Keep it the same between renderings: a new one draws anew. */
  options: (figures: Figures) => Parameters<Figures["draw"]>[0];
}

export function FigurePanel({ title, description, height, options }: FigurePanelProps) {
  const figures = loaded("figures", () => import("./figures/index.ts")).value;
  const frame = useRef<HTMLDivElement>(null);
  const ready = figures.state === "ready" ? figures.value : undefined;
  useEffect(() => {
    const element = frame.current;
    if (!element || !ready) return undefined;
    let width = 0;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth === 0 || element.clientWidth === width) return;
      width = element.clientWidth;
      element.replaceChildren(ready.draw(options(ready), width));
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [ready, options]);
  return (
    <div class="figure-panel">
      {title && <h4 class="small">{title}</h4>}
      {figures.state === "failed" && <ProblemView problem={figures.problem} onRetry={() => reload("figures")} />}
      {figures.state === "loading" && <Skeleton height={`${height}px`} />}
      {ready && <div ref={frame} role="img" aria-label={description} style={{ blockSize: `${height}px` }} />}
    </div>
  );
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import "./chart-frame.css";

interface ChartFrameProps {
  title: string;
  /** What the axes measure, such as "validation loss by step". */
  unit: string;
  /** One sentence that says what is to be seen. */
  caption?: ComponentChildren;
  /** Further buttons, which change how it is drawn. */
  controls?: ComponentChildren;
  /** The same numbers as a table. */
  table: ComponentChildren;
  /** The chart. */
  children: ComponentChildren;
}

/** A chart with its title and unit, and behind it its table. */
export function ChartFrame({ title, unit, caption, controls, table, children }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <figure class="chart-frame">
      <figcaption class="chart-head">
        <div>
          <h3>{title}</h3>
          <p class="soft small">{unit}</p>
        </div>
        <div class="chart-buttons">
          {!asTable && controls}
          <Button look="plain" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? "Chart" : "Table"}
          </Button>
        </div>
      </figcaption>
      {asTable ? table : children}
      {caption && <p class="soft small">{caption}</p>}
    </figure>
  );
}

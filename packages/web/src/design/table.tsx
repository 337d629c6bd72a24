import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./table.css";

export interface Column<Row> {
  title: string;
  /** Numbers stand right, their digits below each other. */
  numeric?: boolean;
  cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  /** Says what the table shows; seen unless `quiet`. */
  caption: string;
  quiet?: boolean;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Names a row. */
  keyOf: (row: Row) => string | number;
}

/** A table; the first column names the rows. Scrolls by itself where it is wider than its place. */
export function Table<Row>({ caption, quiet = false, columns, rows, keyOf }: TableProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => keepReachable(frame.current), []);
  return (
    <section class="table-frame" aria-label={caption} ref={frame}>
      <table class="table">
        <caption class={quiet ? "unseen" : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, numeric }) => (
              <th key={title} scope="col" class={numeric ? "numeric" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, numeric, cell }, i) =>
                i === 0 ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={numeric ? "numeric" : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const widthOf = (element: Element) => element.getBoundingClientRect().width;

/** What scrolls must be reachable by keyboard and look so; what does not is no stop of the tab key. */
function keepReachable(frame: HTMLElement | null): (() => void) | undefined {
  if (!frame) return undefined;
  const fade = () => {
    frame.classList.toggle("table-more", frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1);
  };
  const table = frame.firstElementChild as Element;
  const watch = new ResizeObserver(() => {
    // Not scrollWidth, which is rounded: Chromium makes what overflows by less than half a pixel a stop of its own.
    if (widthOf(table) > widthOf(frame)) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
    fade();
  });
  watch.observe(frame);
  watch.observe(table); // grows with its content, also if the frame keeps its size
  frame.addEventListener("scroll", fade, { passive: true });
  return () => {
    watch.disconnect();
    frame.removeEventListener("scroll", fade);
  };
}

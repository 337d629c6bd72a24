// Observable Plot on the server: a plot becomes one <svg> with its own name and description. Colours are custom properties of the page
// (style.ts), so that a figure follows light, dark and print.
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { type Html, raw } from "../html.ts";

/** One drawing of a figure. */
export interface Panel {
  /** Short; shown above the drawing where a figure has several. */
  readonly title: string;
  /** What it shows, and the finding: what a reader gets who does not see it. */
  readonly description: string;
  readonly plot: Plot.PlotOptions;
}

/** Narrow enough for a phone at its own size; wider screens put two panels side by side, and scale them up a little. */
const WIDTH = 360;

/** Distinct in light and dark (style.ts); a ninth series begins again, with another dash. */
const COLOURS = 8;
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"] as const;

export const colour = (series: number): string => `var(--series-${series % COLOURS})`;
export const dash = (series: number): string => DASHES[series % DASHES.length];

const SVG = "http://www.w3.org/2000/svg";

/** The drawing as markup; `id` is unique on the page. */
export function draw({ title, description, plot }: Panel, id: string): Html {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const svg = Plot.plot({ width: WIDTH, className: "plot", ...plot, document: document as never }) as unknown as Drawn;
  svg.querySelector("style")?.remove(); // its rules are in style.ts
  const named = (tag: string, text: string) => {
    const element = document.createElementNS(SVG, tag);
    element.id = `${id}-${tag}`;
    element.textContent = text;
    return element as never;
  };
  svg.insertBefore(named("desc", description), svg.firstChild);
  svg.insertBefore(named("title", title), svg.firstChild);
  svg.setAttribute("xmlns", SVG);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-labelledby", `${id}-title ${id}-desc`);
  return raw(rounded(svg.outerHTML));
}

/** As much of an element as is used here: the page's types have no DOM. */
interface Drawn {
  readonly firstChild: never;
  readonly outerHTML: string;
  querySelector(selector: string): { remove(): void } | null;
  insertBefore(node: never, before: never): void;
  setAttribute(name: string, value: string): void;
}

/** Hundredths of a pixel are plenty, and the same on every machine. Only inside tags: texts stay as they are. */
function rounded(markup: string): string {
  return markup.replaceAll(/<[^<>]+>/g, (tag) =>
    tag.replaceAll(/(?<!\d)-?\d+\.\d{3,}(?:e-?\d+)?/g, (digits) => String(Math.round(100 * Number(digits)) / 100)),
  );
}

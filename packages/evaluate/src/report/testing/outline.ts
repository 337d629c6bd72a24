// A page of a report as its tests see it: the words and numbers that a reader finds on it, in their order, the places of marks, and flaws of the
// markup. The stylesheet is no part of the outline.
import { parseHTML } from "linkedom";

type Element = NonNullable<ReturnType<ReturnType<typeof parseHTML>["document"]["querySelector"]>>;

/** The markup but for the section that says where and when it was made. */
export const withoutEnvironment = (page: string): string =>
  page.replace(/<section id="environment"[\s\S]*?<\/section>\n/, "");

/**
 * The visible text of a page: headings, findings, facts, the cells of tables, and of each drawing its title, description, labels and marks. Of any
 * other paragraph the first sentence and those with a digit are kept, of the numbers behind a figure the head, the first and the last row; the notice
 * of simulated ratings and the list of sections are left out.
 */
export function outlineOf(page: string): string {
  const { document } = parseHTML(withoutEnvironment(page));
  for (const element of document.querySelectorAll("nav, section .simulated")) element.remove();
  const lines = [`title: ${document.title}`];
  for (const element of document.body.children) walk(element, lines);
  return `${lines.join("\n")}\n`;
}

const textOf = (element: Element | null): string => element?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "";
const tagOf = (element: Element): string => element.tagName.toLowerCase();

function walk(element: Element, lines: string[]): void {
  const tag = tagOf(element);
  const within = () => {
    for (const child of element.children) walk(child, lines);
  };
  if (tag === "section") lines.push("", `[${element.id}]`);
  if (tag === "figure") lines.push(`figure ${element.id}`);
  if (/^h\d$/.test(tag)) lines.push(`${"#".repeat(Number(tag[1]))} ${textOf(element)}`);
  else if (tag === "table") lines.push(...rowsOf(element));
  else if (tag === "svg") lines.push(...drawingOf(element));
  else if (tag === "dl") for (const fact of element.children) lines.push([...fact.children].map(textOf).join(": "));
  else if (element.querySelector("p, h3, h4, table, pre, svg.plot, li, dl")) within();
  else if (tag === "figcaption") lines.push(...[...element.children].map(textOf));
  else if (tag === "li") lines.push(`- ${gistOf(textOf(element))}`);
  else if (tag === "p" && !element.classList.contains("lead")) lines.push(gistOf(textOf(element)));
  else if (textOf(element) !== "") lines.push(textOf(element));
}

/** Explanations without figures are the source's own words, and may be reworded freely. */
function gistOf(paragraph: string): string {
  const sentences = paragraph.split(/(?<=[.:;]) (?=\p{Lu})/u);
  return sentences.filter((sentence, i) => i === 0 || /\d/.test(sentence)).join(" ");
}

/** A line for each row; the model's own begin with a star. */
function rowsOf(table: Element): string[] {
  const rows = [...table.querySelectorAll("tr")].map((row) => {
    const own = row.classList.contains("own") ? "* " : "";
    return `| ${own}${[...row.children].map(textOf).join(" | ")}`.trimEnd();
  });
  if (!table.closest("details.data") || rows.length <= 4) return rows;
  return [...rows.slice(0, 2), `| … ${rows.length - 3} rows`, rows[rows.length - 1]];
}

/** The marks are counted by shape. */
function drawingOf(svg: Element): string[] {
  const labels = Array.from(svg.querySelectorAll("text"), textOf).filter((label) => label !== "");
  const shapes = ["path", "rect", "circle", "line"].flatMap((shape) => {
    const count = svg.querySelectorAll(shape).length;
    return count > 0 ? [`${count} ${shape}`] : [];
  });
  return [
    `drawing: ${textOf(svg.querySelector("title"))}: ${textOf(svg.querySelector("desc"))}`,
    `  labels: ${labels.join(" · ")}`,
    `  marks: ${shapes.join(", ")}`,
  ];
}

/** How far marks of a drawing stand, at most, from where their values are on an even axis; the first and the last mark say where that lies. */
export function offAxis(places: readonly number[], values: readonly number[]): number {
  const last = places.length - 1;
  if (last < 1 || values.length !== places.length) return Number.NaN;
  const slope = (places[last] - places[0]) / (values[last] - values[0]);
  return Math.max(...places.map((place, i) => Math.abs(places[0] + slope * (values[i] - values[0]) - place)));
}

const VOID: ReadonlySet<string> = new Set(["meta", "br", "hr", "img", "input", "link", "wbr", "col"]);

/** Tags that are not closed in their order, attributes without quotes or twice, signs that are not escaped, and numbers that are none. */
export function flawsOf(page: string): string[] {
  const flaws: string[] = [];
  const open: string[] = [];
  const markup = page.replace(/^<!doctype html>\n/, "").replace(/(?<=<style>)[\s\S]*?(?=<\/style>)/, "");
  const token = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*(\/?)>|((?:[^<]|<(?=\s))+)|</g;
  for (const [whole, closes, name, attributes = "", closed, text] of markup.matchAll(token)) {
    if (text !== undefined) {
      if (/>|&(?!(?:amp|lt|gt|quot|#39|nbsp|#\d+);)/.test(text)) flaws.push(`not escaped: ${text.trim()}`);
    } else if (name === undefined) flaws.push(`a < that begins no tag, in ${open.join(" > ")}`);
    else if (closes === "/") {
      const last = open.pop();
      if (last !== name) flaws.push(`</${name}> where ${last} is open`);
    } else {
      const names = Array.from(attributes.matchAll(/([\w:-]+)(?==")/g), ([one]) => one);
      if (new Set(names).size < names.length) flaws.push(`an attribute twice: ${whole}`);
      if (/\b(NaN|Infinity|undefined|null)\b/.test(attributes)) flaws.push(`no number: ${whole}`);
      if (/&(?!(?:amp|lt|gt|quot|#\d+);)/.test(attributes)) flaws.push(`not escaped: ${whole}`);
      if (closed !== "/" && !VOID.has(name)) open.push(name);
    }
  }
  if (open.length > 0) flaws.push(`left open: ${open.join(" > ")}`);
  return flaws;
}

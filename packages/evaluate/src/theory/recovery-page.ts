// The page on metric recovery.
import { renderDocument } from "../report/document.ts";
import { figure } from "../report/figures/figure.ts";
import { html } from "../report/html.ts";
import { count, listed, percent, plural } from "../report/numbers.ts";
import { facts, type Section } from "../report/section.ts";
import { commandLines, environmentSection } from "../report/sections/reproduce.ts";
import { table } from "../report/table.ts";
import { significant } from "./numbers.ts";
import type { RecoveryCell } from "./recovery.ts";
import { recoveryFigure } from "./recovery-figure.ts";
import type { RecoveryReport } from "./recovery-report.ts";

/** In the order of the page. */
const SECTIONS: readonly ((report: RecoveryReport) => Section)[] = [
  summarySection,
  recoverySection,
  theoremSection,
  simulatedSection,
  reproduceSection,
  environmentSection,
];

/** The same report gives the same bytes. */
export function renderRecoveryReport(report: RecoveryReport): string {
  const { settings } = report.result;
  return renderDocument({
    title: "Is the metric found where it is known?",
    kind: "Nearkin theory report",
    heading: "Is the metric found where it is known?",
    subtitle: html`A Gaussian process fitted to ${listed(settings.surrogates.map(count))} ${settings.surrogates.length === 1 && settings.surrogates[0] === 1 ? "surrogate" : "surrogates"} of a known metric, ${plural(settings.seeds.length, "seed")}`,
    simulated: null,
    sections: SECTIONS.map((section) => section(report)),
  });
}

function summarySection({ result: { settings, cells } }: RecoveryReport): Section {
  const [first, last] = [cells[0], cells[cells.length - 1]];
  const errors =
    cells.length > 1
      ? `From ${plural(first.n, "item")} and ${plural(first.k, "surrogate")} to ${count(last.n)} and ${count(last.k)}, the largest error of a learned distance goes from ${significant(first.distance.median)} to ${significant(last.distance.median)}.`
      : `The largest error of a learned distance is ${significant(last.distance.median)}.`;
  const misses = cells.filter((cell) => cell.k === settings.surrogates[0] && cell.missed > cell.printed);
  return {
    id: "summary",
    title: "Summary",
    body: html`<p class="lead">${errors} Two random items are ${significant(typical(settings.weights))} apart.</p>
<p>That is what the simulation measures. Theorem 1, which should say it, has τ of at least ${significant(Math.min(...cells.map(({ leastTau }) => leastTau)))} here, and speaks for τ below 1 alone${
      misses.length > 0
        ? `: at n = ${listed(misses.map(({ n }) => count(n)))} the kernel misses by ε = ${significant(settings.epsilon)} or more in a larger share of the seeds than its printed bound allows`
        : ""
    }.</p>`,
  };
}

/** Two random items are at d_c = 1 on average. */
const typical = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0);

function recoverySection({ result }: RecoveryReport): Section {
  return {
    id: "curves",
    title: "Error by items and surrogates",
    body: html`<p>Both errors are the largest over ${plural(pairsOf(result.settings.otherItems), "pair")} of ${plural(result.settings.otherItems, "item")} that no fit has seen, the same for every n, k and seed. By Lemma 3 the first bounds the second: |D − D*| ≤ 2·log(1/(1 − ε)) where sup|k − k*|/k* ≤ ε < 1.</p>
${figure(recoveryFigure(result))}`,
  };
}

const pairsOf = (items: number): number => (items * (items - 1)) / 2;

function theoremSection({ result: { settings, cells } }: RecoveryReport): Section {
  const [k] = settings.surrogates;
  const rows = cells.filter((cell) => cell.k === k);
  return {
    id: "theorem",
    title: "What Theorem 1 has to say",
    body: html`<p>The constants of A1 and A2 at their best for each draw: the smallest d, and the largest α that A2 allows, σ⁴·(rᵀr/n)·(1 − sup|k − k*|). σ drops out of τ. λ_max, inf k* and d are medians; τ is the smallest of any seed, and the printed bound the largest. <em>Missed</em> is the share of seeds with sup|k − k*|/k* ≥ ε = ${significant(settings.epsilon)}, which the bound is about. From τ = 1 on the printed number is no bound.</p>
${table({
  label: "The constants of Theorem 1",
  head: ["n", "λ_max", "inf k*", "d", "τ", "printed bound", "what holds", `missed, k = ${k}`],
  text: [],
  rows: rows.map((cell) => ({ cells: theoremCells(cell) })),
})}`,
  };
}

const theoremCells = ({ n, lambdaMax, infKernel, d, leastTau, printed, missed }: RecoveryCell): string[] => [
  count(n),
  significant(lambdaMax),
  significant(infKernel),
  significant(d),
  significant(leastTau),
  significant(printed),
  leastTau < 1 ? significant(printed) : "1: vacuous",
  percent(missed),
];

function simulatedSection({ result: { settings, fits } }: RecoveryReport): Section {
  const { weights, embeddingSize, sigma2, noisy, otherItems } = settings;
  const open = fits.filter(({ converged }) => !converged).length;
  return {
    id: "simulated",
    title: "How it was simulated",
    body: facts([
      ["Channels", `${weights.length}, of ${plural(embeddingSize, "column")} each`],
      ["True weights h*", listed(weights.map((weight) => significant(weight)))],
      ["Other items", count(otherItems)],
      ["Seeds", settings.seeds.join(", ")],
      ["Items", "normal numbers, scaled so that two random items are at d_c = 1 in every channel on average", "wide"],
      [
        "Surrogates",
        noisy ? `r ~ N(0, K* + σ²I), σ² = ${significant(sigma2)}` : "r ~ N(0, K*), as A3 has it: without noise",
        "wide",
      ],
      [
        "Fit",
        `h = softplus(θ) by maximum likelihood (Eq. 6, the k surrogates summed), σ² = ${significant(sigma2)} known, from h = 1; items and surrogates are nested, so that a larger fit sees all that a smaller one saw${open > 0 ? `; ${plural(open, "fit")} of ${count(fits.length)} did not end by itself` : ""}`,
        "wide",
      ],
    ]),
  };
}

function reproduceSection({ reproduce }: RecoveryReport): Section {
  return { id: "reproduce", title: "To reproduce", body: html`${commandLines(reproduce, "All settings")}` };
}

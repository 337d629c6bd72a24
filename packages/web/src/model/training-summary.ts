// Two trainings in a few lines.
import type { Training } from "@nearkin/client";
import { count, decimals, duration, percent } from "../design/numbers.ts";

export interface SummaryRow {
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

/** Stages by name: what only one has is a dash on the other side. */
export function summaryRows(a: Training, b: Training): SummaryRow[] {
  const row = (name: string, text: (training: Training) => string): SummaryRow => ({ name, a: text(a), b: text(b) });
  const names = [...new Set([...a.stages, ...b.stages].map(({ name }) => name))];
  const stages = names.flatMap((name) => {
    const of = ({ stages: own }: Training) => own.find((stage) => stage.name === name);
    const figure = (key: string) => (training: Training) => decimals(of(training)?.metrics[key]);
    return [
      row(`${name}: step kept, of all`, (training) => {
        const stage = of(training);
        return stage ? `${count(stage.best)} of ${count(stage.steps)}` : "–";
      }),
      row(`${name}: HR`, figure("hr")),
      row(`${name}: MRR`, figure("mrr")),
      row(`${name}: NDCG`, figure("ndcg")),
    ];
  });
  return [
    ...stages,
    row("Explained by the metric", ({ noise: { signal, variance } }) =>
      percent(signal + variance > 0 ? signal / (signal + variance) : null),
    ),
    row("Warnings", ({ warnings }) => count(warnings.length)),
    row("Took", ({ timing }) => duration(timing?.seconds)),
  ];
}

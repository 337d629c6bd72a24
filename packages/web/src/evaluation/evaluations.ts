// Which results there are.
import type { ListedEvaluation } from "@nearkin/client";
import { client } from "../api/client.ts";
import { loaded } from "../api/loaded.ts";

export const evaluationList = () => loaded("evaluations", () => client.evaluations.list());

export const evaluationOf = (name: string) => loaded(`evaluation ${name}`, () => client.evaluations.get(name));

export const evaluationPath = (name: string): string => `/evaluation?result=${encodeURIComponent(name)}`;

const kinds: Readonly<Record<NonNullable<ListedEvaluation["kind"]>, string>> = {
  evaluation: "models and baselines",
  model: "a model and baselines",
  users: "users' own metrics",
  paper: "the paper's experiment",
};

/** "films: models and baselines on marquee". */
export function resultTitle({ name, kind, dataset }: Pick<ListedEvaluation, "name" | "kind" | "dataset">): string {
  return `${name}: ${kind === null ? "cannot be read" : kinds[kind]}${dataset ? ` on ${dataset.name}` : ""}`;
}

/** The one that is asked for; without a name, the newest that can be read. */
export function chosenResult(
  evaluations: readonly ListedEvaluation[],
  name: string | null,
): ListedEvaluation | undefined {
  if (name) return evaluations.find((one) => one.name === name);
  return evaluations.find(({ problem }) => problem === null);
}

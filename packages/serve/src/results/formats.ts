// What files of results hold, by the format that they name: those of `nearkin evaluate --out`, those beside the pages of `nearkin report`, and the
// experiments alone.
import { type RouteAnswer, routes } from "@nearkin/client/contract";
import { z } from "zod";

type Answer = RouteAnswer<"getEvaluation">;

/** What a file says, whichever its format. */
export type Results = Pick<Answer, "kind" | "model" | "simulated" | "evaluation" | "users" | "paper">;

const { shape } = routes.getEvaluation.response;
const evaluation = shape.evaluation.unwrap();
const users = shape.users.unwrap();
const paper = shape.paper.unwrap();

const NONE = { model: null, evaluation: null, users: null, paper: null } as const;

const formats = {
  "nearkin-evaluation": evaluation.transform(
    (found): Results => ({ ...NONE, kind: "evaluation", simulated: found.dataset.simulated, evaluation: found }),
  ),
  "nearkin-model-report": z
    .object({ simulated: z.boolean(), model: z.object({ id: z.string() }), evaluation })
    .transform(
      ({ simulated, model, ...found }): Results => ({ ...NONE, ...found, kind: "model", simulated, model: model.id }),
    ),
  "nearkin-users-report": z
    .object({ simulated: z.boolean(), users })
    .transform((found): Results => ({ ...NONE, ...found, kind: "users" })),
  "nearkin-personalisation": users.transform(
    (found): Results => ({ ...NONE, kind: "users", simulated: found.dataset.simulated, users: found }),
  ),
  "nearkin-paper-report": z
    .object({ simulated: z.boolean(), result: paper, users: users.nullable() })
    .transform(({ result, ...found }): Results => ({ ...NONE, ...found, kind: "paper", paper: result })),
  "nearkin-paper": paper.transform(
    (found): Results => ({
      ...NONE,
      kind: "paper",
      simulated: found.datasets.some(({ simulated }) => simulated),
      paper: found,
    }),
  ),
} as const;

/** Reads the text of a file; a text that is none of these is a problem in words. */
export function parseResults(text: string): { results: Results } | { problem: string } {
  let found: { format?: unknown } | null;
  try {
    found = JSON.parse(text) as { format?: unknown } | null;
  } catch {
    return { problem: "it is not JSON, or broke off" };
  }
  const format = found?.format;
  if (typeof format !== "string" || !Object.hasOwn(formats, format)) {
    const got = typeof format === "string" ? `"${format.slice(0, 40)}"` : "none";
    return { problem: `its format is ${got}; known are ${Object.keys(formats).join(", ")}` };
  }
  const { data, error } = formats[format as keyof typeof formats].safeParse(found);
  return error ? { problem: z.prettifyError(error).split("\n").slice(0, 2).join(" ") } : { results: data };
}

/** The dataset that results are of; of several folds, the first. */
export const datasetOf = ({ evaluation: measured, users: own, paper: experiment }: Results) =>
  measured?.dataset ?? own?.dataset ?? experiment?.datasets[0] ?? null;

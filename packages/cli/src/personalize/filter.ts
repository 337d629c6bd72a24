// Users through a pipe, one line after the other. The command line runs it, and so does what Spark's executors are given.
import type { Model } from "@nearkin/core";
import type { Line } from "../lines.ts";
import { type AnswerOptions, answerLine, isRefusal } from "./user-line.ts";

export interface FilterSummary {
  users: number;
  refused: number;
}

/** What keeps a model from it is said before anything is read. */
export function checkPersonal(model: Model): void {
  if (!model.personalizes) model.personalize([]);
}

export async function filterLines(
  model: Model,
  lines: AsyncIterable<Pick<Line, "text" | "line">>,
  { write, ...options }: AnswerOptions & { write: (line: string) => Promise<void> },
): Promise<FilterSummary> {
  const summary = { users: 0, refused: 0 };
  for await (const { text, line } of lines) {
    const answer = answerLine(model, { text, line }, options);
    summary.users++;
    if (isRefusal(answer)) summary.refused++;
    await write(`${JSON.stringify(answer)}\n`);
  }
  return summary;
}

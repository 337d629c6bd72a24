// A folder of results for tests: the evaluation of the contract's example, and a page beside it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "@nearkin/client/contract";

export const { evaluation: exampleEvaluation } = routes.getEvaluation.examples[0].response;

export const examplePage = "<!doctype html><title>films</title><style>p { color: teal }</style><p>é</p>";

/** Writes films.json and films.html. */
export function writeTinyResults(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "films.json"), JSON.stringify(exampleEvaluation));
  writeFileSync(join(folder, "films.html"), examplePage);
}

import type { ListedEvaluation } from "@nearkin/client";
import { expect, test } from "vitest";
import { chosenResult, evaluationPath, resultTitle } from "./evaluations.ts";

const listed = (name: string, problem: string | null): ListedEvaluation => ({
  name,
  kind: problem === null ? "evaluation" : null,
  time: 0,
  bytes: 1,
  report: null,
  dataset: null,
  model: null,
  problem,
});
const [broken, films] = [listed("broken", "not JSON"), listed("films", null)];

test("without a name, the newest that can be read is shown", () => {
  expect(chosenResult([broken, films], null)).toBe(films);
  expect(chosenResult([broken], null)).toBeUndefined();
});

test("with a name that one, also if it cannot be read; never another", () => {
  expect(chosenResult([broken, films], "broken")).toBe(broken);
  expect(chosenResult([broken, films], "gone")).toBeUndefined();
});

test("results are named by what they hold", () => {
  expect(resultTitle(films)).toBe("films: models and baselines");
  expect(resultTitle(broken)).toBe("broken: cannot be read");
  expect(evaluationPath("a b")).toBe("/evaluation?result=a%20b");
});

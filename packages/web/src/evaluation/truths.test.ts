import { expect, test } from "vitest";
import { hitMeans, isPersonal, mainTruth, truthTitle } from "./truths.ts";

test.each([
  ["co-interaction 1 d", "Met within 1 day", "within 1 day of"],
  ["co-interaction 30 d", "Met within 30 days", "within 30 days of"],
  ["co-interaction ∞", "Met by the same people", "at any time"],
  ["affinity", "Shared users", "users overlap most"],
  ["later items", "What users met later", "held-out user met later"],
  ["later items among 338 frequent ones", "Later, among 338 frequent ones", "held-out user met later"],
  ["something new", "something new", "an item of the truth"],
])("%s is called “%s”", (truth, title, meaning) => {
  expect(truthTitle(truth)).toBe(title);
  expect(hitMeans(truth)).toContain(meaning);
});

test("users' truths are told apart", () => {
  expect(["later items among 5 frequent ones", "affinity"].map(isPersonal)).toEqual([true, false]);
});

test("the main truth is that of 30 days, else the first with queries", () => {
  const truth = (name: string, queries: number) => ({ name, queries, empty: 0, size: { mean: 1, median: 1 } });
  const [one, thirty, other] = [truth("co-interaction 1 d", 3), truth("co-interaction 30 d", 3), truth("affinity", 3)];
  expect(mainTruth({ truths: [one, thirty, other] })).toBe(thirty);
  expect(mainTruth({ truths: [truth("co-interaction 30 d", 0), other] })).toBe(other);
  expect(mainTruth({ truths: [] })).toBeUndefined();
});

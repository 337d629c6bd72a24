import type { PaperEvent } from "@nearkin/evaluate";
import { expect, test } from "vitest";
import { paperProgress } from "./paper-progress.ts";

const run = (model: "SSL" | "SIAMESE" | "SPE", fold = 1): PaperEvent => ({
  event: "run",
  model,
  dataset: "films",
  fold,
  seed: 1,
});
const step: PaperEvent = {
  event: "spe",
  detail: { step: 50, steps: 100, loss: 1, score: 0.5, best: true, standOff: true },
};

test("a line for each training that is done, how many are left, and what was there before", () => {
  const lines: string[] = [];
  let clock = 0;
  const live = { show: () => {}, now: (text: string) => lines.push(text), end: (text: string) => lines.push(text) };
  const progress = paperProgress(live, { folds: 2, seeds: 1, now: () => clock });
  progress.show(run("SSL")); // was there
  for (const event of [run("SIAMESE"), step, run("SPE"), step, run("SSL", 2), step, run("SIAMESE", 2), run("SPE", 2)]) {
    if (event === step) clock += 60_000;
    progress.show(event);
  }
  progress.show({
    event: "train",
    detail: { type: "start", out: "", resumedAt: { stage: "ssl", step: 7 }, parameters: 1 },
  });
  progress.end();
  expect(lines).toEqual([
    "2 of 6  SIAMESE, fold 1 of 2, seed 1: step 50 of at most 100",
    "2 of 6  SIAMESE, fold 1 of 2, seed 1: done in 1 min 0 s",
    "3 of 6  SPE, fold 1 of 2, seed 1: step 50 of at most 100",
    "3 of 6  SPE, fold 1 of 2, seed 1: done in 1 min 0 s",
    "4 of 6  SSL, fold 2 of 2, seed 1: step 50 of at most 100",
    "4 of 6  SSL, fold 2 of 2, seed 1: done in 1 min 0 s; about 2 min 0 s left",
    "6 of 6  SPE, fold 2 of 2, seed 1: resuming at step 7 of the stage ssl",
    "6 trainings, 3 of them in 3 min 0 s; 3 were there already",
  ]);
});

test("one fold is not counted, and all may be there", () => {
  const lines: string[] = [];
  const live = { show: (text: string) => lines.push(text), now: () => {}, end: (text: string) => lines.push(text) };
  const progress = paperProgress(live, { folds: 1, seeds: 1 });
  for (const model of ["SSL", "SIAMESE", "SPE"] as const) progress.show(run(model));
  progress.end();
  expect(lines).toEqual([
    "1 of 3  SSL, seed 1: …",
    "2 of 3  SIAMESE, seed 1: …",
    "3 of 3  SPE, seed 1: …",
    "3 trainings; all were there already",
  ]);
});

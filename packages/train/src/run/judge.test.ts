import { describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { Best, Judgement } from "./run.ts";

/** Goes through looks at a stage; returns the steps that were kept, one after the other. */
function kept(looks: { scores: number[] | null; nll: number | null }[], { adds = false, from = 0 } = {}): number[] {
  const progress: { step: number; top: Judgement | null; best: Best | null } = { step: from, top: null, best: null };
  const steps: number[] = [];
  for (const { scores, nll } of looks) {
    progress.step++;
    const found = judge(progress, scores && Float64Array.from(scores), { holdoutNll: nll, adds });
    if (!found) continue;
    progress.best = {
      ...found,
      flat: new Float32Array(0),
      statistics: { scales: new Float64Array(0), lengths: new Float64Array(0), standIns: [] },
    };
    steps.push(found.step);
  }
  return steps;
}

const same = (value: number) => Array<number>(50).fill(value);

describe("judge", () => {
  test("without a hold-out, the best ranking", () => {
    const looks = [0.3, 0.2, 0.31, 0.31, 0.4].map((score) => ({ scores: same(score), nll: null }));
    expect(kept(looks)).toEqual([1, 3, 5]);
  });

  test("without validation items, the best hold-out likelihood; with neither, none", () => {
    expect(kept([1.5, 1.2, 1.3, 1.1].map((nll) => ({ scores: null, nll })))).toEqual([1, 2, 4]);
    expect(kept([{ scores: null, nll: null }])).toEqual([]);
  });

  test("with both: the better likelihood among rankings that cannot be told apart", () => {
    const noisy = (shift: number) => same(0.5).map((x, i) => x + shift + (i % 2 === 0 ? 0.2 : -0.2) * Math.sign(shift));
    expect(
      kept([
        { scores: same(0.5), nll: 2 },
        { scores: noisy(-0.01), nll: 1.5 }, // a little worse, within the noise of the difference: kept for its likelihood
        { scores: same(0.4), nll: 1 }, // clearly worse, however likely
        { scores: noisy(-0.02), nll: 1.8 }, // close, but less likely
      ]),
    ).toEqual([1, 2]);
  });

  test("a stage that adds to the metric: its start stays only where all steps are clearly worse", () => {
    const noisy = same(0.49).map((x, i) => x + (i % 2 === 0 ? 0.2 : -0.2));
    const looks = [same(0.5), same(0.4), noisy, same(0.485), same(0.495)].map((scores) => ({ scores, nll: null }));
    expect(kept(looks, { adds: true, from: -1 })).toEqual([0, 2, 4]); // then by ranking alone
    expect(kept(looks.slice(0, 2), { adds: true, from: -1 })).toEqual([0]);
    expect(kept(looks, { from: -1 })).toEqual([0]);
  });

  test("a likelihood that is no number neither wins nor blocks", () => {
    expect(
      kept([
        { scores: same(0.5), nll: Number.NaN },
        { scores: same(0.6), nll: 1 },
      ]),
    ).toEqual([1, 2]);
  });

  test("a ranking that is clearly better wins at once, whatever its likelihood", () => {
    expect(
      kept([
        { scores: same(0.5), nll: 1 },
        { scores: same(0.6), nll: 3 },
        { scores: same(0.55), nll: 0.5 },
      ]),
    ).toEqual([1, 2]);
  });
});

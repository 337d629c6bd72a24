// Which step of a stage is kept. Without a hold-out the one that ranks the validation items best. With one, the likelihood has a say: of the
// steps whose ranking cannot be told from the best one's (the paired difference is within its standard error, as in Breiman's rule for
// trees), the one that predicts the held-out targets best. So stage 2 may not cost ranking for the sake of its likelihood, nor is what
// it learned about noise thrown away for a difference that a handful of validation items cannot show. A stage that `adds` to the metric is
// given the benefit of the same doubt: its start is kept only where every step ranks worse than can be chance.
import type { Judgement, Progress } from "./run.ts";

/** Notes the step's figures in `progress.top`; returns them where the step is to be kept from now on. */
export function judge(
  progress: Pick<Progress, "step" | "top" | "best">,
  scores: Float64Array | null,
  { holdoutNll: measured, adds = false }: { holdoutNll: number | null; adds?: boolean },
): Judgement | null {
  const holdoutNll = Number.isFinite(measured) ? measured : null; // nothing is better or worse than NaN
  if (!scores && holdoutNll === null) return null;
  const score = scores ? mean(scores) : -(holdoutNll ?? 0);
  const step: Judgement = { step: progress.step, score, scores: scores ?? new Float64Array(0), holdoutNll };
  if (progress.top === null || score > progress.top.score) progress.top = step;
  const { top, best } = progress;
  if (best === null) return step;
  if (adds && best.step === 0 && scores) return isClose(step, top) ? step : null;
  if (holdoutNll === null || best.holdoutNll === null || !scores) return score > best.score ? step : null;
  if (!isClose(best, top)) return step === top ? step : null;
  return isClose(step, top) && holdoutNll < best.holdoutNll ? step : null;
}

/** Whether a step ranks as well as the top one, as far as the validation items can tell. */
function isClose(step: Judgement, top: Judgement): boolean {
  const differences = top.scores.map((score, i) => score - step.scores[i]);
  const difference = mean(differences);
  const variance = differences.reduce((sum, d) => sum + (d - difference) ** 2, 0) / Math.max(1, differences.length - 1);
  return difference <= Math.sqrt(variance / differences.length);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

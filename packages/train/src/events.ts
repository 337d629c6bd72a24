import type { StageName } from "./config/schema.ts";

/** How well the validation items, which training has not seen, are ranked; paper family @10 (EV9). */
export interface Ranking {
  hr: number;
  mrr: number;
  ndcg: number;
  /** Query items with a truth. */
  queries: number;
}

/** One step of a stage, as it stands in history.parquet. */
export interface StepReport {
  stage: StageName;
  step: number;
  steps: number;
  /** What is minimised. */
  loss: number;
  /** ℓ per item and target, without the constant; NaN in the Siamese stage. */
  nll: number;
  /** σ */
  noise: number;
  /** v */
  variance: number;
  channels: readonly string[];
  /** h, by channel. */
  weights: readonly number[];
  /** Norm of the gradient before clipping. */
  gradient: number;
  learningRate: number;
}

export type WarningCode =
  | "CHANNEL_COLLAPSED"
  | "WEIGHT_DIED"
  | "NOISE_SWALLOWS_SIGNAL"
  | "RANKING_FALLS"
  | "KERNEL_INDEFINITE"
  | "NO_VALIDATION";

/** Something in the run that its owner should look at; each is told once a stage, and kept in the model. */
export interface TrainWarning {
  code: WarningCode;
  stage: StageName | null;
  step: number;
  /** Where it is about one. */
  channel?: string;
  text: string;
}

/** What `train` tells while it works; a caller may print it. */
export type TrainEvent =
  | { type: "start"; out: string; resumedAt: { stage: StageName; step: number } | null; parameters: number }
  | { type: "phase"; title: string }
  | ({ type: "step"; stepsPerSecond: number; secondsLeft: number } & StepReport)
  | {
      type: "validation";
      stage: StageName;
      step: number;
      ranking: Ranking | null;
      holdoutNll: number | null;
      best: boolean;
    }
  | {
      type: "stage";
      stage: StageName;
      steps: number;
      best: number;
      ranking: Ranking | null;
      holdoutNll: number | null;
      reason: "steps" | "patience";
    }
  | { type: "checkpoint"; stage: StageName; step: number }
  | ({ type: "warning" } & TrainWarning)
  | { type: "note"; text: string };

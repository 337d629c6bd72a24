import type { TrainConfig } from "../config/schema.ts";

/** What a step says of itself. */
export interface StepOutcome {
  loss: number;
  /** ℓ per item and target; NaN where there is none. */
  nll: number;
  jitter: number;
  shift: number;
}

/** The settings that both stages have. */
type StageSettings = Pick<TrainConfig["siamese"], keyof TrainConfig["siamese"] & keyof TrainConfig["ssl"]>;

export interface Stage {
  readonly name: "siamese" | "ssl";
  readonly settings: StageSettings;
  /** Adds the gradient of step `step` (1 is the first) to the run's. */
  step(step: number): StepOutcome;
  /** The likelihood of items kept out of it; null where there is none. */
  holdoutNll(): number | null;
  /** Learning rate of a tensor, as a multiple. @default 1 for all */
  rateOf?(tensor: string): number;
  /** The stage adds to the metric: of steps that rank alike, as far as can be told, one with the addition is kept. @default false */
  readonly adds?: boolean;
  /** Calls `look` while the run is as the stage found it. @default it is */
  atStart?(look: () => void): void;
  /** Called when the kept step's parameters are in place. */
  finish?(kept: number): void;
}

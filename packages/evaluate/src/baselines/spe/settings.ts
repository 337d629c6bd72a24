// What is chosen for a training of SPE. Defaults were tuned on the validation items of MovieLens split by time (some twenty short runs, one seed).
import { NearkinError } from "@nearkin/core";
import { presets } from "@nearkin/train";

/** Figures depend on all of it. */
export interface SpeSettings {
  /** @default 1 */
  seed?: number;
  /** h of the tower. @default 50 */
  hidden?: number;
  /** e. @default 50 */
  embeddingSize?: number;
  /** At most. @default 3000 */
  steps?: number;
  /** Pairs of a step. @default 512 */
  batch?: number;
  /** κ: a positive is one of the next so many events of the same user. @default 5, as preset `paper` */
  window?: number;
  /** k: how many negatives stand against a positive. @default 5 */
  negatives?: number;
  /** Negatives drawn at a step, shared by its anchors. @default 256 */
  negativeDraws?: number;
  /** Negatives are drawn ∝ ratings^power. @default 0, uniformly as preset `paper` */
  negativePower?: number;
  /** @default 6e-3 */
  learningRate?: number;
  /** Learning rate of w and b, as a multiple. @default 20 */
  scaleRate?: number;
  /** AdamW's, of the tower. @default 1e-2 */
  weightDecay?: number;
  /** AdamW's, of free vectors. @default 1 */
  freeDecay?: number;
  /** Probability that an input is 0 in training. @default 0.1 */
  dropout?: number;
  /** Probability that a row does without its free part in training, as new items must. @default 0.1 */
  freeDropout?: number;
  /**
   * Whether a row without its free part stands off by ρ, the mean squared length of those of others (model.ts). Without, z is all there is, and
   * new items lie nearest to each other. Left open, both are trained and validation items choose: on MovieLens they choose to stand off
   * where new items are drawn at random, and not to where they are the newest, which belong together.
   */
  standOff?: boolean;
  /** Share that an average of parameters over steps keeps at each; what is ranked is the average. @default 0.995 */
  averaging?: number;
  /** Steps between two looks at the validation items. @default 100 */
  validateEvery?: number;
  /** Looks without a better one after which training ends. @default 8 */
  patience?: number;
}

const defaults: Required<SpeSettings> = {
  seed: 1,
  hidden: 50,
  embeddingSize: 50,
  steps: 3000,
  batch: 512,
  window: presets.paper.siamese.window,
  negatives: 5,
  negativeDraws: 256,
  negativePower: 0,
  learningRate: 6e-3,
  scaleRate: 20,
  weightDecay: 1e-2,
  freeDecay: 1,
  dropout: 0.1,
  freeDropout: 0.1,
  standOff: true,
  averaging: 0.995,
  validateEvery: 100,
  patience: 8,
};

const WHOLE = ["hidden", "embeddingSize", "steps", "batch", "window", "negativeDraws", "validateEvery", "patience"];
const SHARES = ["dropout", "freeDropout", "averaging"];
const NUMBERS = ["negatives", "negativePower", "learningRate", "scaleRate", "weightDecay", "freeDecay"];

export function resolveSpeSettings(chosen: SpeSettings): Required<SpeSettings> {
  const settings = { ...defaults, ...chosen };
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === "boolean") continue;
    const wrong = (expected: string) =>
      new NearkinError("BAD_ARGUMENT", `spe: ${name} must be ${expected}, got ${String(value)}`);
    if (WHOLE.includes(name) && !(Number.isSafeInteger(value) && value >= 1))
      throw wrong("a whole number of at least 1");
    if (SHARES.includes(name) && !(value >= 0 && value < 1)) throw wrong("in [0, 1)");
    if (NUMBERS.includes(name) && !(Number.isFinite(value) && value >= 0)) throw wrong("a number of at least 0");
  }
  return settings;
}

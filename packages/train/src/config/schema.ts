// The section `train:` of nearkin.yaml: what the user chose about training. One zod schema, unknown keys rejected, the type inferred from it.
// Every key can change the result; what only changes speed (engine, workers, checkpoints) is an option of `train` instead.
import { z } from "zod";

const steps = z.int().min(0).max(1_000_000);
const rate = z.number().gt(0).max(1);
const batch = z.int().min(2).max(65_536);
/** Of anything that is multiplied in: beyond it f32 has no digits left for the rest. */
const LARGEST = 1e6;
const dropout = z.number().min(0).lt(1);

/** What both stages have. */
const stage = {
  /** Most steps; early stopping may take fewer. */
  steps,
  /** AdamW's rate at the first step after the warm-up. */
  learningRate: rate,
  /** The channel weights learn so many times faster: a handful of numbers behind thousands. */
  weightRate: z.number().gt(0).max(1000),
  /** Averaged weights are what is validated and kept: e in E ← eE + (1 − e)·weights. null: the last ones. */
  averaging: z.number().gt(0).lt(1).nullable(),
  /** Decoupled: not multiplied into the gradient. Of matrices only, never of biases, channel weights or noise. */
  weightDecay: z.number().min(0).max(1),
  /** Steps over which the rate rises from 0. */
  warmup: z.int().min(0),
  /** How the rate goes on: `constant`, or `cosine` down to a tenth at the last step. */
  schedule: z.enum(["constant", "cosine"]),
  /** Largest norm of the gradient; larger ones are shortened. null for none. */
  clip: z.number().gt(0).nullable(),
  /** Of the towers' inputs. */
  dropout,
  /** Steps between two looks at the validation items. */
  validateEvery: z.int().min(1),
  /** Looks without a new best after which the stage stops. null: all steps are done. */
  patience: z.int().min(1).nullable(),
  /** The step that the stage ends with: that which ranks the validation items best, or the last. */
  keep: z.enum(["best", "last"]),
};

const siamese = z.strictObject({
  ...stage,
  /** `softmax`: in-batch, the strongest; `contrastive` and `cross-entropy`: pairs with drawn negatives. */
  loss: z.enum(["softmax", "contrastive", "cross-entropy"]),
  /** Pairs of a step. */
  batch,
  /** T of the softmax; stored with the model. */
  temperature: z.number().min(1e-6).max(LARGEST),
  /** κ: a positive is one of the next κ items of the same history. */
  window: z.int().min(1),
  /** Softmax: also ask each positive for its anchor. */
  symmetric: z.boolean(),
  /** Softmax: correct the logits by log q of the candidates (then −t/T estimates log P(x|query)). */
  logq: z.boolean(),
  /** τ of the contrastive loss. */
  margin: z.number().min(1e-6).max(LARGEST),
  /** Where negatives come from: the training items, or those of them the pair's user has not met. */
  negatives: z.enum(["catalogue", "unseen"]),
});

const ssl = z.strictObject({
  ...stage,
  /**
   * How the Gaussian process helps the metric. `channel`: it is fitted on the channels' inputs, and what it expects of an item's factors is one
   * further channel, learned with the loss of the Siamese stage. `towers`: its likelihood trains the towers, as in the paper.
   */
  mode: z.enum(["channel", "towers"]),
  /** Mode `channel`: steps in which the process is fitted; `steps` count those of the channel. */
  surrogateSteps: steps,
  /** Mode `channel`: Adam's rate at the first of them; it falls in a line to 0. */
  surrogateRate: rate,
  /** Mode `channel`: the towers that are there already learn so many times as fast as the new one. */
  towerRate: z.number().min(0).max(1),
  likelihood: z.enum(["exact", "dtc", "fitc", "pitc", "vfe"]),
  /** `rating`: the mean rating. `factors`: the mean rating and the leading factors of the user × item matrix. */
  target: z.enum(["rating", "factors"]),
  /** The mean rating as it is, or drawn towards that of all items by as many ratings as the dataset's `statistics.shrinkage` says. */
  ratings: z.enum(["mean", "shrunk"]),
  /** Factors at most; a dataset may hold fewer. */
  factors: z.int().min(1).max(512),
  /** Items with fewer training ratings are left out. */
  minRatings: z.int().min(1),
  /** m; a tenth of the items where that is fewer. */
  inducing: z.int().min(1).max(4096),
  /** Steps after which inducing items are selected again. */
  reselectEvery: z.int().min(1),
  /** Items of a step, inducing ones included; in mode `channel`, items on which the process is fitted. */
  batch,
  /** λ, mode `towers`: the loss of the Siamese stage stays in the objective with this weight. */
  anchor: z.number().min(0).max(LARGEST),
  /** c in Σ_i = σ²(1 + c/n_i): targets of few ratings are noisy. 0: the same noise for all. */
  noisePerRating: z.number().min(0).max(LARGEST),
  /** Least σ²: a deep kernel can explain everything, and then ranking falls. */
  noiseFloor: z.number().min(0).max(LARGEST),
  /** Whether v, the signal variance, is learned (1 otherwise). */
  variance: z.boolean(),
  /** Share of the items kept out of the likelihood, on which its predictions are checked. */
  holdout: z.number().min(0).max(0.5),
});

const model = z.strictObject({
  /** h: a tower is 2h ReLU, h sigmoid, then tanh. */
  hidden: z.int().min(1).max(1024),
  /** Width of an embedding. */
  embedding: z.int().min(1).max(1024),
  link: z.enum(["sigmoid", "linear", "saturating"]),
  /** `signed`: h ∈ ℝ. `softplus`: h = log(1 + e^θ) > 0. */
  weights: z.enum(["signed", "softplus"]),
  /** Λ of Eq. 1: `identity` as in the paper's appendix, `diagonal` learns it. */
  scale: z.enum(["identity", "diagonal"]),
  /** A free vector for each item, masked when the item is new. */
  identity: z.boolean(),
  identitySize: z.int().min(1).max(1024),
  /** Share of a batch's items that are treated as new. */
  identityDropout: dropout,
  /** The mean rating as a channel of its own: for a Siamese baseline only. */
  ratingChannel: z.boolean(),
  /** `pca`: texts as fitted when the dataset was prepared. `full`: the encoder's whole output. */
  text: z.enum(["pca", "full"]),
  /** Numbers and dates as 16 soft bins, or as one standardised number. */
  numbers: z.enum(["bins", "standardised"]),
  /** `norm`: each channel's inputs to mean square norm 1. */
  inputs: z.enum(["norm", "as-is"]),
});

const popularity = z.strictObject({
  /** Days after which an event counts half in q. `auto`: what ranks validation items best; null: all events count alike, as in data without times. */
  halfLife: z.union([z.literal("auto"), z.number().gt(0).max(100_000)]).nullable(),
});

const behavior = z.strictObject({
  /** Numbers an item in the channel of who met it; fewer if there are fewer users. 0: no such channel. */
  factors: z.int().min(0).max(1024),
});

const personal = z.strictObject({
  /** What a user's own metric is fitted to: the items they met against those they did not, the same by a Gaussian process, or their ratings by one. */
  target: z.enum(["choice", "preference", "rating"]),
  /** `map`: under a Gaussian prior over users. `descent`: gradient steps from the shared start, as in the paper. */
  fit: z.enum(["map", "descent"]),
  /** Where fits start, and the prior's mean: the weights of the model, those learned through the users' adaptation, or the mean over users. */
  mean: z.enum(["shared", "meta", "population"]),
  /** Users that are learned from, drawn by the seed. 0: no personalisation. */
  users: z.int().min(0).max(100_000),
  /** Those with fewer items are left out. */
  minItems: z.int().min(4),
  /** A user's last items that count. */
  items: z.int().min(2).max(1000),
  /** `choice`, κ: items that were met so many places apart, or nearer, are pairs. */
  window: z.int().min(1).max(1000),
  /** How many items' worth of evidence one item is, against the prior. */
  evidence: z.number().gt(0).max(1000),
  /** Steps of a fit at most. */
  iterations: z.int().min(0).max(100_000),
  /** ω: gradient steps of a fit by `descent`, and of the adaptation that `meta` learns through. */
  rate: z.number().gt(0).max(10),
  /** Items that users are told apart from; drawn once. */
  others: z.int().min(1).max(10_000),
  /** Share of them that is drawn by popularity; the rest evenly. */
  popular: z.number().min(0).max(1),
  /** `preference`: items not met, for each that was. */
  unseen: z.int().min(0).max(20),
  /** `preference`: the target of an item rated below the user's mean; others are 1, items not met −½. */
  low: z.number().min(-1).max(1),
  /** `meta`: steps of Adam, users of a step, its rate, and the gradient steps of an adaptation. */
  steps,
  batch: z.int().min(1).max(1024),
  learningRate: rate,
  adaptation: z.int().min(1).max(100),
});

export const trainConfigSchema = z.strictObject({
  preset: z.enum(["paper", "default", "fast"]),
  seed: z.int().min(0),
  /** Channels to use, of those the dataset has; all of them when absent. */
  channels: z.array(z.string()).min(1).nullable(),
  /** What is run, in this order. */
  stages: z.array(z.enum(["siamese", "ssl"])).min(1),
  model,
  siamese,
  ssl,
  popularity,
  behavior,
  personal,
  /** Validation: what counts as relevant (EV4), and how many query items at most are ranked. */
  validation: z.strictObject({
    /** Days between two interactions of one user that still count. null: any. */
    horizonDays: z.number().gt(0).nullable(),
    queries: z.int().min(1),
  }),
});

export type TrainConfig = z.output<typeof trainConfigSchema>;
export type StageName = TrainConfig["stages"][number];
export type Preset = TrainConfig["preset"];

/** What may stand in the file: any part of it; the preset fills in the rest. */
export type TrainConfigInput = {
  [K in keyof TrainConfig]?: TrainConfig[K] extends readonly unknown[] | null
    ? TrainConfig[K]
    : TrainConfig[K] extends object
      ? Partial<TrainConfig[K]>
      : TrainConfig[K];
};

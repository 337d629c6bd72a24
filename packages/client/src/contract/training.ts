// How a model was trained, as its folder keeps it.
import { z } from "zod";
import { modelId, time, total } from "./ids.ts";
import { strict } from "./strict.ts";

const measured = z.number().nullable();
const figures = z.record(z.string(), z.number());
const step = total.describe("Of the stage, from 1.");

const curvePoint = strict({
  step: step.describe("The last of the steps that it is of."),
  loss: measured.describe("What is minimised, the mean over the steps."),
  nll: measured.describe("Negative log likelihood per item and target; null where the stage has none."),
  noise: measured.describe("σ, with its floor."),
  weights: z.record(z.string(), measured).describe("h by channel, at that step, in the scales of the stage's start."),
}).meta({ id: "CurvePoint" });

const validationPoint = strict({
  step,
  hr: measured,
  mrr: measured,
  ndcg: measured,
  holdoutNll: measured,
}).meta({ id: "ValidationPoint", description: "A look at the validation items; the paper's family at 10." });

/** A stage's curves, as training.json has them. */
const stageCurves = strict({
  every: total.describe("Steps that a point is the mean of."),
  points: z.array(curvePoint),
  validation: z.array(validationPoint).describe("Every look at the validation items, as it was."),
}).meta({ id: "StageCurves", description: "What happened step by step, thinned to what a figure can show." });

const stage = strict({
  name: z.string(),
  steps: total.describe("Steps done."),
  best: total.describe("The step that was kept."),
  metrics: figures.describe(
    "Of the step that was kept, on validation items, by name; what was not measured is left out.",
  ),
  curves: stageCurves.nullable().describe("null where the folder keeps none."),
  seconds: z.number().min(0).nullable().describe("That it took; null where the folder does not say."),
}).meta({ id: "TrainingStage", description: "A stage of a training." });

const timing = strict({
  started: time,
  seconds: z.number().min(0).describe("From the first step to the finished folder."),
  resumed: z.boolean().describe("Whether it went on with what an earlier run had left, whose time is not in it."),
  cores: total.describe("Of the machine."),
}).meta({ id: "TrainingTime" });

const warning = strict({
  code: z.string(),
  text: z.string(),
  stage: z.string().nullable(),
  step: total,
}).meta({ id: "TrainingWarning", description: "Something that its owner should look at." });

const selection = strict({
  model: z.string().nullable().describe("Id of the model of that run."),
  dataset: z.string().describe("Id of its dataset."),
  steps: z.record(z.string(), total).describe("Best steps by stage: the model did as many."),
  metrics: z.record(z.string(), figures).describe("By stage, on the validation items of that run."),
}).meta({ id: "Selection", description: "A run on a split dataset that chose the steps of this one." });

export const trainingAnswer = strict({
  model: modelId,
  folder: z.string(),
  dataset: strict({ id: z.string(), name: z.string(), simulated: z.boolean() }),
  tools: z.record(z.string(), z.string()).describe("Versions of the programs that made it."),
  engine: strict({
    kind: z.string(),
    reproducible: z.boolean(),
    library: z.string().nullable(),
  }).describe("What computed it."),
  settings: z
    .record(z.string(), z.unknown())
    .describe("All of them, with their defaults: the section train of nearkin.yaml."),
  seeds: figures,
  noise: strict({
    variance: z.number().describe("σ²: of an item's target around what the metric says."),
    perRating: z.number().describe("s²: what one rating adds, over the number of ratings."),
    signal: z.number().describe("v: what the metric explains."),
  }).describe("In units of the targets."),
  rating: strict({ centre: z.number(), scale: z.number() }).describe("A rating is centre + scale × target."),
  temperature: z.number().describe("T"),
  popularity: z.number().describe("β that ranked validation items best."),
  stages: z.array(stage).describe("In their order."),
  warnings: z.array(warning),
  from: z.string().nullable().describe("Id of the model that it started from."),
  selection: selection.nullable().describe("null where the steps were chosen in the run itself."),
  timing: timing.nullable(),
  missing: z
    .array(z.string())
    .describe("What the folder does not keep, in words: folders of earlier versions have no curves and no times."),
}).meta({ id: "Training", description: "How a model was trained." });

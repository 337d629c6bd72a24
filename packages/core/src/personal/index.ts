/** One user's own metric: likelihoods, adaptation, meta-learning, fit, and predictions with reasons. */
export { type AdaptationOptions, adapt, adaptationJacobian, pullBack } from "./adaptation.ts";
export { channelPairs } from "./channel-pairs.ts";
export { ChoiceLikelihood, type ChoiceProblem } from "./choice.ts";
export { type ChoiceInputs, type ChoicePool, choiceProblem, drawPool } from "./choices.ts";
export { whereCovariance } from "./covariance.ts";
export { descend } from "./descent.ts";
export { type FitOptions, fitWeights, type PersonalFit } from "./fit.ts";
export { type Derivatives, type Objective, type PersonalKernel, PersonalLikelihood } from "./likelihood.ts";
export { type MetaOptions, type MetaUser, metaLearn, metaLoss } from "./meta.ts";
export { personalise, type UserMetric } from "./personalise.ts";
export { learnPopulation, type Population, type PopulationOptions, type PopulationUser } from "./population.ts";
export { type MetricPosterior, metricPosterior } from "./posterior.ts";
export { PosteriorObjective, type WeightPrior } from "./prior.ts";
export type { PersonalProblem } from "./problem.ts";
export { PersonalProcess, type PersonalProcessInputs, type PersonalRating, type RatingEvidence } from "./process.ts";
export { fitProcessScale } from "./process-scale.ts";
export { nextQuestions, type Question } from "./question.ts";
export {
  type PersonalPrior,
  type PersonalSettings,
  type PersonalTarget,
  type ProcessScale,
  personalParameters,
  personalTargets,
} from "./settings.ts";
export { SoftplusObjective } from "./softplus.ts";
export { type TaylorAdaptation, taylorAdaptation, taylorJacobian, taylorValue } from "./taylor.ts";
export {
  aroundMean,
  coordinatesOf,
  gaussianProblem,
  metricAt,
  nothingToLearn,
  preferenceProblem,
  type SharedMetric,
  type UserItems,
  type UserObjective,
  userObjective,
} from "./user.ts";

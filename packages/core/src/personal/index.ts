/** One user's own metric: likelihood, adaptation, fit, and predictions with reasons. */
export { type AdaptationOptions, adapt, adaptationJacobian, pullBack } from "./adaptation.ts";
export { channelPairs } from "./channel-pairs.ts";
export { type FitOptions, fitWeights, type PersonalFit } from "./fit.ts";
export { type Derivatives, type Objective, type PersonalKernel, PersonalLikelihood } from "./likelihood.ts";
export { PosteriorObjective, type WeightPrior } from "./prior.ts";
export type { PersonalProblem } from "./problem.ts";
export { PersonalProcess, type PersonalProcessInputs, type PersonalRating, type RatingEvidence } from "./process.ts";
export { SoftplusObjective } from "./softplus.ts";
export { type TaylorAdaptation, taylorAdaptation, taylorJacobian, taylorValue } from "./taylor.ts";

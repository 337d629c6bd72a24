/** The paper's theory: its bounds, its lemmas, and whether the metric is found where it is known. */
export { g, type TheoremInputs, type TheoremOne, type TheoremTwo, theoremOne, theoremTwo } from "./bounds.ts";
export {
  type Certificate,
  certifiedGap,
  certifyDistances,
  certifyKernels,
  type KernelCertificate,
  type KernelVariances,
} from "./certificate.ts";
export {
  checkLemma4,
  type Lemma4,
  type Lemma4Inputs,
  type Lemma4Options,
  type Lemma4Row,
  lemma4,
  lemma4MonteCarlo,
  type MonteCarloMean,
} from "./lemma4.ts";
export { checkLemma5, type Lemma5, type Lemma5Check, type Lemma5Inputs, type Lemma5Options, lemma5 } from "./lemma5.ts";
export { certifyModels, certifyQuantised, type ModelCertificate, type PairSampleOptions } from "./model-certificate.ts";
export { aboveZero, significant } from "./numbers.ts";
export { chernoffTail, quadraticFormTail } from "./quadratic-form.ts";
export {
  exponentOf,
  type Quartiles,
  type RecoveryCell,
  type RecoveryEvent,
  type RecoveryFit,
  type RecoveryOptions,
  type RecoveryResult,
  type RecoverySettings,
  recoveryDefaults,
  simulateRecovery,
} from "./recovery.ts";
export {
  type RecoveryReport,
  type RecoveryReportInputs,
  recoveryPage,
  recoveryReport,
  writeRecoveryReport,
} from "./recovery-report.ts";
export { type SpectrumBound, type SpectrumInputs, spectrumBound } from "./spectrum.ts";
export { SurrogateLikelihood, type SurrogateProblem } from "./surrogate-likelihood.ts";

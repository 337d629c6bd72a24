// Stage 2 where the Gaussian process has become a channel (mode `channel`): all towers go on with the loss of stage 1, the new one at the full rate,
// those that are there already at a part of it. At the end the kernel of the metric as it stands is fitted, for predictions.

import { addedChannel } from "../run/extend.ts";
import { fitKernel } from "../run/kernel-fit.ts";
import type { Run } from "../run/run.ts";
import { pairLoss } from "./siamese.ts";
import type { Stage } from "./stage.ts";

/** θ of a weight that is as good as 0: h = softplus(−40). Signed weights have 0 itself. */
const NO_WEIGHT = -40;

export function channelStage(run: Run): Stage {
  const { config } = run;
  const loss = pairLoss(run, config.ssl.dropout);
  const added = addedChannel(run)?.spec.name;
  const isTower = (tensor: string) => run.model.channels.some(({ name }) => tensor.startsWith(`${name}.`));
  return {
    name: "ssl",
    settings: config.ssl,
    adds: true,
    rateOf: (tensor) => (isTower(tensor) && !tensor.startsWith(`${added}.`) ? config.ssl.towerRate : 1),
    step(step) {
      return { loss: loss("ssl", step), nll: Number.NaN, jitter: 0, shift: 0 };
    },
    atStart(look) {
      const weights = run.parameters.get("weights");
      if (!weights || added === undefined) return look();
      const last = weights.cols - 1;
      const weight = weights.get(0, last);
      weights.set(0, last, config.model.weights === "softplus" ? NO_WEIGHT : 0);
      look(); // a channel without weight leaves the metric of stage 1
      weights.set(0, last, weight);
    },
    finish: () => fitKernel(run),
    // The added channel was fitted to all items with targets: none is held out from it.
    holdoutNll: () => null,
  };
}

import { expect, test } from "vitest";
import { showTraining } from "./training-progress.ts";

test("the time that is left is that of the stage, not of the run", () => {
  let log = "";
  const show = showTraining(
    {
      write: () => {},
      log: (text) => {
        log += text;
      },
    },
    { json: false, resume: false },
  );
  show({
    type: "step",
    stage: "siamese",
    step: 7,
    steps: 400,
    loss: 1.5,
    nll: Number.NaN,
    noise: 1,
    variance: 1,
    channels: ["plot"],
    weights: [0.25],
    gradient: 1,
    learningRate: 0.001,
    stepsPerSecond: 12.5,
    secondsLeft: 32,
  });
  expect(log).toBe("siamese step     7/400  loss 1.5000  12.5 steps/s, 32 s left in this stage  [plot 0.25]\n");
});

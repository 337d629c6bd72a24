import { presets } from "@nearkin/train";
import { expect, test } from "vitest";
import { paperOptions, resolvePaperSettings, settingChanges } from "./settings.ts";

const message = (train: unknown, spe: unknown = {}) => {
  try {
    resolvePaperSettings({ train, spe }, "paper.yaml");
    return "accepted";
  } catch (error) {
    const { code, message: said } = error as { code: string; message: string };
    return `${code}: ${said}`;
  }
};

test("nothing changed is the preset paper; seeds and stages are the experiments' own", () => {
  const settings = resolvePaperSettings({}, "paper.yaml");
  const { seed: _, stages: __, ...paper } = presets.paper;
  expect(settings.train).toEqual(paper);
  expect(settings.spe).not.toHaveProperty("seed");
  expect(settings.spe).not.toHaveProperty("standOff"); // validation items choose
  expect(settingChanges(settings)).toEqual([]);
});

test("changes are merged, listed, and give the same settings when they are read again", () => {
  const choices = { train: { ssl: { steps: 7 } }, spe: { steps: 50, standOff: false } };
  const settings = resolvePaperSettings(choices, "paper.yaml");
  expect(settingChanges(settings)).toEqual([
    { key: "train.ssl.steps", value: 7, usual: 3000 },
    { key: "spe.steps", value: 50, usual: expect.any(Number) },
    { key: "spe.standOff", value: false, usual: "chosen by validation items" },
  ]);
  expect(resolvePaperSettings(JSON.parse(JSON.stringify(settings)), "again")).toEqual(settings);
  expect(paperOptions(settings).config.ssl?.steps).toBe(7);
});

test("what cannot be meant is refused", () => {
  expect(
    [
      message({ ssl: { stepz: 3 } }),
      message({ preset: "fast", seed: 3, stages: ["ssl"] }),
      message({ preset: "paper" }),
      message({ model: { ratingChannel: true } }),
      message({ siamese: { steps: 0 } }),
      message({ siamese: { steps: 0 }, ssl: { steps: 0 } }),
      message(null),
      message({}, { stepz: 3 }),
      message({}, { steps: "many", standOff: 1, seed: 1 }),
      message({}, { steps: 0 }),
      message({}, [1]),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_CONFIG: paper.yaml: train: unknown key "stepz" at ssl; did you mean "steps"?
    BAD_CONFIG: paper.yaml: train: preset: the paper's experiments have the preset paper, got "fast"; seed: several are taken; name them with --seeds; stages: the experiments choose them; leave it out
    accepted
    BAD_CONFIG: paper.yaml: train: model.ratingChannel: a kernel that predicts the mean rating must not see it (the optimum is degenerate); run the stage siamese alone
    BAD_CONFIG: paper.yaml: train: siamese.steps: expected at least 1, got 0; a stage without steps measures nothing that could be compared
    BAD_CONFIG: paper.yaml: train: siamese.steps: expected at least 1, got 0; ssl.steps: expected at least 1, got 0; a stage without steps measures nothing that could be compared
    BAD_CONFIG: paper.yaml: train: expected keys and values, got nothing
    BAD_CONFIG: paper.yaml: spe: unknown key "stepz"; expected some of hidden, embeddingSize, steps, batch, window, negatives, negativeDraws, negativePower, learningRate, scaleRate, weightDecay, freeDecay, dropout, freeDropout, standOff, averaging, validateEvery, patience
    BAD_CONFIG: paper.yaml: spe: steps: expected a number, got "many"; standOff: expected a boolean, got 1; seed: several are taken; name them with --seeds
    BAD_CONFIG: paper.yaml: spe: steps must be a whole number of at least 1, got 0
    BAD_CONFIG: paper.yaml: spe: expected keys and values"
  `);
});

import { describe, expect, test } from "vitest";
import { presets } from "./presets.ts";
import { resolveTrainConfig } from "./resolve.ts";

const message = (given: unknown, preset?: "paper" | "default" | "fast") => {
  try {
    resolveTrainConfig(given, preset ? { preset } : {});
    return "accepted";
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
};

describe("resolveTrainConfig", () => {
  test("a preset as it is", () => {
    for (const preset of ["paper", "default", "fast"] as const) {
      expect(resolveTrainConfig({}, { preset })).toEqual(presets[preset]);
    }
    expect(resolveTrainConfig()).toEqual(presets.default);
    expect(resolveTrainConfig({ preset: "fast" }).siamese.steps).toBe(400);
  });

  test("parts are merged key by key, the command line's preset wins, lists are replaced", () => {
    const config = resolveTrainConfig({ preset: "paper", ssl: { steps: 7 }, stages: ["ssl"] }, { preset: "fast" });
    expect(config).toEqual({ ...presets.fast, stages: ["ssl"], ssl: { ...presets.fast.ssl, steps: 7 } });
  });

  test("what is wrong is named by its path, all at once", () => {
    expect(
      [
        message({ ssl: { stepz: 3 }, siamese: { dropout: 1 } }),
        message({ preset: "slow" }),
        message([1]),
        message(null),
        message({ model: { ratingChannel: true } }),
        message({ stages: ["ssl", "siamese"] }),
        message({ stages: [] }),
        message({ ssl: { likelihood: "vfe" } }, "paper"),
        message({ ssl: { inducing: 600, batch: 500 } }),
        message({ ssl: { target: "rating", towerRates: 1 } }),
        message({ ssl: { target: "rating" } }),
        message({ ssl: { mode: "channel", target: "factors" } }, "paper"),
        message({ seed: -1 }),
        message({ model: null }),
      ].join("\n"),
    ).toMatchInlineSnapshot(`
      "BAD_CONFIG: train: siamese.dropout: Too big: expected number to be <1; unknown key "stepz" at ssl; did you mean "steps"?
      BAD_CONFIG: train: preset: expected one of default, paper, fast, got "slow"
      BAD_CONFIG: train: expected keys and values, got a list
      BAD_CONFIG: train: expected keys and values, got nothing
      BAD_CONFIG: train: model.ratingChannel: a kernel that predicts the mean rating must not see it (the optimum is degenerate); run the stage siamese alone
      BAD_CONFIG: train: stages: siamese comes before ssl
      BAD_CONFIG: train: stages: Too small: expected array to have >=1 items
      BAD_CONFIG: train: ssl.likelihood: vfe needs a positive semi-definite kernel, and the sigmoid link has none; use dtc or exact, or another link
      BAD_CONFIG: train: ssl.inducing: more than ssl.batch
      BAD_CONFIG: train: unknown key "towerRates" at ssl; did you mean "towerRate"?
      BAD_CONFIG: train: ssl.mode: the channel is made of factors; set ssl.target to factors, or the mode to towers
      BAD_CONFIG: train: ssl.mode: a channel needs a positive semi-definite kernel for predictions, and the sigmoid link has none; use the mode towers, or another link
      BAD_CONFIG: train: seed: Too small: expected number to be >=0
      BAD_CONFIG: train: model: Invalid input: expected object, received null"
    `);
  });
});

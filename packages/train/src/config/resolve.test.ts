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
        message({ preset: "fsat", seed: -1, ssl: { stepz: 1 } }),
        message({ preset: 3 }),
        message({ ssl: { inducing: 2000 } }, "fast"),
        message({ ssl: { batch: 256 } }, "paper"),
        message({ stages: ["siamese"], ssl: { batch: 256 } }, "paper"),
      ].join("\n"),
    ).toMatchInlineSnapshot(`
      "BAD_CONFIG: train: siamese.dropout: Too big: expected number to be <1; unknown key "stepz" at ssl; did you mean "steps"?
      BAD_CONFIG: train: preset: expected one of default, paper, fast, got "slow"
      BAD_CONFIG: train: expected keys and values, got a list
      BAD_CONFIG: train: expected keys and values, got nothing
      BAD_CONFIG: train: model.ratingChannel: a kernel that predicts the mean rating must not see it (the optimum is degenerate); run the stage siamese alone
      BAD_CONFIG: train: stages: siamese comes before ssl
      BAD_CONFIG: train: stages: Too small: expected array to have >=1 items
      BAD_CONFIG: train: ssl.likelihood: vfe needs a positive semi-definite kernel, and the sigmoid link has none; use dtc or exact, or another link; ssl.likelihood: vfe needs a positive semi-definite kernel, and a negative weight leaves none; use dtc or exact, or set model.weights to softplus
      BAD_CONFIG: train: ssl.inducing is 600, more than ssl.batch 500: lower it, or raise ssl.batch
      BAD_CONFIG: train: unknown key "towerRates" at ssl; did you mean "towerRate"?; ssl.mode: the channel is made of factors; set ssl.target to factors, or the mode to towers
      BAD_CONFIG: train: ssl.mode: the channel is made of factors; set ssl.target to factors, or the mode to towers
      BAD_CONFIG: train: ssl.mode: a channel needs a positive semi-definite kernel for predictions, and the sigmoid link has none; use the mode towers, or another link; ssl.mode: a channel needs a positive semi-definite kernel for predictions, and a negative weight leaves none; set model.weights to softplus, or use the mode towers with the likelihood dtc or exact
      BAD_CONFIG: train: seed: Too small: expected number to be >=0
      BAD_CONFIG: train: model: Invalid input: expected object, received null
      BAD_CONFIG: train: preset: expected one of default, paper, fast, got "fsat"; did you mean "fast"?; seed: Too small: expected number to be >=0; unknown key "stepz" at ssl; did you mean "steps"?
      BAD_CONFIG: train: preset: expected one of default, paper, fast, got 3
      BAD_CONFIG: train: ssl.inducing is 2000, more than ssl.batch 1024 (preset fast): set ssl.batch too
      BAD_CONFIG: train: ssl.inducing is 512 (preset paper), more than ssl.batch 256: set it too
      accepted"
    `);
  });

  test("sizes and factors that cannot be meant are refused before anything runs", () => {
    expect(
      [
        message({ siamese: { batch: 1e9, temperature: 1e-9, margin: 1e7 } }),
        message({
          siamese: { temperature: 1e9 },
          ssl: { batch: 65537, anchor: 1e7, noisePerRating: 1e9, noiseFloor: 1e9 },
        }),
        message({ siamese: { batch: 65536, temperature: 1e-6, margin: 1e6 }, ssl: { batch: 65536, anchor: 1e6 } }),
      ].join("\n"),
    ).toMatchInlineSnapshot(`
      "BAD_CONFIG: train: siamese.batch: Too big: expected number to be <=65536; siamese.temperature: Too small: expected number to be >=0.000001; siamese.margin: Too big: expected number to be <=1000000
      BAD_CONFIG: train: siamese.temperature: Too big: expected number to be <=1000000; ssl.batch: Too big: expected number to be <=65536; ssl.anchor: Too big: expected number to be <=1000000; ssl.noisePerRating: Too big: expected number to be <=1000000; ssl.noiseFloor: Too big: expected number to be <=1000000
      accepted"
    `);
  });

  test("a negative weight has no positive semi-definite kernel, where the stage ssl needs one", () => {
    const signed = { model: { weights: "signed" } };
    const towers = (likelihood: string) => ({ ...signed, ssl: { mode: "towers", likelihood } });
    expect(
      [message(signed), ...["vfe", "fitc", "pitc"].map((likelihood) => message(towers(likelihood)))].join("\n"),
    ).toMatchInlineSnapshot(`
      "BAD_CONFIG: train: ssl.mode: a channel needs a positive semi-definite kernel for predictions, and a negative weight leaves none; set model.weights to softplus, or use the mode towers with the likelihood dtc or exact
      BAD_CONFIG: train: ssl.likelihood: vfe needs a positive semi-definite kernel, and a negative weight leaves none; use dtc or exact, or set model.weights to softplus
      BAD_CONFIG: train: ssl.likelihood: fitc needs a positive semi-definite kernel, and a negative weight leaves none; use dtc or exact, or set model.weights to softplus
      BAD_CONFIG: train: ssl.likelihood: pitc needs a positive semi-definite kernel, and a negative weight leaves none; use dtc or exact, or set model.weights to softplus"
    `);
    for (const given of [towers("dtc"), towers("exact"), { ...signed, stages: ["siamese"] }]) {
      expect(message(given)).toBe("accepted");
    }
    expect(message({}, "paper")).toBe("accepted");
  });
});

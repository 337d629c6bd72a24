import type { Model } from "@nearkin/core";
import { resolveTrainConfig, type TrainConfigInput } from "@nearkin/train";
import { expect, test } from "vitest";
import { modelLabel } from "./model-label.ts";

const label = (config: TrainConfigInput, notes: object = {}) =>
  modelLabel({ parts: { name: "films", config: resolveTrainConfig(config), notes } as unknown as Model["parts"] });

test("models are called by their preset, whatever the seed", () => {
  expect(label({ seed: 1 })).toBe("default");
  expect(label({ preset: "paper", seed: 7 })).toBe("paper");
});

test("what was changed is in the name", () => {
  expect(label({ stages: ["siamese"], ssl: { steps: 7 } })).toBe("default (siamese)");
  expect(label({ ssl: { target: "rating", mode: "towers" } })).toBe("default (ssl.mode towers, ssl.target rating)");
  expect(label({ channels: ["plot"] })).toBe('default (channels ["plot"])');
  expect(label({}, { from: "0123456789" })).toBe("default (from 012345)");
});

test("many changes are cut, and still tell models apart", () => {
  const many = (steps: number) => label({ model: { hidden: 8 }, siamese: { steps: 5, batch: 64 }, ssl: { steps } });
  expect(many(10)).toMatch(/^default \(model\.hidden 8, siamese\.steps 5, 2 more, [0-9a-f]{4}\)$/);
  expect(many(10)).not.toBe(many(20));
  expect(many(10)).toBe(many(10));
});

test("a model of an older version had what its preset has; one without a preset has its own name", () => {
  const parts = (config: object) => ({ parts: { name: "films", config, notes: {} } as unknown as Model["parts"] });
  expect(modelLabel(parts({ preset: "default", ssl: { steps: 1500 } }))).toBe("default");
  expect(modelLabel(parts({}))).toBe("films");
});

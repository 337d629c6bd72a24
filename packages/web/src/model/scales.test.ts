import { expect, test } from "vitest";
import { learnedScales } from "./scales.ts";
import { adviceOn, foretellsLittle, placeOf } from "./warnings.ts";

const learned = {
  noise: { variance: 0.64, perRating: 4, signal: 0.16 },
  rating: { centre: 3.25, scale: 0.5 },
  temperature: 0.2,
  popularity: 0.13,
};

test("scales are standard deviations, also in units of the ratings", () => {
  const scales = learnedScales(learned, true);
  expect(scales.map(({ symbol, value }) => [symbol, value])).toEqual([
    ["v / (v + σ²)", "20\u00a0%"],
    ["σ", "0.80"],
    ["√v", "0.40"],
    ["s", "2.00"],
    ["centre", "3.25"],
    ["T", "0.2"],
    ["β", "0.13"],
  ]);
  expect(scales[1].meaning).toContain("units of the ratings: 0.40.");
});

test("a model that predicts no ratings has no process", () => {
  expect(learnedScales(learned, false).map(({ name }) => name)).toEqual(["Temperature", "Popularity"]);
});

test("a warning of a later version speaks for itself", () => {
  expect(adviceOn({ code: "LATER", text: "something new" }).meaning).toBe("something new");
  expect(adviceOn({ code: "NO_VALIDATION", text: "" }).remedy).toMatch(/split/);
  expect(placeOf({ stage: "ssl", step: 1500 })).toBe("ssl, step 1,500");
  expect(placeOf({ stage: null, step: 0 })).toBe("");
});

test("a model whose noise swallows the signal foretells little", () => {
  const warning = (code: string) => ({ code, text: "", stage: "ssl", step: 300 });
  expect(foretellsLittle({ warnings: [warning("NO_VALIDATION"), warning("NOISE_SWALLOWS_SIGNAL")] })).toBe(true);
  expect(foretellsLittle({ warnings: [warning("NO_VALIDATION")] })).toBe(false);
});

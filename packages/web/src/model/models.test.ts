import type { ModelInfo } from "@nearkin/client";
import { describe, expect, test } from "vitest";
import { comparePath, findModel, modelPath, nameOf } from "./models.ts";

const model = (id: string | null, folder: string): ModelInfo => ({
  id,
  folder,
  name: "films",
  active: false,
  items: 3,
  channels: [],
  fields: [],
  unreadable: 0,
  personalizes: true,
  predictsRatings: true,
  dataset: null,
  problems: [],
});

const first = model("0123456789abcdef".repeat(4), "films");
const second = model("01234567ffff".padEnd(64, "0"), "films-2");
const broken = model(null, "half a model");
const models = [first, second, broken];

test("a model is called by the beginning of its id, or by its folder where it has none", () => {
  expect(models.map(nameOf)).toEqual(["0123456789ab", "01234567ffff", "half a model"]);
  expect(modelPath(broken)).toBe("/model/half%20a%20model");
  expect(comparePath(first, second)).toBe("/model/compare?a=0123456789ab&b=01234567ffff");
});

describe("findModel", () => {
  test("copies of a folder are one model, as they are to the server", () =>
    expect(findModel([...models, { ...first, folder: "copy of films" }], nameOf(first))).toBe(first));

  test("finds what nameOf says", () => expect(models.map((one) => findModel(models, nameOf(one)))).toEqual(models));

  test.each([
    ["a whole id", first.id, first],
    ["a folder", "films-2", second],
    ["a beginning that two have", "01234567", undefined],
    ["a beginning that is too short", "0123456", undefined],
    ["nothing", null, undefined],
    ["what is not there", "0123456789abcdee", undefined],
  ])("%s", (_, name, found) => expect(findModel(models, name)).toBe(found));
});

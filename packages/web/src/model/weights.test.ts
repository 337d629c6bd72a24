import { describe, expect, test } from "vitest";
import { changeOf, channelColours, channelShares, sharePairs } from "./weights.ts";

const channel = (name: string, weight: number) => ({ name, type: "text" as const, weight });

describe("channelShares", () => {
  test("add up to one", () => {
    expect(channelShares([channel("plot", 3), channel("year", 1)]).map(({ share }) => share)).toEqual([0.75, 0.25]);
  });

  test("of a negative weight are negative, in parts of all", () => {
    expect(channelShares([channel("plot", 3), channel("year", -1)]).map(({ share }) => share)).toEqual([0.75, -0.25]);
  });

  test("are nothing where all weights are", () => {
    expect(channelShares([channel("plot", 0)]).map(({ share }) => share)).toEqual([0]);
  });
});

test("pairs have every channel of either model", () => {
  const pairs = sharePairs([channel("plot", 1), channel("year", 1)], [channel("taste", 1), channel("plot", 3)]);
  expect(pairs.map(({ name, a, b }) => [name, a?.share, b?.share])).toEqual([
    ["plot", 0.5, 0.75],
    ["year", 0.5, undefined],
    ["taste", undefined, 0.25],
  ]);
});

test.each([
  [1, 3, "+25 points"],
  [1, 1.04, "+1 point"],
  [1.04, 1, "−1 point"],
  [1, 1, "0 points"],
])("weights of %d, then %d, beside one that keeps: %s", (first, second, words) => {
  const [pair] = sharePairs(
    [channel("plot", first), channel("year", 1)],
    [channel("plot", second), channel("year", 1)],
  );
  expect(changeOf(pair)).toBe(words);
});

test("a channel of one model alone has no change", () => {
  const [pair] = sharePairs([channel("plot", 1)], [channel("year", 1)]);
  expect(changeOf(pair)).toBe("");
});

test("channels keep the colours of the active model, others follow", () => {
  const colours = channelColours(["genres", "plot"], ["plot", "taste"]);
  expect([...colours]).toEqual([
    ["genres", "var(--channel-1)"],
    ["plot", "var(--channel-2)"],
    ["taste", "var(--channel-3)"],
  ]);
});

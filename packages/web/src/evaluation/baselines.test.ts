import type { Evaluation } from "@nearkin/client";
import { expect, test } from "vitest";
import { baselinesOf } from "./baselines.ts";

test("what was measured is explained, channels together, and nothing else", () => {
  const recommenders = [
    { name: "popularity", kind: "model" },
    { name: "random", kind: "baseline" },
    { name: "cosine genres", kind: "baseline" },
    { name: "cosine plot", kind: "baseline" },
    { name: "cosine, summed", kind: "baseline" },
    { name: "of a later version", kind: "baseline" },
  ] as unknown as Evaluation["recommenders"];
  expect(baselinesOf({ recommenders }).map(({ name }) => name)).toEqual(["random", "cosine …", "cosine, summed"]);
});

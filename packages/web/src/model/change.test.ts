import type { ModelInfo } from "@nearkin/client";
import { describe, expect, test } from "vitest";
import { consequences, titleOf } from "./change.ts";

const model = (folder: string, more: Partial<ModelInfo> = {}): ModelInfo => ({
  id: "a".repeat(64),
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
  ...more,
});

test("the title says which way it goes", () => {
  expect(titleOf("activate", model("new"))).toBe("Activate new");
  expect(titleOf("rollback", model("old"))).toBe("Roll back to old");
});

describe("consequences", () => {
  test("of a plain change", () => {
    expect(consequences({ to: model("new"), from: model("old"), added: 0 })).toEqual([
      "All new requests are answered by new. Those under way end with the model they began with.",
      "Users' own metrics move over; what they rated is kept.",
      "old is kept: you can roll back to it.",
    ]);
  });

  test("what gets lost is said", () => {
    const to = model("new", { personalizes: false, predictsRatings: false });
    const said = consequences({ to, from: model("old"), added: 1 }).join(" ");
    expect(said).toContain("cannot learn users' own metrics");
    expect(said).toContain("1 item that was added at run time is embedded anew.");
    expect(said).toContain("no longer be predicted");
  });

  test("without a model before there is none to go back to", () => {
    expect(consequences({ to: model("new"), from: undefined, added: 0 }).join(" ")).not.toContain("roll back");
  });
});

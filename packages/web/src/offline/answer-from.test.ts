import { describe, expect, test } from "vitest";
import { answerFrom } from "./answer-from.ts";

const origin = "http://localhost:7410";
const files = new Set(["/assets/index-abc.js", "/assets/you-screen-def.js"]);
const from = (path: string, { method = "GET", mode = "cors" } = {}) =>
  answerFrom({ method, url: new URL(path, origin).href, mode }, origin, files);

describe("answerFrom", () => {
  test.each(["/", "/you", "/you?item=alien-1979", "/items/alien-1979", "/model/compare?a=1"])(
    "%s is a screen",
    (path) => {
      expect(from(path, { mode: "navigate" })).toBe("page");
    },
  );

  test.each(["/docs", "/openapi.json", "/reports/films", "/v1/models", "/somewhere"])(
    "%s is the server's, also where it is opened",
    (path) => {
      expect(from(path, { mode: "navigate" })).toBe("network");
    },
  );

  test("files of this build are kept, those of another are not", () => {
    expect(from("/assets/index-abc.js")).toBe("kept");
    expect(from("/assets/index-xyz.js")).toBe("network");
  });

  test.each(["/v1/models", "/v1/users/ann/metric", "/v1/models/384d/files/items.safetensors", "/healthz"])(
    "no answer of the API comes from here: %s",
    (path) => {
      expect(from(path)).toBe("network");
    },
  );

  test("what sends something, and what is another origin's, goes out as it is", () => {
    expect(from("/you", { method: "POST", mode: "navigate" })).toBe("network");
    expect(from("http://elsewhere/assets/index-abc.js")).toBe("network");
  });
});

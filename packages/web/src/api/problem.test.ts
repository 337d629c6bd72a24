import { NearkinApiError } from "@nearkin/client";
import { describe, expect, test } from "vitest";
import { problemOf } from "./problem.ts";

describe("problemOf", () => {
  test("says what to do where the server is gone", () => {
    const error = new NearkinApiError("UNREACHABLE", "GET /v1/items: cannot be reached", { status: 0 });
    expect(problemOf(error)).toMatchInlineSnapshot(`
      {
        "advice": "Look whether it is running and you are online, then try again.",
        "code": "UNREACHABLE",
        "detail": "GET /v1/items: cannot be reached",
        "remedy": "retry",
        "title": "The server cannot be reached",
      }
    `);
  });

  test("takes the remedy of the contract for all other codes, as a sentence", () => {
    const error = new NearkinApiError("BAD_REQUEST", "weights: there is no channel x", { status: 400 });
    expect(problemOf(error)).toMatchInlineSnapshot(`
      {
        "advice": "Field names the place and the message what was expected there.",
        "code": "BAD_REQUEST",
        "remedy": "none",
        "title": "weights: there is no channel x",
      }
    `);
  });

  test("an item that the model in the page does not know is no fault of the page", () => {
    const error = Object.assign(new Error('no item has the id "x"'), { code: "UNKNOWN_ITEM" });
    expect(problemOf(error)).toMatchObject({ title: "There is no such item", remedy: "none" });
    expect(problemOf(Object.assign(new Error("odd"), { code: "constructor" }))).toMatchObject({ remedy: "retry" });
  });

  test("keeps the words of an error of our own", () => {
    expect(problemOf(new TypeError("x is undefined"))).toMatchObject({ code: "UNEXPECTED", detail: "x is undefined" });
  });
});

import { expect, test } from "vitest";
import { report } from "./report.ts";

class CodedError extends Error {
  readonly code = "SHAPE_MISMATCH";
}

function reported(error: unknown, debug = false): { code: number; text: string } {
  let text = "";
  const log = (line: string): void => {
    text += line;
  };
  return { code: report(error, { write: log, log }, debug), text };
}

test("a typed error is its code and its message, without a stack", () => {
  const expected = { code: 1, text: "SHAPE_MISMATCH: expected (2, 3), got (3, 2)\n" };
  expect(reported(new CodedError("expected (2, 3), got (3, 2)"))).toEqual(expected);
  expect(reported(new CodedError("SHAPE_MISMATCH: expected (2, 3), got (3, 2)"))).toEqual(expected);
});

test("an error without a code says how to see more", () => {
  expect(reported(new TypeError("x is not a function"))).toEqual({
    code: 1,
    text: "UNEXPECTED: x is not a function\nSet NEARKIN_DEBUG=1 to see where it came from.\n",
  });
});

test("debugging shows the stack, causes included", () => {
  const { text } = reported(new CodedError("outer", { cause: new Error("inner") }), true);
  expect(text).toMatch(/^SHAPE_MISMATCH: outer\nError: outer\n {4}at .*Caused by: Error: inner\n {4}at /s);
});

test("anything can be thrown", () => {
  expect(reported("just text").text).toContain("UNEXPECTED: just text");
});

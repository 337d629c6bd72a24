import { NearkinApiError } from "@nearkin/client";
import { expect, test } from "vitest";
import { refusalOf } from "./refusal.ts";

const channels = ["year", "odd key"];
const refused = (message: string, field?: string) =>
  refusalOf(new NearkinApiError("BAD_REQUEST", message, { status: 400, field }), channels);

test("what the server does not take is said at its field", () => {
  expect(refused('items[0].draft.year: expected a number, got "abc"', "items[0].draft.year")).toEqual({
    channel: "year",
    message: 'Expected a number, got "abc".',
  });
  expect(refused('channels["odd key"]: at most 1000 entries', 'channels["odd key"]')).toEqual({
    channel: "odd key",
    message: "At most 1000 entries.",
  });
});

test("and so is what the model in this page does not take", () => {
  expect(refusalOf(new Error('draft: channel year: expected a number, got "abc"'), channels)).toEqual({
    channel: "year",
    message: 'Expected a number, got "abc".',
  });
});

test.each([
  ["k: expected at most 200", "k"],
  ["items[0].draft.colour: there is no such channel", "items[0].draft.colour"],
  ["the server is busy", undefined],
])("what is of no field is none: %s", (message, field) => {
  expect(refused(message, field)).toBeUndefined();
});

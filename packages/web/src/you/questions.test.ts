import { expect, test } from "vitest";
import { answered, NOT_ASKED, passed, withQueue } from "./questions.ts";

const asking = withQueue(NOT_ASKED, ["a", "b", "c"]);

test("the most telling is shown first", () => {
  expect(asking).toEqual({ shown: "a", queue: ["b", "c"] });
});

test("what is shown stays while better questions come", () => {
  expect(withQueue(asking, ["z", "a", "b"])).toEqual({ shown: "a", queue: ["z", "b"] });
});

test("an answer waits for the questions that follow from it", () => {
  const next = answered(asking, "a");
  expect(next).toEqual({ shown: undefined, queue: [] });
  expect(withQueue(next, ["q"]).shown).toBe("q");
});

test("a rating of another item leaves the question, and is not asked for later", () => {
  expect(answered(asking, "c")).toEqual({ shown: "a", queue: ["b"] });
});

test("who passes gets the next one at once, until there is none", () => {
  expect(passed(asking, "a")).toEqual({ shown: "b", queue: ["c"] });
  expect(passed(passed(passed(asking, "a"), "b"), "c")).toEqual({ shown: undefined, queue: [] });
});

import { expect, test } from "vitest";
import { usersFor } from "./users.ts";

const users = [
  { id: "u0001", events: 9, metric: "ratings" as const },
  { id: "U0012", events: 5, metric: "base" as const },
  { id: "ann", events: 1, metric: "sliders" as const },
];
const ids = (text: string, next: string | null = null) => usersFor({ users, next }, text).map(({ id }) => id);

test("nothing typed proposes all, in the server's order", () => {
  expect(ids("")).toEqual(["u0001", "U0012", "ann"]);
});

test("finds by a part of the id, upper and lower case alike", () => {
  expect(ids("u00")).toEqual(["u0001", "U0012"]);
  expect(ids(" 12 ")).toEqual(["U0012"]);
});

test("where there are more users than are known, an id may be typed", () => {
  expect(ids("bob", "more")).toEqual(["bob"]);
  expect(ids("ann", "more")).toEqual(["ann"]);
  expect(usersFor(undefined, "bob")).toEqual([{ id: "bob" }]);
  expect(usersFor(undefined, "")).toEqual([]);
});

test("and where all are known, not", () => {
  expect(ids("bob")).toEqual([]);
});

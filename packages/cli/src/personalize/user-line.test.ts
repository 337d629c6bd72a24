// A line in, a line out: what is wrong with one user is part of the answer, what is wrong with the run is not.
import { createEngine, type Engine, encodeModel, type Model, NearkinError, openModel } from "@nearkin/core";
import { tinyModel } from "@nearkin/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerLine, answerUser, isRefusal } from "./user-line.ts";

let engine: Engine;
let model: Model; // the paper's link: its users are fitted to ratings
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  const files = await encodeModel(tinyModel(engine, { link: "sigmoid", weights: "signed" }));
  model = await openModel(async (name) => files.get(name) as Uint8Array, { engine });
});
afterAll(async () => {
  await model.close();
  await engine.close();
});

const said = (line: string): string => {
  const answer = answerLine(model, { text: line, line: 3 });
  if (!isRefusal(answer)) return "answered";
  expect(answer.line).toBe(3);
  return `${answer.user}: ${answer.error.code}: ${answer.error.message}`;
};

test("keys that nobody knows are refused, with the one that was meant", () => {
  expect([
    said('{"user": "ada", "ratings": [{"item": "f000", "Rating": 5}]}'),
    said('{"user": "ada", "ratings": [{"item": "f000"}, {"item": "f001", "timestamp": 7}]}'),
    said('{"user": "ada", "rating": []}'),
    said('{"user": "ada", "ratings": [], "segment": "new"}'),
    said('{"User": "ada", "ratings": []}'),
    said('{"user": "ada", "ratings": [], "__proto__": {}}'),
  ]).toMatchInlineSnapshot(`
    [
      "ada: BAD_ARGUMENT: unknown key "Rating" in ratings[0]; did you mean "rating"? (known are item, rating)",
      "ada: BAD_ARGUMENT: unknown key "timestamp" in ratings[1] (known are item, rating)",
      "ada: BAD_ARGUMENT: unknown key "rating"; did you mean "ratings"? (known are user, ratings)",
      "ada: BAD_ARGUMENT: unknown key "segment" (known are user, ratings)",
      "null: BAD_ARGUMENT: unknown key "User"; did you mean "user"? (known are user, ratings)",
      "ada: BAD_ARGUMENT: unknown key "__proto__" (known are user, ratings)",
    ]
  `);
});

test("users are texts, or whole numbers that are held exactly", () => {
  expect([
    said('{"user": 9007199254740991, "ratings": []}'),
    said('{"user": -3, "ratings": []}'),
    said('{"user": 9007199254740993, "ratings": []}'),
    said('{"user": 1.5, "ratings": []}'),
    said('{"user": 1e999, "ratings": []}'),
    said('{"user": null, "ratings": []}'),
    said('{"user": {}, "ratings": []}'),
    said('{"user": true, "ratings": []}'),
  ]).toMatchInlineSnapshot(`
    [
      "answered",
      "answered",
      "null: BAD_ARGUMENT: user: 9007199254740992 is no whole number that is held exactly; give the id as text, in quotes",
      "null: BAD_ARGUMENT: user: 1.5 is no whole number that is held exactly; give the id as text, in quotes",
      "null: BAD_ARGUMENT: user: Infinity is no whole number that is held exactly; give the id as text, in quotes",
      "null: BAD_ARGUMENT: expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}, got null for user",
      "null: BAD_ARGUMENT: user: expected an id as text, got an object",
      "null: BAD_ARGUMENT: user: expected an id as text, got true",
    ]
  `);
});

test("what came is said in words", () => {
  expect([
    said("[]"),
    said("null"),
    said('"ada"'),
    said('{"user": "ada", "ratings": {}}'),
    said('{"user": "ada", "ratings": ["f000"]}'),
    said('{"user": "ada", "ratings": [null]}'),
    said('{"user": "ada", "ratings": [{"item": 5}]}'),
    said('{"user": "ada", "ratings": [{"item": {}}]}'),
    said('{"user": "ada", "ratings": [{"rating": 5}]}'),
    said('{"user": "ada", "ratings": [{"item": "f000", "rating": {}}]}'),
    said('{"user": "ada", "ratings": [{"item": "f000", "rating": "5"}]}'),
    said('{"user": "ada", "ratings": [{"item": "f000", "rating": 1e999}]}'),
  ]).toMatchInlineSnapshot(`
    [
      "null: BAD_ARGUMENT: expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}, got a list of 0",
      "null: BAD_ARGUMENT: expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}, got null",
      "null: BAD_ARGUMENT: expected {"user": "an id", "ratings": [{"item": "an id", "rating": 4}, …]}, got "ada"",
      "ada: BAD_ARGUMENT: ratings: expected a list such as [{"item": "an id", "rating": 4}], the oldest first, got an object",
      "ada: BAD_ARGUMENT: ratings[0]: expected {"item": "an id", "rating": 4}, got "f000"",
      "ada: BAD_ARGUMENT: ratings[0]: expected {"item": "an id", "rating": 4}, got null",
      "ada: BAD_ARGUMENT: ratings[0]: the id of an item must be text, got 5; in quotes: "5"",
      "ada: BAD_ARGUMENT: ratings[0]: the id of an item must be text, got an object",
      "ada: BAD_ARGUMENT: ratings[0]: expected {"item": "an id", "rating": 4}, got no item",
      "ada: BAD_ARGUMENT: ratings[0]: the rating of "f000" is an object; give a finite number, or leave it out",
      "ada: BAD_ARGUMENT: ratings[0]: the rating of "f000" is "5"; give a finite number, or leave it out",
      "ada: BAD_ARGUMENT: ratings[0]: the rating of "f000" is Infinity; give a finite number, or leave it out",
    ]
  `);
});

test("ratings that no fit can bear are an error of their user, and the next is answered", () => {
  const ratings = (size: number) =>
    Array.from({ length: 6 }, (_, i) => ({ item: model.items.at(i).id, rating: size * (i % 2 === 0 ? -1 : 1) }));
  expect(said(JSON.stringify({ user: "ada", ratings: ratings(1e200) }))).toMatch(/^ada: NOT_FINITE: /);
  expect(answerUser(model, { user: "ada", ratings: ratings(1e200) })).toMatchObject({ error: { code: "NOT_FINITE" } });
  expect(said(JSON.stringify({ user: "bob", ratings: ratings(1) }))).toBe("answered");
});

test("so are other errors of one user; those that the next would meet too are thrown", () => {
  const failing = (error: Error) =>
    ({
      personalize() {
        throw error;
      },
    }) as unknown as Model;
  const answer = (error: Error) => answerUser(failing(error), { user: "ada", ratings: [] });
  for (const code of ["NOT_POSITIVE_DEFINITE", "NOT_FINITE", "UNKNOWN_ITEM", "OUT_OF_MEMORY"] as const) {
    expect(answer(new NearkinError(code, "why"))).toEqual({ user: "ada", error: { code, message: "why" } });
  }
  for (const error of [
    new NearkinError("WORKER_FAILED", "why"),
    new NearkinError("ENGINE_CLOSED", "why"),
    new Error(),
  ]) {
    expect(() => answer(error)).toThrow(error);
  }
});

test("numbers that are not finite are no answer", () => {
  const endless = { personalize: () => ({ weights: { plot: Number.NaN }, popularity: 0 }) } as unknown as Model;
  expect(answerUser(endless, { user: "ada", ratings: [] })).toMatchObject({ error: { code: "NOT_FINITE" } });
});

// Query strings: each text is read by what its key means.
import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { describeProblems } from "./problems.ts";
import { fromQueryString, type QueryTexts } from "./query-string.ts";
import { routes } from "./routes.ts";

const { querystring } = routes.similarToItem;

function failure(texts: QueryTexts): string {
  const { error } = querystring.safeParse(texts);
  if (!error) throw new Error("expected an error");
  const { field, message } = describeProblems(error, "the query");
  return `${field} | ${message}`;
}

const defaults = { history: 1, k: 10, diversity: 0, explain: false, predict: false, order: "similar", exact: false };

test("what is left out, or empty, has its default; an empty id is a mistake", () => {
  expect(querystring.parse({})).toEqual(defaults);
  expect(querystring.parse({ k: "", order: "", filter: "", exclude: "", weights: "" })).toEqual(defaults);
  expect(failure({ user: "" })).toBe("user | user: expected at least 1 character");
});

test("texts become what they mean", () => {
  expect(
    querystring.parse({
      user: "17",
      k: "25",
      popularity: "-0.5",
      diversity: ".3",
      explain: "1",
      predict: "true",
      exact: "0",
      order: "safe",
      weights: "genres:2,plot:5e-1, director : 0",
      filter: "year >= 1990",
      exclude: ["a", "b,c"],
      cursor: "12",
    }),
  ).toEqual({
    user: "17",
    k: 25,
    popularity: -0.5,
    diversity: 0.3,
    history: 1,
    explain: true,
    predict: true,
    exact: false,
    order: "safe",
    weights: { genres: 2, plot: 0.5, director: 0 },
    filter: { field: "year", atLeast: 1990 },
    exclude: ["a", "b,c"],
    cursor: "12",
  });
});

test("lists, weights and filters may be JSON", () => {
  expect(querystring.parse({ exclude: '["a","[b"]' }).exclude).toEqual(["a", "[b"]);
  expect(querystring.parse({ exclude: "[b" }).exclude).toEqual(["[b"]);
  expect(querystring.parse({ exclude: "a,b" }).exclude).toEqual(["a,b"]);
  expect(querystring.parse({ weights: '{"a:b,c":2}' }).weights).toEqual({ "a:b,c": 2 });
  expect(querystring.parse({ weights: "a:b:2" }).weights).toEqual({ "a:b": 2 });
  expect(querystring.parse({ filter: '{"seen":false}' }).filter).toEqual({ seen: false });
  expect(querystring.parse({ popularity: "calibrated" }).popularity).toBe("calibrated");
});

test("mistakes are told with their place", () => {
  const list: QueryTexts[] = [
    { k: "ten" },
    { k: "0" },
    { k: "201" },
    { k: "1.5" },
    { k: "0x10" },
    { k: " 1" },
    { k: "1e999" },
    { k: ["1", "2"] },
    { user: ["a", "b"] },
    { user: "a\0b" },
    { explain: "yes" },
    { diversity: "2" },
    { popularity: "11" },
    { popularity: "much" },
    { order: "best" },
    { weights: "genres" },
    { weights: "genres:" },
    { weights: "genres:x" },
    { weights: ":2" },
    { weights: "a:1,a:2" },
    { weights: "{a" },
    { weights: '{"a":"b"}' },
    { weights: "genres:1e9" },
    { filter: "year >=" },
    { filter: '{"seen":1}' },
    { exclude: "[1]" },
    { exclude: ["a", ""] },
    { limit: "3" },
    { popularty: "1" },
    { k: "ten", explain: "yes" },
    { __proto__x: "1" },
    { ["__proto__"]: "1" },
    { ["__proto__"]: ["1", "2"] },
    { weights: "__proto__:1" },
    { weights: '{"__proto__":1}' },
    { filter: '{"__proto__":1,"seen":true}' },
    { filter: '{"all":[{"__proto__":1,"seen":true}]}' },
  ];
  expect(list.map((texts) => `${new URLSearchParams(flat(texts))} → ${failure(texts)}`)).toMatchInlineSnapshot(`
    [
      "k=ten → k | k: expected a number, got "ten"",
      "k=0 → k | k: expected at least 1",
      "k=201 → k | k: expected at most 200",
      "k=1.5 → k | k: expected a whole number, got a fraction",
      "k=0x10 → k | k: expected a number, got "0x10"",
      "k=+1 → k | k: expected a number, got " 1"",
      "k=1e999 → k | k: expected a number, got Infinity",
      "k=1&k=2 → k | k: stands there more than once; give it once",
      "user=a&user=b → user | user: stands there more than once; give it once",
      "user=a%00b → user | user: holds NUL, or half of a character: no store would keep it as it is",
      "explain=yes → explain | explain: expected true or false, got "yes"",
      "diversity=2 → diversity | diversity: expected at most 1",
      "popularity=11 → popularity | popularity: expected at most 10",
      "popularity=much → popularity | popularity: expected a number from -10 to 10, or "calibrated"",
      "order=best → order | order: expected "similar" or "safe" or "explore"",
      "weights=genres → weights | weights: expected weights such as genres:2,plot:0.5, got "genres"",
      "weights=genres%3A → weights | weights: expected weights such as genres:2,plot:0.5, got "genres:"",
      "weights=genres%3Ax → weights | weights: expected weights such as genres:2,plot:0.5, got "genres:x"",
      "weights=%3A2 → weights | weights: expected weights such as genres:2,plot:0.5, got ":2"",
      "weights=a%3A1%2Ca%3A2 → weights | weights: "a" stands there more than once",
      "weights=%7Ba → weights | weights: expected JSON, got "{a"",
      "weights=%7B%22a%22%3A%22b%22%7D → weights.a | weights.a: expected a number, got a text",
      "weights=genres%3A1e9 → weights.genres | weights.genres: expected at most 1000000",
      "filter=year+%3E%3D → filter | filter: character 8: expected a number, or a text such as "1994-09-23", got the end",
      "filter=%7B%22seen%22%3A1%7D → filter.seen | filter.seen: expected true or false, got a number",
      "exclude=%5B1%5D → exclude[0] | exclude[0]: expected a text, got a number",
      "exclude=a&exclude= → exclude[1] | exclude[1]: expected at least 1 character",
      "limit=3 → limit | limit: unknown key "limit"; known are user, weights, popularity, history, met, k, cursor, diversity, filter, exclude, explain, predict, order, exact",
      "popularty=1 → popularty | popularty: unknown key "popularty"; did you mean "popularity"?",
      "k=ten&explain=yes → k | k: expected a number, got "ten"; explain: expected true or false, got "yes"",
      "__proto__x=1 → __proto__x | __proto__x: unknown key "__proto__x"; known are user, weights, popularity, history, met, k, cursor, diversity, filter, exclude, explain, predict, order, exact",
      "__proto__=1 → __proto__ | __proto__: unknown key "__proto__"; known are user, weights, popularity, history, met, k, cursor, diversity, filter, exclude, explain, predict, order, exact",
      "__proto__=1&__proto__=2 → __proto__ | __proto__: unknown key "__proto__"; known are user, weights, popularity, history, met, k, cursor, diversity, filter, exclude, explain, predict, order, exact",
      "weights=__proto__%3A1 → weights | weights: the key __proto__ is not accepted",
      "weights=%7B%22__proto__%22%3A1%7D → weights | weights: the key __proto__ is not accepted",
      "filter=%7B%22__proto__%22%3A1%2C%22seen%22%3Atrue%7D → filter | filter: the key __proto__ is not accepted",
      "filter=%7B%22all%22%3A%5B%7B%22__proto__%22%3A1%2C%22seen%22%3Atrue%7D%5D%7D → filter | filter: the key __proto__ is not accepted",
    ]
  `);
});

test("what is no object at all is an error", () => {
  expect(querystring.safeParse(null).success).toBe(false);
  expect(querystring.safeParse("k=3").success).toBe(false);
});

test("any texts at all: a query or an error, and never an exception", () => {
  const key = fc.constantFrom(
    "k",
    "user",
    "weights",
    "filter",
    "exclude",
    "popularity",
    "order",
    "__proto__",
    "constructor",
  );
  const texts = fc.dictionary(key, fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.string())), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(texts, (given) => void querystring.safeParse(given)),
    { numRuns: 200 },
  );
});

test("types: texts in, what they mean out", () => {
  const schema = fromQueryString(z.strictObject({ k: z.int().default(3), on: z.boolean().optional() }));
  expectTypeOf<z.input<typeof schema>>().toEqualTypeOf<QueryTexts>();
  expectTypeOf<z.output<typeof schema>>().toEqualTypeOf<{ k: number; on?: boolean | undefined }>();
});

function flat(texts: QueryTexts): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    [value ?? []].flat().map((one): [string, string] => [key, one]),
  );
}

import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { type ItemId, type ItemIndex, type UserId, Vocabulary } from "./ids.ts";

const bed = new Bed({ runs: 100 });
const ids = (...texts: string[]) => texts as ItemId[];

test("ids and indices convert both ways, in the order given", () => {
  bed.check(fc.uniqueArray(fc.string()), (texts) => {
    const items = new Vocabulary<ItemId, ItemIndex>(ids(...texts));
    expect(items.size).toBe(texts.length);
    expect(items.ids).toEqual(texts);
    for (const id of items.ids) expect(items.id(items.index(id) as ItemIndex)).toBe(id);
  });
});

test("names of an object's own methods are ids like any other", () => {
  const items = new Vocabulary<ItemId, ItemIndex>(ids("constructor"));
  expect(items.index("toString" as ItemId)).toBeUndefined();
  expect(items.index("constructor" as ItemId)).toBe(0);
});

test("the compiler keeps ids and indices, items and users apart", () => {
  expectTypeOf<ItemId>().not.toExtend<UserId>();
  expectTypeOf<string>().not.toExtend<ItemId>();
  expectTypeOf<number>().not.toExtend<ItemIndex>();
  expectTypeOf<ItemIndex>().toExtend<number>();
  expectTypeOf(new Vocabulary<ItemId, ItemIndex>([]).index).parameter(0).toEqualTypeOf<ItemId>();
});

test("errors name the id or index", () => {
  expect(errorOf(() => new Vocabulary(["a", "b", "a"]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "vocabulary: "a" comes twice, at 0 and 2; ids are unique",
    }
  `);
  expect(errorOf(() => new Vocabulary([7 as unknown as string]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "vocabulary: id 0 must be a text, got number",
    }
  `);
  const items = new Vocabulary<string, number>(["a", "b"]);
  expect(errorOf(() => items.id(2))).toMatchInlineSnapshot(`
    {
      "code": "INDEX_OUT_OF_RANGE",
      "message": "vocabulary: index 2 is outside [0, 2)",
    }
  `);
  expect(errorOf(() => items.id(-1))).toMatchInlineSnapshot(`
    {
      "code": "INDEX_OUT_OF_RANGE",
      "message": "vocabulary: index -1 is outside [0, 2)",
    }
  `);
  expect(errorOf(() => items.id(0.5))).toMatchInlineSnapshot(`
    {
      "code": "INDEX_OUT_OF_RANGE",
      "message": "vocabulary: index 0.5 is outside [0, 2)",
    }
  `);
});

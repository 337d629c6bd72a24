import fc from "fast-check";
import { expect, test } from "vitest";
import type { ItemIndex } from "../model/ids.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyIdentity, fitIdentity } from "./identity.ts";

const bed = new Bed({ runs: 200 });
const indices = (...numbers: number[]) => numbers as ItemIndex[];

test("training items have a row each, all others are cold", () => {
  bed.check(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (items) => {
    const fitted = fitIdentity(indices(...items));
    const rows = indices(...Array.from({ length: 62 }, (_, i) => i)).map((item) => applyIdentity(fitted, item));
    expect(rows.filter((row) => row !== undefined)).toEqual(items.map((_, i) => i));
    rows.forEach((row, item) => {
      expect(row !== undefined).toBe(items.includes(item));
    });
  });
});

test("errors", () => {
  expect(errorOf(() => fitIdentity([]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitIdentity: there are no training items",
    }
  `);
  expect(errorOf(() => fitIdentity(indices(3, 1, 3)))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitIdentity: items are whole numbers ≥ 0, each once; found 3",
    }
  `);
  expect(errorOf(() => fitIdentity(indices(1, -1)))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitIdentity: items are whole numbers ≥ 0, each once; found -1",
    }
  `);
});

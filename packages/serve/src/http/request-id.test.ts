import fc from "fast-check";
import { expect, test } from "vitest";
import { requestId } from "./request-id.ts";

const made = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test("the caller's id where it is sane", () => {
  for (const id of ["a", "A.b_c-9", "f".repeat(128)]) expect(requestId({ headers: { "x-request-id": id } })).toBe(id);
});

test("else a new one, no two alike", () => {
  for (const id of ["", "f".repeat(129), "a b", "a\n", "é", "a,b", "a/b", "nk_abc", "nt_abc.def"]) {
    expect(requestId({ headers: { "x-request-id": id } }), id).toMatch(made);
  }
  expect(requestId({ headers: { "x-request-id": ["a", "b"] as unknown as string } })).toMatch(made);
  expect(new Set(Array.from({ length: 1000 }, () => requestId({ headers: {} }))).size).toBe(1000);
  fc.assert(
    fc.property(fc.string(), (id) => /^[A-Za-z0-9._-]{1,128}$/.test(requestId({ headers: { "x-request-id": id } }))),
  );
});

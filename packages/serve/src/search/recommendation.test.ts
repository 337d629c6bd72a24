import { createSecretKey } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "./cursor.ts";
import { Recommendations } from "./recommendation.ts";

const signedWith = (byte: number) => new Recommendations(() => [createSecretKey(new Uint8Array(32).fill(byte))]);
const ids = signedWith(7);
const given = { time: 1_700_000_000_000, model: "a".repeat(64), kind: "because", metric: "user" } as const;

test("an id tells what made the list", () => {
  expect(ids.read(ids.create(given))).toEqual({ ...given, model: "a".repeat(16) });
  expect(ids.create(given)).not.toBe(ids.create(given));
});

test("an id that was changed anywhere is refused", () => {
  fc.assert(
    fc.property(fc.nat(60), fc.constantFrom(..."abcXYZ019._-"), (at, letter) => {
      const id = ids.create(given);
      const place = at % id.length;
      fc.pre(id[place] !== letter);
      const changed = id.slice(0, place) + letter + id.slice(place + 1);
      expect(() => ids.read(changed)).toThrow(/expected an id that a list of this server came with/);
    }),
  );
  expect(() => ids.read("")).toThrow(/expected an id/);
  expect(() => signedWith(0).read(ids.create(given))).toThrow(/expected an id/);
});

test("a cursor fits its own question only", () => {
  const cursor = writeCursor(20, "question");
  expect(readCursor(cursor, "question")).toEqual({ offset: 20 });
  expect(readCursor(undefined, "question")).toEqual({ offset: 0 });
  expect(() => readCursor(cursor, "another")).toThrow(/another question/);
  for (const bad of ["", "x", "../..", "10", "zzzzzzzzzzzz.abc", "-1.abc"]) {
    expect(() => readCursor(bad, "question")).toThrow(/cursor/);
  }
});
